"""One run from RUN_STARTED to its single terminal event. Its tasks belong to the server; requests read its feed."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from supervisor.errors import ERRORS, RunFailure
from supervisor.events import internal as ev
from supervisor.events.encode import read_frame, unnumbered
from supervisor.events.projector import Projector
from supervisor.graph.port import Turn, TurnGraph
from supervisor.runs import standing
from supervisor.runs.feed import Feed
from supervisor.runs.outbox import Outbox
from supervisor.runs.past import Past
from supervisor.runs.port import RunRecord, RunStatus
from supervisor.telemetry import tracing

logger = logging.getLogger(__name__)

Message = dict[str, Any]


class Run:
    """States: running, then one of success, interrupt, waiting, cancelled, error. `feed` holds its frames from the
    first on. A run that the process leaves to its successor stays running: its record has no terminal event yet.
    """

    def __init__(
        self, record: RunRecord, turn: Turn, projector: Projector, make_outbox: Callable[[Feed], Outbox], past: Past
    ) -> None:
        self.record = record
        self.turn = turn
        self.feed = Feed(past.frames, past.first_seq)
        self.status: RunStatus = "running"
        self.stopping = record.stopping
        self.graph: TurnGraph | None = None
        self._past = past
        self._projector = projector
        self._outbox = make_outbox(self.feed)
        self._outbox.put(projector.take_over(past.events) if past.events else projector.start(turn.origin))
        self._work: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, graph: TurnGraph, on_end: Callable[[Run], Awaitable[None]]) -> None:
        """Begin. `on_end` is awaited after the last frame is in the journal."""
        self.graph = graph
        # The graph has a task of its own, so that stopping it, however early, cannot stop the closing of the stream.
        self._work = asyncio.create_task(self._stream(graph))
        self._task = asyncio.create_task(self._execute(graph, self._work, on_end))
        if self.stopping:
            self._work.cancel()

    def cancel(self) -> bool:
        """Stop on purpose. False when the run has already ended or is stopping."""
        if self._work is None or self._work.done() or self.stopping:
            return False
        self.stopping = True
        return self._work.cancel()

    def abandon(self) -> None:
        """Stop because the process does; the next one goes on from the checkpoint."""
        if self._work is not None:
            self._work.cancel()

    @property
    def said(self) -> set[str]:
        """Ids of the messages that the run added to the thread."""
        return self._projector.said

    async def wait(self) -> None:
        """Returns when the run has ended, however it ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def before(self, messages: list[Message]) -> list[Message]:
        """The part of a thread's messages that this run did not stream, with the question of this run."""
        return standing.before(messages, self.turn, self.record.base)

    async def _execute(
        self, graph: TurnGraph, work: asyncio.Task[None], on_end: Callable[[Run], Awaitable[None]]
    ) -> None:
        ending = await self._outcome(graph, work)
        self._outbox.put(ending)
        try:
            await self._outbox.aclose()
        except Exception:
            self.status = "error"
            logger.exception("the journal failed", extra={"run": self.record.key})
            self._publish_unrecorded("AGENT_INTERNAL")
        if self.status == "running":
            self._publish_unrecorded("SHUTTING_DOWN")
        try:
            await on_end(self)
        finally:
            self.feed.close()

    async def _outcome(self, graph: TurnGraph, work: asyncio.Task[None]) -> list[dict[str, Any]]:
        try:
            await work
        except asyncio.CancelledError:
            return await self._cancelled(graph)
        except RunFailure as failure:
            return self._failed(failure.row.code)
        except Exception:
            return self._failed("AGENT_INTERNAL", unexpected=True)
        if self.turn.declined:
            self.stopping = True
            return await self._cancelled(graph)
        paused = self._projector.paused
        self.status = "interrupt" if paused.interrupts else "waiting" if paused.pending_calls else "success"
        return self._projector.finish()

    async def _stream(self, graph: TurnGraph) -> None:
        past, apply, put = self._past, self._projector.apply, self._outbox.put
        with tracing.run_span(self.turn.thread_id, self.turn.run_id) as span:
            try:
                if past.events:
                    messages = await self._restated(graph)
                    put(self._projector.settle({m["toolCallId"] for m in messages if m["role"] == "tool"}))
                    put(apply(ev.Restated(messages)))
                async for batch in graph.stream(self.turn, recovered=past.recovered, announced=past.announced):
                    for event in batch:
                        put(apply(event))
                    await self._outbox.has_room()
                if past.events:
                    # Clients keep reasoning and cards of the dead process until there are others in their place.
                    put(apply(ev.Restated(await self._restated(graph))))
            except RunFailure as failure:
                tracing.failed(span, failure.row.code)
                raise

    async def _restated(self, graph: TurnGraph) -> list[Message]:
        return standing.so_far((await graph.view(self.turn.thread_id)).messages, self.turn)

    async def _cancelled(self, graph: TurnGraph) -> list[dict[str, Any]]:
        if not self.stopping:
            # Nobody asked for this run to stop: the process is going down.
            return []
        self.status = "cancelled"
        try:
            owes = self._past.recovered or await self._owes(graph)
            closing = await graph.cancel_turn(self.turn)
            if owes:
                messages = (await graph.view(self.turn.thread_id)).messages
                closing = [ev.Restated(messages), *(e for e in closing if isinstance(e, ev.StateSnapshot))]
        except Exception:
            logger.exception("closing the cancelled turn failed", extra={"run": self.record.key})
            closing = []
        return self._projector.cancel(closing)

    async def _owes(self, graph: TurnGraph) -> bool:
        """Whether the thread holds something of this run that the stop kept from being told."""
        messages = (await graph.view(self.turn.thread_id)).messages
        await self._outbox.flush()
        events = [read_frame(found) for found in self.feed.frames]
        known = {message["id"] for message in self.before(messages)}
        return standing.owes([message for message in messages if message["id"] not in known], events)

    def _failed(self, code: str, *, unexpected: bool = False) -> list[dict[str, Any]]:
        self.status = "error"
        correlation_id = uuid.uuid4().hex[:12]
        logger.error("run failed: %s (%s)", code, correlation_id, exc_info=unexpected)
        return self._projector.fail(ERRORS[code], correlation_id)

    def _publish_unrecorded(self, code: str) -> None:
        # Not in the journal, so this frame has no sequence; without it clients would take the cut for success.
        row = ERRORS[code]
        self.feed.publish([unnumbered({"type": "RUN_ERROR", "message": row.message, "code": row.code})])
