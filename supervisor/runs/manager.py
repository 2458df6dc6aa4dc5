"""Starts, finds and stops runs. Holds the one rule that keeps a thread whole: one run at a time per thread."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from supervisor.errors import ERRORS, Problem
from supervisor.events.encode import encode, frame
from supervisor.events.projector import Projector, SurfaceEvents
from supervisor.events.subagents import SubagentMode
from supervisor.graph.port import ThreadView, Turn, TurnGraph
from supervisor.journal.port import Journal, Record
from supervisor.runs.admission import EMPTY, Rules, admit, known_run, news
from supervisor.runs.commands import Rejected
from supervisor.runs.feed import Feed
from supervisor.runs.outbox import Outbox
from supervisor.runs.past import Past, dump_turn, load_turn
from supervisor.runs.port import Receipt, RunRecord, RunStatus, RunStore, RunSummary, Thread
from supervisor.runs.request import TurnRequest, tool_receipt
from supervisor.runs.run import Run

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Times in seconds. `drain`: how long runs may finish once the server was told to stop.

    `models` are the names that a thread may choose.
    """

    flush_window: float = 0.01
    heartbeat: float = 15.0
    drain: float = 10.0
    subagents: SubagentMode = "both"
    models: Collection[str] = ()
    rules: Rules = field(default_factory=Rules)
    on_end: Callable[[RunStatus], None] = lambda _: None


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
        self._admissions: dict[str, asyncio.Event] = {}
        self._draining = False
        self._loop = asyncio.get_running_loop()

    async def submit(self, request: TurnRequest, graph: TurnGraph | None = None) -> AsyncIterator[bytes]:
        """Start the run of a request, or replay the run that dealt with it before. The frames of that run.

        A run that is started takes `graph`, another view of the one that all runs share.
        Raises `Problem`: 503 shutting_down, 404 thread_not_found, 409 thread_busy, 422 unknown_model, 409 model_fixed,
        and what `admission` raises.
        """
        if self._draining:
            raise Problem(503, "shutting_down", "The server is restarting; retry.", headers={"Retry-After": "2"})
        if not await self.settled(request.thread_id):
            return await self._attach(request)
        self._active[request.thread_id] = None
        admission = self._admissions[request.thread_id] = asyncio.Event()
        try:
            thread = await self._thread(request)
            run = await self._admitted(request, thread)
            if run is not None:
                return self.tail(self._start(run, graph))
        finally:
            if self._active[request.thread_id] is None:
                del self._active[request.thread_id]
            del self._admissions[request.thread_id]
            admission.set()
        known = known_run(request, thread.receipts) if thread else None
        if known is None:
            raise Problem(422, "no_message", "Send a new user message with an id and content, or answers in `resume`.")
        return self.replay(request.thread_id, known.run_key)

    async def recover(self) -> None:
        """Go on with the runs that a dead process left. Called once, before the first request."""
        for record in await self._store.unfinished():
            past = Past.read(await self._journal.read(record.thread_id, 0, record.key))
            turn = load_turn(record.turn)
            if past.status is not None:
                await self._store.end(record.key, past.status)
            elif turn is None or record.thread_id in self._active:
                await self._give_up(record)
            else:
                self._start(self._new_run(record, turn, past))

    async def authorise(self, thread_id: str, user_id: str) -> bool:
        """Whether the thread exists. Another user's thread is answered as if it did not: 404 thread_not_found."""
        return _owned(await self._store.thread(thread_id), user_id) is not None

    async def view(self, thread_id: str) -> ThreadView:
        """The thread as it stands: messages with cards, open questions, shared state."""
        return await self._graph.view(thread_id)

    async def past(self, run: RunSummary) -> list[tuple[int, dict[str, Any]]]:
        """The events of a run that are on record, with their sequences."""
        records = await self._journal.read(run.thread_id, 0, run.key)
        return [(record.seq, orjson.loads(record.data)) for record in records]

    async def tasks(self, user_id: str, run_id: str | None = None) -> list[RunSummary]:
        """Runs of the user's A2A threads, or those of one task, oldest first."""
        return await self._store.tasks(user_id, run_id)

    async def accepted(self, thread_id: str, receipt: str) -> Receipt | None:
        """Whether a thread has accepted something before."""
        thread = await self._store.thread(thread_id, (receipt,))
        return thread.receipts.get(receipt) if thread else None

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

    async def cancel(self, thread_id: str) -> None:
        """Stop the thread's run, for good: no other process goes on with it. Raises `Rejected`: already_finished or
        already_stopping."""
        await self._admission(thread_id)
        run = self._active.get(thread_id)
        if run is None:
            raise Rejected("already_finished")
        if not run.stopping:
            await self._store.stop(run.record.key)
        if not run.cancel():
            raise Rejected("already_stopping" if run.stopping else "already_finished")

    def begin_drain(self) -> None:
        """Take no more runs; leave those that are not done after `drain` seconds to the next process.

        Signal handlers may call this.
        """
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
        self._graph.release()
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
            # What the journal has is in the feed a moment later only.
            told = (r.seq for r in records if r.run_key == live.record.key)
            first = live.feed.first_seq or next(told, None)
            position = max(0, last + 1 - first) if first else 0
            async for piece in self.tail(live, position):
                yield piece

    async def _give_up(self, record: RunRecord) -> None:
        """End a run that cannot be gone on with, so that nobody waits for it."""
        row = ERRORS["AGENT_INTERNAL"]
        logger.error("a run of an earlier process cannot be continued", extra={"run": record.key})
        end = encode({"type": "RUN_ERROR", "message": row.message, "code": row.code})
        await self._journal.append(record.thread_id, record.key, [end])
        await self._store.end(record.key, "error")

    async def settled(self, thread_id: str) -> bool:
        """Whether no run is going on. A run whose last frame is out is about to let go, so it is waited for."""
        await self._admission(thread_id)
        while run := self._active.get(thread_id):
            if run.status == "running":
                return False
            await run.wait()
            await self._admission(thread_id)
        return True

    async def _admission(self, thread_id: str) -> None:
        """Returns when no request of the thread is being admitted: a repeat of it must find what it led to."""
        while admission := self._admissions.get(thread_id):
            await admission.wait()

    async def _attach(self, request: TurnRequest) -> AsyncIterator[bytes]:
        """The frames of the run that deals with the request already. Raises `Problem` 409 thread_busy for another."""
        thread = await self._thread(request)
        if thread is not None and not (await self._news(request, thread)).receipts():
            known = known_run(request, thread.receipts)
            if known is not None:
                return self.replay(request.thread_id, known.run_key)
        run = self._active.get(request.thread_id)
        extra = {"runId": run.record.run_id} if run else {}
        raise Problem(409, "thread_busy", "This thread has a run: wait for it, cancel it or connect to it.", extra)

    async def _thread(self, request: TurnRequest) -> Thread | None:
        thread = await self._store.thread(request.thread_id, request.receipts())
        return _owned(thread, request.user.user_id)

    async def _news(self, request: TurnRequest, thread: Thread | None) -> TurnRequest:
        known = thread.receipts if thread else {}
        if thread is not None and request.outputs and thread.status in ("interrupt", "waiting"):
            # A call may have the id of one that a rewrite has removed: what waits now was never answered.
            waiting = {tool_receipt(call) for call in (await self._graph.view(request.thread_id)).pending_calls}
            known = {name: receipt for name, receipt in known.items() if name not in waiting}
        try:
            return news(request, known)
        except Problem as problem:
            if "interruptId" in problem.extra:
                problem.extra["interrupts"] = (await self._graph.view(request.thread_id)).interrupts
            raise

    async def _admitted(self, request: TurnRequest, thread: Thread | None) -> Run | None:
        """The run of what is new in a request, on record; None when nothing is."""
        fresh = await self._news(request, thread)
        if not fresh.receipts() and fresh.command is None and not fresh.declines:
            return None
        view = EMPTY
        settled = thread is None or thread.status in ("success", "cancelled")
        if not settled or (thread and (fresh.answers or fresh.command or fresh.action)):
            view = await self._graph.view(request.thread_id)
        admitted = admit(fresh, view, self._settings.rules, datetime.now(UTC))
        if admitted is None:
            return None
        turn = admitted.with_model(self._model(request, thread))
        record = RunRecord(
            run_key(),
            request.thread_id,
            request.run_id,
            request.user.user_id,
            dump_turn(turn),
            admitted.receipts,
            admitted.base,
            turn.model,
        )
        await self._store.begin(record)
        return self._new_run(record, turn, Past())

    def _model(self, request: TurnRequest, thread: Thread | None) -> str | None:
        if thread is not None:
            if request.model not in (None, thread.model):
                raise Problem(409, "model_fixed", "The model of a thread is chosen in its first run. Start a thread.")
            return thread.model
        if request.model is not None and request.model not in self._settings.models:
            detail = "`forwardedProps.model` must be one of `models`, or be left out."
            raise Problem(422, "unknown_model", detail, {"models": sorted(self._settings.models)})
        return request.model

    def _new_run(self, record: RunRecord, turn: Turn, past: Past) -> Run:
        projector = Projector(turn.thread_id, turn.run_id, self._surface_events, self._settings.subagents)

        def outbox(feed: Feed) -> Outbox:
            return Outbox(self._journal, feed, turn.thread_id, record.key, self._settings.flush_window)

        return Run(record, turn, projector, outbox, past)

    def _start(self, run: Run, graph: TurnGraph | None = None) -> Run:
        self._active[run.turn.thread_id] = run
        run.start(graph or self._graph, self._ended)
        return run

    async def _ended(self, run: Run) -> None:
        try:
            if run.status != "running":
                await self._store.end(run.record.key, run.status, run.said)
                self._settings.on_end(run.status)
        finally:
            self._active.pop(run.turn.thread_id, None)


def run_key() -> str:
    """A unique name; names sort as their runs began."""
    return f"{time.time_ns():016x}{uuid.uuid4().hex[:16]}"


def began_at(key: str) -> datetime:
    """When the run of this name began."""
    return datetime.fromtimestamp(int(key[:16], 16) / 1e9, UTC)


def _owned(thread: Thread | None, user_id: str) -> Thread | None:
    if thread is not None and thread.user_id != user_id:
        raise Problem(404, "thread_not_found", "There is no such thread for this user.")
    return thread
