"""An httpx transport that runs an ASGI app in process and delivers each piece of a response as it is sent.

httpx's own ASGITransport hands out a response only when the app has returned, which hides everything about streams.

    async with httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://test") as client:
        async with client.stream("POST", "/agui", json=...) as response:
            async for chunk in response.aiter_bytes():
                ...

Leaving the `stream` block early is a client that disconnects: the app gets `http.disconnect`, goes on running as it
would under a server, and what it sends from then on is dropped. Closing the client cancels apps that still run. An
exception in the app reaches the client as it is: one that raises `httpx.ConnectError` or `httpx.ReadError` plays a
broken network.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import httpx

Message = MutableMapping[str, Any]
ASGIApp = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


class StreamingASGITransport(httpx.AsyncBaseTransport):
    """One app for every host. `client` is the (host, port) that the app sees as its peer."""

    def __init__(self, app: ASGIApp, *, client: tuple[str, int] = ("127.0.0.1", 1)) -> None:
        self._app = app
        self._client = client
        self._running: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        exchange = _Exchange(await request.aread())
        task = asyncio.create_task(exchange.run(self._app, self._scope(request)))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            start = await exchange.next()
        except BaseException:
            exchange.disconnected.set()
            raise
        if start is None:
            raise AssertionError("the app returned without a response")
        headers = start.get("headers", [])
        return httpx.Response(start["status"], headers=headers, stream=_Body(exchange), request=request)

    async def aclose(self) -> None:
        for task in (running := list(self._running)):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _scope(self, request: httpx.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.split(b"?")[0],
            "query_string": url.query,
            "server": (url.host, url.port),
            "client": self._client,
            "root_path": "",
        }


class _Exchange:
    """One request: what the app may receive, and what it has sent."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._sent: asyncio.Queue[Message | Exception | None] = asyncio.Queue()
        self.disconnected = asyncio.Event()

    async def run(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        except Exception as error:
            self._sent.put_nowait(error)
        else:
            self._sent.put_nowait(None)

    async def next(self) -> Message | None:
        """The next message of the app, None after its last. Raises what the app raised."""
        item = await self._sent.get()
        if isinstance(item, Exception):
            raise item
        return item

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.disconnected.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if not self.disconnected.is_set():
            self._sent.put_nowait(message)


class _Body(httpx.AsyncByteStream):
    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._exchange.next()) is not None:
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                return

    async def aclose(self) -> None:
        self._exchange.disconnected.set()
