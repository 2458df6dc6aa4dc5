"""The supervisor as the system under test: its model reads the conventions of the official kit from the question.

A model sees words and no ids, so a middleware puts the id of a message in the place of its words. Nothing of this is in
the supervisor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI
from langchain_core.messages import BaseMessage, ToolMessage

from chat_models import ScriptedChatModel, ToolSpec, Turn
from supervisor.app import create_app
from supervisor.settings import Settings
from tests.fakes.a2a_stub import A2AStub, Reply
from tests.fakes.asgi import StreamingASGITransport
from tests.interop.peers.recorder import again, body_of

Hold = Callable[[], Awaitable[None]]
PREFIXES = ("tck-", "test-resubscribe-message-id")


def model() -> ScriptedChatModel:
    """Asks, has an agent work for a while, or answers, as the latest words of the user say."""
    return ScriptedChatModel(policy=_policy)


def _policy(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
    said = messages[-1].text
    asked_before = sum(isinstance(message, ToolMessage) for message in messages)
    if "tck-input-required" in said:
        return Turn(calls=[("ask_input", {"message": f"Which one? ({asked_before + 1})"})])
    if "test-resubscribe-message-id" in said:
        return Turn(calls=[("call_domain_agent", {"agent": "slow", "query": "Take your time."})])
    return Turn("Generated text content" if "artifact" in said else "Hello from TCK")


class Conventions:
    """ASGI middleware: the words of a message become its id, if that is one of the kit's and the words are not."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            body = _told(await body_of(receive))
            headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
            scope = {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
            receive = again(body, receive)
        await self._app(scope, receive, send)


def _told(body: bytes) -> bytes:
    try:
        call = json.loads(body)
        message = call["params"]["message"]
        (first, *_), message_id = message["parts"], message["messageId"]
        if message_id.startswith(PREFIXES) and not first["text"].startswith(PREFIXES):
            first["text"] = message_id
            return json.dumps(call).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    return body


class _Gate:
    """What a stub agent waits for."""

    def __init__(self, hold: Hold) -> None:
        self.wait = hold


def sut(hold: Hold, **settings: Any) -> FastAPI:
    """The supervisor with one agent, which takes as long as `hold` does."""
    stub = A2AStub()
    gate: Any = _Gate(hold)
    stub.agent("slow", streaming=False).always = Reply("done", gate=gate)
    agents = ",".join(f"{name}={url}" for name, url in stub.addresses().items())
    chosen: dict[str, Any] = {"database": "memory", "flush_window_ms": 0, "agents": agents}
    chosen |= {"model": "tests.interop.sut_supervisor:model", **settings}
    return create_app(Settings(**chosen), StreamingASGITransport(stub))


@asynccontextmanager
async def opened(hold: Hold, **settings: Any) -> AsyncIterator[Conventions]:
    """The same as an open ASGI app that follows the conventions."""
    app = sut(hold, **settings)
    async with app.router.lifespan_context(app):
        yield Conventions(app)


def main() -> None:
    parser = argparse.ArgumentParser(description="The supervisor as the system under test for the official A2A kit.")
    parser.add_argument("--port", type=int, default=9999)
    given = parser.parse_args()
    seconds = 2 * float(os.environ.get("TCK_STREAMING_TIMEOUT", "2")) + 0.5
    app = Conventions(sut(lambda: asyncio.sleep(seconds)))
    uvicorn.run(app, host="127.0.0.1", port=given.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
