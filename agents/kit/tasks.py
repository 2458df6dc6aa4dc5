"""Where A2A tasks are kept: bounded in memory, or in SQLite so that they outlive the process."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from a2a.server.context import ServerCallContext
from a2a.server.tasks import DatabaseTaskStore, InMemoryTaskStore, TaskStore
from a2a.types import Task
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


class BoundedTaskStore(InMemoryTaskStore):
    """Keeps the `limit` tasks that were saved last; the SDK's own store never forgets one."""

    def __init__(self, limit: int = 1000) -> None:
        super().__init__()
        self._limit = limit
        self._saved: OrderedDict[tuple[str, str], ServerCallContext] = OrderedDict()

    async def save(self, task: Task, context: ServerCallContext) -> None:
        await super().save(task, context)
        key = (context.user.user_name, task.id)
        self._saved[key] = context
        self._saved.move_to_end(key)
        while len(self._saved) > self._limit:
            (_, task_id), owner = self._saved.popitem(last=False)
            await super().delete(task_id, owner)


def open_task_store(path: Path | None) -> tuple[TaskStore, AsyncEngine | None]:
    """The store for `DATABASE`, and the engine to dispose of at the end if it has one."""
    if path is None:
        return BoundedTaskStore(), None
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
    return DatabaseTaskStore(engine), engine
