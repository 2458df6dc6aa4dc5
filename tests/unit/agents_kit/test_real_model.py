"""A tool that asks behind a real client of a model provider: what the provider is sent stays a valid conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.kit.settings import AgentSettings
from agents.transport.agent import SPEC as TRANSPORT
from chat_models import Turn
from tests.fakes.openai_wire import Reply, serve
from tests.unit.agents_kit.harness import running, text_of
from tests.unit.agents_kit.ordering import ORDERING


def conversation(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Roles and what matters of them, without the prompt."""
    return [
        (m["role"], [json.loads(call["function"]["arguments"]) for call in m.get("tool_calls", ())] or m["content"])
        for m in body["messages"][1:]
    ]


@pytest.mark.parametrize("restart", [False, True])
async def test_a_provider_hears_of_the_call_and_its_result_and_of_no_question(tmp_path: Path, restart: bool) -> None:
    order = Reply(Turn("One moment.", calls=[("order", {"thing": "tea"})]))
    async with serve(order, Reply(Turn("Ordered."))) as wire:
        settings = AgentSettings(
            model="openai:wire-1",
            model_base_url=wire.base_url,
            model_api_key="k",
            database=f"sqlite:{tmp_path / 'tasks.db'}",
            data_dir=tmp_path,
        )
        async with running(ORDERING, settings=settings) as rpc:
            task = await rpc.send("A large tea, please")
            if not restart:
                task = await rpc.send("large", taskId=task["id"])
                task = await rpc.send("yes", taskId=task["id"])
        if restart:
            async with running(ORDERING, settings=settings) as rpc:
                task = await rpc.send("large", taskId=task["id"])
                task = await rpc.send("yes", taskId=task["id"])
        assert text_of(task) == "One moment.\n\nOrdered."
        first, second = wire.requests
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in first.body["tools"]}
    assert set(offered["order"]["properties"]) == {"thing"}
    assert conversation(first.body) == [("user", "A large tea, please")]
    asked, called, (role, result) = conversation(second.body)
    assert (asked, called) == (("user", "A large tea, please"), ("assistant", [{"thing": "tea"}]))
    assert (role, json.loads(result)) == ("tool", {"thing": "tea", "size": "large"})
    ids = [m.get("tool_call_id") for m in second.body["messages"] if m["role"] == "tool"]
    assert ids == [call["id"] for m in second.body["messages"] for call in m.get("tool_calls", ())]


async def test_a_provider_hears_of_the_gate_that_was_chosen_as_if_it_had_named_it() -> None:
    async with serve(Reply(Turn(calls=[("plan_route", {"destination": "gate"})])), Reply(Turn("Go north."))) as wire:
        settings = AgentSettings(model="openai:wire-1", model_base_url=wire.base_url, model_api_key="k")
        async with running(TRANSPORT, settings=settings) as rpc:
            task = await rpc.send("How do I get to the gate?")
            task = await rpc.send("North Gate", taskId=task["id"])
        assert task["metadata"]["card_template_id"] == "route_card"
        assert ("assistant", [{"destination": "north-gate"}]) in conversation(wire.requests[1].body)
