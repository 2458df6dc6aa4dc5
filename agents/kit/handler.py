"""The SDK's request handler, hardened: context inferred, keyed requests replayed, no internal text to callers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from a2a.server.agent_execution import RequestContext
from a2a.server.agent_execution.active_task import INTERRUPTED_TASK_STATES, TERMINAL_TASK_STATES, ActiveTask
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.types import (
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

from agents.kit.idempotency import Claim, IdempotencyKeys, KeyReused

logger = logging.getLogger(__name__)

PUBLIC_FAILURE = "The agent could not handle the request."
KEY_REUSED = "This Idempotency-Key was used before for a message with other content."
MAX_KEY_CHARS = 255
_CLAIM = "idempotency_claim"


class HardenedHandler(DefaultRequestHandler):
    """Adds to the SDK what an agent needs to be called twice, with half the ids, or while it fails."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys = IdempotencyKeys()

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        """A keyed request that was seen before waits for the task it made, and gives that."""
        async with self._claimed(params, context) as replayed:
            if replayed is None:
                return await super().on_message_send(params, context)
            async for _ in self._follow(replayed, context):
                pass
            return apply_history_length(await self._stored(replayed, context), params.configuration)

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
            return await super().on_cancel_task(params, context)

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        async with _public_errors():
            async for event in super().on_subscribe_to_task(params, context):
                yield event

    async def _setup_active_task(
        self, params: SendMessageRequest, call_context: ServerCallContext
    ) -> tuple[ActiveTask, RequestContext]:
        message = params.message
        if message.task_id and not message.context_id:
            # The specification makes the agent infer it; the SDK would start a new context for the old task.
            stored = await self._versioned_store.get(message.task_id, call_context)
            if stored is not None:
                message.context_id = stored.task.context_id
        active, request = await super()._setup_active_task(params, call_context)
        claim: Claim | None = call_context.state.get(_CLAIM)
        if claim is not None:
            claim.made(request.task_id or "")
        return active, request

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
            try:
                claim, new = self._keys.claim(owner, key, params.message)
            except KeyReused:
                raise InvalidParamsError(message=KEY_REUSED, data={"reason": "IDEMPOTENCY_KEY_REUSED"}) from None
            if not new:
                # Shielded: whoever stops waiting must not cancel the future that others wait for.
                yield await asyncio.shield(claim.task_id)
                return
            context.state[_CLAIM] = claim
            try:
                yield None
            except BaseException as error:
                if not claim.task_id.done():
                    self._keys.release(owner, key, claim)
                    claim.failed(error if isinstance(error, A2AError) else InternalError(message=PUBLIC_FAILURE))
                raise

    async def _follow(self, task_id: str, context: ServerCallContext) -> AsyncIterator[Event]:
        """The task as it is, then its events until it needs nothing more from us."""
        active = await self._active_task_registry.get(task_id)
        if active is not None:
            try:
                async for event in active.subscribe(include_initial_task=True):
                    yield event
                    status = getattr(event, "status", None)
                    if status is not None and status.state in (TERMINAL_TASK_STATES | INTERRUPTED_TASK_STATES):
                        return
                return
            except UnsupportedOperationError:
                logger.debug("the task ended before it could be followed")
        yield await self._stored(task_id, context)

    async def _stored(self, task_id: str, context: ServerCallContext) -> Task:
        stored = await self._versioned_store.get(task_id, context)
        if stored is None:
            raise TaskNotFoundError
        return stored.task


@asynccontextmanager
async def _public_errors() -> AsyncGenerator[None]:
    """Protocol errors pass; anything else reaches the caller as one sentence and the log as a type."""
    try:
        yield
    except InternalError:
        raise InternalError(message=PUBLIC_FAILURE) from None
    except A2AError:
        raise
    except Exception as error:
        logger.error("a request failed: %s", type(error).__name__)
        raise InternalError(message=PUBLIC_FAILURE) from None
