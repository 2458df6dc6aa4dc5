"""LangGraph stream parts to internal events. The one place that knows the stream's shape, so that v3 can replace v2.

Only what the supervisor itself says is read: messages of its own model node and of its tools, and what tools write.
Ids are the checkpoint's. Measured and reproduced traps behind each rule: langgraph `astream(version="v2")`, 1.2.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage

from supervisor.events import internal as ev
from supervisor.graph.call_ids import CallIds
from supervisor.graph.middleware.frontend import CLIENT_ANSWERED
from supervisor.graph.subgraphs import SubgraphReader, usage

MODEL_NODE = "model"
AGUI = "agui"
"""Name of a custom event whose payload is a ready AG-UI event."""

_WRITTEN = (ev.SubagentDelta, ev.SubagentStarted, ev.SubagentEnded, ev.SubagentTool)
_NOTHING: list[ev.InternalEvent] = []


@dataclass(frozen=True, slots=True)
class Watch:
    """What a graph's stream must tell beside its own messages: keys of the state, and graphs that its tools run."""

    shared: frozenset[str] = frozenset()
    subgraphs: bool = False

    @property
    def modes(self) -> list[str]:
        """LangGraph stream modes, as few as will do: each costs every run."""
        return ["messages", "custom", *(["updates"] if self.shared else []), *(["tasks"] if self.subgraphs else [])]


class PartReader:
    """Reads the stream parts of one run."""

    def __init__(self, watch: Watch, call_ids: CallIds) -> None:
        self._watch = watch
        self._messages = MessageReader(call_ids)
        self._subgraphs = SubgraphReader()

    async def events(self, parts: AsyncIterator[Any]) -> AsyncIterator[Sequence[ev.InternalEvent]]:
        """Events in order, as lists that are never empty. A run may have several streams, one after the other."""
        async for part in parts:
            events = self._read(part)
            if events:
                yield events

    def _read(self, part: Any) -> list[ev.InternalEvent]:
        kind, data = part["type"], part["data"]
        if kind == "messages":
            return self._subgraphs.message(part["ns"], *data) if part["ns"] else self._messages.read(*data)
        if kind == "custom":
            # Tools write from their own namespace, so it says nothing about who speaks.
            return _written(data)
        if kind == "tasks":
            return self._subgraphs.task(part["ns"], data)
        return _NOTHING if part["ns"] else _shared(data, self._watch.shared)


def _shared(data: Any, keys: frozenset[str]) -> list[ev.InternalEvent]:
    """Shared keys in an `updates` part: `{node: update, or a list of updates}`."""
    changed: dict[str, Any] = {}
    for update in cast("dict[str, Any]", data).values():
        several = cast("list[Any]", update) if isinstance(update, list) else [update]
        for entry in several:
            if isinstance(entry, dict):
                changed |= {k: v for k, v in cast("dict[str, Any]", entry).items() if k in keys}
    return [ev.StateChange(changed)] if changed else _NOTHING


def _written(data: Any) -> list[ev.InternalEvent]:
    if isinstance(data, _WRITTEN):
        return [data]
    if isinstance(data, dict):
        entry = cast("dict[str, Any]", data)
        if entry.get("name") == AGUI:
            return [ev.ReadyEvent(entry.get("payload"))]
        if isinstance(entry.get("name"), str):
            return [ev.Custom(entry["name"], entry.get("payload"))]
    return _NOTHING


def told(*messages: AIMessage | ToolMessage) -> list[ev.InternalEvent]:
    """Events of messages that were put into a thread by hand."""
    reader = MessageReader()
    return [event for message in messages for event in reader.read(message, {"langgraph_node": MODEL_NODE})]


class MessageReader:
    """Reads one run's messages. Remembers which were streamed, so that no message is told twice."""

    def __init__(self, call_ids: CallIds | None = None) -> None:
        self._call_ids = call_ids or CallIds()
        self._seen: set[str] = set()
        self._open: str | None = None
        self._slot: int | str = 0

    def read(self, message: Any, metadata: dict[str, Any]) -> list[ev.InternalEvent]:
        """Events of one message or chunk of the root graph."""
        kind = type(message)
        if kind is AIMessageChunk:
            return self._chunk(message, metadata) if metadata.get("langgraph_node") == MODEL_NODE else _NOTHING
        if kind is ToolMessage:
            return [_tool_result(message)]
        if kind is AIMessage and metadata.get("langgraph_node") == MODEL_NODE:
            return self._whole(message, metadata)
        return _NOTHING

    def _chunk(self, chunk: AIMessageChunk, metadata: dict[str, Any]) -> list[ev.InternalEvent]:
        message_id = self._call_ids.answer(chunk.id or "")
        events: list[ev.InternalEvent] = []
        if message_id != self._open:
            events += self._begin(message_id)
        content = chunk.content
        if content and isinstance(content, str):
            if not chunk.additional_kwargs and not chunk.tool_call_chunks and chunk.chunk_position is None:
                events.append(ev.TextDelta(message_id, content))
                return events
            events += _reasoning(message_id, chunk)
            events.append(ev.TextDelta(message_id, content))
        else:
            events += _reasoning(message_id, chunk)
            events += _blocks(message_id, content)
        for call in chunk.tool_call_chunks:
            events.append(self._call(message_id, call))
        if chunk.usage_metadata:
            events.append(usage(chunk, metadata))
        if chunk.chunk_position == "last":
            self._open = None
            events.append(ev.MessageDone(message_id))
        return events

    def _begin(self, message_id: str) -> list[ev.InternalEvent]:
        # A model call that failed and was retried leaves its message unfinished; the new one ends it.
        unfinished: list[ev.InternalEvent] = [ev.MessageDone(self._open)] if self._open else []
        self._open = message_id
        self._slot = 0
        self._seen.add(message_id)
        return unfinished

    def _call(self, message_id: str, call: Any) -> ev.ToolCallDelta:
        index, call_id = call.get("index"), call.get("id")
        if index is not None:
            self._slot = index
        elif call_id:
            self._slot = call_id
        if call_id:
            call_id = self._call_ids.unique(message_id, call_id)
        return ev.ToolCallDelta(message_id, self._slot, call_id, call.get("name"), call.get("args") or "")

    def _whole(self, message: AIMessage, metadata: dict[str, Any]) -> list[ev.InternalEvent]:
        message_id = self._call_ids.answer(message.id or "")
        if message_id in self._seen:
            return _NOTHING
        events = [*self._begin(message_id), *_reasoning(message_id, message), *_blocks(message_id, message.content)]
        if isinstance(message.content, str):
            events.append(ev.TextDelta(message_id, message.content))
        for index, call in enumerate(message.tool_calls):
            arguments = json.dumps(call["args"], ensure_ascii=False)
            events.append(ev.ToolCallDelta(message_id, index, call["id"], call["name"], arguments))
        if message.usage_metadata:
            events.append(usage(message, metadata))
        self._open = None
        return [*events, ev.MessageDone(message_id)]


def _reasoning(message_id: str, message: AIMessage) -> list[ev.InternalEvent]:
    text = message.additional_kwargs.get("reasoning_content")
    return [ev.ReasoningDelta(message_id, text)] if isinstance(text, str) and text else _NOTHING


def _blocks(message_id: str, content: Any) -> list[ev.InternalEvent]:
    """Text and reasoning of list content (v1 blocks, bare strings)."""
    if not isinstance(content, list):
        return _NOTHING
    events: list[ev.InternalEvent] = []
    for block in cast("list[Any]", content):
        if isinstance(block, str):
            events.append(ev.TextDelta(message_id, block))
        elif isinstance(block, dict):
            part = cast("dict[str, Any]", block)
            if part.get("type") == "text":
                events.append(ev.TextDelta(message_id, str(part.get("text") or "")))
            elif part.get("type") == "reasoning":
                events.append(ev.ReasoningDelta(message_id, str(part.get("reasoning") or "")))
    return events


def _tool_result(message: ToolMessage) -> ev.ToolResult:
    artifact = cast("dict[str, Any]", message.artifact) if isinstance(message.artifact, dict) else None
    failed = message.status == "error"
    held = bool(message.additional_kwargs.get(CLIENT_ANSWERED))
    return ev.ToolResult(
        message.id or "", message.tool_call_id, message.name or "", message.text, artifact, failed, held
    )
