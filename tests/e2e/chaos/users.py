"""Users who ask, answer what they are asked, and come back with their last id whenever the connection breaks."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from contracts.interrupts import choices
from tests.e2e.chaos.deck import Service
from tests.fakes.agui import TERMINAL, Frame, parse, run_input

QUESTIONS = (
    "推荐几道辣的菜",
    "哪个食堂现在最不挤？",
    "下一班去图书馆的校车几点？",
    "从南门怎么去图书馆",
    "哪个食堂现在最不挤？下一班去图书馆的校车几点？",
    "recommend some spicy dishes",
    "which canteen is least crowded now and when is the next shuttle to the library?",
    "订二食堂的午餐，3个人",
    "book dinner at canteen two",
)
PATIENCE = 90
"""Seconds after which a run that does not end is a failure."""

Event = dict[str, Any]


@dataclass
class Played:
    """One run as its user saw it."""

    thread: str
    run: str
    asked: str
    frames: list[Frame]
    begin: float
    end: float = field(default_factory=time.monotonic)

    @property
    def events(self) -> list[Event]:
        """What was read."""
        return [frame.event for frame in self.frames]

    def legs(self) -> Iterator[tuple[str, str, str, str | None]]:
        """(agent, id, status, error) of every call to an agent that ended in this run; of repeated ones the last."""
        names: dict[str, str] = {}
        found: dict[str, tuple[str, str, str, str | None]] = {}
        for event in self.events:
            value = event.get("value") or {}
            if event.get("name") == "subagent-start":
                names[value["subagentId"]] = value["subagentType"]
            elif event.get("name") == "subagent-end":
                name = value["subagentId"]
                found[name] = names[name], name, value["status"], value.get("errorCode")
        yield from found.values()


class User:
    """One thread after the other; a thread is left for a new one now and then."""

    def __init__(self, name: str, supervisor: Service, dice: random.Random) -> None:
        self._name = name
        self._supervisor = supervisor
        self._dice = dice
        self._count = 0
        self._client = httpx.AsyncClient(base_url=supervisor.url, trust_env=False, timeout=PATIENCE)

    async def play(self, turns: int) -> AsyncIterator[Played]:
        """Runs, at least `turns` of them, the answers to questions included."""
        async with self._client:
            thread = ""
            while self._count < turns:
                if not thread or self._dice.random() < 0.2:
                    thread = f"{self._name}-{self._count}"
                played = await self._run(thread, self._dice.choice(QUESTIONS))
                yield played
                while questions := played.events[-1].get("outcome", {}).get("interrupts"):
                    played = await self._run(thread, None, [self._answer(question) for question in questions])
                    yield played

    def _answer(self, question: Event) -> Event:
        payload, entry = question["metadata"], {"interruptId": question["id"]}
        if self._dice.random() < 0.1:
            return {**entry, "status": "cancelled"}
        answers: dict[str, Any] = {
            "select": lambda: {"value": self._dice.choice(choices(payload))},
            "approval": lambda: {"approved": self._dice.random() < 0.8},
            "input": lambda: {"value": "12:30"},
        }
        return {**entry, "status": "resolved", "payload": answers[payload["type"]]()}

    async def _run(self, thread: str, text: str | None, resume: list[Event] | None = None) -> Played:
        self._count += 1
        name = f"{self._name}-{self._count}"
        more = {"resume": resume} if resume else {}
        body = run_input(text, thread=thread, run=name, message=f"m-{name}", **more)
        begin = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            frames = await self._until_ended(body)
        return Played(thread, name, text or str(resume), frames, begin)

    async def _until_ended(self, body: Event) -> list[Frame]:
        """The frames of a run, however often its stream breaks off."""
        read = b""
        while True:
            frames = parse(read)
            if frames and frames[-1].event["type"] in TERMINAL and frames[-1].seq is not None:
                return frames
            # What has no number is not on record: a process that goes down says so, and the next one goes on.
            read = b"".join(frame.raw for frame in frames if frame.seq is not None)
            seen = [frame.seq for frame in frames if frame.seq is not None]
            read += await self._more(body, {"last-event-id": str(seen[-1])} if seen else {})

    async def _more(self, body: Event, headers: dict[str, str]) -> bytes:
        await self._supervisor.up.wait()
        read = b""
        try:
            async with self._client.stream("POST", "/agui", json=body, headers=headers) as response:
                if response.status_code != 200:
                    problem = await response.aread()
                    assert response.status_code == 503, problem
                    return b""
                async for piece in response.aiter_raw():
                    read += piece
        except httpx.HTTPError:
            # The process may be dead and nobody know it yet: the next attempt tells.
            await asyncio.sleep(0.05)
        return read[: read.rfind(b"\n\n") + 2] if b"\n\n" in read else b""
