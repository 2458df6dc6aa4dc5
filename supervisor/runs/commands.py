"""Commands of `/agui/command`: what a client may ask of a thread beside a run. Hosts add theirs to `cancel`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from supervisor.dispatch.port import UserContext
from supervisor.errors import Problem


@dataclass(frozen=True, slots=True)
class Command:
    """One command. The thread exists and is the user's; `payload` is the client's and unchecked."""

    thread_id: str
    user: UserContext
    payload: Any = None


class Rejected(Exception):
    """The command cannot be carried out now. `reason` is a stable code, e.g. `already_finished`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


CommandHandler = Callable[[Command], Awaitable[Mapping[str, Any] | None]]
"""Carries a command out; what it returns is the answer's `result`. Raises `Rejected`."""


class Commands:
    """The registry. Raises ValueError when a host's command has the name of a built-in one."""

    def __init__(self, built_in: Mapping[str, CommandHandler], added: Mapping[str, CommandHandler]) -> None:
        taken = sorted(built_in.keys() & added.keys())
        if taken:
            raise ValueError(f"Commands that are built in cannot be replaced: {', '.join(taken)}. Choose other names.")
        self._handlers = {**built_in, **added}

    @property
    def names(self) -> list[str]:
        """Known commands, sorted."""
        return sorted(self._handlers)

    async def run(self, name: str, command: Command) -> dict[str, Any]:
        """`{status: accepted, result?}` or `{status: rejected, reason}`. Raises `Problem` 404 unknown_command."""
        handler = self._handlers.get(name)
        if handler is None:
            raise Problem(404, "unknown_command", f"Known commands: {', '.join(self.names)}.")
        try:
            result = await handler(command)
        except Rejected as refusal:
            return {"status": "rejected", "reason": refusal.reason}
        return {"status": "accepted", **({"result": dict(result)} if result is not None else {})}


def make_commands(
    cancel: Callable[[str], Awaitable[None]], added: Mapping[str, CommandHandler] | None = None
) -> Commands:
    """The registry of a server: `cancel(thread_id)` stops a thread's run, `added` are the host's."""

    async def cancel_run(command: Command) -> None:
        await cancel(command.thread_id)

    return Commands({"cancel": cancel_run}, added or {})
