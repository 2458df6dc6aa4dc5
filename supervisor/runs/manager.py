"""Starts, finds and stops runs. Holds the one rule that keeps a thread whole: one run at a time per thread."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from supervisor.errors import Problem
from supervisor.events.encode import frame
from supervisor.events.projector import Peer, Projector, SurfaceEvents
from supervisor.events.subagents import SubagentMode
from supervisor.graph.port import Turn, TurnGraph, UserMessage
from supervisor.journal.port import Journal, Record
from supervisor.runs.feed import Feed
from supervisor.runs.outbox import Outbox
from supervisor.runs.port import Receipt, RunRecord, RunStore
from supervisor.runs.run import Run


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Times in seconds. `drain`: how long runs may finish once the server was told to stop."""

    flush_window: float = 0.01
    heartbeat: float = 15.0
    drain: float = 10.0
    subagents: SubagentMode = "both"


class RunManager:
    """All runs of one process."""

    def __init__(
        self, graph: TurnGraph, journal: Journal, store: RunStore, surface_events: SurfaceEvents, settings: RunSettings
    ) -> None:
        self._graph = graph
        self._journal = journal
        self._store = store
        self._surface_events = surface_events
        self._settings = settings
        self._active: dict[str, Run | None] = {}
        self._draining = False
        self._loop = asyncio.get_running_loop()

    async def submit(self, turn: Turn) -> AsyncIterator[bytes]:
        """Start the turn, or replay the run that already answered its last message. The frames of that run.

        Raises `Problem`: 503 shutting_down, 404 thread_not_found, 409 message_conflict or thread_busy, 422 no_message.
        """
        if self._draining:
            raise Problem(503, "shutting_down", "The server is restarting; retry.", headers={"Retry-After": "2"})
        await self.authorise(turn.thread_id, turn.user.user_id)
        receipts = await self._store.receipts(turn.thread_id)
        new, known = _sort_messages(turn.messages, receipts)
        if not new:
            if known is None:
                raise Problem(422, "no_message", "Send at least one new user message with an id and content.")
            return self.replay(turn.thread_id, known.run_key)
        return self.tail(await self._start(replace(turn, messages=new)))

    async def authorise(self, thread_id: str, user_id: str) -> bool:
        """Whether the thread exists. Another user's thread is answered as if it did not: 404 thread_not_found."""
        owner = await self._store.owner(thread_id)
        if owner not in (None, user_id):
            raise Problem(404, "thread_not_found", "There is no such thread for this user.")
        return owner is not None

    async def messages(self, thread_id: str) -> list[dict[str, Any]]:
        """The thread as AG-UI messages, cards included."""
        return await self._graph.messages(thread_id)

    def active(self, thread_id: str) -> Run | None:
        """The run that is going on in a thread."""
        return self._active.get(thread_id)

    def tail(self, run: Run, position: int = 0) -> AsyncIterator[bytes]:
        """Frames of a run that is going on, from `position` on."""
        return run.feed.read(position, self._settings.heartbeat)

    async def replay(self, thread_id: str, run_key: str | None, after: int = 0) -> AsyncIterator[bytes]:
        """Journalled frames after a sequence, of one run or of the whole thread, then live while a run is going on."""
        run = self._active.get(thread_id)
        live = run if run is not None and run_key in (None, run.record.key) else None
        records = await self._journal.read(thread_id, after, run_key)
        async for piece in self._follow(records, live, after):
            yield piece

    async def resume_after(self, thread_id: str, after: int) -> AsyncIterator[bytes]:
        """Frames after `after` of the run that sent the frame with that sequence."""
        run = self._active.get(thread_id)
        records = await self._journal.read(thread_id, after - 1)
        if not records or records[0].seq != after:
            raise Problem(404, "event_not_found", "This thread has no event with that id; call /agui/connect instead.")
        run_key = records[0].run_key
        live = run if run is not None and run.record.key == run_key else None
        return self._follow([r for r in records[1:] if r.run_key == run_key], live, after)

    def cancel(self, thread_id: str) -> bool:
        """Stop the thread's run. False when none is going on."""
        run = self._active.get(thread_id)
        return run is not None and run.cancel()

    def begin_drain(self) -> None:
        """Take no more runs; end those that are not done after `drain` seconds. Signal handlers may call this."""
        if not self._draining:
            self._draining = True
            self._loop.call_soon_threadsafe(self._loop.call_later, self._settings.drain, self._abandon)

    @property
    def draining(self) -> bool:
        """True from the moment the server was told to stop."""
        return self._draining

    async def aclose(self) -> None:
        """Drain, and return when the last run has ended."""
        self.begin_drain()
        await asyncio.gather(*(run.wait() for run in self._active.values() if run is not None))

    def _abandon(self) -> None:
        for run in self._active.values():
            if run is not None:
                run.abandon()

    async def _follow(self, records: Sequence[Record], live: Run | None, after: int) -> AsyncIterator[bytes]:
        """Records, then the frames of `live` behind them. `live` must have been looked up before the records were read:
        what was journalled in between is in both and sent once, while a run that ended in between is not missed."""
        for record in records:
            yield frame(record.seq, record.data)
        if live is not None:
            last = records[-1].seq if records else after
            position = max(0, last + 1 - live.feed.first_seq) if live.feed.first_seq else 0
            async for piece in self.tail(live, position):
                yield piece

    async def _start(self, turn: Turn) -> Run:
        await self._claim(turn.thread_id)
        self._active[turn.thread_id] = None
        try:
            digests = {message.id: _digest(message) for message in turn.messages}
            record = RunRecord(uuid.uuid4().hex, turn.thread_id, turn.run_id, turn.user.user_id, digests)
            await self._store.begin(record)
        except BaseException:
            del self._active[turn.thread_id]
            raise
        run = self._new_run(record, turn)
        self._active[turn.thread_id] = run
        run.start(self._graph, self._ended)
        return run

    async def _claim(self, thread_id: str) -> None:
        """Returns when the thread is free. A run whose last frame is out is about to let go, so it is waited for."""
        while thread_id in self._active:
            run = self._active[thread_id]
            if run is None or run.status == "running":
                extra = {"runId": run.record.run_id} if run else {}
                raise Problem(
                    409, "thread_busy", "This thread has a run: wait for it, cancel it or connect to it.", extra
                )
            await run.wait()

    def _new_run(self, record: RunRecord, turn: Turn) -> Run:
        peer = Peer(turn.modern_peer, self._settings.subagents)
        projector = Projector(turn.thread_id, turn.run_id, self._surface_events, peer)

        def outbox(feed: Feed) -> Outbox:
            return Outbox(self._journal, feed, turn.thread_id, record.key, self._settings.flush_window)

        return Run(record, turn, projector, outbox)

    async def _ended(self, run: Run) -> None:
        try:
            await self._store.end(run.record.key, run.status)
        finally:
            self._active.pop(run.turn.thread_id, None)


def _sort_messages(
    messages: tuple[UserMessage, ...], receipts: Mapping[str, Receipt]
) -> tuple[tuple[UserMessage, ...], Receipt | None]:
    """The messages that were never accepted, and the receipt of the last one if it was."""
    new = tuple(message for message in messages if message.id not in receipts)
    last = receipts.get(messages[-1].id) if messages else None
    if last is not None and last.digest != _digest(messages[-1]):
        detail = "A message with this id was accepted with other content. Use a new id, or the edit-last command."
        raise Problem(409, "message_conflict", detail)
    return new, last


def _digest(message: UserMessage) -> str:
    return hashlib.sha256(message.content.encode()).hexdigest()
