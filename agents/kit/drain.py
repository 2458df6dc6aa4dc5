"""How an agent goes: no new messages, the running tasks may finish, the rest fails with a word of why. Once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from agents.kit.handler import HardenedHandler

logger = logging.getLogger(__name__)

STOP_SECONDS = 3.0
"""How long tasks that were stopped may take to say so."""


class Drain:
    """`stop` ends what still runs when `seconds` are over."""

    def __init__(self, handler: HardenedHandler, stop: Callable[[], None], seconds: float) -> None:
        self._handler = handler
        self._stop = stop
        self._seconds = seconds
        self._task: asyncio.Task[None] | None = None

    @property
    def begun(self) -> bool:
        """Whether the agent takes no new messages."""
        return self._task is not None

    @property
    def done(self) -> bool:
        """Whether nothing runs any more, or does not listen."""
        return self._task is not None and self._task.done()

    def begin(self) -> asyncio.Task[None]:
        """Start to drain; has to be called in the event loop."""
        if self._task is None:
            self._handler.draining = True
            self._task = asyncio.create_task(self._run())
        return self._task

    async def _run(self) -> None:
        try:
            await asyncio.wait_for(self._handler.leases.idle(), self._seconds)
        except TimeoutError:
            logger.warning("tasks are stopped, because the agent goes")
            self._stop()
            try:
                await asyncio.wait_for(self._handler.leases.idle(), STOP_SECONDS)
            except TimeoutError:
                logger.error("a task did not stop")
