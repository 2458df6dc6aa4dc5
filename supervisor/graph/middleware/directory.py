"""Tells the model which agents there are now: their skills go into the tool descriptions, from the live registry.

Rendered once per change of the registry and handed over as ready OpenAI tool schemas: a model call costs nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from supervisor.dispatch.port import AgentInfo, Dispatcher
from supervisor.graph.middleware.chain import Guard, ModelHandler

HEADING = "Domain agents, one JSON object per line:"


class AgentDirectory(Guard):
    """Completes the descriptions of the dispatch tools; a `hidden` tool is not offered."""

    def __init__(self, dispatcher: Dispatcher, dispatch_tools: Sequence[BaseTool], hidden: str = "") -> None:
        self._dispatcher = dispatcher
        self._plain = [convert_to_openai_tool(tool) for tool in dispatch_tools]
        self._names = {hidden, *(tool.name for tool in dispatch_tools)}
        self._version: int | None = None
        self._described: list[dict[str, Any]] = []

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        if self._version != self._dispatcher.version:
            self._version = self._dispatcher.version
            self._described = self._describe(self._dispatcher.agents())
        others = [t for t in request.tools if not isinstance(t, BaseTool) or t.name not in self._names]
        return await handler(request.override(tools=[*self._described, *others]))

    def _describe(self, agents: Sequence[AgentInfo]) -> list[dict[str, Any]]:
        directory = "\n".join([HEADING, *(agent_line(agent) for agent in agents)])
        first, *rest = self._plain
        function = first["function"]
        return [{**first, "function": {**function, "description": f"{function['description']}\n{directory}"}}, *rest]


def agent_line(agent: AgentInfo) -> str:
    """One agent as JSON: `{"agent", "description", "available", "skills": [{name, description, tags, examples}]}`."""
    skills = [
        {"name": s.name, "description": s.description, "tags": list(s.tags), "examples": list(s.examples)}
        for s in agent.skills
    ]
    line = {"agent": agent.name, "description": agent.description, "available": agent.healthy, "skills": skills}
    return json.dumps(line, ensure_ascii=False)


def read_directory(description: str) -> list[dict[str, Any]]:
    """The agents in a tool description that this middleware wrote."""
    _, found, lines = description.partition(HEADING)
    # Not `splitlines`: a text of an agent may hold U+2028, which JSON leaves as it is.
    return [json.loads(line) for line in lines.strip("\n").split("\n") if line] if found else []
