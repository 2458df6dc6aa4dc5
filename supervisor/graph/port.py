"""The graph as runs see it: turns in, internal events out. Free of LangGraph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from supervisor.dispatch.port import UserContext
from supervisor.events.internal import InternalEvent


@dataclass(frozen=True, slots=True)
class UserMessage:
    """One message a user sent."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The accepted input of one run."""

    thread_id: str
    run_id: str
    messages: tuple[UserMessage, ...]
    user: UserContext
    modern_peer: bool = True


class TurnGraph(Protocol):
    """The graph as runs see it. Failures are raised as `RunFailure`, never with a provider's text."""

    def stream(self, turn: Turn) -> AsyncIterator[Sequence[InternalEvent]]:
        """Run the turn and yield what happens, in order."""
        ...

    async def messages(self, thread_id: str) -> list[dict[str, Any]]:
        """The thread as AG-UI messages, cards included; [] for an unknown thread."""
        ...

    async def cancel_turn(self, thread_id: str) -> None:
        """Close a turn that was stopped half-way, so that the next one starts clean."""
        ...
