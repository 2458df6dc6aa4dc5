"""Two stub agents in a process of their own, which outlives the supervisors that ask them, and an account of effects.

    python -m tests.e2e.killed.agents PORT

A message has one effect per idempotency key: whoever sends the key again follows the same task from its first event on,
however often the connection was lost. `GET /effects` is the account. The canteen asks back when it is to book.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes.a2a_shapes import Shapes, agent_card
from tests.fakes.a2a_stub import Reply, card

PAUSES = {"canteen": 0.015, "transport": 0.035}
"""Seconds of work before each piece of an answer: one agent is done while the other still works."""
CARDS = {
    "canteen": card("dish_cards", {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}),
    "transport": card("shuttle_cards", {"title": "班车", "items": [{"name": "1 号线", "next_departure": "10:20"}]}),
}
PIECES = {"canteen": ("三食堂", "有", "水煮鱼"), "transport": ("下一班", "10:20")}
SHAPES = Shapes("1.0")


@dataclass
class Effect:
    """What one key set off: its events, in order, and how often it was asked for."""

    agent: str
    key: str
    thread: str
    text: str
    task: str
    asked: int = 0
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    over: bool = False
    more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def happen(self) -> None:
        """Do the work; nobody has to be listening."""
        await self._tell(SHAPES.wrap_task(self.task, self.thread, Reply(state="submitted")))
        if self.text.startswith("book"):
            await self._tell(SHAPES.status(self.task, self.thread, "input-required", "几个人？", Reply()), last=True)
            return
        for place, piece in enumerate(PIECES[self.agent]):
            await asyncio.sleep(PAUSES[self.agent])
            await self._tell(SHAPES.artifact(self.task, self.thread, piece, append=place > 0))
        done = Reply(metadata=CARDS[self.agent])
        await self._tell(SHAPES.status(self.task, self.thread, "completed", "", done), last=True)

    async def follow(self) -> AsyncIterator[dict[str, Any]]:
        """Every event, from the first on."""
        for position in itertools.count():
            async with self.more:
                while position == len(self.events) and not self.over:
                    await self.more.wait()
            if position == len(self.events):
                return
            yield self.events[position]

    async def _tell(self, event: dict[str, Any], *, last: bool = False) -> None:
        async with self.more:
            self.events.append(event)
            self.over = last
            self.more.notify_all()


class Account:
    """All effects of both agents, by agent and key."""

    def __init__(self) -> None:
        self._effects: dict[tuple[str, str], Effect] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._others: list[str] = []

    async def rpc(self, request: Request) -> Response:
        """One JSON-RPC request of A2A 1.0."""
        agent, call = request.path_params["agent"], await request.json()
        if call["method"] != "SendStreamingMessage":
            self._others.append(call["method"])
            return JSONResponse({"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32601, "message": "unknown"}})
        effect = self._effect(agent, request.headers["idempotency-key"], call["params"]["message"])
        effect.asked += 1

        async def body() -> AsyncIterator[bytes]:
            async for event in effect.follow():
                envelope = {"jsonrpc": "2.0", "id": call["id"], "result": event}
                yield b"data: " + json.dumps(envelope).encode() + b"\n\n"

        return StreamingResponse(body(), media_type="text/event-stream")

    async def told(self, _: Request) -> Response:
        """Every effect there was, and every other method that was called."""
        rows = [
            {"agent": e.agent, "key": e.key, "thread": e.thread, "text": e.text, "task": e.task, "asked": e.asked}
            for e in self._effects.values()
        ]
        return JSONResponse({"effects": rows, "others": self._others})

    def _effect(self, agent: str, key: str, message: dict[str, Any]) -> Effect:
        found = self._effects.get((agent, key))
        if found is None:
            text = "".join(part.get("text", "") for part in message["parts"])
            task = message.get("taskId") or f"{agent}-{len(self._effects)}"
            found = self._effects[agent, key] = Effect(agent, key, message["contextId"], text, task)
            work = asyncio.create_task(found.happen())
            self._work.add(work)
            work.add_done_callback(self._work.discard)
        return found


def app(port: int) -> Starlette:
    """Both agents under one address."""
    account = Account()

    async def agent_card_of(request: Request) -> Response:
        name = request.path_params["agent"]
        types = (CARDS[name]["card_template_id"],)
        return JSONResponse(agent_card(name, f"http://127.0.0.1:{port}/{name}", ("1.0",), card_types=types))

    return Starlette(
        routes=[
            Route("/effects", account.told),
            Route("/{agent}/.well-known/agent-card.json", agent_card_of),
            Route("/{agent}/a2a", account.rpc, methods=["POST"]),
        ]
    )


if __name__ == "__main__":
    uvicorn.run(app(int(sys.argv[1])), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
