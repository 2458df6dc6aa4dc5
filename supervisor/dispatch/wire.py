"""One JSON-RPC exchange over HTTP: deadlines, size cap, content types, lost replies.

Knows no A2A beyond the envelope.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from functools import lru_cache
from typing import Any, cast

import aiohttp
import httpx
import orjson

from supervisor.dispatch.failures import CallFailed, Retry
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.sse import SseParser

Take = Callable[[dict[str, Any]], bool]
"""Reads one JSON-RPC response; True when nothing more is needed."""

# A finished stream is read to its end for this long, so that the connection can be used again.
_DRAIN_SECONDS = 0.1
_MAX_ERROR_BODY = 64 * 1024
_RETRYABLE_STATUS = (502, 503, 504)


class Wire:
    """Sends requests through the shared client. Raises CallFailed, and nothing else but cancellation."""

    def __init__(self, client: httpx.AsyncClient, settings: DispatchSettings) -> None:
        self._client = client
        self._settings = settings

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, take: Take, *, first_byte: float | None = None
    ) -> None:
        """POSTs `body` and gives each JSON-RPC response of the answer to `take`, be it one document or a stream of
        events.

        `first_byte`: seconds until a stream must begin, or a document be complete; None for no limit but the caller's.
        """
        progress = _Received()
        try:
            async with asyncio.timeout(first_byte) as deadline:
                request = self._client.build_request("POST", _parsed(url), headers=headers, content=body)
                response = await self._client.send(request, stream=True)
                try:
                    await self._read(response, take, deadline, progress)
                finally:
                    with suppress(httpx.HTTPError, aiohttp.ClientError):
                        await response.aclose()
        except TimeoutError:
            raise CallFailed("timeout", lost=True) from None
        except (httpx.DecodingError, aiohttp.ClientResponseError, httpx.InvalidURL):
            raise CallFailed("bad_response") from None
        except (httpx.TransportError, aiohttp.ClientError, OSError) as error:
            raise _lost(error, streamed=progress.streamed) from None

    async def _read(self, response: httpx.Response, take: Take, deadline: asyncio.Timeout, seen: _Received) -> None:
        if response.status_code >= 300:
            raise await self._refused(response)
        if _content_type(response) == "text/event-stream":
            await self._read_events(response, take, deadline, seen)
        elif _is_json(response):
            take(_envelope(await read_body(response, self._settings.max_response_bytes)))
        else:
            raise CallFailed("bad_response")

    async def _read_events(
        self, response: httpx.Response, take: Take, deadline: asyncio.Timeout, seen: _Received
    ) -> None:
        loop = asyncio.get_running_loop()
        parser = SseParser()
        async with aclosing(cast(Any, _chunks(response, self._settings.max_response_bytes))) as chunks:
            async for chunk in chunks:
                seen.streamed = True
                deadline.reschedule(loop.time() + self._settings.idle_timeout)
                for payload in parser.feed(chunk):
                    if take(_envelope(payload)):
                        await _drain(chunks)
                        return
        if not seen.streamed:
            raise CallFailed("bad_response", retry="idempotent", lost=True)

    async def _refused(self, response: httpx.Response) -> CallFailed:
        """The failure of a status that is no success. Redirects are among them: they are never followed."""
        status = response.status_code
        if status in (401, 403):
            return CallFailed("unauthorized")
        rpc: int | None = None
        if _is_json(response):
            with suppress(CallFailed):
                rpc = error_code(_envelope(await read_body(response, _MAX_ERROR_BODY)))
        # Who answers 429 has not looked at the request.
        retry: Retry = "safe" if status == 429 else "idempotent" if status in _RETRYABLE_STATUS else "never"
        return CallFailed(f"http_{status}", retry=retry, rpc=rpc, retry_after=_retry_after(response))


def _retry_after(response: httpx.Response) -> float:
    """Seconds. A date is not read: agents' clocks are not ours."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() and len(value) < 7 else 0.0


class _Received:
    """How far an exchange came: `streamed` once a byte of an event stream was read."""

    def __init__(self) -> None:
        self.streamed = False


@lru_cache(maxsize=1024)
def _parsed(url: str) -> httpx.URL:
    return httpx.URL(url)


def error_code(envelope: Mapping[str, Any]) -> int | None:
    """The code of a JSON-RPC error response, None for a result. An error without a proper code counts as internal."""
    error = envelope.get("error")
    if error is None:
        return None
    code = cast(dict[str, Any], error).get("code") if isinstance(error, dict) else None
    return code if type(code) is int else -32603


def _envelope(payload: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(payload)
    except orjson.JSONDecodeError:
        raise CallFailed("bad_response") from None
    if not isinstance(value, dict):
        raise CallFailed("bad_response")
    return cast(dict[str, Any], value)


def _content_type(response: httpx.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_json(response: httpx.Response) -> bool:
    kind = _content_type(response)
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _chunks(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    size = 0
    async with aclosing(cast(Any, response.aiter_bytes())) as chunks:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise CallFailed("too_large")
            yield chunk


async def read_body(response: httpx.Response, limit: int) -> bytes:
    """The body of an open response. Raises CallFailed `too_large` beyond `limit` bytes and reads no further."""
    return b"".join([chunk async for chunk in _chunks(response, limit)])


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError, CallFailed, httpx.HTTPError, aiohttp.ClientError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass


def _lost(error: Exception, *, streamed: bool) -> CallFailed:
    never_sent = not streamed and _never_sent(error)
    return CallFailed("unreachable", retry="safe" if never_sent else "idempotent", lost=True)


def _never_sent(error: Exception) -> bool:
    """True when no byte of the request can have left.

    The aiohttp transport calls a connection that died under a request `ConnectTimeout` as well; its cause tells
    them apart.
    """
    if not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return False
    cause = error.__cause__
    if not isinstance(cause, aiohttp.ClientError):
        return True
    return isinstance(cause, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError))
