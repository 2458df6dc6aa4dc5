"""What one invocation of an agent tells of its own tools and agents, as internal events. Bounded; holds no stream.

The agent's ids become unique in the run by the invocation's id before them. Order is kept by the projector, which
closes what the agent left open; here it is only seen to that nothing is told of what was never announced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from supervisor.dispatch import activity as act
from supervisor.events import internal as ev

MAX_ITEMS = 200
"""Tools and agents that one invocation may tell of."""
MAX_CHARS = 100_000
"""What its agents may say, all together."""

_CODE = re.compile(r"[a-z0-9_-]{1,64}")
_NOTHING: Sequence[ev.InternalEvent] = ()


class NestedActivity:
    """One invocation; ids of the agent are used once."""

    def __init__(self, subagent_id: str) -> None:
        self._id = subagent_id
        self._known: set[str] = set()
        self._parents: dict[str, str | None] = {}
        self._tools: dict[str, ev.SubagentTool] = {}
        self._items = MAX_ITEMS
        self._chars = MAX_CHARS

    def events(self, step: act.Activity) -> Sequence[ev.InternalEvent]:
        """Events for one activity; none for what does not fit."""
        match step:
            case act.AgentStarted():
                return self._agent_started(step)
            case act.AgentSaid():
                return self._agent_said(step)
            case act.AgentEnded():
                return self._agent_ended(step)
            case act.ToolStarted():
                return self._tool_started(step)
            case act.ToolEnded():
                return self._tool_ended(step)

    def _agent_started(self, step: act.AgentStarted) -> Sequence[ev.InternalEvent]:
        if not self._new(f"agent {step.id}"):
            return _NOTHING
        parent = step.parent_id if step.parent_id in self._parents else None
        self._parents[step.id] = parent
        parent_id = self._unique(parent) if parent else self._id
        return [ev.SubagentStarted(self._unique(step.id), step.name, step.description, None, parent_id)]

    def _agent_said(self, step: act.AgentSaid) -> Sequence[ev.InternalEvent]:
        text = step.text[: self._chars]
        if step.id not in self._parents or not text:
            return _NOTHING
        self._chars -= len(text)
        return [ev.SubagentDelta(self._unique(step.id), step.kind, text)]

    def _agent_ended(self, step: act.AgentEnded) -> Sequence[ev.InternalEvent]:
        if step.id not in self._parents:
            return _NOTHING
        self._forget(step.id)
        error = None
        if step.status not in ("completed", "suspended"):
            error = step.error if step.error and _CODE.fullmatch(step.error) else step.status
        return [ev.SubagentEnded(self._unique(step.id), step.status, step.result, error)]

    def _tool_started(self, step: act.ToolStarted) -> Sequence[ev.InternalEvent]:
        if (step.agent_id and step.agent_id not in self._parents) or not self._new(f"tool {step.id}"):
            return _NOTHING
        owner = self._unique(step.agent_id) if step.agent_id else self._id
        tool = self._tools[step.id] = ev.SubagentTool(owner, self._unique(step.id), step.name, "started")
        return [tool]

    def _tool_ended(self, step: act.ToolEnded) -> Sequence[ev.InternalEvent]:
        tool = self._tools.pop(step.id, None)
        if tool is None:
            return _NOTHING
        return [ev.SubagentTool(tool.subagent_id, tool.tool_id, tool.name, "completed" if step.ok else "failed")]

    def _new(self, name: str) -> bool:
        if name in self._known or self._items == 0:
            return False
        self._known.add(name)
        self._items -= 1
        return True

    def _forget(self, agent: str) -> None:
        """An agent and all below it are over."""
        del self._parents[agent]
        for child in [name for name, parent in self._parents.items() if parent == agent]:
            self._forget(child)

    def _unique(self, given: str) -> str:
        return f"{self._id}.{given}"
