"""Takes the events of one run to the journal and then to the feed, in that order, without making the run wait.

While one append is under way, and for a short window after it, new events gather: neighbouring text deltas become one.
The first event of a quiet period goes out at once, and so does everything when the run ends.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from supervisor.events.encode import encode, frame, merge_deltas
from supervisor.journal.port import Journal
from supervisor.runs.feed import Feed

Event = dict[str, Any]

HIGH_WATER = 2000
"""Events that may wait for the journal before the run is held back."""

_AT_ONCE = frozenset({"TEXT_MESSAGE_START", "SUBAGENT_STARTED", "ACTIVITY_SNAPSHOT"})
"""What a person is waiting for is not held back by the window."""


class Outbox:
    """One writer task per run. `window` is in seconds; 0 sends as fast as the journal takes it."""

    def __init__(self, journal: Journal, feed: Feed, thread_id: str, run_key: str, window: float) -> None:
        self._journal = journal
        self._feed = feed
        self._ids = (thread_id, run_key)
        self._window = window
        self._pending: list[Event] = []
        self._more = asyncio.Event()
        self._urgent = asyncio.Event()
        self._room = asyncio.Event()
        self._closing = False
        self._busy = False
        self._writer = asyncio.create_task(self._write())

    def put(self, events: list[Event]) -> None:
        """Queue events."""
        if events:
            self._pending.extend(events)
            self._more.set()
            if events[0]["type"] in _AT_ONCE:
                self._urgent.set()

    async def has_room(self) -> None:
        """Returns at once unless the journal lags far behind, or has failed."""
        while len(self._pending) > HIGH_WATER and not self._writer.done():
            self._urgent.set()
            self._room.clear()
            await self._room.wait()
        if self._writer.done():
            self._writer.result()

    async def flush(self) -> None:
        """Returns when everything that was queued is in the feed, or never will be."""
        while (self._pending or self._busy) and not self._writer.done():
            self._urgent.set()
            self._room.clear()
            await self._room.wait()

    async def aclose(self) -> None:
        """Write everything that was queued; raises what the journal raised."""
        self._closing = True
        self._more.set()
        self._urgent.set()
        await self._writer

    async def _write(self) -> None:
        try:
            while self._pending or not self._closing:
                await self._more.wait()
                self._more.clear()
                started = time.monotonic()
                batch, self._pending = self._pending, []
                if batch:
                    self._busy = True
                    await self._publish(batch)
                    self._busy = False
                    self._room.set()
                    await self._pause(self._window - (time.monotonic() - started))
                if self._closing:
                    self._more.set()
        finally:
            self._room.set()

    async def _publish(self, batch: list[Event]) -> None:
        data = [encode(event) for event in merge_deltas(batch)]
        seq = await self._journal.append(*self._ids, data)
        self._feed.first_seq = self._feed.first_seq or seq
        self._feed.publish([frame(seq + i, item) for i, item in enumerate(data)])

    async def _pause(self, seconds: float) -> None:
        if seconds <= 0 or self._closing:
            return
        self._urgent.clear()
        timer = asyncio.get_running_loop().call_later(seconds, self._urgent.set)
        await self._urgent.wait()
        timer.cancel()
