"""Both agents and the supervisor as processes that can be killed and come back at the same place with the same data."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.e2e.processes import ROOT, clean_environment, free_port

SECONDS = 90


@dataclass
class Outage:
    """A kill until the process answered again, in monotonic seconds."""

    begin: float
    end: float = float("inf")


@dataclass
class Service:
    """One process after the other on the same port."""

    name: str
    arguments: Sequence[str]
    env: Mapping[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    up: asyncio.Event = field(default_factory=asyncio.Event)
    outages: list[Outage] = field(default_factory=list[Outage])
    process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait until it answers."""
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, *self.arguments, "--port", str(self.port), cwd=ROOT, env=clean_environment(**self.env),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        async with asyncio.timeout(SECONDS), httpx.AsyncClient(trust_env=False) as client:
            while not await _answers(client, self.url + "/healthz"):
                assert self.process.returncode is None, f"{self.name} has ended:\n{self.log.read_text()}"
                await asyncio.sleep(0.05)
        self.up.set()

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        assert self.process is not None
        self.up.clear()
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def die_and_rise(self) -> None:
        """Another process in its place."""
        if not self.up.is_set():
            return
        self.outages.append(Outage(time.monotonic()))
        await self.kill()
        await self.start()
        self.outages[-1].end = time.monotonic()

    def was_down(self, begin: float, end: float) -> bool:
        """Whether it was killed or not back at some moment in between."""
        return any(outage.begin < end and outage.end > begin for outage in self.outages)


@dataclass(frozen=True)
class Deck:
    """The deployment."""

    agents: Mapping[str, Service]
    supervisor: Service


@asynccontextmanager
async def agents(folder: Path, *names: str, **settings: str) -> AsyncIterator[dict[str, Service]]:
    """Agents with their tasks in SQLite, ready."""
    found = {
        name: Service(
            name,
            ["-m", f"agents.{name}"],
            {
                "DATABASE": f"sqlite:{folder / f'{name}-tasks.db'}",
                "DATA_DIR": str(folder / f"{name}-data"),
                **settings,
            },
            folder / f"{name}.log",
        )
        for name in names
    }
    try:
        await asyncio.gather(*(service.start() for service in found.values()))
        yield found
    finally:
        await asyncio.gather(*(service.kill() for service in found.values() if service.process))


@asynccontextmanager
async def supervisor(folder: Path, places: Mapping[str, str], **settings: str) -> AsyncIterator[Service]:
    """A supervisor with everything in SQLite, ready."""
    env = {
        "AGENTS": ",".join(f"{name}={url}" for name, url in places.items()),
        "DATABASE": f"sqlite:{folder / 'switchboard.db'}",
        **settings,
    }
    service = Service("supervisor", ["-m", "supervisor.cli", "serve"], env, folder / "supervisor.log")
    try:
        await service.start()
        yield service
    finally:
        await service.kill()


async def _answers(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == 200
    except httpx.HTTPError:
        return False
