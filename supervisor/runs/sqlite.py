"""Run store in the SQLite file of the journal; one connection, used only by one worker thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from supervisor.journal.sqlite import open_database
from supervisor.runs.port import Receipt, RunRecord, RunStatus

T = TypeVar("T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS threads (thread_id TEXT PRIMARY KEY, user_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (
  run_key TEXT PRIMARY KEY, thread_id TEXT NOT NULL, run_id TEXT NOT NULL, status TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS receipts (
  thread_id TEXT NOT NULL, message_id TEXT NOT NULL, run_key TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (thread_id, message_id)
) WITHOUT ROWID;
"""


class SqliteRunStore:
    """Survives the process."""

    def __init__(self, path: Path) -> None:
        self._db = open_database(path)
        self._db.executescript(_SCHEMA)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="runs")

    async def owner(self, thread_id: str) -> str | None:
        rows = await self._query("SELECT user_id FROM threads WHERE thread_id = ?", thread_id)
        return rows[0][0] if rows else None

    async def receipts(self, thread_id: str) -> Mapping[str, Receipt]:
        rows = await self._query("SELECT message_id, run_key, digest FROM receipts WHERE thread_id = ?", thread_id)
        return {message_id: Receipt(run_key, digest) for message_id, run_key, digest in rows}

    async def begin(self, run: RunRecord) -> None:
        await self._in_worker(self._begin, run)

    async def end(self, run_key: str, status: RunStatus) -> None:
        await self._query("UPDATE runs SET status = ? WHERE run_key = ?", status, run_key)

    async def aclose(self) -> None:
        await self._in_worker(self._db.close)
        self._worker.shutdown()

    def _begin(self, run: RunRecord) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.execute("INSERT OR IGNORE INTO threads VALUES (?, ?)", (run.thread_id, run.user_id))
            self._db.execute("INSERT INTO runs VALUES (?, ?, ?, 'running')", (run.key, run.thread_id, run.run_id))
            rows = [(run.thread_id, message, run.key, digest) for message, digest in run.digests.items()]
            self._db.executemany("INSERT INTO receipts VALUES (?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    async def _query(self, sql: str, *values: Any) -> list[Any]:
        return await self._in_worker(lambda: self._db.execute(sql, values).fetchall())

    async def _in_worker(self, call: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, call, *args)
