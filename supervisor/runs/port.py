"""The store that remembers which runs there were, whose threads are whose, and what was accepted once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

RunStatus = Literal["running", "stopping", "success", "interrupt", "waiting", "cancelled", "error"]
"""`interrupt` waits for the user, `waiting` for results of front-end tools; `running` and `stopping` outlive a process
that died."""


A2A = "a2a:"
"""How the id of a thread begins whose runs are tasks of A2A callers. Clients of `/agui` begin no such thread."""
OURS = "ours"
"""The digest of a receipt that stands for a message of ours: no user message has it."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Something that was accepted once: which run dealt with it and what it said."""

    run_key: str
    digest: str


@dataclass(frozen=True, slots=True)
class Thread:
    """What is known of a thread. `status` is that of its last run; `receipts` those that were asked for."""

    user_id: str
    model: str | None
    status: RunStatus
    receipts: Mapping[str, Receipt]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `key` is unique in the server; `run_id` is the client's and may repeat.

    `receipts` are digests of what it accepts. `turn` is its input as JSON, so that another process can go on with it;
    `base` the id of the last AG-UI message before it, where that is not the one before its own messages. `model` is the
    thread's choice and counts in a thread's first run. `stopping`: it was told to stop.
    """

    key: str
    thread_id: str
    run_id: str
    user_id: str
    turn: bytes = b""
    receipts: Mapping[str, str] = field(default_factory=dict[str, str])
    base: str | None = None
    model: str | None = None
    stopping: bool = False


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as the store remembers it for ever."""

    key: str
    thread_id: str
    run_id: str
    status: RunStatus


class RunStore(Protocol):
    """Threads, runs and receipts."""

    async def thread(self, thread_id: str, receipts: Collection[str] = ()) -> Thread | None:
        """A thread, with those of the named receipts that exist; None when there is no such thread."""
        ...

    async def begin(self, run: RunRecord) -> None:
        """Record a run, its receipts and, for a new thread, its owner and model, in one step."""
        ...

    async def stop(self, run_key: str) -> None:
        """Record that a run was told to stop, unless it has ended."""
        ...

    async def end(self, run_key: str, status: RunStatus, said: Collection[str] = ()) -> None:
        """Record how a run ended, and ids of messages that no user message may take from now on."""
        ...

    async def unfinished(self) -> list[RunRecord]:
        """Runs that began and did not end, oldest first; without their receipts."""
        ...

    async def tasks(self, user_id: str, run_id: str | None = None) -> list[RunSummary]:
        """Runs of a user's `A2A` threads, or those of `run_id` among them, in order of key."""
        ...
