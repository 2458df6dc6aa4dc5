"""Tool call ids that are used are used once."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage

from supervisor.graph.call_ids import CallIds


def said(message_id: str, *calls: str) -> AIMessage:
    return AIMessage("", id=message_id, tool_calls=[{"name": "f", "args": {}, "id": call} for call in calls])


def ids(message: AIMessage) -> list[str | None]:
    return [call["id"] for call in message.tool_calls]


def test_an_id_of_an_earlier_message_is_renamed_the_same_in_stream_and_message() -> None:
    call_ids = CallIds()
    call_ids.note([said("m1", "call_0")])
    renamed = call_ids.made_unique(said("m2", "call_0", "call_1"))
    assert ids(renamed) == [call_ids.unique("m2", "call_0"), "call_1"]
    assert "call_0" not in ids(renamed)


@pytest.mark.requirement("SB-DUR-21")
def test_an_id_that_a_dead_process_announced_is_renamed_although_no_message_has_it() -> None:
    call_ids = CallIds({"call_0"})
    assert call_ids.unique("m2", "call_0") != "call_0"
    call_ids.note([said("m1", "call_1")])
    assert call_ids.unique("m2", "call_0") != "call_0"
    assert call_ids.unique("m2", "call_1") != "call_1"
    assert call_ids.unique("m2", "call_2") == "call_2"


@pytest.mark.requirement("SB-DUR-21")
def test_an_answer_id_that_a_dead_process_announced_is_renamed_although_no_message_has_it() -> None:
    call_ids = CallIds({"m1"})
    call_ids.note([said("m0")])
    assert call_ids.made_unique(said("m1")).id == call_ids.answer("m1") == "m1-1"
    assert call_ids.made_unique(said("m2")).id == "m2"
