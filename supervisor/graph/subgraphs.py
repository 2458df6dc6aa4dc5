"""Graphs that a host's tool runs in this process, told as sub-agents like the remote ones.

A namespace holds Pregel task ids, not tool call ids; stream mode `tasks` says which call a task is for. Measured with
langgraph 1.2: a tool's task is named `tools` and its input is the call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage

from supervisor.events import internal as ev

TOOLS_NODE = "tools"

Namespace = tuple[str, ...]


@dataclass(slots=True)
class _Running:
    subagent_id: str
    said: str = ""
    message_id: str | None = None


class SubgraphReader:
    """Reads the parts of one run that belong to sub-graphs."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, str]] = {}
        self._running: dict[Namespace, _Running] = {}

    def task(self, namespace: Namespace, data: dict[str, Any]) -> list[ev.InternalEvent]:
        """A task of the root graph began or ended; what ran inside a tool ends with it."""
        if namespace or data.get("name") != TOOLS_NODE:
            return []
        if "input" in data:
            call = _call(data["input"])
            if call is not None:
                self._calls[data["id"]] = call
            return []
        return self._end(f"{TOOLS_NODE}:{data['id']}", data)

    def message(self, namespace: Namespace, message: Any, metadata: dict[str, Any]) -> list[ev.InternalEvent]:
        """Something a sub-graph's model or tool said."""
        if not isinstance(message, (AIMessage, ToolMessage)):
            return []
        events, running = self._begin(namespace, metadata)
        if isinstance(message, ToolMessage):
            return events
        if message.usage_metadata:
            events.append(usage(message, metadata))
        if not isinstance(message, AIMessageChunk) and running.message_id == message.id:
            return events
        if running.message_id != message.id:
            running.message_id, running.said = message.id, ""
        text = message.text
        running.said += text
        if text:
            events.append(ev.SubagentDelta(running.subagent_id, "text", text))
        names = [c["name"] for c in _calls(message) if c.get("name")]
        events += [ev.SubagentDelta(running.subagent_id, "status", f"{name} ...") for name in names]
        return events

    def _begin(self, namespace: Namespace, metadata: dict[str, Any]) -> tuple[list[ev.InternalEvent], _Running]:
        known = self._running.get(namespace)
        if known is not None:
            return [], known
        call_id, tool = self._calls.get(namespace[0].partition(":")[2], (None, namespace[0]))
        parent = next((r for n, r in self._running.items() if n == namespace[: len(n)]), None)
        running = self._running[namespace] = _Running(_subagent_id(namespace))
        name = str(metadata.get("lc_agent_name") or tool)
        parent_id = parent.subagent_id if parent else None
        return [ev.SubagentStarted(running.subagent_id, name, "", call_id, parent_id)], running

    def _end(self, root: str, data: dict[str, Any]) -> list[ev.InternalEvent]:
        ended = sorted((n for n in self._running if n[0] == root), key=len, reverse=True)
        return [self._ended(self._running.pop(namespace), data) for namespace in ended]

    @staticmethod
    def _ended(running: _Running, data: dict[str, Any]) -> ev.SubagentEnded:
        if data.get("error"):
            return ev.SubagentEnded(running.subagent_id, "failed", "", "subgraph_failed")
        status = "suspended" if data.get("interrupts") else "completed"
        return ev.SubagentEnded(running.subagent_id, status, running.said)


def usage(message: AIMessage, metadata: dict[str, Any]) -> ev.Usage:
    """What one model call used, by a message or chunk that says so."""
    used: Any = message.usage_metadata
    model = metadata.get("ls_model_name")
    return ev.Usage(metadata.get("ls_provider"), model, used["input_tokens"], used["output_tokens"])


def _call(given: Any) -> tuple[str, str] | None:
    """(id, tool name) of the call that is a tools task's input."""
    calls: Sequence[Any] = cast("list[Any]", given) if isinstance(given, list) else [given]
    for item in calls:
        call = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        call = call.get("tool_call", call)
        if "id" in call and "name" in call:
            return str(call["id"]), str(call["name"])
    return None


def _calls(message: AIMessage) -> Sequence[Any]:
    return message.tool_call_chunks if isinstance(message, AIMessageChunk) else message.tool_calls


def _subagent_id(namespace: Namespace) -> str:
    """The same for an invocation that goes on after an interrupt: a task keeps its id."""
    return f"sub_{hashlib.sha256('/'.join(namespace).encode()).hexdigest()[:20]}"
