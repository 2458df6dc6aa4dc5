"""One supervisor after the other on the same database and port: started, read from, killed with SIGKILL."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.processes import ROOT, clean_environment, free_port, running
from tests.fakes.agui import run_input

SECONDS = 30
"""Within this time everything that a test waits for has to happen."""
NOT_YET, HEADERS = -1, 0
"""What was read before a kill, where it was no frame: the request was sent, or the answer had begun."""

Body = dict[str, Any]


class Nursery:
    """Starts supervisors fast (see `nursery.py`)."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lock = asyncio.Lock()

    async def start(self, env: Mapping[str, str], log: Path) -> int:
        """The id of a new process."""
        assert self._process.stdin is not None
        async with self._lock:
            self._process.stdin.write(json.dumps({"env": dict(env), "log": str(log)}).encode() + b"\n")
            return int(await self.line())

    async def line(self) -> bytes:
        """What the nursery says next."""
        assert self._process.stdout is not None
        async with asyncio.timeout(3 * SECONDS):
            found = await self._process.stdout.readline()
        assert found, "the nursery has ended"
        return found


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery that is ready. Its children end with it only if they were killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.e2e.killed.nursery", cwd=ROOT, env=clean_environment(),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    opened = Nursery(process)
    try:
        assert await opened.line() == b"ready\n"
        yield opened
    finally:
        process.kill()
        await process.wait()


@dataclass(frozen=True)
class Agents:
    """The stub agents: where they are and what they did."""

    port: int
    client: httpx.AsyncClient

    @property
    def setting(self) -> str:
        """The setting AGENTS."""
        return ",".join(f"{name}=http://127.0.0.1:{self.port}/{name}" for name in ("canteen", "transport"))

    async def account(self) -> Body:
        """Every effect, and every other method that was called."""
        return (await self.client.get(f"http://127.0.0.1:{self.port}/effects")).raise_for_status().json()


@asynccontextmanager
async def agents(folder: Path) -> AsyncIterator[Agents]:
    """Stub agents that are ready."""
    port = free_port()
    command = [sys.executable, "-m", "tests.e2e.killed.agents", str(port)]
    with running(command, folder / "agents.log", cwd=ROOT, env=clean_environment()) as process:
        await asyncio.to_thread(process.until_ok, f"http://127.0.0.1:{port}/effects")
        async with httpx.AsyncClient(trust_env=False, timeout=SECONDS) as client:
            yield Agents(port, client)


class Lane:
    """A database, a port, and at most one supervisor process at a time."""

    def __init__(
        self, folder: Path, agents_setting: str, home: Nursery, *, model: str = "tests.e2e.killed.model:factory"
    ) -> None:
        folder.mkdir()
        self.database = folder / "switchboard.db"
        self.log = folder / "log"
        self._home = home
        self._port = free_port()
        self._env = {
            "PORT": str(self._port),
            "DATABASE": f"sqlite:{self.database}",
            "AGENTS": agents_setting,
            "MODEL": model,
            "FLUSH_WINDOW_MS": "1",
        }
        self._pid = 0
        self.url = f"http://127.0.0.1:{self._port}"
        self._client = httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=SECONDS)

    async def start(self) -> None:
        """Start a supervisor and wait until it takes requests."""
        self._pid = await self._home.start(self._env, self.log)
        async with asyncio.timeout(SECONDS):
            while not await self._ready():
                assert _alive(self._pid), f"it has ended:\n{self.log.read_text()}"
                await asyncio.sleep(0.01)

    async def kill(self) -> None:
        """SIGKILL, and wait until the process is gone."""
        gone = asyncio.get_running_loop().create_future()
        watched = os.pidfd_open(self._pid)
        loop = asyncio.get_running_loop()
        loop.add_reader(watched, lambda: gone.done() or gone.set_result(None))
        try:
            os.kill(self._pid, signal.SIGKILL)
            async with asyncio.timeout(SECONDS):
                await gone
        finally:
            loop.remove_reader(watched)
            os.close(watched)

    async def aclose(self) -> None:
        """Kill what is left."""
        if self._pid and _alive(self._pid):
            await self.kill()
        await self._client.aclose()

    async def killed_after(self, body: Body, frames: int, held: bytes) -> bytes:
        """What a client had read of a stream when it had `frames` more frames and the supervisor was killed."""
        if frames == NOT_YET:
            return await self._killed_when_asked(body)
        read = b""
        async with self._client.stream("POST", "/agui", json=body, headers=_after(held)) as response:
            assert response.status_code == 200, await response.aread()
            if frames > HEADERS:
                async for piece in response.aiter_raw():
                    read += piece
                    if _count(read) >= frames:
                        break
            await self.kill()
        return _first(read, frames)

    async def answer(self, body: Body, held: bytes = b"") -> bytes:
        """The rest of a stream."""
        response = await self._client.post("/agui", json=body, headers=_after(held))
        assert response.status_code == 200, response.text
        return response.content

    async def pieces(self, body: Body) -> AsyncIterator[bytes]:
        """A stream as it comes."""
        async with self._client.stream("POST", "/agui", json=body) as response:
            assert response.status_code == 200, await response.aread()
            async for piece in response.aiter_raw():
                yield piece

    async def connect(self, thread: str) -> bytes:
        """A refresh."""
        body = run_input(None, thread=thread, run="refresh")
        return (await self._client.post("/agui/connect", json=body)).raise_for_status().content

    async def journal(self, thread: str) -> bytes:
        """Everything on record."""
        return (await self._client.get(f"/agui/threads/{thread}/events")).raise_for_status().content

    async def _killed_when_asked(self, body: Body) -> bytes:
        async def watch(event: str, _: Body) -> None:
            if event == "http11.send_request_body.complete":
                sent.set()

        sent = asyncio.Event()
        request = self._client.build_request("POST", "/agui", json=body, extensions={"trace": watch})
        asking = asyncio.create_task(self._client.send(request))
        await sent.wait()
        await self.kill()
        await asyncio.gather(asking, return_exceptions=True)
        return b""

    async def _ready(self) -> bool:
        try:
            return (await self._client.get("/readyz")).status_code == 200
        except httpx.HTTPError:
            return False


def last_id(frames: bytes) -> str | None:
    """The id of the last frame that has one."""
    ids = [line[4:] for line in frames.split(b"\n") if line.startswith(b"id: ")]
    return ids[-1].decode() if ids else None


def _after(held: bytes) -> dict[str, str]:
    found = last_id(held)
    return {"Last-Event-ID": found} if found else {}


def _frames(read: bytes) -> Sequence[bytes]:
    return [block + b"\n\n" for block in read.split(b"\n\n")[:-1]]


def _count(read: bytes) -> int:
    return sum(not frame.startswith(b":") for frame in _frames(read))


def _first(read: bytes, count: int) -> bytes:
    return b"".join([frame for frame in _frames(read) if not frame.startswith(b":")][:count])


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
