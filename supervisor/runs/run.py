"""One run from RUN_STARTED to its single terminal event. Its tasks belong to the server; requests read its feed."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from supervisor.errors import ERRORS, RunFailure
from supervisor.events.encode import unnumbered
from supervisor.events.projector import Projector
from supervisor.graph.port import Turn, TurnGraph
from supervisor.runs.feed import Feed
from supervisor.runs.outbox import Outbox
from supervisor.runs.port import RunRecord, RunStatus
from supervisor.telemetry import tracing

logger = logging.getLogger(__name__)


class Run:
    """States: running, then one of success, interrupt, cancelled, error. `feed` holds its frames from the first on."""

    def __init__(
        self, record: RunRecord, turn: Turn, projector: Projector, make_outbox: Callable[[Feed], Outbox]
    ) -> None:
        self.record = record
        self.turn = turn
        self.feed = Feed()
        self.status: RunStatus = "running"
        self._projector = projector
        self._outbox = make_outbox(self.feed)
        self._outbox.put(projector.start())
        self._stopped = False
        self._work: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, graph: TurnGraph, on_end: Callable[[Run], Awaitable[None]]) -> None:
        """Begin. `on_end` is awaited after the last frame is in the journal."""
        # The graph has a task of its own, so that stopping it, however early, cannot stop the closing of the stream.
        self._work = asyncio.create_task(self._stream(graph))
        self._task = asyncio.create_task(self._execute(graph, self._work, on_end))

    def cancel(self) -> bool:
        """Stop on purpose. False when the run has already ended or is stopping."""
        if self._work is None or self._work.done() or self._stopped:
            return False
        self._stopped = True
        return self._work.cancel()

    def abandon(self) -> None:
        """End the stream because the process stops; the checkpoint stays resumable."""
        if self._work is not None:
            self._work.cancel()

    async def wait(self) -> None:
        """Returns when the run has ended, however it ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _execute(
        self, graph: TurnGraph, work: asyncio.Task[None], on_end: Callable[[Run], Awaitable[None]]
    ) -> None:
        ending = await self._outcome(graph, work)
        self._outbox.put(ending)
        try:
            await self._outbox.aclose()
        except Exception:
            self.status = "error"
            self._publish_unrecorded_failure()
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
        self.status = "success"
        return self._projector.finish()

    async def _stream(self, graph: TurnGraph) -> None:
        apply, put = self._projector.apply, self._outbox.put
        with tracing.run_span(self.turn.thread_id, self.turn.run_id) as span:
            try:
                async for batch in graph.stream(self.turn):
                    for event in batch:
                        put(apply(event))
                    await self._outbox.has_room()
            except RunFailure as failure:
                tracing.failed(span, failure.row.code)
                raise

    async def _cancelled(self, graph: TurnGraph) -> list[dict[str, Any]]:
        if not self._stopped:
            # Nobody asked for this run to stop: the process is going down. The checkpoint stays resumable.
            self.status = "error"
            return self._projector.fail(ERRORS["SHUTTING_DOWN"], None)
        self.status = "cancelled"
        try:
            await graph.cancel_turn(self.turn.thread_id)
        except Exception:
            logger.exception("closing the cancelled turn failed", extra={"run": self.record.key})
        return self._projector.cancel()

    def _failed(self, code: str, *, unexpected: bool = False) -> list[dict[str, Any]]:
        self.status = "error"
        correlation_id = uuid.uuid4().hex[:12]
        logger.error("run failed: %s (%s)", code, correlation_id, exc_info=unexpected)
        return self._projector.fail(ERRORS[code], correlation_id)

    def _publish_unrecorded_failure(self) -> None:
        # The journal itself failed, so this frame has no sequence; without it clients would take the cut for success.
        logger.exception("the journal failed", extra={"run": self.record.key})
        row = ERRORS["AGENT_INTERNAL"]
        self.feed.publish([unnumbered({"type": "RUN_ERROR", "message": row.message, "code": row.code})])
