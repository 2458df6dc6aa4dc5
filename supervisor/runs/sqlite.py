"""Run store in the SQLite file of the journal, over a connection of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supervisor.journal.database import Database
from supervisor.runs.port import Receipt, RunRecord, RunStatus

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
        self._db = Database(path, _SCHEMA)

    async def owner(self, thread_id: str) -> str | None:
        rows = await self._query("SELECT user_id FROM threads WHERE thread_id = ?", thread_id)
        return rows[0][0] if rows else None

    async def receipts(self, thread_id: str) -> Mapping[str, Receipt]:
        rows = await self._query("SELECT message_id, run_key, digest FROM receipts WHERE thread_id = ?", thread_id)
        return {message_id: Receipt(run_key, digest) for message_id, run_key, digest in rows}

    async def begin(self, run: RunRecord) -> None:
        await self._db.run(self._begin, run)

    async def end(self, run_key: str, status: RunStatus) -> None:
        await self._query("UPDATE runs SET status = ? WHERE run_key = ?", status, run_key)

    async def aclose(self) -> None:
        await self._db.aclose()

    def _begin(self, run: RunRecord) -> None:
        rows = [(run.thread_id, message, run.key, digest) for message, digest in run.digests.items()]
        with self._db.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO threads VALUES (?, ?)", (run.thread_id, run.user_id))
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, 'running')", (run.key, run.thread_id, run.run_id))
            connection.executemany("INSERT INTO receipts VALUES (?, ?, ?, ?)", rows)

    async def _query(self, sql: str, *values: Any) -> list[Any]:
        return await self._db.run(lambda: self._db.connection.execute(sql, values).fetchall())
