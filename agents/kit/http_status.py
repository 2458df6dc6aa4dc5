"""The HTTP status of a JSON-RPC error where 200, which the SDK always answers, says too little to whoever retries."""

from __future__ import annotations

from contextvars import ContextVar

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_response: ContextVar[dict[str, int]] = ContextVar("switchboard_agent_response")


def answer_with(status: int, *, retry_after: int | None = None) -> None:
    """Give the response of the current request this status, if it has not begun."""
    response = _response.get(None)
    if response is not None:
        response["status"] = status
        response["retry_after"] = retry_after or 0


class HttpStatus:
    """ASGI middleware that lets `answer_with` work."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response: dict[str, int] = {}

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and "status" in response:
                message["status"] = response["status"]
                if response["retry_after"]:
                    MutableHeaders(scope=message)["Retry-After"] = str(response["retry_after"])
            await send(message)

        token = _response.set(response)
        try:
            await self._app(scope, receive, sending)
        finally:
            _response.reset(token)
