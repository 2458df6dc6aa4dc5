"""Named events: one defined form per AG-UI event, nothing twice, nothing lost, framing kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ag_ui.core import EventType
from hypothesis import given
from hypothesis import strategies as st

from supervisor.events import internal as ev
from supervisor.events.encode import PING, encode, frame, unnumbered
from supervisor.events.named import NamedEncoder
from supervisor.events.projector import Projector
from supervisor.http.encoding import wants_named

NAMES = {
    "TEXT_MESSAGE_START": "text-message-start",
    "TEXT_MESSAGE_CONTENT": "text-message-content",
    "TEXT_MESSAGE_END": "text-message-end",
    "TEXT_MESSAGE_CHUNK": "text-message-chunk",
    "TOOL_CALL_START": "tool-call-start",
    "TOOL_CALL_ARGS": "tool-call-args",
    "TOOL_CALL_END": "tool-call-end",
    "TOOL_CALL_CHUNK": "tool-call-chunk",
    "TOOL_CALL_RESULT": "tool-call-result",
    "STATE_SNAPSHOT": "state-snapshot",
    "STATE_DELTA": "state-delta",
    "MESSAGES_SNAPSHOT": "messages-snapshot",
    "ACTIVITY_SNAPSHOT": "activity-snapshot",
    "ACTIVITY_DELTA": "activity-delta",
    "RAW": "raw",
    "CUSTOM": "custom",
    "RUN_STARTED": "run-start",
    "RUN_FINISHED": "run-end",
    "RUN_ERROR": "run-error",
    "STEP_STARTED": "step-started",
    "STEP_FINISHED": "step-finished",
    "REASONING_START": "reasoning-start",
    "REASONING_MESSAGE_START": "reasoning-message-start",
    "REASONING_MESSAGE_CONTENT": "reasoning-message-content",
    "REASONING_MESSAGE_END": "reasoning-message-end",
    "REASONING_MESSAGE_CHUNK": "reasoning-message-chunk",
    "REASONING_END": "reasoning-end",
    "REASONING_ENCRYPTED_VALUE": "reasoning-encrypted-value",
    "SUBAGENT_STARTED": "subagent-start",
    "SUBAGENT_FINISHED": "subagent-end",
    "SUBAGENT_ERROR": "subagent-end",
}


def test_every_event_type_of_the_protocol_has_a_name() -> None:
    assert {kind.value for kind in EventType} == set(NAMES)
    encoder = NamedEncoder("standard")
    found = {kind: encoder.named({"type": kind, "name": "x", "value": {}}) for kind in NAMES}
    assert {kind: pair[0] for kind, pair in found.items() if pair} == NAMES


@pytest.mark.parametrize(
    ("event", "data"),
    [
        (
            {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
            {"messageId": "m", "role": "assistant"},
        ),
        ({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "好"}, {"messageId": "m", "delta": "好"}),
        ({"type": "TEXT_MESSAGE_END", "messageId": "m"}, {"messageId": "m"}),
        (
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"},
            {"toolCallId": "c", "toolName": "f", "parentMessageId": "m"},
        ),
        ({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{"}, {"toolCallId": "c", "delta": "{"}),
        (
            {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "42", "role": "tool"},
            {"messageId": "t", "toolCallId": "c", "result": "42", "role": "tool"},
        ),
        (
            {"type": "CUSTOM", "name": "progress", "value": {"percent": 50}},
            {"name": "progress", "value": {"percent": 50}},
        ),
        ({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}, {"threadId": "t", "runId": "r"}),
        (
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "success"}},
            {"threadId": "t", "runId": "r", "outcome": {"type": "success"}},
        ),
        ({"type": "RUN_ERROR", "message": "x", "code": "CANCELLED"}, {"message": "x", "code": "CANCELLED"}),
        (
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "subagentRunId": "s"},
            {"messageId": "m", "delta": "x", "subagentId": "s"},
        ),
    ],
)
def test_the_data_is_the_event_without_its_type_in_the_words_of_the_encoding(event: Any, data: Any) -> None:
    assert NamedEncoder().named(event) == (NAMES[event["type"]], data)


def turn(mode: Any, status: Any = "completed", error: str | None = None) -> list[tuple[str, Any]]:
    """The named sub-agent events of one invocation, as the projector sends it in `mode`."""
    projector = Projector("t", "r", lambda *_: [], mode)
    encoder = NamedEncoder(mode)
    steps = [
        ev.SubagentStarted("s", "canteen", "Knows dishes.", "c"),
        ev.SubagentDelta("s", "text", "三道"),
        ev.SubagentEnded("s", status, "三道菜", error),
    ]
    found = [encoder.named(event) for step in steps for event in projector.apply(step)]
    return [pair for pair in found if pair]


START = (
    "subagent-start",
    {"subagentId": "s", "subagentType": "canteen", "description": "Knows dishes.", "toolCallId": "c"},
)
DELTA = ("subagent-delta", {"subagentId": "s", "kind": "text", "text": "三道"})


@pytest.mark.parametrize("mode", ["both", "custom"])
def test_an_invocation_is_told_once_from_the_mirror_where_there_is_one(mode: str) -> None:
    end = ("subagent-end", {"subagentId": "s", "status": "completed", "result": "三道菜"})
    assert turn(mode) == [START, DELTA, end]
    failed = ("subagent-end", {"subagentId": "s", "status": "failed", "result": "三道菜", "errorCode": "http_500"})
    assert turn(mode, "failed", "http_500")[-1] == failed


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("completed", None),
        ("suspended", None),
        ("failed", "http_500"),
        ("timed_out", "timeout"),
        ("timed_out", "timed_out"),
        ("cancelled", "cancelled"),
        ("cancelled", "a2a_state_canceled"),
    ],
)
def test_without_the_mirror_the_standard_events_say_the_same(status: str, error: str | None) -> None:
    start, (name, end) = turn("standard", status, error)
    assert start == START
    assert (name, end["subagentId"], end["status"], end.get("errorCode")) == ("subagent-end", "s", status, error)


@pytest.mark.parametrize("value", [None, "text", ["a"]])
def test_a_custom_event_that_only_looks_like_a_mirror_stays_custom(value: Any) -> None:
    event = {"type": "CUSTOM", "name": "subagent-start", "value": value}
    assert NamedEncoder().named(event) == ("custom", {"name": "subagent-start", "value": value})


def test_ids_pings_and_unnumbered_frames_keep_their_place_in_a_piece_of_several() -> None:
    started, dropped, text = (
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": {"type": "success"}},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "data: x\n\nid: 9"},
    )
    piece = unnumbered(started) + PING + frame(7, encode(dropped)) + frame(8, encode(text))
    assert NamedEncoder().frames(piece) == (
        b'event: run-start\ndata: {"threadId":"t","runId":"r"}\n\n'
        b": ping\n\n"
        b'id: 8\nevent: text-message-content\ndata: {"messageId":"m","delta":"data: x\\n\\nid: 9"}\n\n'
    )


@given(st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_any_value_stays_one_data_line_and_is_not_changed(value: Any) -> None:
    found = NamedEncoder().frames(frame(1, encode({"type": "CUSTOM", "name": "x", "value": value})))
    head, data = found[:-2].split(b"\ndata: ")
    assert head == b"id: 1\nevent: custom"
    assert b"\n" not in data
    assert json.loads(data) == {"name": "x", "value": value}


@pytest.mark.parametrize(
    ("accept", "named"),
    [
        ("text/event-stream; profile=named", True),
        ("text/event-stream;profile=named", True),
        ('Text/Event-Stream ; charset=utf-8 ; Profile = "Named"', True),
        ('text/event-stream; profile="urn:x named"', True),
        ("application/json, text/event-stream;profile=named;q=0.9", True),
        ("text/event-stream, text/event-stream; profile=named", True),
        ("text/event-stream;q=0.5, text/event-stream; profile=named;q=0.8", True),
        ("*/*, text/event-stream;profile=named;q=0.1", True),
        ("text/event-stream; profile=named; q=oops", True),
        ("text/event-stream, text/event-stream; profile=named;q=0.8", False),
        ("text/event-stream; profile=named; q=0", False),
        ('text/event-stream; profile="other, text/event-stream; profile=named"', False),
        ("text/event-stream; profile=unnamed", False),
        ("application/json; profile=named", False),
        ("text/event-stream", False),
        ("*/*", False),
        (",;,=", False),
        ("", False),
    ],
)
def test_accept_is_read_as_clients_write_it(accept: str, named: bool) -> None:
    assert wants_named(accept) is named
