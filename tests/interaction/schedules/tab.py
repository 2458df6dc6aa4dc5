"""One browser tab: posts, reads, loses its connection, comes back by cursor or by refresh, and knows what it missed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx

from tests.fakes.agui import Frame, parse
from tests.interaction.schedules.conversation import Conversation

Witness = Callable[[int, bytes], None]


async def frames(response: httpx.Response) -> AsyncIterator[Frame]:
    """The event frames of a stream as they come; a frame that is cut off is none."""
    rest = b""
    async for piece in response.aiter_raw():
        *whole, rest = (rest + piece).split(b"\n\n")
        for block in whole:
            for frame in parse(block + b"\n\n"):
                yield frame


class Tab:
    """`cursor` is the sequence of the last numbered frame it took; `gap` is True once it missed one."""

    def __init__(self, name: str, witness: Witness) -> None:
        self.name = name
        self.held = Conversation()
        self.cursor = 0
        self.gap = False
        self.cut = False
        """Whether its last stream ended without a numbered terminal event."""
        self._witness = witness
        self._anywhere = False
        self._response: httpx.Response | None = None
        self._reader: asyncio.Task[None] | None = None

    @property
    def reading(self) -> bool:
        """Whether a stream of its is open."""
        return self._reader is not None and not self._reader.done()

    def up_to(self, seq: int) -> bool:
        """Whether it holds everything up to a sequence."""
        return not self.gap and self.cursor == seq

    def follow(self, response: httpx.Response, *, leave_after: int | None = None) -> None:
        """Read a stream in the background; leave it after so many frames."""
        self._response = response
        self.cut = True
        self._reader = asyncio.create_task(self._read(response, leave_after))

    def refresh(self, response: httpx.Response, *, leave_after: int | None = None) -> None:
        """Start anew from the stream of `/agui/connect`."""
        self.held = Conversation()
        self.gap = self._anywhere = True
        self.follow(response, leave_after=leave_after)

    def caught_up(self, seq: int) -> None:
        """Told after a refresh: what the journal held. A thread that is idle sends no numbered frames."""
        if self._anywhere:
            self.cursor, self._anywhere = seq, False

    async def idle(self) -> None:
        """Returns when its stream has ended."""
        if self._reader is not None:
            await asyncio.wait([self._reader])
            if not self._reader.cancelled():
                self._reader.result()

    async def leave(self) -> None:
        """Lose the connection."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait([self._reader])
        if self._response is not None:
            await self._response.aclose()

    async def _read(self, response: httpx.Response, leave_after: int | None) -> None:
        count = 0
        async for frame in frames(response):
            self._take(frame)
            count += 1
            if count == leave_after:
                await response.aclose()
                return

    def _take(self, frame: Frame) -> None:
        if frame.seq is not None:
            self.gap = self.gap or frame.seq != self.cursor + 1
            self._anywhere = False
            self.cursor = frame.seq
            self._witness(frame.seq, frame.raw)
        elif frame.event["type"] == "MESSAGES_SNAPSHOT":
            self.gap = False
        terminal = frame.event["type"] in ("RUN_FINISHED", "RUN_ERROR")
        if terminal and not (frame.seq is None and frame.event.get("code") == "SHUTTING_DOWN"):
            self.cut = False
        self.held.apply(frame.event)
