"""A network that fails: passes HTTP on to one agent and now and then loses, cuts, delays or forges what goes through.

What happens to a request is drawn when it arrives, from dice of its own; `harmed` tells whose messages were touched.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

import httpx

Fault = Literal["none", "late", "refused", "lost", "500", "503", "cut", "half", "stalled", "forged"]

WEIGHTS: dict[Fault, int] = {
    "none": 62,
    "late": 8,  # passed on after a moment, which is no harm
    "refused": 5,  # the connection breaks before anything is passed on
    "lost": 5,  # passed on, and the answer is lost
    "500": 4,
    "503": 4,
    "cut": 4,  # the answer breaks off with the connection
    "half": 3,  # the answer ends in mid-JSON as if it were whole
    "stalled": 3,  # the answer begins, and then nothing comes
    "forged": 2,  # something else answers
}
HARMLESS = ("none", "late")
CARDS_TOO = 10
"""One look at a card of so many fails."""


@dataclass
class Seen:
    """What went through for one Idempotency-Key. `task` is the one that the message goes on with, if any."""

    task: str | None
    faults: list[Fault] = field(default_factory=list[Fault])


class Proxy:
    """The network in front of one agent; `on_request` is told of every request for a method."""

    def __init__(self, agent: str, upstream: str, dice: random.Random, on_request: Callable[[], None]) -> None:
        self.agent = agent
        self.seen: dict[str, Seen] = {}
        self._dice = dice
        self._on_request = on_request
        self._client = httpx.AsyncClient(base_url=upstream, trust_env=False, timeout=60)
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """Where the agent can be asked."""
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Proxy]:
        """Listening."""
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        try:
            yield self
        finally:
            self._server.close()
            await self._client.aclose()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, headers = _parsed(head)
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                if not await self._exchange(line, headers, body, reader, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort()

    async def _exchange(
        self,
        line: list[str],
        headers: dict[str, str],
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """One request. False when the connection is to be broken."""
        fault = self._draw(line[0], headers, body)
        if fault == "refused":
            return False
        if fault in ("500", "503", "forged"):
            return await _answer(writer, fault)
        if fault == "late":
            await asyncio.sleep(self._dice.uniform(0.01, 0.3))
        try:
            return await self._forward(fault, line, headers, body, reader, writer)
        except httpx.HTTPError:
            # The agent has died, or had died and is back: an old connection to it breaks.
            self._note(headers, body, "refused")
            return False

    async def _forward(
        self,
        fault: Fault,
        line: list[str],
        headers: dict[str, str],
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        sent = {k: v for k, v in headers.items() if k not in ("host", "connection", "content-length")}
        async with self._client.stream(line[0], line[1], headers=sent, content=body) as response:
            if fault == "lost":
                await response.aread()
                return False
            limit = self._dice.randint(1, 900) if fault in ("cut", "half", "stalled") else None
            whole = await _pass_on(response, writer, limit)
        if whole:
            return True
        if fault == "half":
            await _chunk(writer, b"")
            return True
        if fault == "stalled":
            # Whoever waits has to give up; then this read ends.
            await reader.read(1)
        return False

    def _draw(self, method: str, headers: dict[str, str], body: bytes) -> Fault:
        if method != "POST":
            return "500" if self._dice.randrange(CARDS_TOO) == 0 else "none"
        self._on_request()
        names = list(WEIGHTS)
        drawn = self._dice.choices(names, [WEIGHTS[n] for n in names])[0]
        self._note(headers, body, drawn)
        return drawn

    def _note(self, headers: dict[str, str], body: bytes, fault: Fault) -> None:
        if key := headers.get("idempotency-key"):
            task = json.loads(body)["params"]["message"].get("taskId")
            self.seen.setdefault(key, Seen(task)).faults.append(fault)

    def harmed(self, key_prefix: str, tasks: Collection[str]) -> bool:
        """Whether a message with such a key, or one to such a task, was touched on its way."""
        found = (s for key, s in self.seen.items() if key.startswith(key_prefix) or s.task in tasks)
        return any(fault not in HARMLESS for seen in found for fault in seen.faults)


def _parsed(head: bytes) -> tuple[list[str], dict[str, str]]:
    line, *lines = head.decode("latin-1").split("\r\n")[:-2]
    pairs = (entry.split(":", 1) for entry in lines)
    return line.split(" "), {name.strip().lower(): value.strip() for name, value in pairs}


async def _answer(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    body = b"<html>gateway</html>" if fault == "forged" else json.dumps({"detail": "overloaded"}).encode()
    status = {"500": "500 Internal Server Error", "503": "503 Service Unavailable"}.get(fault, "200 OK")
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    return True


async def _pass_on(response: httpx.Response, writer: asyncio.StreamWriter, limit: int | None) -> bool:
    """Pass the answer on, up to `limit` bytes of it. True when that was all."""
    kept = {k: v for k, v in response.headers.items() if k not in ("content-length", "transfer-encoding", "connection")}
    lines = "".join(f"{name}: {value}\r\n" for name, value in kept.items())
    writer.write(f"HTTP/1.1 {response.status_code} -\r\n{lines}transfer-encoding: chunked\r\n\r\n".encode())
    count = 0
    async for piece in response.aiter_raw():
        if limit is not None and count + len(piece) >= limit:
            await _chunk(writer, piece[: limit - count])
            return False
        count += len(piece)
        await _chunk(writer, piece)
    await _chunk(writer, b"")
    return True


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))
    with suppress(ConnectionError):
        await writer.drain()
