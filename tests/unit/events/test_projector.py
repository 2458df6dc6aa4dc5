"""Internal events become AG-UI events: order, closing, downgrade."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from ag_ui.core import Event as AguiEvent
from pydantic import TypeAdapter

from supervisor.errors import ERRORS
from supervisor.events import internal as ev
from supervisor.events.downgrade import downgraded
from supervisor.events.encode import frame
from supervisor.events.projector import Projector
from supervisor.events.subagents import SubagentMode
from tests.fakes.agui import parse

ADAPTER: TypeAdapter[Any] = TypeAdapter(AguiEvent)


def no_surfaces(call_id: str, artifact: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "CUSTOM", "name": "surface", "value": {"call": call_id, "artifact": artifact}}]


def project(*events: ev.InternalEvent, subagents: SubagentMode = "both", end: str = "finish") -> list[dict[str, Any]]:
    projector = Projector("t", "r", no_surfaces, subagents)
    out = projector.start()
    for event in events:
        out += projector.apply(event)
    if end == "finish":
        out += projector.finish()
    elif end == "cancel":
        out += projector.cancel()
    else:
        out += projector.fail(ERRORS["LLM_UNREACHABLE"], "abc")
    for event in out:
        ADAPTER.validate_python(event)
    return out


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [e["type"] if e["type"] != "CUSTOM" else f"CUSTOM {e['name']}" for e in events]


@pytest.mark.requirement("AGUI-TEXT-01")
def test_text_is_opened_once_and_closed_when_the_message_is_done() -> None:
    events = project(ev.TextDelta("m", "你"), ev.TextDelta("m", "好"), ev.MessageDone("m"))
    assert kinds(events) == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    assert events[0]["protocolVersion"] == "1.0"
    assert events[-1]["outcome"] == {"type": "success"}


def test_empty_deltas_open_nothing() -> None:
    assert kinds(project(ev.TextDelta("m", ""), ev.ReasoningDelta("m", ""))) == ["RUN_STARTED", "RUN_FINISHED"]


@pytest.mark.requirement("AGUI-TOOL-01")
def test_interleaved_calls_keep_their_own_arguments() -> None:
    events = project(
        ev.ToolCallDelta("m", 0, "c1", "call_domain_agent", '{"a":'),
        ev.ToolCallDelta("m", 1, "c2", "call_domain_agent", '{"b":'),
        ev.ToolCallDelta("m", 0, None, None, "1}"),
        ev.ToolCallDelta("m", 1, None, None, "2}"),
        ev.MessageDone("m"),
    )
    arguments = {"c1": "", "c2": ""}
    for event in events:
        if event["type"] == "TOOL_CALL_ARGS":
            arguments[event["toolCallId"]] += event["delta"]
    assert arguments == {"c1": '{"a":1}', "c2": '{"b":2}'}
    assert kinds(events).count("TOOL_CALL_END") == 2


def test_late_text_of_a_message_with_a_tool_call_stays_in_that_message() -> None:
    events = project(
        ev.TextDelta("m", "我来查"),
        ev.ToolCallDelta("m", 0, "c1", "f", "{}"),
        ev.TextDelta("m", "，请稍等"),
        ev.MessageDone("m"),
    )
    assert kinds(events).count("TEXT_MESSAGE_START") == 1
    assert "".join(e.get("delta", "") for e in events if e["type"] == "TEXT_MESSAGE_CONTENT") == "我来查，请稍等"


@pytest.mark.requirement("AGUI-REASONING-01")
def test_reasoning_ends_where_text_begins() -> None:
    events = project(ev.ReasoningDelta("m", "想"), ev.TextDelta("m", "答"), ev.MessageDone("m"))
    assert kinds(events)[1:6] == [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    ]


@pytest.mark.requirement("SB-SUB-01")
def test_a_subagent_has_four_events_in_a_fixed_order_before_the_result() -> None:
    events = project(
        ev.ToolCallDelta("m", 0, "c1", "call_domain_agent", "{}"),
        ev.MessageDone("m"),
        ev.SubagentStarted("s1", "canteen", "dishes", "c1"),
        ev.SubagentDelta("s1", "text", "三道菜"),
        ev.SubagentEnded("s1", "completed", "三道菜" * 400),
        ev.ToolResult("tm", "c1", "call_domain_agent", "{}", {"cards": []}),
    )
    assert kinds(events)[4:-1] == [
        "SUBAGENT_STARTED",
        "CUSTOM subagent-start",
        "CUSTOM subagent-delta",
        "CUSTOM subagent-end",
        "SUBAGENT_FINISHED",
        "TOOL_CALL_RESULT",
        "CUSTOM surface",
    ]
    assert len(events[7]["value"]["result"]) == 500


@pytest.mark.parametrize(("mode", "expected"), [("standard", 2), ("custom", 3)])
@pytest.mark.requirement("SB-SUB-02")
def test_either_family_of_subagent_events_can_be_switched_off(mode: Any, expected: int) -> None:
    events = project(
        ev.SubagentStarted("s1", "canteen", "d", "c1"),
        ev.SubagentDelta("s1", "status", "查"),
        ev.SubagentEnded("s1", "failed", "", "http_500"),
        subagents=mode,
    )
    assert len(events) == expected + 2


@pytest.mark.parametrize("end", ["finish", "cancel", "fail"])
@pytest.mark.requirement("AGUI-LIFECYCLE-05")
def test_everything_that_was_opened_is_closed_before_the_one_terminal_event(end: str) -> None:
    events = project(
        ev.ReasoningDelta("m0", "想"),
        ev.TextDelta("m", "半"),
        ev.ToolCallDelta("m", 0, "c1", "f", "{"),
        ev.SubagentStarted("s1", "canteen", "d", "c1"),
        end=end,
    )
    names = kinds(events)
    for start in [n for n in names if n.endswith("_START")]:
        assert names.count(start) == names.count(start.replace("_START", "_END"))
    assert "SUBAGENT_ERROR" in names
    assert [n for n in names if n in ("RUN_FINISHED", "RUN_ERROR")] == [names[-1]]


@pytest.mark.requirement("AGUI-VERSION-02")
async def test_an_old_client_sees_a_cancelled_run_as_an_error_with_code_cancelled() -> None:
    events = project(ev.TextDelta("m", "半"), end="cancel")
    assert events[-1]["outcome"] == {"type": "cancelled"}
    old = await for_old_clients(events)
    assert [e["type"] for e in old[:-1]] == [e["type"] for e in events[:-1]]
    assert (old[-1]["type"], old[-1]["code"]) == ("RUN_ERROR", "cancelled")


async def test_an_old_client_is_not_told_which_of_its_tools_are_waited_for() -> None:
    events = project(ev.Paused([], ["c1"]))
    assert events[-1]["outcome"] == {"type": "success", "pendingToolCallIds": ["c1"]}
    assert (await for_old_clients(events))[-1]["outcome"] == {"type": "success"}


async def for_old_clients(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events after the downgrade of one piece that holds all frames."""
    piece = b"".join(frame(i, orjson.dumps(event)) for i, event in enumerate(events, 1))

    async def source() -> AsyncIterator[bytes]:
        yield b": ping\n\n"
        yield piece

    frames = [f async for f in downgraded(source())]
    assert frames[0] == b": ping\n\n"
    return [f.event for f in parse(frames[1])]


@pytest.mark.requirement("AGUI-TOOL-02")
def test_a_call_that_was_already_announced_is_not_opened_again() -> None:
    events = project(
        ev.ToolCallDelta("m", 0, "c1", "f", "{}"),
        ev.MessageDone("m"),
        ev.ToolCallDelta("m2", 0, "c1", "f", "{}"),
    )
    assert kinds(events).count("TOOL_CALL_START") == 1
    assert kinds(events).count("TOOL_CALL_ARGS") == 1


@pytest.mark.requirement("AGUI-USAGE-01")
def test_usage_is_summed_per_model() -> None:
    events = project(ev.Usage("openai", "m", 10, 5), ev.Usage("openai", "m", 1, 1), ev.Usage(None, None, 2, 2))
    assert events[-1]["usage"] == [
        {"provider": "openai", "model": "m", "inputTokens": 11, "outputTokens": 6, "totalTokens": 17},
        {"inputTokens": 2, "outputTokens": 2, "totalTokens": 4},
    ]


def test_a_run_that_is_gone_on_with_closes_words_keeps_agents_and_settles_answered_calls() -> None:
    sent = project(
        ev.ReasoningDelta("m0", "想"),
        ev.TextDelta("m", "半"),
        ev.ToolCallDelta("m2", 0, "c1", "f", "{}"),
        ev.SubagentStarted("s1", "canteen", "d", "c1"),
        ev.SubagentStarted("s2", "transport", "d", "c2"),
    )
    cut = sent[: kinds(sent).index("REASONING_MESSAGE_END")]
    projector = Projector("t", "r", no_surfaces)
    assert kinds(projector.take_over(cut)) == [
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
    ]
    assert projector.apply(ev.SubagentStarted("s1", "canteen", "d", "c1")) == []
    assert projector.apply(ev.ToolCallDelta("m2", 0, "c1", "f", "{}")) == []
    assert kinds(projector.settle({"c2"})) == ["CUSTOM subagent-end", "SUBAGENT_FINISHED"]
    assert kinds(projector.apply(ev.SubagentEnded("s1", "completed", "好"))) == [
        "CUSTOM subagent-end",
        "SUBAGENT_FINISHED",
    ]
    assert kinds(projector.finish()) == ["RUN_FINISHED"]


@pytest.mark.requirement("AGUI-SUBAGENT-02", "SB-DUR-20")
@pytest.mark.parametrize("mode", ["both", "standard", "custom"])
def test_an_agent_that_had_ended_before_the_process_died_is_not_told_again(mode: SubagentMode) -> None:
    begun = ev.SubagentStarted("s1", "canteen", "d", "c1")
    ended = ev.SubagentEnded("s1", "completed", "好")
    sent = project(begun, ended, subagents=mode)[:-1]
    projector = Projector("t", "r", no_surfaces, mode)
    assert projector.take_over(sent) == []
    assert [projector.apply(e) for e in (begun, ev.SubagentDelta("s1", "text", "好"), ended)] == [[], [], []]
    assert kinds(projector.finish()) == ["RUN_FINISHED"]


def nested(*events: ev.InternalEvent, subagents: SubagentMode = "both", end: str = "finish") -> list[str]:
    """What becomes of events inside of an invocation that runs: kind and id, without the run's own events."""
    started = ev.SubagentStarted("s", "inner", "", "call")
    told = project(started, *events, subagents=subagents, end=end)[1:-1]
    return [f"{_short(e)} {e.get('subagentRunId') or e['value']['subagentId']}" for e in told]


def _short(event: dict[str, Any]) -> str:
    kind = event["type"].removeprefix("SUBAGENT_").lower()
    return f"{event['name']}:{event['value'].get('status', '')}" if kind == "custom" else kind


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
def test_tools_and_agents_inside_of_an_invocation_end_before_it() -> None:
    told = nested(
        ev.SubagentTool("s", "s.t", "search", "started"),
        ev.SubagentStarted("s.a", "canteen", "", None, "s"),
        ev.SubagentStarted("s.b", "kitchen", "", None, "s.a"),
        ev.SubagentTool("s.b", "s.u", "menu", "started"),
        ev.SubagentTool("s.b", "s.u", "menu", "failed"),
        ev.SubagentEnded("s", "completed", "done"),
        ev.SubagentDelta("s.a", "text", "too late"),
        ev.SubagentTool("s", "s.t", "search", "completed"),
        subagents="custom",
    )
    assert told == [
        "subagent-start: s",
        "subagent-tool:started s",
        "subagent-start: s.a",
        "subagent-start: s.b",
        "subagent-tool:started s.b",
        "subagent-tool:failed s.b",
        "subagent-tool:completed s",
        "subagent-end:completed s.b",
        "subagent-end:completed s.a",
        "subagent-end:completed s",
    ]


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
@pytest.mark.parametrize(
    ("end", "ends"),
    [("finish", "failed"), ("cancel", "cancelled"), ("fail", "failed"), ("suspended", "suspended")],
)
def test_however_an_invocation_ends_what_runs_in_it_ended_before(end: str, ends: str) -> None:
    inside = [ev.SubagentStarted("s.a", "canteen", "", None, "s"), ev.SubagentTool("s.a", "s.t", "menu", "started")]
    asked = [ev.SubagentEnded("s", "suspended", "?")] if end == "suspended" else []
    told = nested(*inside, *asked, subagents="custom", end="finish" if asked else end)
    tool = "completed" if asked else "failed"
    assert told[3:] == [f"subagent-tool:{tool} s.a", f"subagent-end:{ends} s.a", f"subagent-end:{ends} s"]


def test_a_nested_agent_names_its_parent_in_both_families() -> None:
    told = project(ev.SubagentStarted("s", "inner", "", "call"), ev.SubagentStarted("s.a", "canteen", "x", None, "s"))
    standard, mirror = (e for e in told[3:5])
    assert standard == {
        "type": "SUBAGENT_STARTED",
        "subagentRunId": "s.a",
        "name": "canteen",
        "description": "x",
        "parentSubagentRunId": "s",
    }
    assert mirror["value"]["parentSubagentId"] == "s"
    assert "toolCallId" not in mirror["value"]


def test_nothing_is_told_of_agents_and_tools_whose_parent_does_not_run() -> None:
    told = nested(
        ev.SubagentStarted("x.a", "canteen", "", None, "x"),
        ev.SubagentTool("x", "x.t", "menu", "started"),
        ev.SubagentTool("s", "s.t", "menu", "completed"),
        subagents="custom",
    )
    assert told == ["subagent-start: s", "subagent-end:failed s"]


@pytest.mark.requirement("SB-A2A-ACTIVITY-03")
@pytest.mark.parametrize("mode", ["both", "standard", "custom"])
def test_what_a_dead_process_left_open_inside_of_an_invocation_is_closed_with_it(mode: SubagentMode) -> None:
    dead = Projector("t", "r", no_surfaces, mode)
    inside = [ev.SubagentStarted("s.a", "canteen", "", None, "s"), ev.SubagentTool("s.a", "s.t", "menu", "started")]
    sent = dead.start()
    for event in (ev.SubagentStarted("s", "inner", "", "call"), *inside):
        sent += dead.apply(event)
    heir = Projector("t", "r", no_surfaces, mode)
    assert heir.take_over(sent) == []
    assert [e for event in inside for e in heir.apply(event)] == []
    ends = heir.apply(ev.SubagentEnded("s", "completed", ""))
    ids = [e.get("subagentRunId") or e["value"]["subagentId"] for e in ends]
    assert list(dict.fromkeys(ids)) == ["s.a", "s"]
    assert any(e.get("name") == "subagent-tool" for e in ends) == (mode != "standard")
