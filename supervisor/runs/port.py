"""The store that remembers which runs there were, whose threads are whose, and which messages were answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

RunStatus = Literal["running", "success", "interrupt", "cancelled", "error"]


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
