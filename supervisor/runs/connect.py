"""What a client gets that (re)opens a thread: the conversation as a snapshot, then the run that is going on, if any.

Snapshots are derived from the checkpoint, so their frames have no journal sequence.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from supervisor.events.encode import unnumbered
from supervisor.events.projector import PROTOCOL_VERSION
from supervisor.runs.manager import RunManager
from supervisor.runs.run import Run

Message = dict[str, Any]


async def connect(runs: RunManager, thread_id: str, run_id: str) -> AsyncIterator[bytes]:
    """RUN_STARTED, MESSAGES_SNAPSHOT, then the live tail or RUN_FINISHED. The caller has authorised the user."""
    run = runs.active(thread_id)
    messages = await runs.messages(thread_id)
    if run is not None and run.status == "running":
        async for piece in _join(runs, run, messages):
            yield piece
        return
    ids = {"threadId": thread_id, "runId": run_id}
    yield unnumbered({"type": "RUN_STARTED", **ids, "protocolVersion": PROTOCOL_VERSION})
    yield unnumbered({"type": "MESSAGES_SNAPSHOT", "messages": messages})
    yield unnumbered({"type": "RUN_FINISHED", **ids, "outcome": {"type": "success"}})


async def _join(runs: RunManager, run: Run, messages: list[Message]) -> AsyncIterator[bytes]:
    tail = runs.tail(run)
    first = True
    async for piece in tail:
        if first and not piece.startswith(b":"):
            # The snapshot must follow RUN_STARTED, which may come glued to later frames.
            started, rest = piece.split(b"\n\n", 1)
            yield started + b"\n\n"
            yield unnumbered({"type": "MESSAGES_SNAPSHOT", "messages": _before(run, messages)})
            first = False
            piece = rest
        if piece:
            yield piece


def _before(run: Run, messages: list[Message]) -> list[Message]:
    """The conversation up to the question of this run. Its answer is streamed: a held message would be doubled."""
    asked: list[Message] = [{"id": m.id, "role": "user", "content": m.content} for m in run.turn.messages]
    mine = {m.id for m in run.turn.messages}
    start = next((i for i, message in enumerate(messages) if message["id"] in mine), len(messages))
    return [*messages[:start], *asked]
