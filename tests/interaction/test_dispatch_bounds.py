"""What keeps a failure small, seen from outside: circuits, budgets and limits, at `/agents`, in metrics, in answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from chat_models import Turn
from supervisor.app import create_app
from supervisor.settings import Settings
from tests.cases.case import Case, dispatch, of_type
from tests.cases.hitl import ask
from tests.fakes.a2a_stub import Reply, Status
from tests.fakes.agui import parse, run_input
from tests.fakes.house import House

requirement = pytest.mark.requirement


async def row(house: House, agent: str = "canteen") -> dict[str, Any]:
    """The agent as `/agents` lists it."""
    return {a["name"]: a for a in (await house.client.get("/agents")).json()["agents"]}[agent]


async def metric(house: House, line: str) -> float:
    """The value of one line of `/metrics`."""
    text = (await house.client.get("/metrics")).text
    return next((float(found.split()[-1]) for found in text.splitlines() if found.startswith(line + " ")), 0.0)


def outcomes(found: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    """(status, error code) of every call that a run made, in the order in which they ended."""
    ended = (e["value"] for e in of_type(found, "CUSTOM") if e["name"] == "subagent-end")
    return [(value["status"], value.get("errorCode")) for value in ended]


def failing_once(**settings: Any) -> Case:
    """A canteen that fails and then answers, asked once per turn; its first failure opens the circuit."""
    turns = [turn for n in range(3) for turn in (dispatch(("canteen", f"辣 {n}")), "完")]
    case = Case(*turns, agent_circuit_failures=1, **settings)
    case.canteen.replies.append(Reply(http=500))
    return case


@requirement("SB-A2A-02")
async def test_an_open_circuit_is_seen_at_agents_and_in_metrics_and_leaves_the_other_agents_alone() -> None:
    case = failing_once(agent_circuit_seconds=60)
    async with case.open() as house:
        assert (await row(house))["circuit"] == "closed"
        assert outcomes(await ask(house, "一", "u1", run="r1")) == [("failed", "http_500")]
        assert await metric(house, 'agent_call_seconds_count{agent="canteen",outcome="http_500"}') == 1
        assert await metric(house, 'agent_circuit{agent="canteen",state="open"}') == 1
        assert ((await row(house))["circuit"], (await row(house, "transport"))["circuit"]) == ("open", "closed")
        assert outcomes(await ask(house, "二", "u2", run="r2")) == [("failed", "circuit_open")]
    assert len(case.canteen.sends) == 1


@requirement("SB-A2A-02")
async def test_a_half_open_circuit_closes_after_a_good_call() -> None:
    async with failing_once(agent_circuit_seconds=1e-6).open() as house:
        await ask(house, "一", "u1", run="r1")
        assert (await row(house))["circuit"] == "half_open"
        assert outcomes(await ask(house, "二", "u2", run="r2")) == [("completed", None)]
        assert (await row(house))["circuit"] == "closed"
        assert await metric(house, 'agent_circuit{agent="canteen",state="closed"}') == 1


@requirement("SB-A2A-02")
async def test_error_codes_that_an_agent_makes_up_are_one_series() -> None:
    turns = [turn for n in range(3) for turn in (dispatch(("canteen", f"{n}")), "完")]
    case = Case(*turns)
    case.canteen.replies += [Reply(error=n) for n in (7, 8, -32050)]
    async with case.open() as house:
        for n in range(3):
            await ask(house, f"问 {n}", f"u{n}", run=f"r{n}")
        assert await metric(house, 'agent_call_seconds_count{agent="canteen",outcome="rpc_other"}') == 2
        assert await metric(house, 'agent_call_seconds_count{agent="canteen",outcome="rpc_-32050"}') == 1


@requirement("SB-A2A-03")
async def test_calls_to_one_agent_at_a_time_are_limited_and_counted() -> None:
    asked = [{"agent": "canteen", "query": str(n)} for n in range(3)]
    case = Case(Turn(calls=[("orchestrate_parallel", {"calls": asked})]), "完", agent_max_in_flight=2)
    gate = asyncio.Event()
    case.canteen.always = Reply("有", gate=gate)
    async with case.open() as house:
        run = asyncio.create_task(ask(house, "三次"))
        await case.canteen.received(2)
        assert (await row(house))["inFlight"] == 2
        assert await metric(house, 'agent_calls_in_flight{agent="canteen"}') == 2
        assert len(case.canteen.sends) == 2
        gate.set()
        assert outcomes(await run) == [("completed", None)] * 3
        assert (await row(house))["inFlight"] == 0


@requirement("SB-A2A-04")
async def test_a_turn_that_has_used_its_time_asks_no_agent_any_more_and_still_ends_in_words() -> None:
    case = Case(dispatch(("canteen", "a")), dispatch(("canteen", "b")), "来不及了", turn_seconds=3)
    case.canteen.replies.append(Reply("late", gate=asyncio.Event()))
    async with case.open() as house:
        found = await ask(house, "慢")
    assert outcomes(found) == [("timed_out", "timeout")] * 2
    assert found[-1]["outcome"] == {"type": "success"}
    assert len(case.canteen.sends) == 1


@requirement("SB-A2A-05")
async def test_the_first_result_is_shown_while_other_agents_are_at_work() -> None:
    asked = [{"agent": "transport", "query": "慢"}, {"agent": "canteen", "query": "快"}]
    case = Case(Turn(calls=[("orchestrate_parallel", {"calls": asked})]), "完")
    gate = asyncio.Event()
    case.transport.replies.append(Reply(steps=[Status("在查"), gate, "晚了"]))
    case.canteen.replies.append(Reply("三道菜"))
    async with case.open() as house, asyncio.timeout(10):
        run = asyncio.create_task(house.post("/agui", run_input("两个")))
        await case.transport.received()
        seen: list[dict[str, Any]] = []
        while not any(e["type"] == "SUBAGENT_FINISHED" for e in seen):
            # The journal is what a client that reads along has got.
            reader = house.app.state.runs.active("t")
            seen = [f.event for f in parse(b"".join(reader.feed.frames))] if reader else []
            await asyncio.sleep(0)
        (ended,) = [e["value"] for e in seen if e.get("name") == "subagent-end"]
        assert (ended["status"], ended["result"]) == ("completed", "三道菜")
        gate.set()
        found = [f.event for f in parse((await run).content)]
    assert [s for s, _ in outcomes(found)] == ["completed", "completed"]
    (result,) = of_type(found, "TOOL_CALL_RESULT")
    assert [r["agent"] for r in json.loads(result["content"])["results"]] == ["transport", "canteen"]


@requirement("SB-A2A-06")
async def test_an_agent_of_the_old_envelope_is_named_by_a_setting() -> None:
    case = Case(dispatch(("old", "hi")), "完", legacy_agents="old")
    old = case.agent("old")
    old.replies.append(Reply("你好"))
    async with case.open() as house:
        assert outcomes(await ask(house, "hi")) == [("completed", None)]
    assert set(old.sends[0].message) >= {"message_id", "context_id"}


def test_a_legacy_agent_that_is_none_of_the_agents_is_refused_with_its_name() -> None:
    with pytest.raises(ValueError, match="legacy_agents: odl: AGENTS names no such agent"):
        create_app(Settings(agents="old=http://old.test", legacy_agents="odl"))
