"""What an agent must remember beside its tasks: keys of requests, who works on which task, turns that wait for a user.

The port, and its variant for one process without a database. Says nothing about what a turn holds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What an Idempotency-Key stands for: the task of its first request, which may not exist yet.

    For a message to a task that waits, `round` is the question of that task which it answers.
    """

    fingerprint: str
    task_id: str
    round: int = 0


@dataclass(frozen=True, slots=True)
class ParkedTurn:
    """A turn that waits for the user. `round` counts the questions of its task, `state` is for the executor alone."""

    task_id: str
    owner: str
    round: int
    state: str
    expires: float


class Ledger(Protocol):
    """Times are seconds since the epoch. A lease says that a live process works on a task."""

    @property
    def lasting(self) -> bool:
        """Whether it outlives the process: then a key without a task is one whose process died."""
        ...

    async def claim(self, owner: str, key: str, entry: KeyEntry, expires: float) -> KeyEntry:
        """Store the entry unless the key has one; gives the one that counts."""
        ...

    async def entry(self, owner: str, key: str) -> KeyEntry | None:
        """What the key stands for, None for one that was never used."""
        ...

    async def forget(self, owner: str, key: str, task_id: str) -> None:
        """Free the key again, if it stands for this task."""
        ...

    async def take(self, task_id: str, owner: str, now: float) -> bool:
        """Get the lease of a task; False while another process has it."""
        ...

    async def drop(self, task_id: str) -> None:
        """Give up this process's lease of a task."""
        ...

    async def renew(self, task_ids: Sequence[str], now: float) -> None:
        """Prolong these leases of this process."""
        ...

    async def dead(self, now: float) -> list[tuple[str, str]]:
        """Task and owner of the leases that nobody has prolonged."""
        ...

    async def park(self, turn: ParkedTurn) -> None:
        """Keep a turn in place of what the task had parked before."""
        ...

    async def parked(self, task_id: str) -> ParkedTurn | None: ...

    async def unpark(self, task_id: str) -> None: ...

    async def overdue(self, now: float) -> list[ParkedTurn]:
        """The turns whose time to be answered is over."""
        ...

    async def sweep(self, now: float) -> None:
        """Delete what nobody needs any more."""
        ...


class MemoryLedger:
    """For one process: bounded, and gone with it. Leases are kept by `Leases` alone."""

    lasting = False

    def __init__(self, limit: int = 5000) -> None:
        self._limit = limit
        self._keys: OrderedDict[tuple[str, str], tuple[KeyEntry, float]] = OrderedDict()
        self._turns: OrderedDict[str, ParkedTurn] = OrderedDict()

    async def claim(self, owner: str, key: str, entry: KeyEntry, expires: float) -> KeyEntry:
        found, _ = self._keys.setdefault((owner, key), (entry, expires))
        while len(self._keys) > self._limit:
            self._keys.popitem(last=False)
        return found

    async def entry(self, owner: str, key: str) -> KeyEntry | None:
        known = self._keys.get((owner, key))
        return known[0] if known else None

    async def forget(self, owner: str, key: str, task_id: str) -> None:
        known = self._keys.get((owner, key))
        if known is not None and known[0].task_id == task_id:
            del self._keys[(owner, key)]

    async def take(self, task_id: str, owner: str, now: float) -> bool:
        del task_id, owner, now
        return True

    async def drop(self, task_id: str) -> None:
        del task_id

    async def renew(self, task_ids: Sequence[str], now: float) -> None:
        del task_ids, now

    async def dead(self, now: float) -> list[tuple[str, str]]:
        del now
        return []

    async def park(self, turn: ParkedTurn) -> None:
        self._turns[turn.task_id] = turn
        self._turns.move_to_end(turn.task_id)
        while len(self._turns) > self._limit:
            self._turns.popitem(last=False)

    async def parked(self, task_id: str) -> ParkedTurn | None:
        return self._turns.get(task_id)

    async def unpark(self, task_id: str) -> None:
        self._turns.pop(task_id, None)

    async def overdue(self, now: float) -> list[ParkedTurn]:
        return [turn for turn in self._turns.values() if turn.expires <= now]

    async def sweep(self, now: float) -> None:
        for key in [key for key, (_, expires) in self._keys.items() if expires <= now]:
            del self._keys[key]
