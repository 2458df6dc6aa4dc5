"""Supervisors that ask supervisors: what the outermost page sees of the innermost agent while it works."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui

from contracts.extensions import NESTING
from tests.fakes.a2a_stub import Reply, Status, StubAgent, card
from tests.fakes.agui import events, run_input, text_of
from tests.fakes.house import House
from tests.fakes.nest import Nest

DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}
SPICY = "推荐几道辣的菜"


def canteen(nest: Nest, name: str = "canteen", tags: tuple[str, ...] = ("辣", "菜"), **options: Any) -> StubAgent:
    skill = {"id": name, "name": name, "description": name, "tags": list(tags)}
    return nest.stub.agent(name, card_types=("dish_cards",), skills=[skill], **options)


async def asked(house: House, question: str = SPICY, **more: Any) -> list[dict[str, Any]]:
    response = await house.post("/agui", run_input(question, **more))
    found = events(response.content)
    assert_valid_agui(found)
    return found


def lanes(found: list[dict[str, Any]]) -> list[str]:
    """The sub-agent events in order, by the names of the agents."""
    names = {e["subagentRunId"]: e["name"] for e in found if e["type"] == "SUBAGENT_STARTED"}
    lines: list[str] = []
    for event in found:
        if event["type"].startswith("SUBAGENT_"):
            lines.append(f"{event['type'].removeprefix('SUBAGENT_').lower()} {names[event['subagentRunId']]}")
        elif event.get("name") == "subagent-tool":
            value = event["value"]
            lines.append(f"{value['name']} {value['status']} in {names[value['subagentId']]}")
    return lines


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-02")
async def test_the_outer_stream_shows_every_supervisor_below_and_its_agent_as_lanes_inside_lanes() -> None:
    nest = Nest()
    canteen(nest).always = Reply("三道辣菜", steps=[Status("正在查菜单"), "三道", "辣菜"])
    async with AsyncExitStack() as stack:
        await nest.open(stack, "core", "canteen")
        await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        found = await asked(outer)
    assert lanes(found) == [
        "started inner",
        "call_domain_agent started in inner",
        "started core",
        "call_domain_agent started in core",
        "started canteen",
        "finished canteen",
        "call_domain_agent completed in core",
        "finished core",
        "call_domain_agent completed in inner",
        "finished inner",
    ]
    starts = [e for e in found if e["type"] == "SUBAGENT_STARTED"]
    assert [e.get("parentSubagentRunId") for e in starts] == [None, *(e["subagentRunId"] for e in starts[:-1])]
    said = [e["value"] for e in found if e.get("name") == "subagent-delta"]
    innermost = [v["text"] for v in said if v["subagentId"] == starts[-1]["subagentRunId"]]
    assert innermost[0] == "正在查菜单"
    assert "".join(innermost[1:]) == "三道辣菜"
    assert text_of(found) == "三道辣菜"


@pytest.mark.requirement("SB-NEST-03")
async def test_a_card_of_the_innermost_agent_is_one_card_on_the_outermost_page() -> None:
    nest = Nest()
    canteen(nest).always = Reply("三道辣菜", metadata=card("dish_cards", DISHES, bubble="辣味", category="recommend"))
    async with AsyncExitStack() as stack:
        core = await nest.open(stack, "core", "canteen")
        await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        found = await asked(outer)
        alone = await asked(core)
        again = await outer.snapshot()
    (shown,), (direct,) = ([e for e in f if e["type"] == "ACTIVITY_SNAPSHOT"] for f in (found, alone))
    for key in ("card_type", "bubble_text", "card_category"):
        assert shown["content"][key] == direct["content"][key]
    data = [e["content"]["a2ui_operations"][2]["updateDataModel"]["value"] for e in (shown, direct)]
    assert data[0] == data[1]
    assert [m["id"] for m in again if m["role"] == "activity"] == [shown["messageId"]]


@pytest.mark.requirement("SB-NEST-02")
async def test_parallel_supervisors_with_agents_of_the_same_name_do_not_mix() -> None:
    nest = Nest()
    gates = {"north": asyncio.Event(), "south": asyncio.Event()}
    for name, tags in (("north", ("north", "canteen")), ("south", ("south", "shuttle"))):
        agent = canteen(nest, name, tags)
        agent.always = Reply(steps=[f"{name} one, ", gates[name], f"{name} two"])
    async with AsyncExitStack() as stack:
        await nest.open(stack, "left", "north")
        await nest.open(stack, "right", "south")
        outer = await nest.open(stack, "outer", "left", "right")
        turn = asyncio.create_task(asked(outer, "what about the north canteen and when is the south shuttle?"))
        await asyncio.gather(*(nest.stub.agents[name].received() for name in gates))
        for gate in gates.values():
            gate.set()
        found = await turn
    starts = {e["name"]: e for e in found if e["type"] == "SUBAGENT_STARTED"}
    assert set(starts) == {"left", "right", "north", "south"}
    for parent, child in (("left", "north"), ("right", "south")):
        assert starts[child]["parentSubagentRunId"] == starts[parent]["subagentRunId"]
        said = "".join(
            e["value"]["text"]
            for e in found
            if e.get("name") == "subagent-delta" and e["value"]["subagentId"] == starts[child]["subagentRunId"]
        )
        assert said == f"{child} one, {child} two"


@pytest.mark.requirement("SB-NEST-02")
async def test_who_comes_while_the_innermost_agent_works_sees_the_same_and_valid_lanes() -> None:
    nest = Nest()
    gate = asyncio.Event()
    agent = canteen(nest)
    agent.always = Reply(steps=["三道", gate, "辣菜"])
    async with AsyncExitStack() as stack:
        await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner")
        turn = asyncio.create_task(outer.post("/agui", run_input(SPICY)))
        await agent.received()
        late = asyncio.create_task(outer.post("/agui/connect", run_input(None, run="late")))
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        gate.set()
        found = events((await late).content)
        replayed = await outer.client.get("/agui/threads/t/events")
    assert_valid_agui(found)
    assert lanes(found)[-1] == "finished inner"
    assert text_of(found) == "三道辣菜"
    assert lanes(events(replayed.content)) == lanes(found)


@pytest.mark.requirement("SB-NEST-02")
@pytest.mark.parametrize("inner_mode", ["both", "standard", "custom"])
async def test_how_the_inner_supervisor_tells_its_own_clients_changes_no_lane_of_the_outer_one(inner_mode: str) -> None:
    nest = Nest()
    canteen(nest).always = Reply("三道辣菜")
    async with AsyncExitStack() as stack:
        await nest.open(stack, "inner", "canteen", subagent_events=inner_mode)
        outer = await nest.open(stack, "outer", "inner")
        found = await asked(outer)
    assert [line for line in lanes(found) if "call" not in line] == [
        "started inner",
        "started canteen",
        "finished canteen",
        "finished inner",
    ]


@pytest.mark.requirement("SB-NEST-04")
async def test_a_failing_agent_below_is_a_failed_lane_and_a_readable_answer_above() -> None:
    nest = Nest()
    canteen(nest).always = Reply(http=500)
    async with AsyncExitStack() as stack:
        await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner")
        found = await asked(outer)
    failed = next(e for e in found if e["type"] == "SUBAGENT_ERROR")
    assert failed["code"] == "http_500"
    assert found[-1]["outcome"] == {"type": "success"}
    assert "canteen" in text_of(found)


@pytest.mark.requirement("SB-NEST-06")
async def test_every_supervisor_adds_itself_to_the_list_of_those_that_a_question_came_through() -> None:
    nest = Nest()
    agent = canteen(nest, extensions=(NESTING,))
    agent.always = Reply("好")
    async with AsyncExitStack() as stack:
        await nest.open(stack, "core", "canteen")
        await nest.open(stack, "inner", "core")
        outer = await nest.open(stack, "outer", "inner")
        await asked(outer)
    assert agent.sends[0].message["metadata"][NESTING] == {"via": ["outer", "inner", "core"]}


@pytest.mark.requirement("SB-NEST-05")
async def test_a_click_in_a_card_from_below_reaches_the_agent_that_made_it() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.replies += [
        Reply("三道辣菜", metadata=card("dish_cards", DISHES)),
        Reply("水煮鱼怎么样", metadata=card("dish_cards", {**DISHES, "title": "新"}) | {"card_update": True}),
    ]
    async with AsyncExitStack() as stack:
        await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner")
        first = await asked(outer)
        shown = next(e for e in first if e["type"] == "ACTIVITY_SNAPSHOT")
        surface = shown["content"]["a2ui_operations"][0]["createSurface"]["surfaceId"]
        action = {"name": "open_dish", "surfaceId": surface, "context": {"id": "d1"}, "timestamp": "1"}
        props = {"a2uiAction": {"userAction": action}}
        found = events((await outer.post("/agui", run_input(None, run="r2", forwardedProps=props))).content)
    sent = agent.sends[-1].message["parts"][1]["data"]["userAction"]
    assert (sent["name"], sent["context"], sent["cardType"]) == ("open_dish", {"id": "d1"}, "dish_cards")
    assert sent["surfaceId"] != surface
    assert text_of(found) == "水煮鱼怎么样"
    (updated,) = [e for e in found if e["type"] == "ACTIVITY_SNAPSHOT"]
    assert updated["messageId"] == shown["messageId"]
