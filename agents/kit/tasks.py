"""Where A2A tasks are kept: bounded in memory, or in SQLite so that they outlive the process."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from typing import Self

from a2a.server.context import ServerCallContext
from a2a.server.tasks import DatabaseTaskStore, InMemoryTaskStore
from a2a.types import Task
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine


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


class SqliteTaskStore(DatabaseTaskStore):
    """Tasks in one SQLite file of one process. Entering it fails the tasks that an earlier process left running."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(create_async_engine(f"sqlite+aiosqlite:///{path}"))

    async def __aenter__(self) -> Self:
        await self.initialize()
        async with self.engine.begin() as connection:
            await connection.execute(_FAIL_ORPHANS, {"message": _RESTARTED})
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.dispose()


# Nobody works on these any more; a caller that subscribes to one would wait for ever.
_FAIL_ORPHANS = text(
    "UPDATE tasks SET status = json_set(status, '$.state', 'TASK_STATE_FAILED', '$.message', json(:message))"
    " WHERE json_extract(status, '$.state') IN ('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')"
)
_RESTARTED = json.dumps(
    {
        "messageId": "restarted",
        "role": "ROLE_AGENT",
        "parts": [{"text": "服务重启，请重新提问。 The agent was restarted. Please ask again."}],
    }
)


def open_task_store(path: Path | None) -> BoundedTaskStore | SqliteTaskStore:
    """The store for `DATABASE`; a `SqliteTaskStore` has to be entered before use."""
    return BoundedTaskStore() if path is None else SqliteTaskStore(path)
