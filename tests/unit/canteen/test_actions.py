"""Clicks in the canteen's cards over A2A, in process. Tuesday 2026-12-01 11:30 unless a test says otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canteen.actions import act
from agents.canteen.agent import SPEC
from agents.canteen.cards import CARD_TYPES
from agents.kit.spec import Action, Asker, Conversation
from tests.unit.agents_kit.cards import checked, clicked, explore, facts, ids, shown
from tests.unit.agents_kit.harness import Rpc, running
from tests.unit.canteen.tables import DISHES, REVIEWS, STALLS, dishes, hot

HERE = {"currentLocation": {"lat": 31.0251, "lng": 121.4382}, "locationPermission": "granted"}


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC, now="2026-12-01T11:30") as client:
        yield client


async def test_a_dish_is_opened(rpc: Rpc) -> None:
    on, data = await shown(rpc, "推荐几道辣的菜")
    first = data["items"][0]
    text, led_to, dish = await clicked(rpc, on, "open_dish", {"id": first["id"], "name": first["name"]})
    assert led_to == "message-card"
    assert dish["title"] == first["name"]
    assert facts(dish)["价格"] == f"¥{first['price']}"
    assert text.startswith(f"{first['name']}（{first['canteen']}·{first['stall']}）")


async def test_a_dish_that_is_not_served_now_is_said_to_be_missing_for_this_meal(rpc: Rpc) -> None:
    dish = next(d for d in DISHES if d["meals"] == "dinner" and d["stock_dinner"] != "0")
    text, _, data = await clicked(rpc, "dish_cards", "open_dish", {"id": dish["id"], "name": dish["name_zh"]})
    assert "午餐没有供应" in text
    assert facts(data)["供应"] == "晚餐"


async def test_stalls_and_canteens_are_opened_one_from_the_other(rpc: Rpc) -> None:
    on, data = await shown(rpc, "which stalls are in canteen two?")
    stall = data["items"][0]
    _, led_to, detail = await clicked(rpc, on, "open_stall", {"id": stall["id"], "name": stall["name"]})
    assert (led_to, detail["name"]) == ("stall_detail_card", stall["name"])
    served = [d["id"] for d in dishes("lunch", lambda d: d["stall"] == stall["id"])]
    assert set(ids(detail)) == set(served[:12])
    (button,) = detail["open_canteen"]
    text, led_to, canteen = await clicked(rpc, led_to, "open_canteen", {"id": button["id"], "name": button["name"]})
    assert (led_to, canteen["name"]) == ("canteen_detail_card", "Canteen Two")
    assert set(ids(canteen)) == {s for s, row in STALLS.items() if row["canteen"] == "c2"}
    assert text.startswith("Canteen Two is")


async def test_the_menu_and_the_reviews_of_a_canteen_and_a_stall_are_shown(rpc: Rpc) -> None:
    for on, place, name in (("canteen_detail_card", "c2", "第二食堂"), ("stall_detail_card", "s08", "渝味鱼庄")):
        _, led_to, menu = await clicked(rpc, on, "show_menu", {"id": place, "name": name})
        assert (led_to, menu["title"]) == ("canteen_menu", f"{name}今日菜单")
        assert {pane["name"] for pane in menu["items"]} <= {row["name_zh"] for row in STALLS.values()}
        _, led_to, reviews = await clicked(rpc, on, "show_reviews", {"id": place, "name": name})
        assert (led_to, reviews["title"]) == ("review_cards", f"{name}的评价")
    of_the_stall = {r["id"] for r in REVIEWS if r["dish"].startswith("d08")}
    assert reviews["subtitle"].startswith(f"{len(of_the_stall)} 条")
    assert set(ids(reviews)) <= of_the_stall


async def test_another_meal_of_the_menu_replaces_the_card(rpc: Rpc) -> None:
    on, data = await shown(rpc, "二食堂今天的菜单")
    assert [button["label"] for button in data["filter"]] == ["早餐", "✓ 午餐", "晚餐"]
    _, led_to, dinner = await clicked(rpc, on, "filter", {"value": data["filter"][2]["value"]})
    assert led_to == "update"
    assert [button["label"] for button in dinner["filter"]] == ["早餐", "午餐", "✓ 晚餐"]
    assert dinner["subtitle"].endswith("晚餐")


async def test_a_list_is_paged_in_place_back_and_forth(rpc: Rpc) -> None:
    on, first = await shown(rpc, "推荐几道辣的菜")
    assert "previous_page" not in first
    _, led_to, second = await clicked(rpc, on, "next_page", {"cursor": first["next_page"][0]["cursor"]})
    assert led_to == "update"
    assert ids(second) == [dish["id"] for dish in dishes("lunch", hot)[8:16]]
    _, led_to, again = await clicked(rpc, on, "previous_page", {"cursor": second["previous_page"][0]["cursor"]})
    assert led_to == "update"
    assert again == first


async def test_a_page_that_was_turned_is_what_a_follow_up_question_is_about(rpc: Rpc) -> None:
    on, first = await shown(rpc, "推荐几道辣的菜")
    await clicked(rpc, on, "next_page", {"cursor": first["next_page"][0]["cursor"]})
    task = await rpc.send("还有更便宜的吗", contextId="c")
    assert ids(checked(task["metadata"])) == [dish["id"] for dish in dishes("lunch", hot, "price")[:8]]


async def test_stalls_are_filtered_in_place(rpc: Rpc) -> None:
    on, data = await shown(rpc, "which stalls are there?")
    by_label = {button["label"]: button["value"] for button in data["filter"]}
    text, led_to, third = await clicked(rpc, on, "filter", {"value": by_label["Canteen Three"]})
    assert led_to == "update"
    assert set(ids(third)) == {s for s, row in STALLS.items() if row["canteen"] == "c3"}
    assert "at Canteen Three" in text
    quick = next(b["value"] for b in third["filter"] if b["label"] == "Shortest queue")
    _, led_to, both = await clicked(rpc, on, "filter", {"value": quick})
    waits = [item["queue_minutes"] for item in both["items"]]
    assert (led_to, waits) == ("update", sorted(waits))
    assert set(ids(both)) == set(ids(third))
    assert [b["label"] for b in both["filter"] if b["label"].startswith("✓")] == ["✓ Shortest queue", "✓ Canteen Three"]


async def test_reviews_are_paged_and_filtered_by_stars(rpc: Rpc) -> None:
    on, data = await shown(rpc, "水煮鱼的评价")
    stars = [r["stars"] for r in REVIEWS if r["dish"] == "d0802"]
    assert data["subtitle"].startswith(f"{len(stars)} 条")
    _, _, rest = await clicked(rpc, on, "next_page", {"cursor": data["next_page"][0]["cursor"]})
    assert len(data["items"]) + len(rest["items"]) == len(stars)
    poor = next(b["value"] for b in data["filter"] if b["label"] == "差评")
    _, led_to, bad = await clicked(rpc, on, "filter", {"value": poor})
    assert (led_to, [item["rating"] for item in bad["items"]]) == ("update", [s for s in stars if int(s) <= 2])


async def test_recommendations_can_be_changed_for_others(rpc: Rpc) -> None:
    on, data = await shown(rpc, "推荐吃什么")
    (button,) = data["next_page"]
    assert button["label"] == "换一批"
    text, led_to, others = await clicked(rpc, on, "next_page", {"cursor": button["cursor"]})
    assert led_to == "update"
    assert not set(ids(others)) & set(ids(data))
    assert others["items"][0]["name"] in text
    mild = next(b["value"] for b in data["filter"] if b["label"] == "不辣")
    _, _, cool = await clicked(rpc, on, "filter", {"value": mild})
    assert {item["spiciness"] for item in cool["items"]} == {0}


async def test_navigation_leads_from_a_detail_card_to_a_way_and_starts_there_in_place(rpc: Rpc) -> None:
    on, canteen = await shown(rpc, "第二食堂怎么样")
    (button,) = canteen["start_navigation"]
    text, led_to, way = await clicked(
        rpc, on, "start_navigation", {"id": button["id"], "name": button["name"]}, metadata=HERE
    )
    assert (led_to, [stop["name"] for stop in way["items"]]) == ("navigation-card", ["你的位置", "第二食堂"])
    assert way["note"] == ""
    (start,) = way["start_navigation"]
    text, led_to, going = await clicked(
        rpc, led_to, "start_navigation", {"id": start["id"], "name": start["name"]}, metadata=HERE
    )
    assert (led_to, going["start_navigation"], going["note"]) == ("update", [], "导航已开始")
    assert text.startswith("开始导航：从你的位置步行到第二食堂")


async def test_a_way_keeps_the_start_that_was_asked_for_and_says_so_when_it_had_to_guess(rpc: Rpc) -> None:
    on, way = await shown(rpc, "from the library, how do I get to canteen three?")
    (start,) = way["start_navigation"]
    _, _, going = await clicked(rpc, on, "start_navigation", {"id": start["id"], "name": start["name"]}, metadata=HERE)
    assert going["items"][0]["name"] == "Library"
    _, guessed = await shown(rpc, "how do I get to canteen three?")
    assert guessed["items"][0]["name"] == "South Gate"
    assert "not known" in guessed["note"]


async def test_whoever_is_in_another_town_does_not_walk_from_there(rpc: Rpc) -> None:
    far = {"currentLocation": {"lat": 22.5, "lng": 113.9}, "locationPermission": "granted"}
    _, _, way = await clicked(rpc, "stall_detail_card", "start_navigation", {"id": "s08"}, metadata=far)
    assert way["items"][0]["name"] == "南门"


@pytest.mark.parametrize(
    ("name", "context"),
    [
        *(
            ("open_dish", {}),
            ("open_dish", {"id": "s08"}),
            ("open_dish", {"id": ["d0101"]}),
            ("open_stall", {"id": "c2"}),
        ),
        *(
            ("open_canteen", {"id": "c2; DROP TABLE dishes"}),
            ("show_menu", {"id": "d0101"}),
            ("show_reviews", {"id": ""}),
        ),
        *(("next_page", {"cursor": "nonsense"}), ("next_page", {}), ("filter", {"value": '["zh","book_meal",{}]'})),
        *(("filter", {"value": '["zh","meal_card",{"token":"","number":"","phone_end":""}]'}),),
        *(("filter", {"value": '["zh","search_dishes",{"limit":1e9}]'}), ("submit_form", {"form_id": "x"})),
        *(("submit_form", {"form_id": "meal-1:zh", "values": [1]}), ("confirm_identity", {"token": "id-1:zh"})),
        *(("confirm_identity", {"token": "id-1:zh", "confirmed": "yes"}), ("start_navigation", {"id": "library"})),
        ("eat", {"id": "d0101"}),
    ],
)
async def test_a_context_that_makes_no_sense_is_answered_in_words(rpc: Rpc, name: str, context: dict[str, Any]) -> None:
    text, led_to, _ = await clicked(rpc, "dish_cards", name, context)
    assert (text[:8], led_to) == ("这个操作没有成功", "words")


@pytest.mark.parametrize(
    ("name", "context"), [("open_dish", {"id": "d9999"}), ("open_stall", {"id": "s99"}), ("open_canteen", {"id": "c9"})]
)
async def test_what_does_not_exist_is_said_to_be_missing(rpc: Rpc, name: str, context: dict[str, Any]) -> None:
    text, led_to, _ = await clicked(rpc, "dish_cards", name, context)
    assert (text[:4], led_to) == ("没有找到", "words")


QUESTIONS = {
    "zh": (
        "推荐几道辣的菜",
        "档口",
        "哪个食堂不挤",
        "第二食堂怎么样",
        "渝味鱼庄怎么样",
        "水煮鱼的评价",
        "今天的菜单",
        "吃什么",
    ),
    "en": ("cheap dishes", "stalls of canteen two", "which canteen is quiet", "reviews", "menu of canteen one"),
}


@pytest.mark.parametrize("language", QUESTIONS)
async def test_whatever_is_clicked_leads_on(rpc: Rpc, language: str) -> None:
    found = await explore(rpc, [*QUESTIONS[language], "怎么去二食堂", "book a meal", "饭卡"], depth=2, each=1)
    for on, name, led_to in found:
        assert led_to in {*CARD_TYPES, "update", "words"}
        if name in ("next_page", "previous_page", "filter"):
            assert led_to == "update", (on, name)
        elif name not in ("submit_form", "confirm_identity", "start_navigation"):
            assert led_to in CARD_TYPES, (on, name)
    assert {"open_dish", "open_stall", "open_canteen", "show_menu", "show_reviews", "next_page", "filter"} <= {
        name for _, name, _ in found
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
NAMES = ("open_dish", "show_menu", "start_navigation", "next_page", "filter", "submit_form", "confirm_identity", "x")
KEYS = st.sampled_from(["id", "name", "cursor", "value", "form_id", "values", "token", "confirmed"])


@given(st.sampled_from(NAMES), st.dictionaries(KEYS, JSON, max_size=4), st.sampled_from([*CARD_TYPES, "x"]))
@settings(max_examples=300, deadline=None)
def test_no_context_raises(name: str, context: dict[str, Any], on: str) -> None:
    step = act(Action(name, "s", on, context), Conversation("", True, Asker(location=(31.0, 121.0))))
    assert step is None or step.calls or step.text
