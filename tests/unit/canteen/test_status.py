"""What the agent says while it works."""

from __future__ import annotations

from agents.canteen.agent import status


def test_every_tool_says_what_it_is_doing_in_the_language_of_the_question() -> None:
    for tool in ("search_dishes", "list_canteens", "list_stalls", "crowding_heatmap", "dish_reviews", "another"):
        assert status(tool, {}, True).startswith("正在")
        assert status(tool, {}, False).isprintable()
        assert status(tool, {}, False) != status(tool, {}, True)
