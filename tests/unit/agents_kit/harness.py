"""A small agent and a JSON-RPC client in process: what the kit's tests and the agents' tests share."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from langchain_core.language_models import BaseChatModel
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.applications import Starlette

from agents.kit.app import build_app
from agents.kit.clock import Clock
from agents.kit.settings import AgentSettings
from agents.kit.spec import AgentSpec, Card, Conversation, Skill
from chat_models import Turn
from tests.fakes.asgi import StreamingASGITransport

V10 = {"A2A-Version": "1.0"}


def stopped(text: str) -> Clock:
    """A campus clock that stands still at an ISO date and time."""
    moment = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    return lambda: moment


def seed(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE words (word TEXT, length INTEGER)")
    db.executemany("INSERT INTO words VALUES (?, ?)", [("tofu", 4), ("汤", 1)])


def server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    made: MCPServer[Any] = MCPServer("words")

    @made.tool()
    async def look(word: str) -> dict[str, Any]:
        """Look a word up."""
        if word == "crash":
            raise RuntimeError("secret=hunter2")
        row = db.execute("SELECT length FROM words WHERE word = ?", (word,)).fetchone()
        if row is None:
            raise ToolError("There is no such word.")
        return {"word": word, "length": row["length"], "at": clock().isoformat()}

    return made


def answer(conversation: Conversation) -> Turn:
    if not conversation.results:
        return Turn(calls=[("look", {"word": conversation.question})])
    result = conversation.results[0]
    if not result.ok:
        return Turn(f"failed: {result.text}")
    return Turn(
        f"{result.data['word']} has {result.data['length']} letters; asked before: {', '.join(conversation.earlier)};"
        f" by {conversation.asker.name} at {conversation.asker.location}"
    )


def build_card(conversation: Conversation, answer: str) -> Card | None:
    result = conversation.result("look")
    if result is None:
        return None
    return Card("message-card", {"text": answer, "items": [{"label": "n", "value": "1"}]}, "info", "a word")


SPEC = AgentSpec(
    name="words",
    description="Knows words.",
    version="0.0.1",
    skills=(Skill("look", "Look up", "Looks a word up.", ("word", "字"), ("what is tofu?",)),),
    card_types=("message-card",),
    system_prompt="You look words up.",
    seed=seed,
    mcp_server=server,
    answer_offline=answer,
    build_card=build_card,
    status=lambda tool, arguments, chinese: (
        f"正在查{arguments['word']}" if chinese else f"looking up {arguments['word']}"
    ),
)


class Rpc:
    """Speaks to an agent as JSON-RPC texts on the wire. `message` makes a 1.0 message."""

    def __init__(self, http: httpx.AsyncClient, app: Starlette) -> None:
        self.http = http
        self.app = app

    async def post(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        path: str = "/a2a",
        headers: Mapping[str, str] = V10,
        status: int = 200,
    ) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": "r1", "method": method, "params": params}
        response = await self.http.post(path, json=body, headers=dict(headers))
        assert response.status_code == status, response.text
        return response.json()

    async def click(self, name: str, context: Any, *, on: str = "message-card", **fields: Any) -> dict[str, Any]:
        """The task of a click in a card of type `on`, as the supervisor passes it on."""
        action = {"name": name, "surfaceId": f"{on}-1", "cardType": on, "context": context}
        parts = [{"text": f"{name}: {json.dumps(context, ensure_ascii=False)}"}, {"data": {"userAction": action}}]
        return await self.send("", **{"parts": parts, **fields})

    async def send(self, text: str, *, headers: Mapping[str, str] | None = None, **fields: Any) -> dict[str, Any]:
        """The task of a blocking `SendMessage`."""
        reply = await self.post("SendMessage", {"message": message(text, **fields)}, headers={**V10, **(headers or {})})
        return reply["result"]["task"]

    async def stream(
        self, method: str, params: Mapping[str, Any], *, headers: Mapping[str, str] = V10
    ) -> list[dict[str, Any]]:
        """The `result`s of an SSE answer, in order."""
        body = {"jsonrpc": "2.0", "id": "r1", "method": method, "params": params}
        async with self.http.stream("POST", "/a2a", json=body, headers=dict(headers)) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            lines = [line async for line in response.aiter_lines()]
        return [json.loads(line.removeprefix("data:"))["result"] for line in lines if line.startswith("data:")]


def message(text: str, **fields: Any) -> dict[str, Any]:
    return {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": [{"text": text}], **fields}


def text_of(task: Mapping[str, Any]) -> str:
    """The answer: the texts of the task's artifacts."""
    return "".join(part["text"] for artifact in task["artifacts"] for part in artifact["parts"])


@asynccontextmanager
async def running(
    spec: AgentSpec = SPEC,
    *,
    now: str = "2026-12-01T10:30",
    model: BaseChatModel | None = None,
    settings: AgentSettings | None = None,
) -> AsyncGenerator[Rpc]:
    """The agent's app with its lifespan, and a client for it. May be entered by a fixture."""
    app = build_app(spec, settings or AgentSettings(), clock=stopped(now), model=model)
    async with (
        lifespan(app),
        httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://agent") as http,
    ):
        yield Rpc(http, app)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncGenerator[None]:
    """The app's lifespan in a task of its own, as a server runs it: cancel scopes have to end where they began."""
    started, stop = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            started.set()
            await stop.wait()

    task = asyncio.create_task(live())
    waiting = asyncio.create_task(started.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        await task
    try:
        yield
    finally:
        stop.set()
        await task
