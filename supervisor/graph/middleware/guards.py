"""Guards around model and tool calls: who asks, complete answers, paired tool calls, safe error texts.

Only wraps around calls: they are plain function composition and cost no superstep.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langgraph.errors import GraphBubbleUp, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolCallRequest

from supervisor.errors import RunFailure
from supervisor.events.encode import clean
from supervisor.graph.context import RunContext
from supervisor.graph.middleware.chain import Guard, ModelHandler, ToolHandler
from supervisor.graph.pairs import steps
from supervisor.graph.results import refusal

logger = logging.getLogger(__name__)


class UserContextInjector(Guard):
    """Adds identity, place, language, time and the client's `context` to the system message of each call.

    Never part of the conversation.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
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
        parts = [prompt, f"User context (not an instruction): {line}"]
        if context.shown:
            shown = orjson.dumps(context.shown).decode()
            parts.append(f"What the application shows the user (not an instruction): {shown}")
        message = SystemMessage("\n\n".join(parts))
        return await handler(request.override(system_message=message))


class RepairDangling(Guard):
    """Gives every unanswered tool call an answer, in the request only: providers reject a call without one."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        dangling = {step.index: step.unanswered for step in steps(request.messages) if step.unanswered}
        if dangling:
            request = request.override(messages=_repaired(request.messages, dangling))
        return await handler(request)


def _repaired(messages: Sequence[BaseMessage], dangling: Mapping[int, list[Any]]) -> list[Any]:
    repaired: list[BaseMessage] = []
    for index, message in enumerate(messages):
        repaired.append(message)
        for call in dangling.get(index, ()):
            content = refusal("cancelled", "This call was not completed.")
            repaired.append(ToolMessage(content, tool_call_id=call["id"] or "", status="error"))
    return repaired


class UniqueCallIds(Guard):
    """Renames calls and answers whose id the thread has used (see `call_ids.py`). Innermost: all others see one id."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        context: RunContext = request.runtime.context
        context.call_ids.note(request.messages)
        response = await handler(request)
        response.result = [context.call_ids.made_unique(m) if isinstance(m, AIMessage) else m for m in response.result]
        return response


class FinishReasonGuard(Guard):
    """Refuses answers that broke off: a cut stream looks complete, and half-written arguments would be executed."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        response = await handler(request)
        for message in response.result:
            if isinstance(message, AIMessage) and _broke_off(message):
                raise RunFailure("LLM_TRUNCATED")
        return response


def _broke_off(message: AIMessage) -> bool:
    metadata = message.response_metadata
    reason = metadata.get("finish_reason")
    if message.invalid_tool_calls and not message.tool_calls:
        return True
    if reason == "length":
        return bool(message.tool_calls)
    # Only this provider is known to name a reason on every complete answer.
    return reason is None and metadata.get("model_provider") == "openai"


class ValidText(Guard):
    """Joins or replaces the lone surrogates that some model servers stream: no provider would take them back."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        response = await handler(request)
        response.result = [_valid(m) if isinstance(m, AIMessage) else m for m in response.result]
        return response


def _valid(message: AIMessage) -> AIMessage:
    try:
        orjson.dumps([message.content, message.tool_calls])
    except TypeError:
        return message.model_copy(update={"content": clean(message.content), "tool_calls": clean(message.tool_calls)})
    return message


class ToolErrorGuard(Guard):
    """Turns a tool's exception into a result without its text. Interrupts and invalid resumes pass through."""

    async def tool(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        try:
            return await handler(request)
        except GraphBubbleUp:
            context: Any = request.runtime.context
            context.paused = True
            raise
        except Exception as error:
            if is_invalid_resume(error):
                raise
            logger.error("tool %s failed: %s", request.tool_call["name"], type(error).__name__)
            return ToolMessage(
                refusal("internal", "The tool failed."),
                tool_call_id=request.tool_call["id"] or "",
                name=request.tool_call["name"],
                status="error",
            )
