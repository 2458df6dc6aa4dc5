"""What a client gets that (re)opens a thread: the conversation as a snapshot, then the run that is going on, if any.

Snapshots are derived from the checkpoint, so their frames have no journal sequence.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from supervisor.events.encode import unnumbered
from supervisor.events.internal import Paused
from supervisor.events.projector import PROTOCOL_VERSION, messages_snapshot, outcome_of
from supervisor.graph.port import ThreadView
from supervisor.runs.manager import RunManager
from supervisor.runs.run import Run


async def connect(runs: RunManager, thread_id: str, run_id: str) -> AsyncIterator[bytes]:
    """RUN_STARTED, STATE_SNAPSHOT if state is shared, MESSAGES_SNAPSHOT, then the live tail or RUN_FINISHED.

    The caller has authorised the user.
    """
    run = runs.active(thread_id)
    view = await runs.view(thread_id)
    if run is not None:
        # It may have ended meanwhile, and the view be older than that.
        async for piece in _join(runs, run, view):
            yield piece
        return
    ids = {"threadId": thread_id, "runId": run_id}
    yield unnumbered({"type": "RUN_STARTED", **ids, "protocolVersion": PROTOCOL_VERSION})
    yield _snapshots(view, view.messages)
    outcome = outcome_of(Paused(view.interrupts, view.pending_calls))
    yield unnumbered({"type": "RUN_FINISHED", **ids, "outcome": outcome})


async def _join(runs: RunManager, run: Run, view: ThreadView) -> AsyncIterator[bytes]:
    tail = runs.tail(run)
    first = True
    async for piece in tail:
        if first and not piece.startswith(b":"):
            # The snapshot must follow RUN_STARTED, which may come glued to later frames. What this run streams is left
            # out of it: a held message would be doubled.
            started, rest = piece.split(b"\n\n", 1)
            yield started + b"\n\n"
            yield _snapshots(view, run.before(view.messages))
            first = False
            piece = rest
        if piece:
            yield piece


def _snapshots(view: ThreadView, messages: list[dict[str, Any]]) -> bytes:
    state = b"" if view.state is None else unnumbered({"type": "STATE_SNAPSHOT", "snapshot": view.state})
    return state + unnumbered(messages_snapshot(messages))
