"""Questions and stops across supervisors: out to the user, back to the same tasks, through refreshes and restarts."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from chat_models import ScriptedChatModel, Turn, script
from tests.fakes.a2a_stub import Reply, StubAgent
from tests.fakes.agui import events, run_input, text_of
from tests.fakes.house import House
from tests.fakes.nest import Nest
from tests.interaction.test_nested_streams import SPICY, asked, canteen, lanes

WHEN = {"type": "select", "message": "几点？", "options": ["12:00", "12:30"]}
SURE = {"type": "approval", "message": "预订？"}


def question(payload: dict[str, Any], **more: Any) -> Reply:
    """The agent asks the user."""
    data = {"status": {"state": "TASK_STATE_INPUT_REQUIRED", "message": _said(payload)}}
    return Reply(result={"task": {"id": "remote", "contextId": "ctx", **data}}, **more)


def _said(payload: dict[str, Any]) -> dict[str, Any]:
    parts = [{"text": payload["message"]}, {"data": payload}]
    return {"messageId": "q", "role": "ROLE_AGENT", "parts": parts}


def answer_to(found: list[dict[str, Any]], payload: Any = None, **entry: Any) -> dict[str, Any]:
    """The body that answers the one question of a run."""
    (interrupt,) = found[-1]["outcome"]["interrupts"]
    resume = {
        "interruptId": interrupt["id"],
        "status": "resolved",
        **({"payload": payload} if payload else {}),
        **entry,
    }
    return run_input(None, run=f"after-{interrupt['id']}", resume=[resume])


async def answered(house: House, found: list[dict[str, Any]], payload: Any = None, **entry: Any) -> Any:
    return events((await house.post("/agui", answer_to(found, payload, **entry))).content)


def answers(agent: StubAgent) -> list[Any]:
    """What came to the agent as (task, words, typed answer)."""
    found: list[Any] = []
    for sent in agent.sends:
        parts = sent.message["parts"]
        found.append((sent.message.get("taskId"), parts[0]["text"], parts[1]["data"] if len(parts) > 1 else None))
    return found


@pytest.mark.requirement("SB-NEST-07")
async def test_a_question_of_the_innermost_agent_comes_out_and_its_answer_goes_back_to_the_same_tasks() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [question(WHEN), question(SURE), Reply("订好了")]
    async with AsyncExitStack() as stack:
        await nest.open(stack, "core", "canteen")
        inner = await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        first = await asked(outer)
        (interrupt,) = first[-1]["outcome"]["interrupts"]
        assert interrupt["metadata"] == WHEN
        assert interrupt["subagentRunId"] == next(e["subagentRunId"] for e in first if e["type"] == "SUBAGENT_STARTED")
        assert agents_of(first)[-3:] == ["finished canteen", "finished core", "finished inner"]
        second = await answered(outer, first, {"value": "12:30"})
        assert second[-1]["outcome"]["interrupts"][0]["metadata"] == SURE
        third = await answered(outer, second, {"approved": True})
        assert text_of(third) == "订好了"
        tasks = await rpc(inner, "ListTasks")
    assert answers(agent)[1:] == [("remote", "12:30", {"value": "12:30"}), ("remote", "approved", {"approved": True})]
    assert [task["status"]["state"] for task in tasks["tasks"]] == ["TASK_STATE_COMPLETED"]


async def rpc(house: House, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return (await house.post("/a2a", body, A2A_Version="1.0")).json()["result"]


@pytest.mark.requirement("SB-NEST-08")
async def test_a_declined_question_ends_every_task_below() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [question(WHEN)]
    async with AsyncExitStack() as stack:
        core = await nest.open(stack, "core", "canteen")
        inner = await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        first = await asked(outer)
        found = await answered(outer, first, status="cancelled")
        states = [
            task["status"]["state"] for house in (inner, core) for task in (await rpc(house, "ListTasks"))["tasks"]
        ]
    assert agent.cancelled == ["remote"]
    assert states == ["TASK_STATE_CANCELED", "TASK_STATE_CANCELED"]
    assert found[-1]["outcome"] == {"type": "success"}


@pytest.mark.requirement("SB-NEST-08")
async def test_a_run_that_is_stopped_stops_the_innermost_task() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.always = Reply(steps=["三道", asyncio.Event()])
    async with AsyncExitStack() as stack:
        core = await nest.open(stack, "core", "canteen")
        inner = await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        turn = asyncio.create_task(outer.post("/agui", run_input(SPICY)))
        await agent.received()
        await said_above(outer, "三道")
        await outer.post("/agui/command", {"threadId": "t", "command": "cancel"})
        found = events((await turn).content)
        await agent.received(methods=("CancelTask",))
        for house in (inner, core):
            await until_idle(house)
        states = [
            task["status"]["state"] for house in (inner, core) for task in (await rpc(house, "ListTasks"))["tasks"]
        ]
    assert found[-1]["outcome"] == {"type": "cancelled"}
    assert agents_of(found)[-3:] == ["error canteen", "error core", "error inner"]
    assert states == ["TASK_STATE_CANCELED", "TASK_STATE_CANCELED"]


@pytest.mark.requirement("SB-NEST-08")
async def test_a_run_that_is_stopped_before_the_task_below_is_known_stops_it_all_the_same() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.always = Reply(steps=["三道", asyncio.Event()])
    async with AsyncExitStack() as stack:
        inner = await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner")
        silent = nest.hold("inner", "SendStreamingMessage")
        turn = asyncio.create_task(outer.post("/agui", run_input(SPICY)))
        await agent.received()
        await outer.post("/agui/command", {"threadId": "t", "command": "cancel"})
        found = events((await turn).content)
        await agent.received(methods=("CancelTask",))
        silent.set()
        await until_idle(inner)
        (task,) = (await rpc(inner, "ListTasks"))["tasks"]
    assert found[-1]["outcome"] == {"type": "cancelled"}
    assert task["status"]["state"] == "TASK_STATE_CANCELED"


@pytest.mark.requirement("SB-NEST-08", "SB-NEST-04")
async def test_a_supervisor_that_is_given_up_is_stopped_down_to_its_agent() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.always = Reply(steps=["三道", asyncio.Event()])
    async with AsyncExitStack() as stack:
        inner = await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner", agent_timeout=0.5)
        found = await asked(outer)
        await agent.received(methods=("CancelTask",))
        await until_idle(inner)
        (task,) = (await rpc(inner, "ListTasks"))["tasks"]
    assert agents_of(found)[-2:] == ["error canteen", "error inner"]
    assert "inner" in text_of(found)
    assert task["status"]["state"] == "TASK_STATE_CANCELED"


async def said_above(house: House, text: str) -> None:
    """Returns once the run of thread `t` has told a text."""
    async with asyncio.timeout(10):
        while True:
            run = house.app.state.runs.active("t")
            if run is not None and any(text.encode() in frame for frame in run.feed.frames):
                return
            await asyncio.sleep(0)


async def until_idle(house: House) -> None:
    """Returns once no run is going on."""
    for run in list(house.app.state.runs._active.values()):
        await run.wait()


@pytest.mark.requirement("SB-NEST-09")
async def test_a_supervisor_below_may_restart_while_the_question_is_open(tmp_path: Path) -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [question(WHEN), Reply("订好了")]
    stored = {"database": f"sqlite:{tmp_path / 'inner.db'}"}
    async with AsyncExitStack() as stack:
        async with AsyncExitStack() as first_life:
            await nest.open(first_life, "inner", "canteen", **stored)
            outer = await nest.open(stack, "outer", "inner")
            first = await asked(outer)
        await nest.open(stack, "inner", "canteen", **stored)
        refreshed = events((await outer.post("/agui/connect", run_input(None, run="again"))).content)
        assert refreshed[-1]["outcome"]["interrupts"][0]["metadata"] == WHEN
        found = await answered(outer, refreshed, {"value": "12:00"})
    assert first[-1]["outcome"]["type"] == "interrupt"
    assert text_of(found) == "订好了"
    assert answers(agent) == [(None, SPICY, None), ("remote", "12:00", {"value": "12:00"})]


@pytest.mark.requirement("SB-NEST-09")
async def test_a_supervisor_below_that_dies_at_work_goes_on_and_the_one_above_gets_the_answer(tmp_path: Path) -> None:
    nest = Nest()
    agent = canteen(nest)
    gate = asyncio.Event()
    agent.replies += [Reply(steps=["三道", asyncio.Event()]), Reply(steps=[gate, "三道辣菜"])]
    stored = {"database": f"sqlite:{tmp_path / 'inner.db'}", "drain_seconds": 0}
    async with AsyncExitStack() as stack:
        async with AsyncExitStack() as first_life:
            await nest.open(first_life, "inner", "canteen", **stored)
            outer = await nest.open(stack, "outer", "inner")
            turn = asyncio.create_task(asked(outer))
            await agent.received()
            await said_above(outer, "三道")
            nest.houses.pop("inner").app.state.runs.begin_drain()
        await nest.open(stack, "inner", "canteen", **stored)
        await agent.received(2)
        gate.set()
        found = await turn
    assert text_of(found) == "三道辣菜"
    keys = {sent.headers["idempotency-key"] for sent in agent.sends}
    assert len(keys) == 1
    assert agent.cancelled == []


def two_calls() -> ScriptedChatModel:
    """For `MODEL`: asks two agents in two calls at once, so that two questions are open at a time."""
    calls = [("call_domain_agent", {"agent": name, "query": name}) for name in ("east", "west")]
    return ScriptedChatModel(policy=script(Turn(calls=calls), "both are done"))


@pytest.mark.requirement("SB-NEST-07")
@pytest.mark.parametrize("typed", [True, False])
async def test_several_questions_at_once_come_one_a_round_and_each_answer_reaches_its_agent(typed: bool) -> None:
    nest = Nest()
    agents = [canteen(nest, name) for name in ("east", "west")]
    payloads: dict[str, Any] = {"east": WHEN, "west": SURE}
    given = {"几点？": ("12:30", {"value": "12:30"}), "预订？": ("approved", {"approved": True})}
    for agent in agents:
        agent.replies += [question(payloads[agent.name]), Reply(f"{agent.name} done")]
    async with AsyncExitStack() as stack:
        model = "tests.interaction.test_nested_questions:two_calls"
        inner = await nest.open(stack, "inner", "east", "west", model=model)
        task = (await rpc(inner, "SendMessage", message=say("ask both")))["task"]
        for _ in payloads:
            assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
            words, answer = given[task["status"]["message"]["parts"][0]["text"]]
            reply = say(words, taskId=task["id"], contextId=task["contextId"])
            reply["parts"] += [{"data": answer}] if typed else []
            task = (await rpc(inner, "SendMessage", message=reply))["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert [part["text"] for item in task["artifacts"] for part in item["parts"]] == ["both are done"]
    for agent in agents:
        assert [sent[2] for sent in answers(agent)] == [None, given[payloads[agent.name]["message"]][1]]


@pytest.mark.requirement("SB-NEST-07")
@pytest.mark.parametrize(
    ("payload", "words", "answer"),
    [
        (WHEN, "12:30", {"value": "12:30"}),
        (SURE, "rejected: zu teuer", {"approved": False, "reason": "zu teuer"}),
        (SURE, "好", {"approved": True}),
        ({"type": "input", "message": "wer?"}, "ich ", {"value": "ich"}),
        ({"type": "multiSelect", "message": "was?", "options": ["a", "b", "c"]}, "a, C", {"values": ["a", "c"]}),
        (
            {"type": "select", "message": "was?", "options": [{"value": "m1", "label": "Mapo"}]},
            "mapo",
            {"value": "m1"},
        ),
    ],
)
async def test_an_answer_in_words_only_is_understood(payload: Any, words: str, answer: Any) -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [question(payload), Reply("好")]
    async with AsyncExitStack() as stack:
        inner = await nest.open(stack, "inner", "canteen")
        task = (await rpc(inner, "SendMessage", message=say(SPICY)))["task"]
        done = (await rpc(inner, "SendMessage", message=say(words, taskId=task["id"])))["task"]
    assert done["status"]["state"] == "TASK_STATE_COMPLETED"
    assert answers(agent)[1][2] == answer


@pytest.mark.requirement("SB-NEST-07")
async def test_words_that_answer_nothing_are_refused_and_the_question_stays_open() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [question(SURE), Reply("好")]
    async with AsyncExitStack() as stack:
        inner = await nest.open(stack, "inner", "canteen")
        task = (await rpc(inner, "SendMessage", message=say(SPICY)))["task"]
        vague = {"message": say("mal sehen", taskId=task["id"])}
        body = {"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": vague}
        refused = (await inner.post("/a2a", body, A2A_Version="1.0")).json()
        still = await rpc(inner, "GetTask", id=task["id"])
    assert (refused["id"], refused["error"]["code"]) == (7, -32602)
    assert still["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert still["status"]["message"]["parts"][1]["data"] == SURE


def say(text: str, **more: Any) -> dict[str, Any]:
    """A message in A2A 1.0."""
    return {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}], **more}


def agents_of(found: list[dict[str, Any]]) -> list[str]:
    """The lanes without tools."""
    return [line for line in lanes(found) if " in " not in line]
