"""Tools of the client: offered to the model beside ours, and never run here.

A call waits as an interrupt until the client posts its tool message: siblings finish, and a restart loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import interrupt

from supervisor.graph.context import RunContext
from supervisor.graph.hitl.questions import FRONTEND_CALL
from supervisor.graph.middleware.chain import Guard, ModelHandler, ToolHandler
from supervisor.graph.results import refusal

CLIENT_ANSWERED = "frontend"
"""Mark of a result that came from the client, which therefore holds it already."""


def tool_schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """AG-UI tools as OpenAI tool schemas by name."""
    return {
        tool["name"]: {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description") or tool["name"],
                "parameters": tool.get("parameters") or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    }


class FrontendTools(Guard):
    """Innermost of the tool guards: what it raises is an interrupt like any other."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        context: RunContext = request.runtime.context
        if not context.tools:
            return await handler(request)
        return await handler(request.override(tools=[*request.tools, *context.tools.values()]))

    async def tool(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        context: Any = request.runtime.context
        call = request.tool_call
        call_id = call["id"] or ""
        if request.tool is not None or not (call["name"] in context.tools or call_id in context.frontend_calls):
            return await handler(request)
        value = cast("dict[str, Any]", interrupt({FRONTEND_CALL: call_id}))
        if value.get("cancelled"):
            content = refusal("cancelled", "The client did not run this tool.")
            return ToolMessage(content, tool_call_id=call_id, name=call["name"], status="error")
        result = value["answer"]
        return ToolMessage(
            result["content"],
            id=result["id"],
            tool_call_id=call_id,
            name=call["name"],
            additional_kwargs={CLIENT_ANSWERED: True},
        )
