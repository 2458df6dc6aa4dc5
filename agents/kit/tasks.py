"""A2A tasks in memory, bounded, and the texts and states of tasks that nobody works on any more."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection

from a2a.auth.user import User
from a2a.server.cluster.task_store import VersionedTaskStore
from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Message, Part, Role, Task, TaskState, TaskStatus, TaskStatusUpdateEvent

RESTARTED = "服务重启，请重新提问。 The agent was restarted. Please ask again."
UNSURE = (
    "服务重启时正在处理你的回答，可能已经办好，请先确认再重新提问。"
    " The agent was restarted while it dealt with your answer. It may have been done: check before you ask again."
)
EXPIRED = "等待回答的时间已过，请重新提问。 The time to answer is over. Please ask again."


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


def open_task_store(limit: int | None = None) -> BoundedTaskStore:
    """A store in memory, for an agent that is made of the kit's parts without its storage."""
    return BoundedTaskStore(limit or 1000)


class Owner(User):
    """Stands in for the user of a task when no request is there."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def is_authenticated(self) -> bool:
        return bool(self._name)

    @property
    def user_name(self) -> str:
        return self._name


def acting_for(owner: str) -> ServerCallContext:
    """The context of what the agent itself does to somebody's task."""
    return ServerCallContext(user=Owner(owner))


async def fail_task(store: VersionedTaskStore, task_id: str, owner: str, among: Collection[int], text: str) -> bool:
    """FAILED with a text for everybody, if the task exists and its state is one of `among`."""
    context = acting_for(owner)
    stored = await store.get(task_id, context)
    if stored is None or stored.task.status.state not in among:
        return False
    failed = failed_status(task_id, text)
    task = Task()
    task.CopyFrom(stored.task)
    task.status.CopyFrom(failed)
    event = TaskStatusUpdateEvent(task_id=task_id, context_id=task.context_id, status=failed)
    await store.save(task, event=event, prev=stored.task, prev_version=stored.version, context=context)
    return True


def failed_status(task_id: str, text: str) -> TaskStatus:
    """The status of a task that nobody works on any more."""
    message = Message(message_id=f"failed-{task_id}", role=Role.ROLE_AGENT, task_id=task_id, parts=[Part(text=text)])
    status = TaskStatus(state=TaskState.TASK_STATE_FAILED, message=message)
    status.timestamp.GetCurrentTime()
    return status
