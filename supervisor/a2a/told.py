"""AG-UI events of a run as activity of the supervisor, for a caller that asked for it. Pure."""

from __future__ import annotations

from typing import Any, cast

import orjson

from supervisor.dispatch.activity import MAX_TEXT, read_activity, written
from supervisor.events.subagents import SubagentMode

Json = dict[str, Any]


def activity_of(event: Json, mode: SubagentMode) -> Json | None:
    """The activity that an event is, as it goes onto the wire; None for most events.

    `mode` says which family of sub-agent events the run tells; where it is both, the mirror, which says more.
    """
    raw = _of_tool(event)
    if raw is None:
        raw = _of_standard(event) if mode == "standard" else _of_mirror(event)
    found = read_activity({key: value for key, value in raw.items() if value is not None}) if raw else None
    return written(found) if found is not None else None


def _of_tool(event: Json) -> Json | None:
    """Tools that the supervisor itself uses, among them those that ask agents."""
    match event["type"]:
        case "TOOL_CALL_START":
            return {"type": "tool-start", "id": event["toolCallId"], "name": event["toolCallName"]}
        case "TOOL_CALL_RESULT":
            return {"type": "tool-end", "id": event["toolCallId"], "ok": not _failed(event["content"])}
        case _:
            return None


def _of_mirror(event: Json) -> Json | None:
    value: Any = event.get("value")
    if event["type"] != "CUSTOM" or not isinstance(value, dict):
        return None
    told = cast("Json", value)
    found = told.get("subagentId")
    match event["name"]:
        case "subagent-start":
            names = {"name": told.get("subagentType"), "description": told.get("description")}
            return {"type": "agent-start", "id": found, **names, "parentId": told.get("parentSubagentId")}
        case "subagent-delta":
            return {"type": "agent-delta", "id": found, "kind": told.get("kind"), "text": told.get("text")}
        case "subagent-end":
            ended = {"status": told.get("status"), "result": told.get("result"), "error": told.get("errorCode")}
            return {"type": "agent-end", "id": found, **ended}
        case "subagent-tool":
            return _tool(found, told)
        case _:
            return None


def _tool(agent: Any, told: Json) -> Json:
    ids = {"id": told.get("toolCallId"), "agentId": agent}
    if told.get("status") == "started":
        return {"type": "agent-tool-start", **ids, "name": told.get("name")}
    return {"type": "agent-tool-end", **ids, "ok": told.get("status") == "completed"}


def _of_standard(event: Json) -> Json | None:
    found = event.get("subagentRunId")
    match event["type"]:
        case "SUBAGENT_STARTED":
            names = {"name": event["name"], "description": event.get("description")}
            return {"type": "agent-start", "id": found, **names, "parentId": event.get("parentSubagentRunId")}
        case "SUBAGENT_FINISHED":
            suspended = (event.get("outcome") or {}).get("type") == "suspended"
            return {"type": "agent-end", "id": found, "status": "suspended" if suspended else "completed"}
        case "SUBAGENT_ERROR":
            code = event.get("code")
            status = {"timeout": "timed_out", "timed_out": "timed_out", "cancelled": "cancelled"}.get(
                str(code), "failed"
            )
            return {"type": "agent-end", "id": found, "status": status, "error": code}
        case _:
            return None


def _failed(content: Any) -> bool:
    """Whether a result says of itself that it is a failure."""
    if not isinstance(content, str) or len(content) > MAX_TEXT or not content.startswith("{"):
        return False
    try:
        return orjson.loads(content).get("status") == "failed"
    except orjson.JSONDecodeError:
        return False
