"""LangGraph's SQLite saver behind the one thread of our database: one way there per call, one commit for all that wait.

The library's own async saver crosses to its thread four times per write and commits each.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

from supervisor.journal.database import Database

T = TypeVar("T")


@dataclass(slots=True)
class _Call:
    work: Callable[[], Any]
    writes: bool
    done: asyncio.Future[Any]


class QueuedSaver(SqliteSaver):
    """Calls are done in the order in which they were made, so a read finds what was to be written before it.

    A caller that is cancelled stops waiting; its call is done all the same. Call `drain` before the database is closed.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.connection)
        self._db = database
        self._calls: list[_Call] = []
        self._working: asyncio.Task[None] | None = None
        self.setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Generator[sqlite3.Cursor]:
        """A cursor for the methods of the library. What belongs together is committed by the queue."""
        cursor = self.conn.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._do(lambda: self.get_tuple(config))

    async def alist(self, config: RunnableConfig | None, **options: Any) -> AsyncIterator[CheckpointTuple]:
        for found in await self._do(lambda: list(self.list(config, **options))):
            yield found

    async def aput(self, *args: Any, **kwargs: Any) -> RunnableConfig:
        return await self._do(lambda: self.put(*args, **kwargs), writes=True)

    async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
        await self._do(lambda: self.put_writes(*args, **kwargs), writes=True)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._do(lambda: self.delete_thread(thread_id), writes=True)

    async def aget_delta_channel_history(self, **options: Any) -> Any:
        return await self._do(lambda: self.get_delta_channel_history(**options))

    async def drain(self) -> None:
        """Returns when every call is done."""
        while self._working is not None:
            await asyncio.wait([self._working])

    async def _do(self, work: Callable[[], T], *, writes: bool = False) -> T:
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.append(_Call(work, writes, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await asyncio.shield(done)

    async def _work(self) -> None:
        try:
            while self._calls:
                calls, self._calls = self._calls, []
                await self._settle(calls)
        finally:
            self._working = None

    async def _settle(self, calls: Sequence[_Call]) -> None:
        try:
            results = await self._db.run(self._together, calls)
        except Exception as error:
            if len(calls) == 1:
                calls[0].done.set_exception(error)
            else:
                # One call's fault is not the others'.
                for call in calls:
                    await self._settle([call])
            return
        for call, result in zip(calls, results, strict=True):
            call.done.set_result(result)

    def _together(self, calls: Sequence[_Call]) -> list[Any]:
        if not any(call.writes for call in calls):
            return [call.work() for call in calls]
        with self._db.transaction():
            return [call.work() for call in calls]
