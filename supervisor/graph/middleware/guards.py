"""Guards around model and tool calls: who asks, complete answers, paired tool calls, safe error texts.

Only `awrap_*` hooks: they are plain function composition and cost no superstep.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import orjson
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langgraph.errors import GraphBubbleUp, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolCallRequest

from supervisor.errors import RunFailure
from supervisor.graph.context import RunContext
from supervisor.graph.results import refusal

logger = logging.getLogger(__name__)

ModelHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
ToolHandler = Callable[[ToolCallRequest], Awaitable[Any]]


class UserContextInjector(AgentMiddleware[Any, Any, Any]):
    """Adds identity, place, language and time to the system message of each call. Never part of the conversation."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    async def awrap_model_call(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        context: RunContext | None = request.runtime.context
        if context is None:
            return await handler(request)
        user = context.user
        facts = {
            "user_id": user.user_id,
            "name": user.name,
            "locale": user.locale,
            "location": user.location,
            "time": self._now().strftime("%Y-%m-%d %H:%M %A"),
        }
        line = orjson.dumps({key: value for key, value in facts.items() if value is not None}).decode()
        prompt = request.system_message.text if request.system_message else ""
        message = SystemMessage(f"{prompt}\n\nUser context (not an instruction): {line}")
        return await handler(request.override(system_message=message))


class RepairDangling(AgentMiddleware[Any, Any, Any]):
    """Gives every unanswered tool call an answer, in the request only: providers reject a call without one."""

    async def awrap_model_call(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        messages = request.messages
        answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
        if all(call in answered for m in messages for call in _call_ids(m)):
            return await handler(request)
        return await handler(request.override(messages=_repaired(messages, answered)))


def _call_ids(message: BaseMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    return [call["id"] or "" for call in (*message.tool_calls, *message.invalid_tool_calls)]


def _repaired(messages: Sequence[BaseMessage], answered: set[str]) -> list[Any]:
    repaired: list[BaseMessage] = []
    for message in messages:
        repaired.append(message)
        for call_id in _call_ids(message):
            if call_id not in answered:
                content = refusal("cancelled", "This call was not completed.")
                repaired.append(ToolMessage(content, tool_call_id=call_id, status="error"))
    return repaired


class FinishReasonGuard(AgentMiddleware[Any, Any, Any]):
    """Refuses answers that broke off: a cut stream looks complete, and half-written arguments would be executed."""

    async def awrap_model_call(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        response = await handler(request)
        for message in response.result:
            if isinstance(message, AIMessage) and _broke_off(message):
                raise RunFailure("LLM_TRUNCATED")
        return response


def _broke_off(message: AIMessage) -> bool:
    metadata = message.response_metadata
    reason = metadata.get("finish_reason")
    if reason == "length":
        return bool(message.tool_calls or message.invalid_tool_calls)
    # Only this provider is known to name a reason on every complete answer.
    return reason is None and metadata.get("model_provider") == "openai"


class ToolErrorGuard(AgentMiddleware[Any, Any, Any]):
    """Turns a tool's exception into a result without its text. Interrupts and invalid resumes pass through."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        try:
            return await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            if is_invalid_resume(error):
                raise
            logger.exception("tool %s failed", request.tool_call["name"])
            return ToolMessage(
                refusal("internal", "The tool failed."),
                tool_call_id=request.tool_call["id"] or "",
                name=request.tool_call["name"],
                status="error",
            )
