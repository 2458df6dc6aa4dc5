"""Cases of what a host adds: custom events, ready events, graphs of its own, shared state, commands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.case import Case, checked, of_type
from tests.cases.hitl import asks
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement

HOST = {"extensions": "tests.cases.host:extensions"}


async def ask(case: Case, **more: Any) -> list[dict[str, Any]]:
    async with case.open() as house:
        return checked(await house.post("/agui", run_input("x", **more)))


@requirement("SB-CUSTOM-01", "AGUI-PASS-03")
async def test_what_a_tool_writes_becomes_a_custom_event_whatever_is_in_it() -> None:
    case = Case(asks("announce", count=2), "好", **HOST)
    found = await ask(case)
    written = [(e["name"], e["value"]) for e in of_type(found, "CUSTOM")]
    assert written[:2] == [("campus.progress", {"step": 1}), ("campus.progress", {"step": 2})]
    odd = dict(written)["campus.odd"]
    assert odd["at"].startswith("2026-12-01")
    assert odd["ratio"] is None or odd["ratio"] == "nan"
    assert odd["half"].encode()
    assert dict(written)["campus.nothing"] is None
    assert len(written) == 4


@requirement("SB-CUSTOM-02", "AGUI-LIFECYCLE-09")
async def test_a_ready_event_of_a_tool_is_passed_on_and_none_can_break_the_run() -> None:
    found = await ask(Case(asks("ready"), "好", **HOST))
    steps = [(e["type"], e["stepName"]) for e in of_type(found, "STEP_STARTED", "STEP_FINISHED")]
    assert steps[:3] == [("STEP_STARTED", "查询"), ("STEP_FINISHED", "查询"), ("STEP_STARTED", "未完")]
    assert steps[3:] == [("STEP_FINISHED", "未完")]
    assert not [e for e in found if e.get("messageId") == "nobody"]
    assert len(of_type(found, "RUN_FINISHED")) == 1
    assert text_of(found) == "好"


@requirement("SB-SUB-03")
async def test_an_agent_inside_a_tool_is_told_as_a_sub_agent_and_its_words_are_not_the_answer() -> None:
    case = Case(asks("helper", question="?"), "完", **HOST)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        (call,) = of_type(found, "TOOL_CALL_START")
        (started,) = of_type(found, "SUBAGENT_STARTED")
        assert (started["name"], started["parentToolCallId"]) == ("helper_agent", call["toolCallId"])
        assert [e["outcome"]["type"] for e in of_type(found, "SUBAGENT_FINISHED")] == ["success"]
        said = [e["value"]["text"] for e in of_type(found, "CUSTOM") if e["name"] == "subagent-delta"]
        assert "".join(said) == "内部回答"
        assert text_of(found) == "完"
        assert [m["role"] for m in await house.snapshot()] == ["user", "assistant", "tool", "assistant"]


@requirement("AGUI-USAGE-03")
async def test_the_usage_of_a_run_counts_the_calls_of_an_agent_inside_a_tool() -> None:
    found = await ask(Case(asks("helper", question="?"), "完", **HOST))
    # One token per call and one per character, by the scripted model.
    assert sum(row["outputTokens"] for row in found[-1]["usage"]) == len("完") + len("内部回答") + 3


@requirement("SB-ERR-04")
async def test_a_tool_that_fails_gives_a_result_without_its_text() -> None:
    case = Case(asks("broken"), "抱歉", **HOST)
    async with case.open() as house:
        response = await house.post("/agui", run_input("x"))
        found = checked(response)
        assert json.loads(of_type(found, "TOOL_CALL_RESULT")[0]["content"])["status"] == "failed"
        assert text_of(found) == "抱歉"
        assert b"hunter2" not in response.content
        assert "hunter2" not in repr(case.saw)


@requirement("SB-STATE-01", "AGUI-STATE-02")
async def test_shared_state_is_told_whole_at_the_start_and_by_changes_that_apply() -> None:
    case = Case(asks("plan", steps=["一", "二"]), "好", asks("plan", steps=["三"]), "好", **HOST)
    async with case.open() as house:
        first = checked(await house.post("/agui", run_input("x", state={"plan": {"steps": []}, "secret": 1})))
        assert of_type(first, "STATE_SNAPSHOT")[0]["snapshot"] == {"plan": {"steps": []}}
        assert _state(first) == {"plan": {"steps": ["一", "二"]}}
        second = checked(await house.post("/agui", run_input("y", message="u2", state=_state(first))))
        assert _state(second) == {"plan": {"steps": ["三"]}}
        connected = checked(await house.post("/agui/connect", run_input(None)))
        assert of_type(connected, "STATE_SNAPSHOT")[0]["snapshot"] == {"plan": {"steps": ["三"]}}
        assert b"secret" not in json.dumps([first, second, connected]).encode()


def _state(found: list[dict[str, Any]]) -> Any:
    """What a client holds after the state events of a run."""
    state: Any = {}
    for event in of_type(found, "STATE_SNAPSHOT", "STATE_DELTA"):
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
            continue
        for operation in event["delta"]:
            *parents, last = operation["path"].split("/")[1:]
            target = state
            for key in parents:
                target = target[key]
            assert operation["op"] in ("add", "replace")
            assert operation["op"] == "add" or last in target
            target[last] = operation["value"]
    return state


@requirement("SB-FRONT-05")
async def test_a_command_of_the_host_is_called_and_an_unknown_one_is_named() -> None:
    async with Case("好", **HOST).open() as house:
        checked(await house.post("/agui", run_input("x")))
        known = await house.post("/agui/command", {"threadId": "t", "command": "echo", "payload": {"a": 1}})
        assert known.status_code == 200
        unknown = await house.post("/agui/command", {"threadId": "t", "command": "dance"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_command")
