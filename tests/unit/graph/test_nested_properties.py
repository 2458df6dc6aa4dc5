"""Whatever agents tell of themselves, in whatever order, several at once: the stream keeps the rules of AG-UI."""

from __future__ import annotations

from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui
from hypothesis import given, settings
from hypothesis import strategies as st

from supervisor.dispatch.activity import read_activity
from supervisor.events import internal as ev
from supervisor.events.projector import Projector
from supervisor.graph.nested import NestedActivity

IDS = st.sampled_from(["a", "b", "c", "d"])
STATUS = st.sampled_from(["completed", "failed", "timed_out", "suspended", "cancelled", "odd"])
STEP = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["tool-start", "tool-end", "agent-tool-start", "agent-tool-end", "agent-start", "agent-delta", "agent-end"]
        ),
        "id": IDS,
        "name": st.sampled_from(["x", ""]),
        "ok": st.booleans(),
        "kind": st.sampled_from(["text", "status"]),
        "text": st.sampled_from(["hm", ""]),
        "status": STATUS,
        "agentId": IDS,
        "parentId": st.one_of(st.none(), IDS),
    }
)
LANES = ("s1", "s2")
MOVES = st.lists(st.tuples(st.sampled_from(LANES), STEP), max_size=40)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=10,
)


def projected(moves: list[tuple[str, dict[str, Any]]], end: str, cut: int | None = None) -> list[dict[str, Any]]:
    """The stream of a run with two agents; with `cut`, of a process that died there and of the one that went on."""
    projector = Projector("t", "r", lambda _, __: [])
    out = projector.start()
    call = [ev.ToolCallDelta("m", 0, "call", "orchestrate_parallel", "{}"), ev.MessageDone("m")]
    lanes = {name: NestedActivity(name) for name in LANES}
    steps: list[ev.InternalEvent] = [*call, *(ev.SubagentStarted(name, name, "", "call") for name in LANES)]
    for place, (lane, raw) in enumerate(moves):
        if place == cut:
            # The agents are asked again and tell all over.
            lanes = {name: NestedActivity(name) for name in LANES}
        activity = read_activity(raw)
        steps += lanes[lane].events(activity) if activity is not None else []
    for place, step in enumerate(steps):
        if cut is not None and place == min(len(steps) - 1, len(call) + len(LANES) + cut):
            heir = Projector("t", "r", lambda _, __: [])
            out += heir.take_over(out)
            projector = heir
        out += projector.apply(step)
    if end == "ended":
        for name, status in zip(LANES, ("completed", "suspended"), strict=True):
            out += projector.apply(ev.SubagentEnded(name, status, ""))
    return out + (projector.cancel() if end == "cancelled" else projector.finish())


@pytest.mark.requirement("SB-A2A-ACTIVITY-02", "SB-A2A-ACTIVITY-04")
@settings(max_examples=150, deadline=None)
@given(moves=MOVES, end=st.sampled_from(["ended", "cancelled", "finished"]))
def test_nested_lanes_are_valid_and_whole_whatever_is_told(moves: list[Any], end: str) -> None:
    found = projected(moves, end)
    assert_valid_agui(found)
    assert_whole(found)


@pytest.mark.requirement("SB-A2A-ACTIVITY-03")
@settings(max_examples=100, deadline=None)
@given(moves=MOVES, cut=st.integers(0, 40))
def test_nested_lanes_are_whole_over_the_death_of_a_process(moves: list[Any], cut: int) -> None:
    assert_whole(projected(moves, "ended", cut))


@pytest.mark.requirement("SB-A2A-ACTIVITY-04")
@given(value=JSON)
def test_no_json_breaks_the_reading_of_activity(value: Any) -> None:
    read_activity(value)
    read_activity({"type": "agent-start", "id": value, "name": value, "parentId": value})
    read_activity({"type": value, "id": "a", "ok": value, "status": value, "kind": value, "text": value})


def assert_whole(found: list[dict[str, Any]]) -> None:
    """Each invocation and tool is opened once, while what it is in is open, and closed before that."""
    is_open: dict[str, str | None] = {}
    tools: dict[str, str] = {}
    used: set[str] = set()
    for event in found:
        kind, value = event["type"], event.get("value", {})
        if kind == "SUBAGENT_STARTED":
            parent = event.get("parentSubagentRunId")
            assert event["subagentRunId"] not in is_open
            assert parent is None or parent in is_open
            is_open[event["subagentRunId"]] = parent
        elif kind in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR"):
            closed = event["subagentRunId"]
            del is_open[closed]
            assert closed not in is_open.values()
            assert closed not in tools.values()
        elif event.get("name") == "subagent-tool" and value["status"] == "started":
            assert value["subagentId"] in is_open
            assert value["toolCallId"] not in used
            used.add(value["toolCallId"])
            tools[value["toolCallId"]] = value["subagentId"]
        elif event.get("name") == "subagent-tool":
            assert tools.pop(value["toolCallId"]) == value["subagentId"]
        elif event.get("name") == "subagent-delta":
            assert value["subagentId"] in is_open
    assert not is_open
    assert not tools
