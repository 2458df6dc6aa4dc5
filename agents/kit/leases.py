"""Which tasks this process works on, and the task store that keeps that true. A lease outlives the task's last save."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from a2a.server.agent_execution.active_task import INTERRUPTED_TASK_STATES, TERMINAL_TASK_STATES
from a2a.server.cluster.task_store import StoredTask, VersionedTaskStore
from a2a.server.cluster.version import TaskVersion
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.types import ListTasksRequest, ListTasksResponse, Task

from agents.kit.ledger import Ledger
from contracts.extensions import ACTIVITY

SETTLED = TERMINAL_TASK_STATES | INTERRUPTED_TASK_STATES
"""States in which nobody works on a task."""


class Leases:
    """The leases of this process. Within it a lease is had by one request at a time."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._held: dict[str, str] = {}
        self._taking: dict[str, asyncio.Future[None]] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def held(self) -> Mapping[str, str]:
        """The tasks that are worked on here, with their owners."""
        return dict(self._held)

    async def take(self, task_id: str, owner: str, now: float | None = None) -> bool:
        """Whether the task is this request's from now on."""
        while (other := self._taking.get(task_id)) is not None:
            await asyncio.wait({other})
        if task_id in self._held:
            return False
        taking = self._taking[task_id] = asyncio.get_running_loop().create_future()
        try:
            if not await self._ledger.take(task_id, owner, time.time() if now is None else now):
                return False
            self._held[task_id] = owner
            self._idle.clear()
            return True
        finally:
            del self._taking[task_id]
            taking.set_result(None)

    async def drop(self, task_id: str) -> None:
        """The task is done, or waits; nothing happens if it was not held."""
        if task_id in self._held:
            await self._ledger.drop(task_id)
            self.lose(task_id)

    def lose(self, task_id: str) -> None:
        """Stop prolonging a lease; once it is over, whoever sweeps fails the task."""
        self._held.pop(task_id, None)
        if not self._held:
            self._idle.set()

    async def idle(self) -> None:
        """Return when no task is worked on here, and what came of each is stored."""
        await self._idle.wait()


class LeasedTasks(VersionedTaskStore):
    """A task store that takes a task's lease before the task runs and drops it after the task has settled."""

    def __init__(self, inner: VersionedTaskStore, leases: Leases) -> None:
        self._inner = inner
        self._leases = leases
        self._watched: dict[tuple[str, int], asyncio.Future[None]] = {}

    def watch(self, task_id: str, state: int) -> asyncio.Future[None]:
        """Done when the task has been stored in this state; fails with the next save if that fails."""
        key = (task_id, state)
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watched[key] = stored
        stored.add_done_callback(lambda _: self._watched.pop(key, None))
        return stored

    async def save(
        self,
        task: Task,
        *,
        event: Event | None,
        prev: Task | None,
        prev_version: TaskVersion,
        context: ServerCallContext,
    ) -> TaskVersion:
        watched = self._watched.pop((task.id, task.status.state), None)
        try:
            version = await self._save(task, event, prev, prev_version, context)
        except BaseException as error:
            if watched is not None and not watched.done():
                watched.set_exception(error)
            raise
        if watched is not None and not watched.done():
            watched.set_result(None)
        return version

    async def _save(
        self, task: Task, event: Event | None, prev: Task | None, prev_version: TaskVersion, context: ServerCallContext
    ) -> TaskVersion:
        # The SDK merges what an event says into the task, and what a tool was doing is no property of a task.
        if ACTIVITY in task.metadata.fields:
            del task.metadata.fields[ACTIVITY]
        if task.status.state not in SETTLED:
            await self._leases.take(task.id, context.user.user_name)
        version = await self._inner.save(task, event=event, prev=prev, prev_version=prev_version, context=context)
        # Before it works on an answer, the SDK stores the answer with a task that still looks as if it waited.
        answered = isinstance(event, Task) and prev is not None
        if task.status.state in TERMINAL_TASK_STATES or (task.status.state in SETTLED and not answered):
            await self._leases.drop(task.id)
        return version

    async def get(self, task_id: str, context: ServerCallContext) -> StoredTask | None:
        stored = await self._inner.get(task_id, context)
        if stored is not None and stored.task.status.state in TERMINAL_TASK_STATES:
            # Another process may have ended it.
            await self._leases.drop(task_id)
        return stored

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        return await self._inner.list(params, context)

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        await self._inner.delete(task_id, context)
