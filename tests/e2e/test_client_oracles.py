"""The real AG-UI clients hold, after a recorded run, what the checkpoint holds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import run_input
from tests.fakes.house import open_house
from tests.interaction.test_turn import DISHES, SHUTTLES, SPANNING, campus, settings

pytestmark = pytest.mark.e2e

CLIENTS = Path(__file__).parent / "clients"


def replay(client: str, body: bytes, question: dict[str, Any]) -> dict[str, Any]:
    environment = {**os.environ, "QUESTION": json.dumps(question), "THREAD": "t"}
    command = ["node", "replay.mjs", client]
    done = subprocess.run(
        command, cwd=CLIENTS, input=body, env=environment, capture_output=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Arguments parsed, empty fields dropped, the rest as it is."""
    entry = {k: v for k, v in message.items() if v not in (None, "", [])}
    if "toolCalls" in entry:
        entry["toolCalls"] = [
            (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in entry["toolCalls"]
        ]
    return entry


@pytest.mark.parametrize(("client", "version"), [("agui-client-1", "1.0"), ("agui-client-0", None)])
async def test_a_client_that_saw_the_run_holds_the_checkpoint(client: str, version: str | None) -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("North is empty.", metadata=card("dish_cards", DISHES)))
    stub.agents["transport"].replies.append(Reply("At 10:20.", metadata=card("shuttle_cards", SHUTTLES)))
    async with open_house(stub, **settings(stub)) as house:
        body = run_input(SPANNING)
        if version is None:
            del body["protocolVersion"]
        response = await house.post("/agui", body)
        held = replay(client, response.content, body["messages"][0])
        assert (held["error"], held["outcome"], held["warnings"]) == (None, "success", [])
        assert {"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "CUSTOM", "ACTIVITY_SNAPSHOT"} <= set(held["events"])
        checkpoint = await house.snapshot()
        assert [comparable(m) for m in held["messages"]] == [comparable(m) for m in checkpoint]
        connected = await house.post("/agui/connect", run_input(None))
        restored = replay(client, connected.content, body["messages"][0])
        assert [comparable(m) for m in restored["messages"]] == [comparable(m) for m in checkpoint]
