"""What an agent does beside answering: prolongs its leases, fails what nobody works on, forgets what is over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

from a2a.server.agent_execution.active_task import INTERRUPTED_TASK_STATES, TERMINAL_TASK_STATES
from a2a.types import TaskState

from agents.kit.storage import Storage
from agents.kit.tasks import EXPIRED, RESTARTED, UNSURE, acting_for, fail_task

logger = logging.getLogger(__name__)

RUNNING = frozenset({TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING})


class Housekeeping:
    """`works_on` says whether this process is still at work on a task that it has the lease of; `abandon` ends that."""

    def __init__(
        self, storage: Storage, works_on: Callable[[str], bool], abandon: Callable[[str], Awaitable[None]] | None = None
    ) -> None:
        self._storage = storage
        self._works_on = works_on
        self._abandon = abandon
        self._doubtful: frozenset[str] = frozenset()

    @contextlib.asynccontextmanager
    async def going_on(self, every: float) -> AsyncGenerator[None]:
        """Runs a beat now and then; one that fails is logged, and the next one tries again."""
        task = asyncio.create_task(self._beat_for_ever(every))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def beat(self, now: float | None = None) -> None:
        """One round of everything."""
        now = time.time() if now is None else now
        await self._prolong(now)
        await self._heed_other_replicas()
        await self._fail_orphans(now)
        await self._expire_questions(now)
        await self._storage.sweep(now)

    async def _beat_for_ever(self, every: float) -> None:
        while True:
            try:
                await self.beat()
            except Exception as error:
                logger.error("housekeeping failed: %s", type(error).__name__)
            await asyncio.sleep(every)

    async def _prolong(self, now: float) -> None:
        """A task that is in nobody's hands twice in a row is left to the sweep; once may be a request that begins."""
        leases = self._storage.leases
        idle = frozenset(task_id for task_id in leases.held if not self._works_on(task_id))
        for task_id in idle & self._doubtful:
            leases.lose(task_id)
        self._doubtful = idle
        await self._storage.ledger.renew(sorted(leases.held), now)

    async def _heed_other_replicas(self) -> None:
        """A task that was cancelled elsewhere, or given up there for dead, is not worked on any more."""
        if self._storage.events is None or self._abandon is None:
            return
        for task_id, owner in self._storage.leases.held.items():
            stored = await self._storage.tasks.get(task_id, acting_for(owner))
            if stored is not None and stored.task.status.state in TERMINAL_TASK_STATES:
                await self._abandon(task_id)

    async def _fail_orphans(self, now: float) -> None:
        for task_id, owner in await self._storage.ledger.dead(now):
            if not await self._storage.leases.take(task_id, owner, now):
                continue
            words = UNSURE if await self._storage.ledger.parked(task_id) else RESTARTED
            failed = await fail_task(self._storage.tasks, task_id, owner, RUNNING, words)
            if failed:
                logger.warning("a task that nobody worked on any more has failed")
                await self._storage.ledger.unpark(task_id)
            await self._storage.leases.drop(task_id)

    async def _expire_questions(self, now: float) -> None:
        for turn in await self._storage.ledger.overdue(now):
            if not await self._storage.leases.take(turn.task_id, turn.owner, now):
                continue
            await fail_task(self._storage.tasks, turn.task_id, turn.owner, INTERRUPTED_TASK_STATES, EXPIRED)
            await self._storage.ledger.unpark(turn.task_id)
            await self._storage.leases.drop(turn.task_id)
