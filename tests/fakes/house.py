"""The whole supervisor in process: real app, real graph, real A2A client, scripted model, stub agents over ASGI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI

from supervisor.app import create_app
from supervisor.settings import Settings
from tests.fakes.agui import Frame, parse, run_input
from tests.fakes.asgi import StreamingASGITransport

BASE = "http://supervisor.test"


class House:
    """An open supervisor; `post` gives the response, `turn` the frames of a run."""

    def __init__(self, app: FastAPI, client: httpx.AsyncClient) -> None:
        self.app = app
        self.client = client

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """POST JSON; header names are written with underscores."""
        return await self.client.post(path, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    async def turn(self, question: str, **more: Any) -> list[Frame]:
        """Frames of one turn."""
        response = await self.post("/agui", run_input(question, **more))
        assert response.status_code == 200, response.text
        return parse(response.content)

    async def snapshot(self, thread: str = "t") -> list[dict[str, Any]]:
        """The messages that `connect` restores."""
        response = await self.post("/agui/connect", run_input(None, thread=thread, run="connect"))
        frames = parse(response.content)
        return next(f.event["messages"] for f in frames if f.event["type"] == "MESSAGES_SNAPSHOT")


@asynccontextmanager
async def open_house(stub: Any = None, **settings: Any) -> AsyncIterator[House]:
    """The supervisor with `settings`; `stub` is an ASGI app that stands for every agent's host."""
    transport = StreamingASGITransport(stub) if stub is not None else None
    chosen = Settings(**{"database": "memory", "flush_window_ms": 0, **settings})
    app = create_app(chosen, transport)
    async with app.router.lifespan_context(app):
        inside = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=inside, base_url=BASE) as client:
            yield House(app, client)
