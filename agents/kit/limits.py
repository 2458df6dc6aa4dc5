"""ASGI middleware that refuses bodies which are too large or no JSON, before anything parses them."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Answers 413 with a JSON-RPC error when a body has more than `max_bytes`, declared or sent."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._declared(scope) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            await self._refuse(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    def _declared(self, scope: Scope) -> int:
        values = [value for name, value in scope["headers"] if name == b"content-length"]
        return int(values[0]) if values and values[0].isdigit() else 0

    async def _read(self, receive: Receive) -> list[Message] | None:
        """The whole body as it came; None once it is over the limit. The callee reads it whole anyway."""
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._max_bytes:
                return None
            if message["type"] != "http.request" or not message.get("more_body", False):
                return messages

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"The request body is larger than {self._max_bytes} bytes."
        await _refusal(413, -32600, text)(scope, receive, send)


class JsonOnly:
    """Answers 415 with a JSON-RPC error when a POST says that its body is something else than JSON."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and not _is_json(scope):
            text = "Send the request as Content-Type: application/json."
            await _refusal(415, -32005, text, reason="CONTENT_TYPE_NOT_SUPPORTED")(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _is_json(scope: Scope) -> bool:
    """True for a request without a type as well: old callers send none."""
    kinds = [value.decode("latin-1") for name, value in scope["headers"] if name == b"content-type"]
    kind = kinds[0].partition(";")[0].strip().lower() if kinds else "application/json"
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _refusal(status: int, code: int, text: str, *, reason: str | None = None) -> JSONResponse:
    error: dict[str, Any] = {"code": code, "message": text}
    if reason:
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"}
        error["data"] = [info]
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status)


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replayed() -> Message:
        for message in waiting:
            return message
        return await receive()

    return replayed
