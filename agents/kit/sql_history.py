"""The history in the database of the tasks: follow-up questions make sense after a restart and on every replica."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, messages_from_dict, messages_to_dict
from sqlalchemy import Column, Float, Table, Text, delete, select
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.kit.history import MOST_TURNS, finished
from agents.kit.sql_ledger import METADATA, upsert

KEPT_SECONDS = 7 * 86_400
"""How long a context is remembered after its last turn."""
CONVERSATIONS = Table(
    "conversations",
    METADATA,
    Column("owner", Text, primary_key=True),
    Column("context_id", Text, primary_key=True),
    Column("turns", Text, nullable=False),
    Column("updated", Float, nullable=False, index=True),
)


class SqlHistory:
    """The last turns of a context are one text: they are read together, and there are few."""

    def __init__(self, engine: AsyncEngine, max_turns: int = MOST_TURNS) -> None:
        self._engine = engine
        self._max_turns = max_turns

    async def messages(self, owner: str, context_id: str) -> list[BaseMessage]:
        async with self._engine.begin() as connection:
            turns = _turns((await connection.execute(_of(owner, context_id))).scalar_one_or_none())
        return [message for turn in turns for message in messages_from_dict(turn)]

    async def remember(self, owner: str, context_id: str, turn: Sequence[BaseMessage]) -> None:
        new = messages_to_dict(finished(turn))
        async with self._engine.begin() as connection:
            found = await connection.execute(_of(owner, context_id).with_for_update())
            turns = [*_turns(found.scalar_one_or_none()), new][-self._max_turns :]
            row = {
                "owner": owner,
                "context_id": context_id,
                "turns": json.dumps(turns),
                "updated": time.time(),
            }
            keys = [CONVERSATIONS.c.owner, CONVERSATIONS.c.context_id]
            await connection.execute(upsert(self._engine, CONVERSATIONS, row, keys))

    async def sweep(self, now: float) -> None:
        """Forget the contexts that nobody goes on with."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.updated <= now - KEPT_SECONDS))


def _of(owner: str, context_id: str) -> Any:
    mine = (CONVERSATIONS.c.owner == owner) & (CONVERSATIONS.c.context_id == context_id)
    return select(CONVERSATIONS.c.turns).where(mine)


def _turns(text: str | None) -> list[list[dict[str, Any]]]:
    return json.loads(text) if text else []
