"""One task from the events of its runs: what it says, where it stands, what a caller is told on the way."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.extensions import ACTIVITY, CARDS
from supervisor.a2a.story import Piece, Status, Story, question_id
from supervisor.a2a.told import activity_of
from supervisor.events.subagents import SubagentMode

STARTED = {
    "type": "RUN_STARTED",
    "threadId": "t",
    "runId": "task",
    "metadata": {"a2a": {"messageId": "m", "text": "hi"}},
}
DONE = {"type": "RUN_FINISHED", "outcome": {"type": "success"}}


def said(message_id: str, delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def shown(message_id: str, kind: str, value: Any, **more: str) -> dict[str, Any]:
    return {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": message_id,
        "activityType": "a2ui-surface",
        "content": {
            "a2ui_operations": [{"createSurface": {}}, {"updateDataModel": {"path": "/", "value": value}}],
            "card_type": kind,
            **more,
        },
    }


def told(*events: dict[str, Any], **options: Any) -> tuple[Story, list[Piece | Status]]:
    story = Story("task", "ctx", **options)
    return story, [step for event in events for step in story.apply(event)]


def test_text_comes_in_pieces_of_one_artifact_per_message() -> None:
    story, steps = told(STARTED, said("a", "one "), said("a", "two"), said("b", "three"), DONE)
    assert steps == [
        Status("working"),
        Piece("a", "one ", append=False),
        Piece("a", "two", append=True),
        Piece("b", "three", append=False),
        Status("completed"),
    ]
    assert story.answer() == [("a", "one two"), ("b", "three")]
    assert story.asked == [("m", "hi")]


@pytest.mark.parametrize(
    ("event", "state", "words"),
    [
        ({"type": "RUN_FINISHED"}, "completed", ""),
        ({"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}, "canceled", ""),
        ({"type": "RUN_ERROR", "message": "It is busy.", "code": "LLM_RATE_LIMITED"}, "failed", "It is busy."),
    ],
)
def test_the_end_of_a_run_is_the_state_of_its_task(event: dict[str, Any], state: str, words: str) -> None:
    story, steps = told(STARTED, event)
    assert steps[-1] == Status(state, words)
    assert story.final


@pytest.mark.parametrize(
    ("payload", "state", "words"),
    [
        ({"type": "select", "message": "When?", "options": ["1"]}, "input-required", "When?"),
        ({"type": "unlock", "message": "Sign in", "key": "k"}, "auth-required", "Sign in"),
        ({"type": "modal", "title": "Send?", "body": "Two.", "actions": ["ok"]}, "input-required", "Send?\n\nTwo."),
        ({"value": 7}, "input-required", "An answer is needed to go on."),
    ],
)
def test_the_first_open_question_is_the_tasks_in_words_and_as_data(payload: Any, state: str, words: str) -> None:
    message = payload.get("message") or payload.get("title")
    first = {"id": "i1", "metadata": payload, **({"message": message} if message else {})}
    outcome = {"type": "interrupt", "interrupts": [first, {"id": "i2", "metadata": {"type": "input", "message": "?"}}]}
    story, steps = told(STARTED, {"type": "RUN_FINISHED", "outcome": outcome})
    assert steps[-1] == Status(state, words, payload)
    assert story.final
    list(story.apply(STARTED))
    assert (story.state, story.status()) == ("working", Status("working"))


def test_cards_are_metadata_the_first_by_its_keys_and_several_as_a_list() -> None:
    one = shown("a2ui-surface-c1", "dish_cards", {"items": []}, bubble_text="hm", card_category="list")
    two = shown("a2ui-surface-c2", "shuttle_cards", {"items": [1]})
    story, steps = told(STARTED, one, DONE)
    keys = {
        "card_template_id": "dish_cards",
        "card_data_model": {"items": []},
        "card_category": "list",
        "bubble_text": "hm",
    }
    assert story.metadata() == keys
    assert steps[-1] == Status("completed", metadata=keys)
    both, _ = told(STARTED, one, two, DONE)
    assert both.metadata()["card_template_id"] == "dish_cards"
    assert [card["card_template_id"] for card in both.metadata()[CARDS]["cards"]] == ["dish_cards", "shuttle_cards"]


def test_a_card_in_place_of_an_earlier_one_says_so() -> None:
    call = {"type": "TOOL_CALL_START", "toolCallId": "call-2", "toolCallName": "card_action", "parentMessageId": "a"}
    story, _ = told(STARTED, call, shown("a2ui-surface-call-1", "dish_cards", {}), DONE)
    assert story.metadata()["card_update"] is True
    fresh, _ = told(STARTED, call, shown("a2ui-surface-dish_cards-ab-call-2", "dish_cards", {}), DONE)
    assert "card_update" not in fresh.metadata()


def test_what_a_restated_thread_lacks_was_never_said_and_what_it_has_is() -> None:
    question = {"id": question_id("task"), "role": "user", "content": "hi"}
    older = [{"id": "z", "role": "assistant", "content": "of an earlier task"}]
    now = [question, {"id": "b", "role": "assistant", "content": "whole"}, {"id": "c", "role": "assistant"}]
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [*older, *now]}
    story, steps = told(STARTED, said("a", "half a sen"), snapshot, said("d", "new"), DONE)
    assert steps[2:-1] == [
        Piece("a", "", append=False),
        Piece("b", "whole", append=False),
        Piece("d", "new", append=False),
    ]
    assert story.answer() == [("b", "whole"), ("d", "new")]


def test_cards_of_a_restated_thread_are_the_tasks_own() -> None:
    def activity(found: str) -> dict[str, Any]:
        event = shown(found, "dish_cards", {"items": []})
        return {"id": found, "role": "activity", "activityType": event["activityType"], "content": event["content"]}

    question = {"id": question_id("task"), "role": "user", "content": "hi"}
    messages = [activity("a2ui-surface-old"), question, activity("a2ui-surface-new")]
    story, _ = told(STARTED, {"type": "MESSAGES_SNAPSHOT", "messages": messages}, DONE)
    assert CARDS not in story.metadata()
    assert story.metadata()["card_template_id"] == "dish_cards"


@pytest.mark.parametrize("mode", ["both", "standard", "custom"])
def test_activity_is_told_once_whatever_family_the_run_tells(mode: SubagentMode) -> None:
    start = {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "canteen", "description": "d"}
    value = {"subagentId": "s", "subagentType": "canteen", "description": "d", "toolCallId": "c"}
    mirror = {"type": "CUSTOM", "name": "subagent-start", "value": value}
    sent = [start] * (mode != "custom") + [mirror] * (mode != "standard")
    _, steps = told(STARTED, *sent, mode=mode, activity=True)
    raw = {"type": "agent-start", "id": "s", "name": "canteen", "description": "d"}
    assert steps[1:] == [Status("working", metadata={ACTIVITY: raw})]
    assert told(STARTED, *sent, mode=mode)[1] == [Status("working")]


@pytest.mark.parametrize(
    ("event", "raw"),
    [
        (
            {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "x", "code": "timeout"},
            {"type": "agent-end", "id": "s", "status": "timed_out", "error": "timeout"},
        ),
        (
            {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": {"type": "suspended"}},
            {"type": "agent-end", "id": "s", "status": "suspended"},
        ),
        (
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": '{"status":"failed"}'},
            {"type": "tool-end", "id": "c", "ok": False},
        ),
        (
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "{broken"},
            {"type": "tool-end", "id": "c", "ok": True},
        ),
        ({"type": "CUSTOM", "name": "subagent-start", "value": "a host's own"}, None),
        ({"type": "CUSTOM", "name": "subagent-tool", "value": {"status": "started"}}, None),
        ({"type": "STATE_SNAPSHOT", "snapshot": {}}, None),
    ],
)
def test_events_that_are_activity_and_others(event: dict[str, Any], raw: Any) -> None:
    assert activity_of(event, "standard") == raw
