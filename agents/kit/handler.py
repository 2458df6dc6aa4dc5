"""The SDK's request handler, hardened: context inferred, keyed requests replayed, no internal text to callers."""

from __future__ import annotations

import logging
import warnings
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from a2a.server.agent_execution import AgentExecutor, RequestContext, SimpleRequestContextBuilder
from a2a.server.agent_execution.active_task import TERMINAL_TASK_STATES, ActiveTask
from a2a.server.cluster.event_stream import TaskEventStream
from a2a.server.cluster.task_store import LegacyTaskStoreAdapter, StoredTask, VersionedTaskStore
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import TaskStore
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
)
from a2a.utils.errors import A2AError, InternalError, InvalidParamsError, TaskNotFoundError, UnsupportedOperationError
from a2a.utils.task import apply_history_length

from agents.kit.http_status import answer_with
from agents.kit.idempotency import KEY_SECONDS, Claim, IdempotencyKeys, KeyReused, NotWaiting, TaskForgotten
from agents.kit.leases import SETTLED, LeasedTasks, Leases
from agents.kit.ledger import Ledger, MemoryLedger
from agents.kit.public_texts import ENDED

logger = logging.getLogger(__name__)

PUBLIC_FAILURE = "The agent could not handle the request."
KEY_REUSED = "This Idempotency-Key was used before for a message with other content."
BUSY = "Another message to this task is being dealt with. Send this one again when that is done."
NOT_WAITING = "The task waits for no message: it is being worked on, or has ended."
FORGOTTEN = "The task of this Idempotency-Key is remembered no more. Send the message under a new key."
MAX_KEY_CHARS = 255
RETRY_SECONDS = 2
_TASK_ID = "switchboard_task_id"
_BEGUN = "switchboard_begun"


class ShuttingDown(InternalError):
    """No new message is taken."""

    message = "The agent is shutting down. Send the message again in a moment."


class HardenedHandler(DefaultRequestHandler):
    """Adds to the SDK what an agent needs to be called twice, with half the ids, while it fails or while it goes."""

    def __init__(
        self,
        *,
        agent_executor: AgentExecutor,
        task_store: TaskStore | VersionedTaskStore,
        agent_card: AgentCard,
        ledger: Ledger | None = None,
        leases: Leases | None = None,
        key_seconds: float = KEY_SECONDS,
        **more: Any,
    ) -> None:
        """`leases` are those of `task_store`; both are made here for a store that has none."""
        self._ledger = ledger or MemoryLedger()
        if leases is None:
            leases = Leases(self._ledger)
            inner = task_store if isinstance(task_store, VersionedTaskStore) else LegacyTaskStoreAdapter(task_store)
            task_store = LeasedTasks(inner, leases)
        self.leases = leases
        self.draining = False
        with warnings.catch_warnings():
            # One process has no other replica to hear of.
            warnings.simplefilter("ignore")
            super().__init__(
                agent_executor=agent_executor,
                task_store=task_store,
                agent_card=agent_card,
                request_context_builder=_GivenTaskId(),
                **more,
            )
        self._keys = IdempotencyKeys(self._ledger, leases, seconds=key_seconds)

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        """A keyed request that was seen before waits for the task it made, and gives that."""
        async with self._claimed(params, context) as replayed:
            if replayed is None:
                return await super().on_message_send(params, context)
            if not params.configuration.return_immediately:
                async for _ in self._follow(replayed, context):
                    pass
            return apply_history_length((await self._stored(replayed, context)).task, params.configuration)

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """A keyed request that was seen before gets the task as it is now, then what still happens."""
        async with self._claimed(params, context) as replayed:
            if replayed is None:
                events: AsyncIterator[Event] = super().on_message_send_stream(params, context)
            else:
                events = self._follow(replayed, context)
            async for event in events:
                yield event

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        async with _public_errors():
            return await super().on_get_task(params, context)

    async def on_list_tasks(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        async with _public_errors():
            return await super().on_list_tasks(params, context)

    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task | None:
        async with _public_errors():
            cancelled = await super().on_cancel_task(params, context)
            await self._ledger.unpark(params.id)
            return cancelled

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        async with _public_errors():
            async for event in super().on_subscribe_to_task(params, context):
                yield event

    def works_on(self, task_id: str) -> bool:
        """Whether a task of this process is being worked on, or waits in its memory."""
        active = self._active_task_registry._active_tasks.get(task_id)  # pyright: ignore[reportPrivateUsage]
        return active is not None and not active.is_finished

    async def abandon(self, task_id: str) -> None:
        """Stop working on a task that has ended elsewhere."""
        active = await self._active_task_registry.get(task_id)
        if active is not None:
            await active.aclose()

    async def _setup_active_task(
        self, params: SendMessageRequest, call_context: ServerCallContext
    ) -> tuple[ActiveTask, RequestContext]:
        if self.draining:
            answer_with(503, retry_after=RETRY_SECONDS)
            raise ShuttingDown(data={"reason": "AGENT_SHUTTING_DOWN"})
        message, taken = params.message, False
        if message.task_id:
            stored = await self._versioned_store.get(message.task_id, call_context)
            if stored is not None:
                # The SDK would go on with a task of its memory that has ended elsewhere,
                if stored.task.status.state in TERMINAL_TASK_STATES:
                    raise UnsupportedOperationError(message=ENDED)
                # start a new context for a task that is named without its context,
                message.context_id = message.context_id or stored.task.context_id
                # and work on a task that another replica works on.
                taken = await self._mine(message.task_id, call_context)
        try:
            made = await super()._setup_active_task(params, call_context)
        except BaseException:
            if taken:
                await self.leases.drop(message.task_id)
            raise
        call_context.state[_BEGUN] = True
        return made

    async def _mine(self, task_id: str, context: ServerCallContext) -> bool:
        """Whether the lease was got just now; a task that is worked on here takes its messages one after the other."""
        if not await self.leases.take(task_id, context.user.user_name):
            if task_id in self.leases.held:
                return False
            raise UnsupportedOperationError(message=BUSY)
        stored = await self._versioned_store.get(task_id, context)
        if stored is not None and stored.task.status.state in TERMINAL_TASK_STATES:
            # Somebody else was faster; reading an ended task has dropped the lease.
            raise UnsupportedOperationError(message=ENDED)
        return True

    @asynccontextmanager
    async def _claimed(self, params: SendMessageRequest, context: ServerCallContext) -> AsyncGenerator[str | None]:
        """Gives the id of the task that this request's key already made, None for a request to be executed."""
        async with _public_errors():
            key = context.state.get("headers", {}).get("idempotency-key", "")
            if not key:
                yield None
                return
            if len(key) > MAX_KEY_CHARS:
                raise InvalidParamsError(message=f"An Idempotency-Key has at most {MAX_KEY_CHARS} characters.")
            owner = context.user.user_name
            claim = await self._claim(owner, key, params.message, context)
            if not claim.new:
                yield claim.task_id
                return
            context.state[_TASK_ID] = claim.task_id
            try:
                yield None
            finally:
                # Whatever becomes of a task that has begun, it keeps its key.
                if not context.state.get(_BEGUN):
                    await self._keys.release(owner, key, claim)

    async def _claim(self, owner: str, key: str, message: Message, context: ServerCallContext) -> Claim:
        async def lookup(task_id: str) -> Task | None:
            stored = await self._versioned_store.get(task_id, context)
            return stored and stored.task

        try:
            return await self._keys.claim(owner, key, message, lookup)
        except KeyReused:
            answer_with(409)
            raise InvalidParamsError(message=KEY_REUSED, data={"reason": "IDEMPOTENCY_KEY_REUSED"}) from None
        except NotWaiting:
            raise UnsupportedOperationError(message=NOT_WAITING) from None
        except TaskForgotten:
            raise TaskNotFoundError(message=FORGOTTEN) from None

    async def _follow(self, task_id: str, context: ServerCallContext) -> AsyncIterator[Event]:
        """The task as it is, then its events until it needs nothing more from us."""
        active = await self._active_task_registry.get(task_id)
        here = self._event_stream is None or task_id in self.leases.held
        if here and active is not None and not active.is_finished:
            try:
                async for event in active.subscribe(include_initial_task=True):
                    if isinstance(event, Task):
                        # In the SDK's memory a task that works on an answer may still look as if it waited.
                        event = (await self._stored(task_id, context)).task
                    yield event
                    if _settles(event):
                        return
                return
            except UnsupportedOperationError:
                logger.debug("the task ended before it could be followed")
        stored = await self._stored(task_id, context)
        yield stored.task
        if not _settles(stored.task) and self._event_stream is not None:
            async for event in self._elsewhere(stored, self._event_stream):
                yield event

    async def _elsewhere(self, stored: StoredTask, events: TaskEventStream) -> AsyncIterator[Event]:
        """What happens to a task on another replica."""
        async with aclosing(events.subscribe(stored.task.id, after=stored.version)) as happening:
            async for versioned in happening:
                yield versioned.event
                if _settles(versioned.event):
                    return

    async def _stored(self, task_id: str, context: ServerCallContext) -> StoredTask:
        stored = await self._versioned_store.get(task_id, context)
        if stored is None:
            raise TaskNotFoundError
        return stored


class _GivenTaskId(SimpleRequestContextBuilder):
    """A keyed request makes the task that its key names."""

    async def build(
        self,
        context: ServerCallContext,
        params: SendMessageRequest | None = None,
        task_id: str | None = None,
        context_id: str | None = None,
        task: Task | None = None,
    ) -> RequestContext:
        given = task_id or context.state.get(_TASK_ID)
        return await super().build(context, params, given, context_id, task)


def _settles(event: Event) -> bool:
    status = getattr(event, "status", None)
    return status is not None and status.state in SETTLED


@asynccontextmanager
async def _public_errors() -> AsyncGenerator[None]:
    """Protocol errors pass; anything else reaches the caller as one sentence and the log as a type."""
    try:
        yield
    except ShuttingDown:
        raise
    except InternalError:
        raise InternalError(message=PUBLIC_FAILURE) from None
    except A2AError:
        raise
    except Exception as error:
        logger.error("a request failed: %s", type(error).__name__)
        raise InternalError(message=PUBLIC_FAILURE) from None
