"""Journal in one SQLite file (WAL) with group commit: appends that wait while a commit runs share the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from supervisor.journal.database import Database
from supervisor.journal.port import Record

_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
  thread_id TEXT NOT NULL, seq INTEGER NOT NULL, run_key TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (thread_id, seq)
) WITHOUT ROWID
"""


@dataclass(slots=True)
class _Pending:
    thread_id: str
    run_key: str
    events: Sequence[bytes]
    done: asyncio.Future[int]


class SqliteJournal:
    """Survives the process. With `synchronous=NORMAL` a crash loses nothing; a power cut may lose the last commits."""

    def __init__(self, database: Database) -> None:
        self._db = database
        database.connection.executescript(_SCHEMA)
        self._next: dict[str, int] = {}
        self._pending: list[_Pending] = []
        self._committing: asyncio.Task[None] | None = None

    async def append(self, thread_id: str, run_key: str, events: Sequence[bytes]) -> int:
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending.append(_Pending(thread_id, run_key, events, done))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_pending())
        return await asyncio.shield(done)

    async def read(self, thread_id: str, after: int = 0, run_key: str | None = None) -> list[Record]:
        return await self._db.run(self._read, thread_id, after, run_key)

    async def aclose(self) -> None:
        if self._committing is not None:
            await self._committing

    async def _commit_pending(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                await self._commit(batch)
        finally:
            self._committing = None

    async def _commit(self, batch: list[_Pending]) -> None:
        try:
            firsts = await self._db.run(self._write, batch)
        except Exception as error:
            for item in batch:
                if not item.done.done():
                    item.done.set_exception(error)
            return
        for item, first in zip(batch, firsts, strict=True):
            if not item.done.done():
                item.done.set_result(first)

    def _write(self, batch: list[_Pending]) -> list[int]:
        firsts: list[int] = []
        rows: list[tuple[str, int, str, bytes]] = []
        sequences: dict[str, int] = {}
        for item in batch:
            first = sequences.get(item.thread_id) or self._next_sequence(item.thread_id)
            rows.extend((item.thread_id, first + i, item.run_key, data) for i, data in enumerate(item.events))
            sequences[item.thread_id] = first + len(item.events)
            firsts.append(first)
        with self._db.transaction() as connection:
            connection.executemany("INSERT INTO journal VALUES (?, ?, ?, ?)", rows)
        self._next.update(sequences)
        return firsts

    def _next_sequence(self, thread_id: str) -> int:
        if thread_id not in self._next:
            sql = "SELECT MAX(seq) FROM journal WHERE thread_id = ?"
            row = self._db.connection.execute(sql, (thread_id,)).fetchone()
            self._next[thread_id] = (row[0] or 0) + 1
        return self._next[thread_id]

    def _read(self, thread_id: str, after: int, run_key: str | None) -> list[Record]:
        query = "SELECT seq, run_key, data FROM journal WHERE thread_id = ? AND seq > ?"
        values: tuple[str | int, ...] = (thread_id, after)
        if run_key is not None:
            query, values = f"{query} AND run_key = ?", (*values, run_key)
        return [Record(*row) for row in self._db.connection.execute(f"{query} ORDER BY seq", values)]
