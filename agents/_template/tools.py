"""The agent's MCP server over its own database."""

from __future__ import annotations

import sqlite3
from typing import Annotated, Any

from mcp.server import MCPServer
from pydantic import Field

from agents.kit.asking import ask
from agents.kit.clock import Clock

VAGUE = ("something", "东西")
"""Who says no more than that is asked what it is."""


def build_server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    """The server. Its tool answers with names in both languages."""
    del clock
    server: MCPServer[Any] = MCPServer("template")

    async def find_items(query: Annotated[str, Field(max_length=500)], chinese: bool = False) -> dict[str, Any]:
        """Find things that were handed in, by words of their names in any language."""
        if any(word in query.lower() for word in VAGUE):
            # The answer becomes the argument of this name, and the tool is called again with it.
            return ask("query", {"type": "input", "message": "丢了什么？" if chinese else "What did you lose?"})
        rows = [dict(row) for row in db.execute("SELECT name_zh, name_en, place_zh, place_en FROM items ORDER BY id")]
        return {"items": [row for row in rows if _fits(row, query.lower())]}

    server.add_tool(find_items)
    return server


def _fits(row: dict[str, Any], query: str) -> bool:
    """Whether the question holds a word of the name, or two characters of it in Chinese."""
    words = [word.rstrip("s") for word in row["name_en"].split() if len(word) > 3]
    chinese: str = row["name_zh"]
    pairs = [chinese[i : i + 2] for i in range(len(chinese) - 1)]
    return any(word in query for word in words) or any(pair in query for pair in pairs)
