from __future__ import annotations

from typing import Any

import pytest

from contracts.extensions import ACTIVITY
from tests.unit.agents_kit.harness import V10, message, running
from tests.unit.agents_kit.ordering import ORDERING


def activity(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    updates = [event["statusUpdate"] for event in events if "statusUpdate" in event]
    return [update["metadata"][ACTIVITY] for update in updates if ACTIVITY in update.get("metadata", {})]


async def test_the_card_declares_the_activity_extension() -> None:
    async with running() as rpc:
        card = (await rpc.http.get("/.well-known/agent-card.json")).json()
    assert ACTIVITY in [extension["uri"] for extension in card["capabilities"]["extensions"]]


@pytest.mark.requirement("SB-KIT-20")
@pytest.mark.parametrize("header", ["A2A-Extensions", "X-A2A-Extensions"])
async def test_tool_calls_are_told_to_whoever_asks_for_them(header: str) -> None:
    headers = {**V10, header: f"https://else.example/v1, {ACTIVITY}"}
    async with running() as rpc:
        events = await rpc.stream("SendStreamingMessage", {"message": message("tofu")}, headers=headers)
        task = (await rpc.post("GetTask", {"id": events[0]["task"]["id"]}))["result"]
    start, end = activity(events)
    assert start == {"type": "tool-start", "id": start["id"], "name": "look"}
    assert end == {"type": "tool-end", "id": start["id"], "ok": True}
    assert ACTIVITY not in task["metadata"]


async def test_a_tool_that_fails_is_told_as_such() -> None:
    headers = {**V10, "A2A-Extensions": ACTIVITY}
    async with running() as rpc:
        events = await rpc.stream("SendStreamingMessage", {"message": message("crash")}, headers=headers)
    assert [told.get("ok") for told in activity(events)] == [None, False]


async def test_nobody_else_hears_of_tool_calls() -> None:
    async with running() as rpc:
        events = await rpc.stream("SendStreamingMessage", {"message": message("tofu")})
    assert activity(events) == []


async def test_a_tool_that_asks_ends_before_the_question_and_begins_anew_after_the_answer() -> None:
    headers = {**V10, "A2A-Extensions": ACTIVITY}
    async with running(ORDERING) as rpc:
        first = await rpc.stream("SendStreamingMessage", {"message": message("door")}, headers=headers)
        task = first[0]["task"]
        told = message("unlocked", taskId=task["id"], contextId=task["contextId"])
        second = await rpc.stream("SendStreamingMessage", {"message": told}, headers=headers)
    for events in (first, second):
        assert [one["type"] for one in activity(events)] == ["tool-start", "tool-end"]
    assert activity(first)[0]["id"] != activity(second)[0]["id"]
