"""An agent whose tool asks: which size, then for approval, and orders once per call."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.server import MCPServer

from agents.kit.asking import Answers, ask
from agents.kit.clock import Clock
from agents.kit.spec import AgentSpec, Conversation
from chat_models import Turn
from tests.unit.agents_kit.harness import SPEC

SIZES = ["small", {"value": "large", "label": "Large one"}]


def seed(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE IF NOT EXISTS kept.orders (call TEXT PRIMARY KEY, thing TEXT, size TEXT)")


def server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    del clock
    made: MCPServer[Any] = MCPServer("ordering")

    @made.tool()
    async def order(thing: str, answers: Answers, chinese: bool = False, call: str = "") -> dict[str, Any]:
        """Order a thing."""
        if thing == "nonsense":
            return {"ask": {"name": "x", "question": {"type": "riddle"}}}
        if thing == "door":
            if "key" not in answers:
                return ask("key", {"type": "unlock", "message": "Open the door.", "key": "door-7"})
            return {"thing": thing, "size": "open"}
        if "size" not in answers:
            return ask("size", {"type": "select", "message": "多大？" if chinese else "Which size?", "options": SIZES})
        size = answers["size"]["value"]
        if "sure" not in answers:
            return ask("sure", {"type": "approval", "message": f"Order {thing}, {size}?", "details": {"thing": thing}})
        if not answers["sure"]["approved"]:
            return {"thing": thing, "size": None}
        with db:
            db.execute("INSERT INTO kept.orders VALUES (?, ?, ?)", (call, thing, size))
        return {"thing": thing, "size": size}

    @made.tool()
    async def orders() -> dict[str, Any]:
        """All orders."""
        return {"orders": [list(row) for row in db.execute("SELECT thing, size FROM kept.orders ORDER BY thing")]}

    return made


def answer(conversation: Conversation) -> Turn:
    if conversation.question == "orders":
        return (
            Turn(str(conversation.results[0].data["orders"])) if conversation.results else Turn(calls=[("orders", {})])
        )
    if not conversation.results:
        things = conversation.question.split(" and ")
        calls: list[tuple[str, Mapping[str, Any]]] = [("order", {"thing": thing, "call": "forged"}) for thing in things]
        return Turn("Let me see.", calls=calls)
    said = [f"{r.data['thing']}: {r.data['size']}" if r.ok else f"failed: {r.text}" for r in conversation.results]
    return Turn("; ".join(said))


ORDERING: AgentSpec = replace(
    SPEC,
    name="ordering",
    seed=seed,
    mcp_server=server,
    answer_offline=answer,
    build_card=lambda conversation, text: None,
    status=lambda tool, arguments, chinese: f"calling {tool}",
)
