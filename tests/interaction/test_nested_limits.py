"""Supervisors in a circle, and chains that are too long: refused in words, and nobody asks for ever."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from chat_models import ScriptedChatModel, ToolSpec, Turn
from contracts.extensions import NESTING
from supervisor.graph.offline import decide
from supervisor.graph.results import since_last_question
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import text_of
from tests.fakes.nest import Nest
from tests.interaction.test_nested_questions import rpc, say
from tests.interaction.test_nested_streams import SPICY, asked, canteen, lanes

HERE = "tests.interaction.test_nested_limits"


def asks_a() -> ScriptedChatModel:
    """For `MODEL`: asks agent a whatever it is asked, and says what that says."""
    return _asks("a")


def asks_b() -> ScriptedChatModel:
    """The same with agent b."""
    return _asks("b")


def _asks(agent: str) -> ScriptedChatModel:
    def policy(messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        if since_last_question(messages):
            return decide(messages, tools)
        return Turn(calls=[("call_domain_agent", {"agent": agent, "query": "and you?"})])

    return ScriptedChatModel(policy=policy)


def roots(found: list[dict[str, Any]]) -> list[str]:
    """The lanes without tools."""
    return [line for line in lanes(found) if " in " not in line]


@pytest.mark.requirement("SB-NEST-06")
async def test_a_supervisor_that_is_its_own_agent_says_so_and_answers() -> None:
    nest = Nest()
    async with AsyncExitStack() as stack:
        house = await nest.open(stack, "a", "a", model=f"{HERE}:asks_a")
        await _seen(house, "a")
        found = await asked(house, "what does a say?")
    assert roots(found) == ["started a", "error a"]
    assert found[-1]["outcome"] == {"type": "success"}
    assert "in a circle" in text_of(found)


@pytest.mark.requirement("SB-NEST-06")
async def test_a_circle_through_another_supervisor_is_found_where_it_closes() -> None:
    nest = Nest()
    async with AsyncExitStack() as stack:
        other = await nest.open(stack, "b", "a", model=f"{HERE}:asks_a")
        first = await nest.open(stack, "a", "b", model=f"{HERE}:asks_b")
        await _seen(other, "a")
        found = await asked(first, "what does b say about a?")
        again = await asked(first, "and what does b say now?", message="u2", run="r2")
    for events in (found, again):
        assert roots(events) == ["started b", "started a", "error a", "finished b"]
        assert "in a circle" in text_of(events)


@pytest.mark.requirement("SB-NEST-06")
async def test_skills_of_supervisors_that_name_each_other_do_not_grow_for_ever() -> None:
    nest = Nest()
    canteen(nest).always = Reply("好")
    async with AsyncExitStack() as stack:
        houses = [await nest.open(stack, "b", "a", "canteen"), await nest.open(stack, "a", "b", "canteen")]
        card: dict[str, Any] = {}
        sizes: list[int] = []
        for _ in range(8):
            for house, name in zip(houses, ("a", "b"), strict=True):
                await _seen(house, name)
            card = (await houses[0].client.get("/.well-known/agent-card.json")).json()
            sizes.append(len(card["skills"]))
    assert sizes[-1] == sizes[-2] == sizes[-3]
    assert max(skill["id"].count("/") for skill in card["skills"]) <= 4


async def _seen(house: Any, agent: str) -> None:
    """The supervisor has the card of an agent that was not there when it started, or has changed."""
    discovery = house.app.state.runs._graph._parts.dispatcher._discovery
    await discovery._look(discovery._entries[agent], float("inf"))


@pytest.mark.requirement("SB-NEST-06")
async def test_a_chain_that_is_too_long_ends_readably_at_its_end() -> None:
    nest = Nest()
    agent = canteen(nest)
    agent.always = Reply("三道辣菜")
    async with AsyncExitStack() as stack:
        await nest.open(stack, "c", "canteen", nesting_limit=1)
        await nest.open(stack, "b", "c")
        first = await nest.open(stack, "a", "b")
        found = await asked(first)
    assert roots(found) == ["started b", "started c", "error c", "finished b"]
    assert found[-1]["outcome"] == {"type": "success"}
    assert "2 supervisors" in text_of(found)
    assert agent.sends == []


@pytest.mark.requirement("SB-NEST-06")
@pytest.mark.parametrize(
    ("via", "state"),
    [
        (["x", "y", "z"], "COMPLETED"),
        (["x", "y", "z", "w"], "REJECTED"),
        (["x", "me"], "REJECTED"),
        ("me", "COMPLETED"),
        ([1, None], "COMPLETED"),
    ],
)
async def test_a_question_is_judged_by_the_supervisors_it_came_through(via: Any, state: str) -> None:
    nest = Nest()
    canteen(nest).always = Reply("好")
    async with AsyncExitStack() as stack:
        house = await nest.open(stack, "me", "canteen")
        asked_by = say(SPICY, metadata={NESTING: {"via": via}})
        task = (await rpc(house, "SendMessage", message=asked_by))["task"]
        listed = await rpc(house, "ListTasks")
    assert task["status"]["state"] == f"TASK_STATE_{state}"
    assert len(listed["tasks"]) == (0 if state == "REJECTED" else 1)
    if state == "REJECTED":
        assert task["status"]["message"]["parts"][0]["text"]
