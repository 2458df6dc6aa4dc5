"""The second encoding of the stream: named SSE events (`event: text-message-start`) over the same AG-UI events.

A pure function of each frame, so a replay after any cursor gives the bytes of the live stream. Mapping: docs/stream.md.
"""

from __future__ import annotations

from typing import Any

import orjson

from supervisor.events.subagents import SubagentMode

Event = dict[str, Any]

_NAMES = {
    "RUN_STARTED": "run-start",
    "RUN_FINISHED": "run-end",
    "SUBAGENT_STARTED": "subagent-start",
    "SUBAGENT_FINISHED": "subagent-end",
    "SUBAGENT_ERROR": "subagent-end",
}
"""Every other name is the type itself in lower case with hyphens."""

_FIELDS: dict[str, dict[str, str]] = {
    "TOOL_CALL_START": {"toolCallName": "toolName"},
    "TOOL_CALL_CHUNK": {"toolCallName": "toolName"},
    "TOOL_CALL_RESULT": {"content": "result"},
    "SUBAGENT_STARTED": {"name": "subagentType", "parentToolCallId": "toolCallId"},
    "SUBAGENT_ERROR": {"code": "errorCode"},
}
_COMMON = {"subagentRunId": "subagentId", "parentSubagentRunId": "parentSubagentId"}

_MIRRORED = ("subagent-start", "subagent-end")
_MIRRORS = (*_MIRRORED, "subagent-delta", "subagent-tool")
_FAILURES = {
    "timeout": "timed_out",
    "timed_out": "timed_out",
    "cancelled": "cancelled",
    "a2a_state_canceled": "cancelled",
}


class NamedEncoder:
    """Where both families of sub-agent events are sent, the custom mirror is the one that is told: it says more."""

    def __init__(self, subagents: SubagentMode = "both") -> None:
        self._standard = subagents == "standard"

    def named(self, event: Event) -> tuple[str, Event] | None:
        """Name and data of one AG-UI event; None for the other half of a doubled sub-agent event."""
        kind: str = event["type"]
        if kind.startswith("SUBAGENT_"):
            return _subagent(kind, event) if self._standard else None
        if kind == "CUSTOM":
            return self._custom(event)
        return _name(kind), _data(kind, event)

    def frames(self, piece: bytes) -> bytes:
        """Whole frames in, whole frames out; comments pass."""
        return b"".join(self._frame(block) for block in piece.split(b"\n\n")[:-1])

    def _custom(self, event: Event) -> tuple[str, Event] | None:
        name, value = event["name"], event.get("value")
        if name not in _MIRRORS or not isinstance(value, dict):
            return "custom", _data("CUSTOM", event)
        return None if self._standard and name in _MIRRORED else (name, value)

    def _frame(self, block: bytes) -> bytes:
        *head, last = block.split(b"\n")
        if not last.startswith(b"data: "):
            return block + b"\n\n"
        found = self.named(orjson.loads(last[6:]))
        if found is None:
            return b""
        name, data = found
        return b"\n".join([*head, b"event: " + name.encode(), b"data: " + orjson.dumps(data), b"", b""])


def _subagent(kind: str, event: Event) -> tuple[str, Event]:
    data = _data(kind, event)
    if kind == "SUBAGENT_FINISHED":
        suspended = (event.get("outcome") or {}).get("type") == "suspended"
        data["status"] = "suspended" if suspended else "completed"
    elif kind == "SUBAGENT_ERROR":
        data["status"] = _FAILURES.get(event.get("code", ""), "failed")
    return _name(kind), data


def _name(kind: str) -> str:
    return _NAMES.get(kind) or kind.lower().replace("_", "-")


def _data(kind: str, event: Event) -> Event:
    renamed = {**_COMMON, **_FIELDS.get(kind, {})}
    return {renamed.get(key, key): value for key, value in event.items() if key != "type"}
