"""What runs need from the outside: a graph that answers turns, and a store that remembers which runs there were."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from supervisor.dispatch.port import UserContext
from supervisor.events.internal import InternalEvent

RunStatus = Literal["running", "success", "interrupt", "cancelled", "error"]


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


@dataclass(frozen=True, slots=True)
class Receipt:
    """A user message that was accepted once: which run answered it and what it said."""

    run_key: str
    digest: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `key` is unique in the server; `run_id` is the client's and may repeat."""

    key: str
    thread_id: str
    run_id: str
    user_id: str
    digests: Mapping[str, str] = field(default_factory=dict[str, str])


class RunStore(Protocol):
    """Thread owners, runs and receipts."""

    async def owner(self, thread_id: str) -> str | None:
        """The user a thread belongs to; None when there is no such thread."""
        ...

    async def receipts(self, thread_id: str) -> Mapping[str, Receipt]:
        """Accepted user messages of a thread by message id."""
        ...

    async def begin(self, run: RunRecord) -> None:
        """Record a run, its receipts and, for a new thread, its owner, in one step."""
        ...

    async def end(self, run_key: str, status: RunStatus) -> None:
        """Record how a run ended."""
        ...

    async def aclose(self) -> None:
        """Release the resources."""
        ...
