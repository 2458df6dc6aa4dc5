"""What a run knows beside its messages. Rebuilt from the authenticated request for every run, never stored."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from supervisor.dispatch.port import UserContext
from supervisor.graph.call_ids import CallIds


@dataclass(slots=True)
class RunContext:
    """LangGraph `context` of one run.

    `tools` are the client's own, as OpenAI tool schemas by name; `frontend_calls` ids of their calls that were pending
    when the run began. `paused` turns True when something in the run waits for the user or the client. `via` as in
    `Turn`. `ends_at` is when (monotonic seconds) agents must have answered, None for no limit.
    `shown` is the `context` of the turn.
    """

    thread_id: str
    user: UserContext
    tools: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    frontend_calls: frozenset[str] = frozenset()
    model: str | None = None
    call_ids: CallIds = field(default_factory=CallIds)
    paused: bool = False
    via: tuple[str, ...] = ()
    ends_at: float | None = None
    shown: tuple[dict[str, Any], ...] = ()

    def seconds_left(self) -> float | None:
        """What the turn has left for its agents, None for no limit."""
        return None if self.ends_at is None else max(self.ends_at - time.monotonic(), 0)
