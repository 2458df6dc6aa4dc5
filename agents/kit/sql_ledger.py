"""The ledger in the database of the tasks, SQLite or PostgreSQL. Every method is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Float, Integer, MetaData, String, Table, Text, delete, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.kit.ledger import KeyEntry, ParkedTurn

METADATA = MetaData()
KEYS = Table(
    "idempotency_keys",
    METADATA,
    Column("owner", Text, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("task_id", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("expires", Float, nullable=False, index=True),
)
LEASES = Table(
    "task_leases",
    METADATA,
    Column("task_id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("replica", String(64), nullable=False),
    Column("until", Float, nullable=False, index=True),
)
TURNS = Table(
    "parked_turns",
    METADATA,
    Column("task_id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("expires", Float, nullable=False, index=True),
)


def _insert(engine: AsyncEngine) -> Any:
    return postgresql_insert if engine.dialect.name == "postgresql" else sqlite_insert


def _entry(owner: str, key: str) -> Any:
    return select(KEYS.c.fingerprint, KEYS.c.task_id, KEYS.c.round).where(KEYS.c.owner == owner, KEYS.c.key == key)


def upsert(engine: AsyncEngine, table: Table, row: dict[str, Any], keys: Sequence[Column[Any]]) -> Any:
    """The statement that writes a row in place of the one with the same keys."""
    return _insert(engine)(table).values(row).on_conflict_do_update(index_elements=list(keys), set_=row)


class SqlLedger:
    """`replica` names this process, `lease_seconds` is how long a lease holds without being prolonged."""

    lasting = True

    def __init__(self, engine: AsyncEngine, replica: str, lease_seconds: float) -> None:
        self._engine = engine
        self._replica = replica
        self._lease = lease_seconds
        self._insert = _insert(engine)

    async def claim(self, owner: str, key: str, entry: KeyEntry, expires: float) -> KeyEntry:
        row = {
            "owner": owner,
            "key": key,
            "fingerprint": entry.fingerprint,
            "task_id": entry.task_id,
            "round": entry.round,
            "expires": expires,
        }
        async with self._engine.begin() as connection:
            await connection.execute(self._insert(KEYS).values(row).on_conflict_do_nothing())
            return KeyEntry(*(await connection.execute(_entry(owner, key))).one())

    async def entry(self, owner: str, key: str) -> KeyEntry | None:
        async with self._engine.begin() as connection:
            row = (await connection.execute(_entry(owner, key))).first()
            return None if row is None else KeyEntry(*row)

    async def forget(self, owner: str, key: str, task_id: str) -> None:
        await self._do(delete(KEYS).where(KEYS.c.owner == owner, KEYS.c.key == key, KEYS.c.task_id == task_id))

    async def take(self, task_id: str, owner: str, now: float) -> bool:
        row = {"task_id": task_id, "owner": owner, "replica": self._replica, "until": now + self._lease}
        statement = self._insert(LEASES).values(row)
        statement = statement.on_conflict_do_update(
            index_elements=[LEASES.c.task_id],
            set_={"replica": self._replica, "until": now + self._lease},
            where=(LEASES.c.until <= now) | (LEASES.c.replica == self._replica),
        ).returning(LEASES.c.task_id)
        async with self._engine.begin() as connection:
            return (await connection.execute(statement)).first() is not None

    async def drop(self, task_id: str) -> None:
        await self._do(delete(LEASES).where(LEASES.c.task_id == task_id, LEASES.c.replica == self._replica))

    async def renew(self, task_ids: Sequence[str], now: float) -> None:
        mine = LEASES.c.task_id.in_(task_ids) & (LEASES.c.replica == self._replica)
        await self._do(update(LEASES).where(mine).values(until=now + self._lease))

    async def dead(self, now: float) -> list[tuple[str, str]]:
        async with self._engine.begin() as connection:
            rows = await connection.execute(select(LEASES.c.task_id, LEASES.c.owner).where(LEASES.c.until <= now))
            return [(row.task_id, row.owner) for row in rows]

    async def park(self, turn: ParkedTurn) -> None:
        row = {
            "task_id": turn.task_id,
            "owner": turn.owner,
            "round": turn.round,
            "state": turn.state,
            "expires": turn.expires,
        }
        await self._do(upsert(self._engine, TURNS, row, [TURNS.c.task_id]))

    async def parked(self, task_id: str) -> ParkedTurn | None:
        async with self._engine.begin() as connection:
            row = (await connection.execute(select(*TURNS.c).where(TURNS.c.task_id == task_id))).first()
            return None if row is None else ParkedTurn(*row)

    async def unpark(self, task_id: str) -> None:
        await self._do(delete(TURNS).where(TURNS.c.task_id == task_id))

    async def overdue(self, now: float) -> list[ParkedTurn]:
        async with self._engine.begin() as connection:
            rows = await connection.execute(select(*TURNS.c).where(TURNS.c.expires <= now))
            return [ParkedTurn(*row) for row in rows]

    async def sweep(self, now: float) -> None:
        await self._do(delete(KEYS).where(KEYS.c.expires <= now))

    async def _do(self, statement: Any) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(statement)
