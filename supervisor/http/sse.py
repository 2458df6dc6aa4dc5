"""An SSE response that writes ready frames as they come, leaner than a streaming response with a task group."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "text/event-stream; charset=utf-8"
HEADERS = {
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}


class EventStream(Response):
    """Sends byte pieces until the source ends or the client is gone. Runs go on without their readers."""

    def __init__(self, source: AsyncIterator[bytes], content_type: str = MEDIA_TYPE) -> None:
        super().__init__(headers={**HEADERS, "content-type": content_type})
        del self.headers["content-length"]
        self._source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        reader = asyncio.create_task(self._write(send))
        gone = asyncio.create_task(_disconnected(receive))
        try:
            await asyncio.wait([reader, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not reader.done():
                reader.cancel()
        if not reader.cancelled() and reader.done():
            reader.result()

    async def _write(self, send: Send) -> None:
        async for piece in self._source:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
