"""Checkpoints in SQLite of which it can be known when they are stored: what must not happen before waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from supervisor.graph.sqlite_saver import QueuedSaver
from supervisor.journal.database import Database

Stored = Callable[[str, str], Awaitable[None]]
"""`await stored(thread id, checkpoint id)` returns when that checkpoint of the root graph survives the process."""


class SqliteCheckpoints(QueuedSaver):
    """The saver, and what waits for it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._last: dict[str, str] = {}
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}

    async def aput(self, config: RunnableConfig, checkpoint: Any, *args: Any, **kwargs: Any) -> Any:
        result = await super().aput(config, checkpoint, *args, **kwargs)
        place = config.get("configurable", {})
        if not place.get("checkpoint_ns"):
            self._note(cast("str", place["thread_id"]), checkpoint["id"])
        return result

    async def stored(self, thread_id: str, checkpoint_id: str) -> None:
        """Returns when the checkpoint is in the file. Ids grow with time within a thread."""
        while self._last.get(thread_id, "") < checkpoint_id:
            changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(thread_id, []).append(changed)
            if await self._holds(thread_id, checkpoint_id):
                # An earlier process stored it.
                self._note(thread_id, checkpoint_id)
            await changed

    def forget(self, thread_id: str) -> None:
        """The thread's run is over: nobody waits any more."""
        self._last.pop(thread_id, None)

    async def _holds(self, thread_id: str, checkpoint_id: str) -> bool:
        sql = "SELECT 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?"
        return await self._do(lambda: self.conn.execute(sql, (thread_id, checkpoint_id)).fetchone()) is not None

    def _note(self, thread_id: str, checkpoint_id: str) -> None:
        self._last[thread_id] = max(checkpoint_id, self._last.get(thread_id, ""))
        for waiter in self._waiting.pop(thread_id, ()):
            if not waiter.done():
                waiter.set_result(None)


def stored_by(saver: BaseCheckpointSaver[Any]) -> Stored:
    """How to wait for a checkpoint of `saver`; not at all for one whose checkpoints die with the process."""
    return saver.stored if isinstance(saver, SqliteCheckpoints) else _at_once


def forget(saver: BaseCheckpointSaver[Any], thread_id: str) -> None:
    """The run of a thread is over."""
    if isinstance(saver, SqliteCheckpoints):
        saver.forget(thread_id)


async def _at_once(_: str, __: str) -> None:
    return None
