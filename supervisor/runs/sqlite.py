"""Run store in the SQLite file of the journal."""

from __future__ import annotations

from collections.abc import Collection

from supervisor.journal.database import Database
from supervisor.runs.port import A2A, OURS, Receipt, RunRecord, RunStatus, RunSummary, Thread

_IS_TASK = f"substr(thread_id, 1, {len(A2A)}) = '{A2A}'"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS threads (
  thread_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, model TEXT, last_run TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (
  run_key TEXT PRIMARY KEY, thread_id TEXT NOT NULL, run_id TEXT NOT NULL, user_id TEXT NOT NULL, status TEXT NOT NULL,
  base TEXT, turn BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tasks ON runs (run_id) WHERE {_IS_TASK};
CREATE INDEX IF NOT EXISTS runs_open ON runs (status) WHERE status IN ('running', 'stopping');
CREATE TABLE IF NOT EXISTS receipts (
  thread_id TEXT NOT NULL, name TEXT NOT NULL, run_key TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (thread_id, name)
) WITHOUT ROWID;
"""
_THREAD = (
    "SELECT t.user_id, t.model, r.status FROM threads t JOIN runs r ON r.run_key = t.last_run WHERE t.thread_id = ?"
)
_BEGIN_THREAD = (
    "INSERT INTO threads VALUES (?, ?, ?, ?) ON CONFLICT (thread_id) DO UPDATE SET last_run = excluded.last_run"
)
_UNFINISHED = (
    "SELECT run_key, thread_id, run_id, user_id, turn, base, status FROM runs WHERE status IN ('running', 'stopping')"
)
_TASKS = f"""
SELECT run_key, thread_id, run_id, status FROM runs
WHERE {_IS_TASK} AND user_id = ? {{named}} ORDER BY run_key
"""
_SAID = "INSERT OR IGNORE INTO receipts SELECT thread_id, ?, run_key, ? FROM runs WHERE run_key = ?"


class SqliteRunStore:
    """Survives the process."""

    def __init__(self, database: Database) -> None:
        self._db = database
        database.connection.executescript(_SCHEMA)

    async def thread(self, thread_id: str, receipts: Collection[str] = ()) -> Thread | None:
        return await self._db.run(self._thread, thread_id, tuple(receipts))

    async def begin(self, run: RunRecord) -> None:
        await self._db.run(self._begin, run)

    async def stop(self, run_key: str) -> None:
        sql = "UPDATE runs SET status = 'stopping' WHERE run_key = ? AND status = 'running'"
        await self._db.run(lambda: self._db.connection.execute(sql, (run_key,)))

    async def end(self, run_key: str, status: RunStatus, said: Collection[str] = ()) -> None:
        await self._db.run(self._end, run_key, status, tuple(said))

    async def unfinished(self) -> list[RunRecord]:
        return await self._db.run(self._unfinished)

    async def tasks(self, user_id: str, run_id: str | None = None) -> list[RunSummary]:
        return await self._db.run(self._tasks, user_id, run_id)

    def _thread(self, thread_id: str, receipts: tuple[str, ...]) -> Thread | None:
        connection = self._db.connection
        row = connection.execute(_THREAD, (thread_id,)).fetchone()
        if row is None:
            return None
        sql = f"SELECT name, run_key, digest FROM receipts WHERE thread_id = ? AND name IN ({_marks(receipts)})"
        found = connection.execute(sql, (thread_id, *receipts)) if receipts else ()
        user_id, model, status = row
        return Thread(user_id, model, status, {name: Receipt(run_key, digest) for name, run_key, digest in found})

    def _tasks(self, user_id: str, run_id: str | None) -> list[RunSummary]:
        named, values = ("AND run_id = ?", (user_id, run_id)) if run_id is not None else ("", (user_id,))
        rows = self._db.connection.execute(_TASKS.format(named=named), values)
        return [RunSummary(*row) for row in rows]

    def _begin(self, run: RunRecord) -> None:
        rows = [(run.thread_id, name, run.key, digest) for name, digest in run.receipts.items()]
        values = (run.key, run.thread_id, run.run_id, run.user_id, "running", run.base, run.turn)
        with self._db.transaction() as connection:
            connection.execute(_BEGIN_THREAD, (run.thread_id, run.user_id, run.model, run.key))
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            connection.executemany("INSERT OR REPLACE INTO receipts VALUES (?, ?, ?, ?)", rows)

    def _end(self, run_key: str, status: RunStatus, said: tuple[str, ...]) -> None:
        with self._db.transaction() as connection:
            # The input is kept for going on after a crash only; it may hold attachments.
            connection.execute("UPDATE runs SET status = ?, turn = NULL WHERE run_key = ?", (status, run_key))
            connection.executemany(_SAID, [(name, OURS, run_key) for name in said])

    def _unfinished(self) -> list[RunRecord]:
        rows = self._db.connection.execute(_UNFINISHED)
        return [RunRecord(*row[:5], base=row[5], stopping=row[6] == "stopping") for row in rows]


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))
