"""What a run knows beside its messages. Rebuilt from the authenticated request for every run, never stored."""

from __future__ import annotations

from dataclasses import dataclass

from supervisor.dispatch.port import UserContext


@dataclass(frozen=True, slots=True)
class RunContext:
    """LangGraph `context` of one run."""

    thread_id: str
    user: UserContext
