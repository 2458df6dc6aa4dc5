"""What a peer was sent: ASGI middleware around one agent of a peer, read by tests at `<agent>/seen?context=ID`.

Runs in the environments of the peers, so it knows nothing but the standard library.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

PIECES_BEFORE_CUT = 2


class Recorder:
    """`&await=message` answers once a message of the context was seen, `&await=cancel` once its task was cancelled, and
    `&await=settled` once the agent is done with what it was sent (`settled`, if the agent has a way to say so).
    The stream of a message that says `cut` breaks off.
    """

    def __init__(self, app: Any = None) -> None:
        self.app = app
        self.settled: Callable[[], Awaitable[None]] | None = None
        self._requests: list[dict[str, Any]] = []
        self._cancelled: list[str] = []
        self._changed = asyncio.Condition()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"].endswith("/seen"):
            await self._tell(parse_qs(scope["query_string"].decode(), keep_blank_values=True), send)
        elif scope["type"] == "http" and scope["method"] == "POST":
            body = await body_of(receive)
            message = await self._note(scope, body)
            cut = any(part.get("text") == "cut" for part in message.get("parts", []))
            await self.app(scope, again(body, receive), _cut(send) if cut else send)
        else:
            await self.app(scope, receive, send)

    async def cancelled(self, context_id: str) -> None:
        """Called by an agent whose task was cancelled."""
        async with self._changed:
            self._cancelled.append(context_id)
            self._changed.notify_all()

    async def _note(self, scope: Any, body: bytes) -> dict[str, Any]:
        call = json.loads(body)
        message = call.get("params", {}).get("message", {})
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        async with self._changed:
            self._requests.append(
                {
                    "method": call.get("method"),
                    "context": message.get("contextId") or message.get("context_id"),
                    "version": headers.get("a2a-version"),
                    "key": headers.get("idempotency-key"),
                    "message": message,
                }
            )
            self._changed.notify_all()
        return message

    async def _tell(self, query: dict[str, list[str]], send: Any) -> None:
        (context,) = query["context"]
        awaited = query.get("await", [""])[0]

        def requests() -> list[dict[str, Any]]:
            return [request for request in self._requests if request["context"] == context]

        if awaited == "settled" and self.settled:
            await self.settled()
        async with self._changed:
            if awaited == "message":
                await self._changed.wait_for(requests)
            elif awaited == "cancel":
                await self._changed.wait_for(lambda: context in self._cancelled)
            seen = {"requests": requests(), "cancelled": context in self._cancelled}
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(seen).encode(), "more_body": False})


def _cut(send: Any) -> Any:
    """The network goes away in the middle of a stream. What is no stream comes whole."""
    streamed, pieces = False, 0

    async def sending(event: Any) -> None:
        nonlocal streamed, pieces
        if event["type"] == "http.response.start":
            streamed = any(value.startswith(b"text/event-stream") for _, value in event["headers"])
        elif streamed and event.get("body"):
            pieces += 1
            if pieces > PIECES_BEFORE_CUT:
                raise ConnectionResetError
        await send(event)

    return sending


async def body_of(receive: Any) -> bytes:
    """The whole body of a request."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def again(body: bytes, receive: Any) -> Any:
    """`receive` for whoever comes next: the body once more, then what still comes."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Any:
        return waiting.pop() if waiting else await receive()

    return replayed
