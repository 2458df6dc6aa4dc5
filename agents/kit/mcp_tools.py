"""LangChain tools over one long-lived MCP client. Not a general adapter: text and structured content only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from mcp.client import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

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
    return StructuredTool(
        name=tool.name,
        description=tool.description or tool.name,
        args_schema=tool.input_schema,
        coroutine=_caller(client, tool.name),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _caller(client: Client, name: str) -> Callable[..., Coroutine[Any, Any, tuple[str, dict[str, Any] | None]]]:
    async def call(**arguments: Any) -> tuple[str, dict[str, Any] | None]:
        try:
            result = await client.call_tool(name, arguments, read_timeout_seconds=TOOL_SECONDS)
        except Exception as error:
            logger.error("tool %s failed: %s", name, type(error).__name__)
            raise ToolException(FAILED) from None
        if result.is_error:
            raise ToolException(_text(result) or FAILED)
        return _text(result), result.structured_content

    return call


def _text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))
