"""A repeated Idempotency-Key gives the task of its first request, on any replica and after a restart of the agent.

Keyed by owner and key, never by message id, which callers reuse. A key names its task before that exists, so that a
request whose process died in between is simply made again.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from a2a.server.agent_execution.active_task import INTERRUPTED_TASK_STATES
from a2a.types import Message, Task

from agents.kit.leases import Leases
from agents.kit.ledger import KeyEntry, Ledger

KEY_SECONDS = 86_400.0
WAIT_SECONDS = (0.01, 0.5)
"""How long to wait for another request with the same key: at first, and at most."""


class TaskForgotten(Exception):
    """The key's task was made, and is remembered no more."""


class NotWaiting(Exception):
    """The message is new, and its task waits for none."""


class KeyReused(Exception):
    """The key was used for a message with other content."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What to do with a keyed request: make the task `task_id` (go on with it), or give it as it is."""

    task_id: str
    new: bool


class IdempotencyKeys:
    """The keys of an agent. `lookup` reads the task of an owner."""

    def __init__(self, ledger: Ledger, leases: Leases, *, seconds: float = KEY_SECONDS) -> None:
        self._ledger = ledger
        self._leases = leases
        self._seconds = seconds

    async def claim(
        self, owner: str, key: str, message: Message, lookup: Callable[[str], Awaitable[Task | None]]
    ) -> Claim:
        """A new claim holds its task's lease.

        Raises KeyReused if the key stands for a message with other content, TaskForgotten rather than act twice,
        NotWaiting for a key that was never used, on a message to a task that works or has ended.
        """
        if message.task_id:
            task = await lookup(message.task_id)
            busy = task is not None and task.status.state not in INTERRUPTED_TASK_STATES
            if busy and await self._ledger.entry(owner, key) is None:
                raise NotWaiting
        parked = await self._ledger.parked(message.task_id) if message.task_id else None
        task_id = message.task_id or str(uuid.uuid4())
        asked = KeyEntry(fingerprint_of(message), task_id, parked.round if parked else 0)
        pause, longest = WAIT_SECONDS
        while True:
            entry = await self._ledger.claim(owner, key, asked, time.time() + self._seconds)
            if entry.fingerprint != asked.fingerprint:
                raise KeyReused
            if not await self._open(entry, await lookup(entry.task_id), message):
                return Claim(entry.task_id, new=False)
            if await self._leases.take(entry.task_id, owner):
                # Between the look and the lease, somebody else may have done it.
                if await self._open(entry, await lookup(entry.task_id), message):
                    if self._ledger.lasting or entry is asked:
                        return Claim(entry.task_id, new=True)
                    await self._leases.drop(entry.task_id)
                    raise TaskForgotten
                await self._leases.drop(entry.task_id)
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    async def release(self, owner: str, key: str, claim: Claim) -> None:
        """Forget a claim whose request came to nothing, so that the key may be used again."""
        await self._ledger.forget(owner, key, claim.task_id)
        await self._leases.drop(claim.task_id)

    async def _open(self, entry: KeyEntry, task: Task | None, message: Message) -> bool:
        """Whether the message is still to be dealt with: its task does not exist, or waits for just this answer."""
        if task is None or not message.task_id:
            return task is None
        if task.status.state not in INTERRUPTED_TASK_STATES:
            return False
        parked = await self._ledger.parked(task.id)
        return entry.round == (parked.round if parked else 0)


def fingerprint_of(message: Message) -> str:
    """Equal for two messages that ask the same: everything but the message id, which a retry may mint anew."""
    copy = Message()
    copy.CopyFrom(message)
    copy.ClearField("message_id")
    return hashlib.sha256(copy.SerializeToString(deterministic=True)).hexdigest()
