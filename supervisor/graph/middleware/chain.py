"""One LangChain middleware that chains our guards as plain functions; each middleware of its own costs per call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langgraph.prebuilt.tool_node import ToolCallRequest

from supervisor.graph.pairs import done_now

ModelHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
ToolHandler = Callable[[ToolCallRequest], Awaitable[Any]]


class Guard:
    """Wraps model calls, tool calls or both; the default passes them through."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        """Around one model call."""
        return await handler(request)

    async def tool(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        """Around one tool call."""
        return await handler(request)


class GuardChain(AgentMiddleware[Any, Any, Any]):
    """The first guard is the outermost."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        super().__init__()
        self._model = [g for g in guards if type(g).model is not Guard.model]
        self._tool = [g for g in guards if type(g).tool is not Guard.tool]

    async def awrap_model_call(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        for guard in reversed(self._model):
            handler = partial(guard.model, handler=handler)
        return await handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        for guard in reversed(self._tool):
            handler = partial(guard.tool, handler=handler)
        return done_now(await handler(request))
