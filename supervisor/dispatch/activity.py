"""The activity extension: what a working agent tells of its own tools and of the agents that it asks itself.

One object per status update, under the extension's URI in the metadata. Pure; what is malformed or unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

Json = dict[str, Any]

MAX_ID = 400
MAX_NAME = 200
MAX_TEXT = 4000
"""Characters; a longer text is cut, a longer id or name is malformed."""

EndStatus = Literal["completed", "failed", "timed_out", "suspended", "cancelled"]


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The agent, or the agent `agent_id` below it, calls a tool of its own."""

    id: str
    name: str
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """The tool answered."""

    id: str
    ok: bool
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The agent asks another one; `parent_id` is an agent below it that does so."""

    id: str
    name: str
    description: str = ""
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class AgentSaid:
    """A piece of the other agent's text, or a status line that replaces the last one."""

    id: str
    kind: Literal["text", "status"]
    text: str


@dataclass(frozen=True, slots=True)
class AgentEnded:
    """The other agent is done. `error` is whatever code it has unless it completed."""

    id: str
    status: EndStatus
    result: str = ""
    error: str | None = None


Activity = ToolStarted | ToolEnded | AgentStarted | AgentSaid | AgentEnded


def read_activity(value: Any) -> Activity | None:
    """The activity in the metadata of a status update."""
    if not isinstance(value, dict):
        return None
    raw = cast("Json", value)
    kind, found = raw.get("type"), _id(raw, "id")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return reader(raw, found) if reader is not None and found is not None else None


def written(activity: Activity) -> Json:
    """The activity as it goes onto the wire. What is None or empty is left out."""
    match activity:
        case ToolStarted(found, name, agent):
            raw = {"type": "agent-tool-start" if agent else "tool-start", "id": found, "name": name, "agentId": agent}
        case ToolEnded(found, ok, agent):
            raw = {"type": "agent-tool-end" if agent else "tool-end", "id": found, "ok": ok, "agentId": agent}
        case AgentStarted(found, name, description, parent):
            raw = {"type": "agent-start", "id": found, "name": name, "description": description, "parentId": parent}
        case AgentSaid(found, kind, text):
            raw = {"type": "agent-delta", "id": found, "kind": kind, "text": text}
        case AgentEnded(found, status, result, error):
            raw = {"type": "agent-end", "id": found, "status": status, "result": result, "error": error}
    return {key: item for key, item in raw.items() if item not in (None, "")}


def _tool_started(raw: Json, found: str) -> Activity | None:
    name, agent = _name(raw), _agent(raw)
    return ToolStarted(found, name, agent or None) if name and agent is not None else None


def _tool_ended(raw: Json, found: str) -> Activity | None:
    agent = _agent(raw)
    return ToolEnded(found, raw["ok"], agent or None) if isinstance(raw.get("ok"), bool) and agent is not None else None


def _agent_started(raw: Json, found: str) -> Activity | None:
    name, parent = _name(raw), raw.get("parentId")
    if not name or (parent is not None and _id(raw, "parentId") is None):
        return None
    return AgentStarted(found, name, _text(raw, "description"), parent)


def _agent_said(raw: Json, found: str) -> Activity | None:
    text, kind = _text(raw, "text"), raw.get("kind")
    return AgentSaid(found, kind, text) if text and kind in ("text", "status") else None


def _agent_ended(raw: Json, found: str) -> Activity | None:
    if raw.get("status") not in get_args(EndStatus):
        return None
    return AgentEnded(found, raw["status"], _text(raw, "result"), _text(raw, "error")[:MAX_NAME] or None)


_READERS = {
    "tool-start": _tool_started,
    "tool-end": _tool_ended,
    "agent-tool-start": _tool_started,
    "agent-tool-end": _tool_ended,
    "agent-start": _agent_started,
    "agent-delta": _agent_said,
    "agent-end": _agent_ended,
}


def _agent(raw: Json) -> str | None:
    """The agent that a tool belongs to: "" for the one that speaks, None if it must be named and is not."""
    return _id(raw, "agentId") if raw["type"].startswith("agent-") else ""


def _id(raw: Json, name: str) -> str | None:
    value = raw.get(name)
    return value if isinstance(value, str) and 0 < len(value) <= MAX_ID and value.isprintable() else None


def _name(raw: Json) -> str:
    value = raw.get("name")
    return value.strip() if isinstance(value, str) and len(value) <= MAX_NAME else ""


def _text(raw: Json, name: str) -> str:
    value = raw.get(name)
    return value[:MAX_TEXT] if isinstance(value, str) else ""
