"""The real AG-UI clients hold, after a run that they saw, what the checkpoint holds."""

from __future__ import annotations

import pytest

from tests.e2e.replay import MODERN, OLD, comparable, replay, step
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import run_input
from tests.fakes.house import open_house
from tests.interaction.test_turn import DISHES, SHUTTLES, SPANNING, campus, settings

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(("client", "version"), [(MODERN, "1.0"), (OLD, None)])
async def test_a_client_that_saw_the_run_holds_the_checkpoint(client: str, version: str | None) -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("North is empty.", metadata=card("dish_cards", DISHES)))
    stub.agents["transport"].replies.append(Reply("At 10:20.", metadata=card("shuttle_cards", SHUTTLES)))
    async with open_house(stub, **settings(stub)) as house:
        body = run_input(SPANNING)
        if version is None:
            del body["protocolVersion"]
        response = await house.post("/agui", body)
        connected = await house.post("/agui/connect", run_input(None))
        steps = [step("/agui", response.content, body), step("/agui/connect", connected.content, run_input(None))]
        ((held, restored),) = replay(client, [steps])
        assert (held["error"], held["outcome"], held["warnings"]) == (None, "success", [])
        assert {"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "CUSTOM", "ACTIVITY_SNAPSHOT"} <= set(held["events"])
        checkpoint = await house.snapshot()
        assert [comparable(m) for m in held["messages"]] == [comparable(m) for m in checkpoint]
        assert [comparable(m) for m in restored["messages"]] == [comparable(m) for m in checkpoint]
