"""Where an agent keeps its tasks and what belongs to them: in memory, in one SQLite file, or in PostgreSQL.

`DATABASE=memory | sqlite:PATH | postgresql://USER:PASSWORD@HOST/DB`. SQLite serves one process; several replicas of an
agent share a PostgreSQL database, in which every agent has a schema of its own.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from a2a.server.cluster.database_event_stream import DatabaseTaskEventStream
from a2a.server.cluster.database_task_store import VersionedDatabaseTaskStore
from a2a.server.cluster.event_stream import TaskEventStream
from a2a.server.cluster.task_store import LegacyTaskStoreAdapter, VersionedTaskStore
from a2a.server.models import TaskEventModel, TaskModel
from a2a.server.tasks import DatabaseTaskStore
from asyncpg import InterfaceError, PostgresError
from google.protobuf.json_format import MessageToDict
from sqlalchemy import delete, event, make_url, select, text, update
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from agents.kit.history import History, MemoryHistory
from agents.kit.leases import LeasedTasks, Leases
from agents.kit.ledger import Ledger, MemoryLedger
from agents.kit.sql_history import SqlHistory
from agents.kit.sql_ledger import LEASES, METADATA, TURNS, SqlLedger
from agents.kit.tasks import RESTARTED, UNSURE, BoundedTaskStore, failed_status

LEASE_SECONDS = 30.0
BUSY_SECONDS = 30
POOL_SIZE = 8
TOLD_SECONDS = 3600
"""How long a replica may follow, from the beginning, what another one did to a task that has ended."""
_NO_PLACE = "DATABASE names no place for tasks: write `memory`, `sqlite:PATH` or `postgresql://HOST/DB`."
_RUNNING = ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING")
_ENDED = ("TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED")
_WAITING = ("TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED")


class StorageUnavailable(Exception):
    """The database cannot be used; the text is for whoever starts the agent, and holds no secret."""


@dataclass
class Storage:
    """Opened before use and closed after it. `events` carries what other replicas do, None for a single process."""

    tasks: LeasedTasks
    ledger: Ledger
    leases: Leases
    history: History
    events: TaskEventStream | None = None
    engine: AsyncEngine | None = None

    async def open(self) -> None:
        """Make the tables. In SQLite, tasks that an earlier process left running have failed from here on.

        Raises StorageUnavailable.
        """
        if self.engine is None:
            return
        try:
            await (_prepare_sqlite if self.engine.dialect.name == "sqlite" else _prepare_postgresql)(self.engine)
        except (OSError, SQLAlchemyError, PostgresError, InterfaceError) as error:
            where = self.engine.url.render_as_string(hide_password=True)
            raise StorageUnavailable(f"DATABASE cannot be opened at {where} ({type(error).__name__}).") from None

    async def sweep(self, now: float) -> None:
        """Delete what is over: keys, conversations, and what replicas were told about tasks that have ended."""
        await self.ledger.sweep(now)
        if isinstance(self.history, SqlHistory):
            await self.history.sweep(now)
        if self.events is not None and self.engine is not None:
            before = datetime.fromtimestamp(now - TOLD_SECONDS, UTC).replace(tzinfo=None)
            told = select(TaskModel.id).join(TaskEventModel, TaskEventModel.task_id == TaskModel.id)
            ended = told.where(TaskModel.last_updated < before, _state().in_(_ENDED))
            async with self.engine.begin() as connection:
                await connection.execute(delete(TaskEventModel).where(TaskEventModel.task_id.in_(ended)))

    async def close(self) -> None:
        if self.engine is not None:
            await self.engine.dispose()


def open_storage(database: str, agent: str, *, lease_seconds: float = LEASE_SECONDS) -> Storage:
    """The storage that `DATABASE` names. Raises ValueError for anything else."""
    scheme, _, rest = database.partition(":")
    if database in ("", "memory"):
        return _storage(LegacyTaskStoreAdapter(BoundedTaskStore()), MemoryLedger())
    if scheme == "sqlite" and rest:
        engine = _sqlite(Path(rest))
        ledger = SqlLedger(engine, _replica(), lease_seconds)
        return _storage(LegacyTaskStoreAdapter(DatabaseTaskStore(engine)), ledger, engine=engine)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        engine = _postgresql(rest, agent)
        store = VersionedDatabaseTaskStore(engine, create_table=False)
        events = DatabaseTaskEventStream(engine, create_table=False)
        return _storage(store, SqlLedger(engine, _replica(), lease_seconds), events=events, engine=engine)
    raise ValueError(_NO_PLACE)


def _storage(
    store: VersionedTaskStore, ledger: Ledger, engine: AsyncEngine | None = None, events: TaskEventStream | None = None
) -> Storage:
    leases = Leases(ledger)
    history = MemoryHistory() if engine is None else SqlHistory(engine)
    return Storage(LeasedTasks(store, leases), ledger, leases, history, events, engine)


def _replica() -> str:
    return uuid.uuid4().hex


def _sqlite(path: Path) -> AsyncEngine:
    """One connection, whose transactions take the write lock at once: nobody ever finds the database locked."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"DATABASE is in {path.parent}, which cannot be made: {error.strerror}.") from None
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}",
        pool_size=1,
        max_overflow=0,
        pool_timeout=600,
        connect_args={"timeout": BUSY_SECONDS},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _postgresql(rest: str, agent: str) -> AsyncEngine:
    try:
        url = make_url(f"postgresql+asyncpg:{rest}")
    except (ArgumentError, ValueError):
        raise ValueError(_NO_PLACE) from None
    # What libpq calls `sslmode` is `ssl` here.
    query = {"ssl" if key == "sslmode" else key: value for key, value in url.query.items()}
    return create_async_engine(
        url.set(query=query),
        pool_size=POOL_SIZE,
        pool_pre_ping=True,
        connect_args={"server_settings": {"search_path": schema_of(agent)}},
    )


def schema_of(agent: str) -> str:
    """The schema of an agent's tables, so that agents may share a database."""
    return re.sub(r"\W", "_", agent.lower())[:60] or "agent"


async def _prepare_sqlite(engine: AsyncEngine) -> None:
    await DatabaseTaskStore(engine).initialize()
    async with engine.begin() as connection:
        await connection.run_sync(METADATA.create_all)
        await _bury(connection)


async def _prepare_postgresql(engine: AsyncEngine) -> None:
    """Schema and tables. Replicas that start together do it one after the other."""
    async with engine.begin() as connection:
        schema = (await connection.execute(text("SHOW search_path"))).scalar_one()
        lock = int.from_bytes(hashlib.sha256(f"switchboard {schema}".encode()).digest()[:7])
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})
        await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {schema}"))
        tables = [TaskModel.metadata.tables[name] for name in ("tasks", "task_versions", "task_events")]
        await connection.run_sync(lambda sync: TaskModel.metadata.create_all(sync, tables=tables))
        await connection.run_sync(METADATA.create_all)
        # The SDK allows 36 characters, and a context has the id that its caller gave it.
        for column in ("context_id", "owner"):
            await connection.execute(text(f"ALTER TABLE tasks ALTER COLUMN {column} TYPE text"))


def _state() -> Any:
    """The state in the status column, in SQL."""
    column: Any = TaskModel.status
    return column["state"].as_string()


async def _bury(connection: AsyncConnection) -> None:
    """Fail what runs in a database that only this process uses, and forget who worked on it."""
    state = _state()
    answered, now = select(TURNS.c.task_id), datetime.now(UTC).replace(tzinfo=None)
    for among, words in ((TaskModel.id.in_(answered), UNSURE), (TaskModel.id.not_in(answered), RESTARTED)):
        failed = MessageToDict(failed_status("restart", words))
        await connection.execute(
            update(TaskModel).where(state.in_(_RUNNING), among).values(status=failed, last_updated=now)
        )
    await connection.execute(delete(LEASES))
    waiting = select(TaskModel.id).where(state.in_(_WAITING))
    await connection.execute(delete(TURNS).where(TURNS.c.task_id.not_in(waiting)))
