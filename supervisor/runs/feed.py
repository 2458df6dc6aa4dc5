"""The live frames of one run, for any number of readers. A reader holds only a position, so a slow one slows nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from supervisor.events.encode import PING


class Feed:
    """SSE frames in order; `first_seq` is the journal sequence of `frames[0]`, 0 until there is one."""

    def __init__(self, frames: Sequence[bytes] = (), first_seq: int = 0) -> None:
        self.frames = list(frames)
        self.first_seq = first_seq
        self.closed = False
        self._waiters: list[asyncio.Future[None]] = []

    def publish(self, frames: Sequence[bytes]) -> None:
        """Hand frames to every reader."""
        self.frames.extend(frames)
        self._wake()

    def close(self) -> None:
        """Nothing more comes; readers end when they have read all."""
        self.closed = True
        self._wake()

    async def read(self, position: int, heartbeat: float) -> AsyncIterator[bytes]:
        """Bytes from `position` on, several ready frames in one piece, a ping after `heartbeat` silent seconds."""
        while True:
            if position < len(self.frames):
                ready = self.frames[position:]
                position += len(ready)
                yield ready[0] if len(ready) == 1 else b"".join(ready)
            elif self.closed:
                return
            elif not await self._changed(heartbeat):
                yield PING

    async def _changed(self, timeout: float) -> bool:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        self._waiters.append(waiter)
        timer = loop.call_later(timeout, waiter.cancel)
        try:
            await waiter
            return True
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return False
        finally:
            timer.cancel()
            if not waiter.done() or waiter.cancelled():
                self._waiters = [w for w in self._waiters if w is not waiter]

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
