"""What a run knows beside its messages. Rebuilt from the authenticated request for every run, never stored."""

from __future__ import annotations

from dataclasses import dataclass, field

from supervisor.dispatch.port import UserContext
from supervisor.graph.call_ids import CallIds


@dataclass(frozen=True, slots=True)
class RunContext:
    """LangGraph `context` of one run."""

    thread_id: str
    user: UserContext
    call_ids: CallIds = field(default_factory=CallIds)
