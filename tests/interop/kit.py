"""The systems under test in process, asked by the conventions of the official kit."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.fakes.asgi import StreamingASGITransport
from tests.interop import sut_supervisor
from tests.interop.sut import Conventions, Hold, card_at, sut
from tests.unit.agents_kit.harness import V10, lifespan

UNKNOWN = "no-such-task"
URL = "http://sut.test"
Json = dict[str, Any]


class Kit:
    """`release` lets the tasks go on that stay at work."""

    def __init__(self, http: httpx.AsyncClient, release: asyncio.Event) -> None:
        self.http = http
        self.release = release

    async def call(self, method: str, params: Any, headers: Mapping[str, str] = V10) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": "r1", "method": method, "params": params}
        return await self.http.post("/a2a", json=body, headers=dict(headers))

    async def result(self, method: str, params: Any, headers: Mapping[str, str] = V10) -> Json:
        answer = (await self.call(method, params, headers)).json()
        assert "error" not in answer, answer
        return answer["result"]

    async def error(self, method: str, params: Any, headers: Mapping[str, str] = V10) -> Json:
        answer = (await self.call(method, params, headers)).json()
        assert "result" not in answer, answer
        return answer["error"]

    async def task(self, convention: str, text: str = "Hello", **fields: Any) -> Json:
        """The task of a blocking message whose id follows `convention`."""
        return (await self.result("SendMessage", {"message": asked(convention, text, **fields)}))["task"]

    async def at_work(self, **fields: Any) -> Json:
        """A task that goes on until `release` is set."""
        asks = {"message": asked("test-resubscribe-message-id", **fields), "configuration": {"returnImmediately": True}}
        return (await self.result("SendMessage", asks))["task"]

    async def get(self, task: Json, **query: Any) -> Json:
        return await self.result("GetTask", {"id": task["id"], **query})

    async def refused(self, convention: str, **fields: Any) -> int:
        """The number of the error that a message gets."""
        return (await self.error("SendMessage", {"message": asked(convention, **fields)}))["code"]

    @asynccontextmanager
    async def events(self, method: str, params: Any) -> AsyncIterator[AsyncIterator[Json]]:
        """The results of a stream as they come."""
        body = {"jsonrpc": "2.0", "id": "r1", "method": method, "params": params}
        async with self.http.stream("POST", "/a2a", json=body, headers=V10) as response:
            assert response.headers["content-type"].startswith("text/event-stream"), await response.aread()
            yield _results(response)

    async def streamed(self, convention: str, **fields: Any) -> list[Json]:
        """All results of a streaming message."""
        async with self.events("SendStreamingMessage", {"message": asked(convention, **fields)}) as events:
            return [event async for event in events]


async def _results(response: httpx.Response) -> AsyncIterator[Json]:
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            yield json.loads(line.removeprefix("data:"))["result"]


# A supervisor answers every question with a task, in words, and neither signs in nor turns anybody away of itself.
_AGENTS_ONLY = (
    "tck-message-response",
    "tck-reject-task",
    "tck-auth-required",
    "tck-artifact-file",
    "tck-artifact-data",
)


def follows(system: str, convention: str) -> None:
    """Skips the test of a convention that makes no sense for this system."""
    if system == "supervisor" and convention.startswith(_AGENTS_ONLY):
        pytest.skip("a supervisor has no such answer")


def asked(convention: str, text: str = "Hello", **fields: Any) -> Json:
    """A message whose id begins with `convention`."""
    return {"messageId": f"{convention}-{uuid.uuid4().hex}", "role": "ROLE_USER", "parts": [{"text": text}], **fields}


def state_of(event: Json) -> str | None:
    """The state that an event of a stream tells, if it tells one."""
    told = event.get("task") or event.get("statusUpdate") or {}
    return told.get("status", {}).get("state")


@asynccontextmanager
async def running(
    system: str = "agent", *, streaming: bool = True, wrap: Any = None, **handling: Any
) -> AsyncGenerator[Kit]:
    """An agent of the kit or the `supervisor`, which tests of both get as the fixture `system`.

    For an agent, `wrap` puts middleware around the app and `handling` are options of the handler.
    """
    release = asyncio.Event()

    async def hold() -> None:
        await release.wait()

    opened = sut_supervisor.opened(hold) if system == "supervisor" else _agent(hold, streaming, handling)
    async with opened as app:
        transport = StreamingASGITransport(wrap(app) if wrap else app)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as http, asyncio.timeout(30):
            try:
                yield Kit(http, release)
            finally:
                # Nobody is to wait for a task that is still at work.
                release.set()


@asynccontextmanager
async def _agent(hold: Hold, streaming: bool, handling: Json) -> AsyncIterator[Any]:
    card = card_at(URL, ("1.0", "0.3"))
    card.capabilities.streaming = streaming
    app = sut(Conventions(hold), card, **handling)
    async with lifespan(app):
        yield app
