"""Sub-agent events of one run: the standard SUBAGENT_* events and the product's custom mirror, in a fixed order.

Order of one invocation: SUBAGENT_STARTED, CUSTOM subagent-start, CUSTOM subagent-delta and subagent-tool..., CUSTOM
subagent-end, then SUBAGENT_FINISHED or SUBAGENT_ERROR. What runs in it (its tools, agents that it asks) ends before it.
`SUBAGENT_EVENTS=both|standard|custom` chooses which of the two families is sent.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal

from supervisor.events import internal as ev

Event = dict[str, Any]
SubagentMode = Literal["both", "standard", "custom"]

RESULT_LIMIT = 500
"""Characters of an agent's answer that `subagent-end` repeats; the whole answer is in TOOL_CALL_RESULT."""

_TOOL_KEYS = ("subagentId", "toolCallId", "name", "status")

_MESSAGES = {
    "failed": "The agent could not answer.",
    "timed_out": "The agent did not answer in time.",
    "cancelled": "The call was stopped.",
}


class SubagentEvents:
    """Open invocations of one run."""

    def __init__(self, mode: SubagentMode) -> None:
        self._standard = mode != "custom"
        self._custom = mode != "standard"
        self._open: dict[str, ev.SubagentStarted] = {}
        self._tools: dict[str, ev.SubagentTool] = {}
        self._used: set[str] = set()
        self._ended: set[str] = set()

    def started(self, e: ev.SubagentStarted) -> list[Event]:
        """Open one invocation; a repeated id is ignored, because ids are per invocation.

        What has ended can begin again: a process died before the result was on record, so the agent is asked once more.
        What would run in that is not told again either.
        """
        if e.subagent_id in self._open or e.subagent_id in self._ended:
            return []
        if e.parent_id is not None and e.parent_id not in self._open:
            return []
        self._open[e.subagent_id] = e
        events: list[Event] = []
        if self._standard:
            standard = {
                "type": "SUBAGENT_STARTED",
                "subagentRunId": e.subagent_id,
                "name": e.name,
                "description": e.description,
                "parentSubagentRunId": e.parent_id,
                "parentToolCallId": e.call_id,
            }
            events.append(_present(standard))
        mirror = {
            "subagentId": e.subagent_id,
            "subagentType": e.name,
            "description": e.description,
            "parentSubagentId": e.parent_id,
            "toolCallId": e.call_id,
        }
        return events + self._mirror(
            "subagent-start", {key: value for key, value in mirror.items() if value is not None}
        )

    def recall(self, event: Event) -> None:
        """Take note of an event that was sent before, by a process that died."""
        value: Any = event.get("value") if event["type"] == "CUSTOM" else None
        value = value if isinstance(value, dict) else {}
        if event["type"] == "SUBAGENT_STARTED":
            ids = event.get("parentToolCallId"), event.get("parentSubagentRunId")
            self._recalled(event["subagentRunId"], event["name"], *ids)
        elif event.get("name") == "subagent-start" and "subagentId" in value:
            ids = value.get("toolCallId"), value.get("parentSubagentId")
            self._recalled(value["subagentId"], value["subagentType"], *ids)
        elif event.get("name") == "subagent-tool" and all(key in value for key in _TOOL_KEYS):
            self._note(ev.SubagentTool(*(value[key] for key in _TOOL_KEYS)))
        elif event["type"] in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR"):
            self._close(event["subagentRunId"])
        elif event.get("name") == "subagent-end" and not self._standard:
            self._close(value["subagentId"])

    def _recalled(self, subagent_id: str, name: str, call_id: str | None, parent_id: str | None) -> None:
        self._open[subagent_id] = ev.SubagentStarted(subagent_id, name, "", call_id, parent_id)

    def delta(self, e: ev.SubagentDelta) -> list[Event]:
        """A piece of text or a status line of a running invocation."""
        if e.subagent_id not in self._open or not e.text:
            return []
        return self._mirror("subagent-delta", {"subagentId": e.subagent_id, "kind": e.kind, "text": e.text})

    def tool(self, e: ev.SubagentTool) -> list[Event]:
        """A running invocation uses a tool of its own, or is done with it."""
        fresh = e.subagent_id in self._open and e.tool_id not in self._used
        if not (fresh if e.status == "started" else e.tool_id in self._tools):
            return []
        self._note(e)
        return self._mirror(
            "subagent-tool", dict(zip(_TOOL_KEYS, (e.subagent_id, e.tool_id, e.name, e.status), strict=True))
        )

    def ended(self, e: ev.SubagentEnded) -> list[Event]:
        """Close one invocation, and first what still runs in it."""
        if e.subagent_id not in self._open:
            return []
        inside = self._close_inside(e)
        self._close(e.subagent_id)
        value: Event = {"subagentId": e.subagent_id, "status": e.status, "result": e.result[:RESULT_LIMIT]}
        if e.error:
            value["errorCode"] = e.error
        events = self._mirror("subagent-end", value)
        return [*inside, *events, *([_terminal(e)] if self._standard else [])]

    def settle(self, answered: Collection[str]) -> list[Event]:
        """Close what was open for calls that have their result."""
        done = [e.subagent_id for e in self._open.values() if e.call_id in answered]
        return [event for found in done for event in self.ended(ev.SubagentEnded(found, "completed", ""))]

    def close_all(self, status: Literal["failed", "suspended", "cancelled"]) -> list[Event]:
        """Close what a broken or suspended run left open."""
        error = None if status == "suspended" else status
        left = [ev.SubagentEnded(subagent_id, status, "", error) for subagent_id in reversed(self._open)]
        return [event for item in left for event in self.ended(item)]

    def _close_inside(self, e: ev.SubagentEnded) -> list[Event]:
        """Ends of the tools and agents that an invocation leaves open: they came to what it came to."""
        well = e.status in ("completed", "suspended")
        left = [replace(t, status="completed" if well else "failed") for t in self._tools.values()]
        events = [event for tool in left if tool.subagent_id == e.subagent_id for event in self.tool(tool)]
        for child in [c.subagent_id for c in reversed(self._open.values()) if c.parent_id == e.subagent_id]:
            events += self.ended(ev.SubagentEnded(child, e.status, "", None if well else e.status))
        return events

    def _note(self, tool: ev.SubagentTool) -> None:
        if tool.status == "started":
            self._tools[tool.tool_id] = tool
            self._used.add(tool.tool_id)
        else:
            self._tools.pop(tool.tool_id, None)

    def _close(self, subagent_id: str) -> None:
        self._ended.add(subagent_id)
        self._open.pop(subagent_id, None)

    def _mirror(self, name: str, value: Event) -> list[Event]:
        return [{"type": "CUSTOM", "name": name, "value": value}] if self._custom else []


def _present(fields: Event) -> Event:
    return {key: value for key, value in fields.items() if value is not None}


def _terminal(e: ev.SubagentEnded) -> Event:
    if e.status in ("completed", "suspended"):
        outcome = {"type": "success" if e.status == "completed" else "suspended"}
        return {"type": "SUBAGENT_FINISHED", "subagentRunId": e.subagent_id, "outcome": outcome}
    return {
        "type": "SUBAGENT_ERROR",
        "subagentRunId": e.subagent_id,
        "message": _MESSAGES[e.status],
        "code": e.error or e.status,
    }
