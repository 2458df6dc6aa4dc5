"""The target without a journal: frames are numbered and forgotten, so nothing can be replayed."""

from __future__ import annotations

from collections.abc import Sequence

import switchboard_target
from fastapi import FastAPI

from supervisor import app
from supervisor.journal.memory import MemoryJournal


class NoJournal(MemoryJournal):
    """Counts."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, int] = {}

    async def append(self, thread_id: str, run_key: str, events: Sequence[bytes]) -> int:
        first = self._next.get(thread_id, 1)
        self._next[thread_id] = first + len(events)
        return first


def create_app() -> FastAPI:
    """The app under test."""
    app.MemoryJournal = NoJournal  # type: ignore[misc]
    return switchboard_target.create_app("memory")
