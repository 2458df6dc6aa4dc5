"""Agents that tell of their own tools and agents: lanes inside lanes on the stream, whole whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui

from contracts.extensions import ACTIVITY
from tests.fakes.a2a_shapes import CARDS, CONTEXT, IDEMPOTENCY
from tests.fakes.a2a_stub import A2AStub, Reply, Step
from tests.fakes.agui import events, run_input, text_of
from tests.fakes.house import House, open_house

BOTH = "which canteen is least crowded and when is the next shuttle to the library?"
ONE = "推荐几道辣的菜"


def told(what: str, found: str, **more: Any) -> dict[str, Any]:
    """A step of a stub's stream: one activity."""
    raw = {"type": what, "id": found, **more}
    return {"statusUpdate": {"status": {"state": "TASK_STATE_WORKING"}, "metadata": {ACTIVITY: raw}}}


KITCHEN = [
    told("agent-start", "k", name="kitchen", description="cooks"),
    told("agent-tool-start", "t", agentId="k", name="menu"),
    told("agent-delta", "k", kind="text", text="soup"),
]
KITCHEN_DONE = [told("agent-tool-end", "t", agentId="k", ok=True), told("agent-end", "k", status="completed")]


def campus(**options: Any) -> A2AStub:
    stub = A2AStub()
    skills = {"canteen": ["辣", "菜", "canteen"], "transport": ["shuttle", "校车"]}
    for name, tags in skills.items():
        skill = {"id": name, "name": name, "description": name, "tags": tags}
        declared = (CONTEXT, IDEMPOTENCY, ACTIVITY)
        stub.agent(name, extensions=declared, skills=[skill], **options)
    return stub


def settings(stub: A2AStub, **more: Any) -> dict[str, Any]:
    return {"agents": ",".join(f"{name}={url}" for name, url in stub.addresses().items()), **more}


async def asked(stub: A2AStub, question: str, **more: Any) -> list[dict[str, Any]]:
    async with open_house(stub, **settings(stub, **more)) as house:
        response = await house.post("/agui", run_input(question))
        found = events(response.content)
        assert_valid_agui(found)
        return found


def lanes(found: Sequence[dict[str, Any]]) -> list[str]:
    """The custom mirror, with the invocation's own ids in front cut off."""
    values = [(e["name"], e["value"]) for e in found if e["type"] == "CUSTOM"]
    roots = {v["subagentId"]: v["subagentType"] for name, v in values if name == "subagent-start" and "toolCallId" in v}
    lines: list[str] = []
    for name, value in values:
        root, _, rest = value["subagentId"].partition(".")
        what = value.get("status") or value.get("text") or value.get("subagentType")
        lines.append(f"{roots[root]}{'.' + rest if rest else ''} {name.removeprefix('subagent-')} {what}")
    return lines


@pytest.mark.requirement("SB-A2A-ACTIVITY-01", "SB-A2A-ACTIVITY-05")
async def test_tools_and_agents_of_an_agent_are_told_inside_its_own_lane() -> None:
    stub = campus()
    own = [told("tool-start", "s", name="search"), told("tool-end", "s", ok=True)]
    stub.agents["canteen"].replies.append(Reply(steps=[*own, *KITCHEN, *KITCHEN_DONE, "三道菜"]))
    found = await asked(stub, ONE)
    assert lanes(found) == [
        "canteen start canteen",
        "canteen tool started",
        "canteen tool completed",
        "canteen.k start kitchen",
        "canteen.k tool started",
        "canteen.k delta soup",
        "canteen.k tool completed",
        "canteen.k end completed",
        "canteen delta 三道菜",
        "canteen end completed",
    ]
    assert text_of(found) == "三道菜"
    standard = [e for e in found if e["type"].startswith("SUBAGENT_")]
    assert standard[1]["parentSubagentRunId"] == standard[0]["subagentRunId"]
    assert [e["type"] for e in standard] == ["SUBAGENT_STARTED"] * 2 + ["SUBAGENT_FINISHED"] * 2
    header = stub.agents["canteen"].sends[0].headers["a2a-extensions"]
    assert set(header.split(", ")) == {CARDS, CONTEXT, IDEMPOTENCY, ACTIVITY}


@pytest.mark.requirement("SB-A2A-ACTIVITY-05")
async def test_an_agent_that_declares_no_activity_is_not_asked_for_any() -> None:
    stub = A2AStub()
    stub.agent("canteen").always = Reply("好")
    await asked(stub, "canteen")
    assert ACTIVITY not in stub.agents["canteen"].sends[0].headers["a2a-extensions"]


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
@pytest.mark.parametrize(
    ("reply", "ends"),
    [
        (Reply("boom", state="failed", steps=KITCHEN), "failed"),
        (Reply("哪个时间？", state="input-required", steps=KITCHEN), "suspended"),
        (Reply(state="canceled", steps=KITCHEN), "cancelled"),
        (Reply(steps=[*KITCHEN, "完"]), "completed"),
    ],
)
async def test_what_an_agent_leaves_open_ends_before_it_and_as_it(reply: Reply, ends: str) -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(reply)
    tool = "completed" if ends in ("completed", "suspended") else "failed"
    assert lanes(await asked(stub, ONE))[-3:] == [
        f"canteen.k tool {tool}",
        f"canteen.k end {ends}",
        f"canteen end {ends}",
    ]


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
async def test_an_agent_that_does_not_answer_in_time_leaves_no_lane_open() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply(steps=[*KITCHEN, asyncio.Event()]))
    found = await asked(stub, ONE, agent_timeout=0.3)
    assert lanes(found)[-2:] == ["canteen.k end timed_out", "canteen end timed_out"]


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
async def test_a_run_that_is_stopped_closes_the_lanes_inside_first() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply(steps=[*KITCHEN, asyncio.Event()]))
    async with open_house(stub, **settings(stub)) as house:
        turn = asyncio.create_task(house.post("/agui", run_input(ONE)))
        await _journalled(house, "soup")
        await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        found = events((await turn).content)
    assert_valid_agui(found)
    assert lanes(found)[-2:] == ["canteen.k end cancelled", "canteen end cancelled"]
    assert found[-1]["outcome"]["type"] == "cancelled"


@pytest.mark.requirement("SB-A2A-ACTIVITY-01")
async def test_parallel_agents_with_the_same_ids_keep_their_lanes_apart() -> None:
    stub = campus()
    first, second = asyncio.Event(), asyncio.Event()
    # Each goes on once the other has begun, so that both lanes are open at a time.
    stub.agents["canteen"].replies.append(Reply(steps=_held(first, second)))
    stub.agents["transport"].replies.append(Reply(steps=_held(second, first)))
    async with open_house(stub, **settings(stub)) as house:
        turn = asyncio.create_task(house.post("/agui", run_input(BOTH)))
        await asyncio.gather(*(stub.agents[name].received() for name in stub.agents))
        first.set()
        second.set()
        found = events((await turn).content)
    assert_valid_agui(found)
    for name in stub.agents:
        assert [line for line in lanes(found) if line.startswith(name)] == [
            f"{name} start {name}",
            f"{name}.k start kitchen",
            f"{name}.k tool started",
            f"{name}.k delta soup",
            f"{name}.k tool completed",
            f"{name}.k end completed",
            f"{name} delta done",
            f"{name} end completed",
        ]
    ids = [e["subagentRunId"] for e in found if e["type"] == "SUBAGENT_STARTED"]
    assert len(set(ids)) == len(ids) == 4


def _held(mine: asyncio.Event, theirs: asyncio.Event) -> list[Step]:
    return [*KITCHEN, mine, *KITCHEN_DONE, theirs, "done"]


@pytest.mark.requirement("SB-A2A-ACTIVITY-04")
async def test_malformed_activity_disturbs_nothing() -> None:
    stub = campus()
    bad: list[Any] = [told("agent-start", "x"), told("nonsense", "y"), told("agent-end", "z", status="completed")]
    bad += [{"statusUpdate": {"status": {"state": "TASK_STATE_WORKING"}, "metadata": {ACTIVITY: "loud"}}}]
    stub.agents["canteen"].replies.append(Reply(steps=[*bad, "三道菜"]))
    found = await asked(stub, ONE)
    assert lanes(found) == ["canteen start canteen", "canteen delta 三道菜", "canteen end completed"]


@pytest.mark.requirement("SB-A2A-ACTIVITY-02")
@pytest.mark.parametrize("mode", ["both", "standard", "custom"])
async def test_lanes_inside_lanes_are_valid_for_who_comes_while_they_are_open(mode: str) -> None:
    stub = campus()
    gate = asyncio.Event()
    stub.agents["canteen"].replies.append(Reply(steps=[*KITCHEN, gate, *KITCHEN_DONE, "三道菜"]))
    async with open_house(stub, **settings(stub, subagent_events=mode)) as house:
        turn = asyncio.create_task(house.post("/agui", run_input(ONE)))
        await _journalled(house, "kitchen")
        again = asyncio.create_task(house.post("/agui/connect", run_input(None, run="again")))
        old = asyncio.create_task(house.post("/agui/connect", _without_version()))
        named = asyncio.create_task(_named(house))
        gate.set()
        for response in await asyncio.gather(turn, again, old):
            found = events(response.content)
            assert_valid_agui(found)
            assert found[-1]["type"] == "RUN_FINISHED"
        lines = (await named).text.splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    starts, ends = kinds.count("subagent-start"), kinds.count("subagent-end")
    assert (starts, ends) == (2, 2)
    assert kinds.count("subagent-tool") == (0 if mode == "standard" else 2)


def _without_version() -> Any:
    body = run_input(None, run="old")
    del body["protocolVersion"]
    return body


async def _named(house: House) -> httpx.Response:
    return await house.post("/agui/connect", run_input(None, run="n"), Accept="text/event-stream; profile=named")


async def _journalled(house: House, mark: str) -> None:
    """Returns once the thread's record holds a text."""
    async with asyncio.timeout(10):
        while True:
            run = house.app.state.runs.active("t")
            if run is not None and any(mark.encode() in frame for frame in run.feed.frames):
                return
            await asyncio.sleep(0)
