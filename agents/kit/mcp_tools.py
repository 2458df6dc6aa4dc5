"""LangChain tools over one long-lived MCP client. Not a general adapter: text and structured content only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from mcp.client import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from agents.kit.asking import CURRENT, KIT_ARGUMENTS, Call, ask_in

logger = logging.getLogger(__name__)

TOOL_SECONDS = 20.0
"""A tool that takes longer is reported to the model as failed."""

FAILED = "The tool failed."


def quiet_server(build: Callable[..., MCPServer[Any]], *args: Any) -> MCPServer[Any]:
    """`build(*args)`, with the root logger left as it was: making an `MCPServer` installs a handler there."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        return build(*args)
    finally:
        root.handlers[:], root.level = handlers, level
        root.setLevel(level)


async def langchain_tools(client: Client) -> list[BaseTool]:
    """The tools of a connected client. A result's text goes to the model, its structured content is the artifact."""
    listed = await client.list_tools()
    return [_tool(client, tool) for tool in listed.tools]


def _tool(client: Client, tool: Tool) -> BaseTool:
    schema, filled_in = _without_kit_arguments(tool.input_schema)
    return StructuredTool(
        name=tool.name,
        description=tool.description or tool.name,
        args_schema=schema,
        coroutine=_caller(client, tool.name, filled_in),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _without_kit_arguments(schema: dict[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """The schema as a model sees it, and the parameters that the kit fills in."""
    properties: dict[str, Any] = schema.get("properties", {})
    filled_in = frozenset(properties) & frozenset(KIT_ARGUMENTS)
    shown = {name: value for name, value in properties.items() if name not in filled_in}
    required = [name for name in schema.get("required", ()) if name not in filled_in]
    return {**schema, "properties": shown, "required": required} if filled_in else schema, filled_in


def _caller(
    client: Client, name: str, filled_in: frozenset[str]
) -> Callable[..., Coroutine[Any, Any, tuple[str, dict[str, Any] | None]]]:
    async def call(**arguments: Any) -> tuple[str, dict[str, Any] | None]:
        ours = (CURRENT.get() or Call()).arguments()
        given = {key: value for key, value in arguments.items() if key not in KIT_ARGUMENTS}
        given |= {key: ours[key] for key in filled_in}
        try:
            result = await client.call_tool(name, given, read_timeout_seconds=TOOL_SECONDS)
            ask_in("", result.structured_content)
        except Exception as error:
            logger.error("tool %s failed: %s", name, type(error).__name__)
            raise ToolException(FAILED) from None
        if result.is_error:
            raise ToolException(_text(result) or FAILED)
        return _text(result), result.structured_content

    return call


def _text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))
