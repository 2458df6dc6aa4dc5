"""What an agent tells of its own tools and agents: ids of its own, bounds, nothing of what was never announced."""

from __future__ import annotations

from typing import Any

import pytest

from supervisor.dispatch.activity import MAX_TEXT, read_activity, written
from supervisor.events import internal as ev
from supervisor.graph.nested import MAX_CHARS, MAX_ITEMS, NestedActivity

START = {"type": "agent-start", "id": "a", "name": "canteen", "description": "eats"}


def read(*raw: Any) -> list[ev.InternalEvent]:
    lane = NestedActivity("s")
    steps = [step for item in raw if (step := read_activity(item)) is not None]
    return [event for step in steps for event in lane.events(step)]


@pytest.mark.requirement("SB-A2A-ACTIVITY-01")
def test_activity_becomes_events_under_the_invocation_with_ids_of_their_own() -> None:
    assert read(
        {"type": "tool-start", "id": "t", "name": "search"},
        {"type": "tool-end", "id": "t", "ok": False},
        START,
        {"type": "agent-start", "id": "b", "name": "kitchen", "parentId": "a"},
        {"type": "agent-tool-start", "agentId": "b", "id": "u", "name": "menu"},
        {"type": "agent-tool-end", "agentId": "b", "id": "u", "ok": True},
        {"type": "agent-delta", "id": "b", "kind": "text", "text": "soup"},
        {"type": "agent-end", "id": "b", "status": "completed", "result": "soup"},
        {"type": "agent-end", "id": "a", "status": "failed", "error": "http_500"},
    ) == [
        ev.SubagentTool("s", "s.t", "search", "started"),
        ev.SubagentTool("s", "s.t", "search", "failed"),
        ev.SubagentStarted("s.a", "canteen", "eats", None, "s"),
        ev.SubagentStarted("s.b", "kitchen", "", None, "s.a"),
        ev.SubagentTool("s.b", "s.u", "menu", "started"),
        ev.SubagentTool("s.b", "s.u", "menu", "completed"),
        ev.SubagentDelta("s.b", "text", "soup"),
        ev.SubagentEnded("s.b", "completed", "soup"),
        ev.SubagentEnded("s.a", "failed", "", "http_500"),
    ]


@pytest.mark.requirement("SB-A2A-ACTIVITY-04")
@pytest.mark.parametrize(
    "raw",
    [
        None,
        "agent-start",
        [START],
        {},
        {"type": ["agent-start"], "id": "x", "name": "n"},
        {"type": "agent-restart", "id": "x"},
        {"type": "agent-start", "id": "x"},
        {"type": "agent-start", "name": "n"},
        {"type": "agent-start", "id": "", "name": "n"},
        {"type": "agent-start", "id": 7, "name": "n"},
        {"type": "agent-start", "id": "x\ny", "name": "n"},
        {"type": "agent-start", "id": "x" * 401, "name": "n"},
        {"type": "agent-start", "id": "x", "name": "n" * 201},
        {"type": "agent-start", "id": "x", "name": "n", "parentId": 3},
        {"type": "agent-delta", "id": "a", "kind": "picture", "text": "x"},
        {"type": "agent-delta", "id": "a", "kind": "text", "text": ""},
        {"type": "agent-delta", "id": "never", "kind": "text", "text": "x"},
        {"type": "agent-end", "id": "a", "status": "exploded"},
        {"type": "agent-end", "id": "a", "status": ["completed"]},
        {"type": "agent-end", "id": "never", "status": "completed"},
        {"type": "tool-start", "id": "t"},
        {"type": "tool-end", "id": "never", "ok": True},
        {"type": "tool-end", "id": "t", "ok": "yes"},
        {"type": "agent-tool-start", "id": "t", "name": "menu"},
        {"type": "agent-tool-start", "id": "t", "name": "menu", "agentId": "never"},
    ],
)
def test_what_is_malformed_or_of_nobody_is_ignored(raw: Any) -> None:
    assert read(START, raw, START) == [ev.SubagentStarted("s.a", "canteen", "eats", None, "s")]


@pytest.mark.requirement("SB-A2A-ACTIVITY-04")
def test_number_and_size_of_what_one_invocation_tells_are_bounded() -> None:
    many = [{"type": "tool-start", "id": f"t{n}", "name": "x"} for n in range(MAX_ITEMS + 50)]
    assert len(read(*many)) == MAX_ITEMS
    piece = {"type": "agent-delta", "id": "a", "kind": "text", "text": "x" * (MAX_TEXT + 1)}
    said = [e.text for e in read(START, *[piece] * 60) if isinstance(e, ev.SubagentDelta)]
    assert len(said[0]) == MAX_TEXT
    assert sum(map(len, said)) == MAX_CHARS


def test_an_agent_that_ended_takes_those_below_it_along() -> None:
    below = {"type": "agent-start", "id": "b", "name": "kitchen", "parentId": "a"}
    late = {"type": "agent-delta", "id": "b", "kind": "text", "text": "late"}
    events = read(START, below, {"type": "agent-end", "id": "a", "status": "completed"}, late)
    assert [type(e) for e in events] == [ev.SubagentStarted, ev.SubagentStarted, ev.SubagentEnded]


def test_a_code_that_is_none_becomes_the_status() -> None:
    (_, end) = read(START, {"type": "agent-end", "id": "a", "status": "timed_out", "error": "boom: secret!"})
    assert end == ev.SubagentEnded("s.a", "timed_out", "", "timed_out")


@pytest.mark.parametrize(
    "raw",
    [
        START,
        {"type": "tool-start", "id": "t", "name": "search"},
        {"type": "tool-end", "id": "t", "ok": False},
        {"type": "agent-tool-start", "id": "t", "name": "search", "agentId": "a"},
        {"type": "agent-tool-end", "id": "t", "ok": True, "agentId": "a"},
        {"type": "agent-delta", "id": "a", "kind": "status", "text": "looks"},
        {"type": "agent-end", "id": "a", "status": "failed", "result": "r", "error": "timeout"},
    ],
)
def test_activity_is_written_as_it_is_read(raw: dict[str, Any]) -> None:
    step = read_activity(raw)
    assert step is not None
    assert written(step) == raw
