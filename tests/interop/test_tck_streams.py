"""Streams, by the kit's ids: what they begin and end with, order, several at once, subscriptions."""

from __future__ import annotations

from itertools import groupby

import pytest

from tests.interop.kit import Json, Kit, asked, follows, running, state_of

UNSUPPORTED = -32004
DONE = "TASK_STATE_COMPLETED"


@pytest.mark.requirement("CORE-STREAM-001", "CORE-STREAM-003")
@pytest.mark.parametrize(
    ("convention", "end"),
    [
        ("tck-stream-001", DONE),
        ("tck-stream-artifact-file", DONE),
        ("tck-reject-task", "TASK_STATE_REJECTED"),
        ("tck-input-required", "TASK_STATE_INPUT_REQUIRED"),
    ],
)
async def test_a_stream_begins_with_the_task_and_ends_with_its_end(system: str, convention: str, end: str) -> None:
    follows(system, convention)
    async with running(system) as kit:
        events = await kit.streamed(convention)
    assert list(events[0]) == ["task"]
    assert {kind for event in events[1:] for kind in event} <= {"statusUpdate", "artifactUpdate"}
    assert [state_of(event) for event in events].count(end) == 1
    assert state_of(events[-1]) == end


@pytest.mark.requirement("CORE-STREAM-002")
async def test_a_stream_of_a_message_is_that_message() -> None:
    async with running() as kit:
        (event,) = await kit.streamed("tck-message-response")
    assert event["message"]["parts"] == [{"text": "Direct message response"}]


@pytest.mark.requirement("STREAM-ORDER-001")
async def test_events_come_in_the_order_in_which_they_happened(system: str) -> None:
    async with running(system) as kit:
        events = await kit.streamed("tck-stream-artifact-chunked")
    pieces = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
    told = [state_of(event) or "artifact" for event in events]
    assert [kind for kind, _ in groupby(told)] == ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "artifact", DONE]
    assert [piece.get("append", False) for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert len(pieces) > 1
    said = "".join(piece["artifact"]["parts"][0]["text"] for piece in pieces)
    assert said == ("chunk-1 chunk-2" if system == "agent" else "Generated text content")


@pytest.mark.requirement("STREAM-ORDER-002", "STREAM-ORDER-003", "STREAM-SUB-001", "STREAM-SUB-002")
async def test_all_streams_of_a_task_tell_the_same_to_its_end(system: str) -> None:
    async with running(system) as kit, kit.events("SendStreamingMessage", _long()) as first:
        task = await _at_work(first)
        async with kit.events("SubscribeToTask", task) as second, kit.events("SubscribeToTask", task) as third:
            beginnings = [await anext(second), await anext(third)]
            kit.release.set()
            rest = [[event async for event in stream] for stream in (first, second, third)]
    assert [(list(event), event["task"]["id"]) for event in beginnings] == [(["task"], task["id"])] * 2
    assert rest[0] == rest[1] == rest[2]
    assert state_of(rest[0][-1]) == DONE


@pytest.mark.requirement("STREAM-ORDER-004")
@pytest.mark.parametrize("closed", ["the first", "a subscription"])
async def test_a_stream_that_is_closed_takes_no_other_with_it(system: str, closed: str) -> None:
    async with running(system) as kit:
        if closed == "the first":
            async with kit.events("SendStreamingMessage", _long()) as first:
                task = await _at_work(first)
        else:
            task = {"id": (await kit.at_work())["id"]}
            async with kit.events("SubscribeToTask", task) as first:
                await anext(first)
        rest = await _to_the_end(kit, task)
    assert state_of(rest[-1]) == DONE


@pytest.mark.requirement("STREAM-SUB-001", "STREAM-SUB-002")
@pytest.mark.parametrize("end", [DONE, "TASK_STATE_CANCELED"])
async def test_a_subscription_to_a_task_that_waits_goes_on_to_its_end(system: str, end: str) -> None:
    async with running(system) as kit:
        waiting = await kit.task("tck-input-required")
        ids = {"taskId": waiting["id"], "contextId": waiting["contextId"]}
        async with kit.events("SubscribeToTask", {"id": waiting["id"]}) as events:
            first = await anext(events)
            again = await kit.task("tck-input-required", **ids)
            if end == DONE:
                await kit.task("tck-complete-task", **ids)
            else:
                await kit.result("CancelTask", {"id": waiting["id"]})
            rest = [event async for event in events]
    assert state_of(first) == again["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    states = [state_of(event) for event in rest]
    assert "TASK_STATE_INPUT_REQUIRED" in states
    assert (states[-1], states.count(end)) == (end, 1)


@pytest.mark.requirement("STREAM-SUB-003")
async def test_a_task_that_has_ended_cannot_be_subscribed_to(system: str) -> None:
    async with running(system) as kit:
        done = await kit.task("tck-complete-task")
        assert (await kit.error("SubscribeToTask", {"id": done["id"]}))["code"] == UNSUPPORTED


@pytest.mark.requirement("CORE-CAP-002")
async def test_an_agent_that_does_not_stream_says_so() -> None:
    async with running(streaming=False) as kit:
        message = await kit.error("SendStreamingMessage", {"message": asked("tck-stream-001")})
        waiting = await kit.task("tck-input-required")
        subscription = await kit.error("SubscribeToTask", {"id": waiting["id"]})
    assert message["code"] == subscription["code"] == UNSUPPORTED


def _long() -> Json:
    return {"message": asked("test-resubscribe-message-id")}


async def _at_work(events: object) -> Json:
    """The task of a stream that was read up to its being at work."""
    found = await anext(events)  # type: ignore[call-overload]
    await anext(events)  # type: ignore[call-overload]
    return {"id": found["task"]["id"]}


async def _to_the_end(kit: Kit, task: Json) -> list[Json]:
    async with kit.events("SubscribeToTask", task) as events:
        await anext(events)
        kit.release.set()
        return [event async for event in events]
