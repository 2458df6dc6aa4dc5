"""A real server process that is told to stop, or dies, with runs under way; and the next one that goes on with them."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from tests.e2e.processes import ROOT, Running, clean_environment, free_port, running
from tests.fakes.a2a_stub import A2AStub, Reply, StubAgent
from tests.fakes.agui import TERMINAL, Frame, parse, run_input, text_of

pytestmark = pytest.mark.e2e

SKILL = {"id": "dishes", "name": "dishes", "description": "dishes", "tags": ["菜"], "examples": []}


class _Quiet(uvicorn.Server):
    """Leaves signals to the tests and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    def capture_signals(self) -> Any:
        return nullcontext()

    async def startup(self, *args: Any, **kwargs: Any) -> None:
        await super().startup(*args, **kwargs)
        self.ready.set()


@asynccontextmanager
async def canteen() -> AsyncIterator[StubAgent]:
    """An agent on a real socket, in this process."""
    port = free_port()
    stub = A2AStub(f"http://127.0.0.1:{port}")
    agent = stub.agent("canteen", skills=[SKILL])
    server = _Quiet(uvicorn.Config(stub, port=port, log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve())
    await server.ready.wait()
    try:
        yield agent
    finally:
        server.should_exit = server.force_exit = True
        await serving


class Server:
    """`switchboard serve` over one database, as often as it is started."""

    def __init__(self, agent: StubAgent, folder: Path, **settings: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self._folder = folder
        self._env = clean_environment(
            AGENTS=f"canteen={agent.url}", DATABASE=f"sqlite:{folder / 'switchboard.db'}", MODEL="offline",
            PORT=self.url.rpartition(":")[2], **settings,
        )  # fmt: skip

    @contextmanager
    def started(self) -> Iterator[Running]:
        """A process that is ready, or is about to be: await `ready`."""
        command = [sys.executable, "-c", "from supervisor.cli import main; main()", "serve"]
        with running(command, self._folder / "log", cwd=ROOT, env=self._env) as process:
            yield process

    async def ready(self, process: Running) -> None:
        """Returns when the process answers."""
        await asyncio.to_thread(process.until_ok, f"{self.url}/healthz")

    async def open(self, path: str, body: Any) -> asyncio.Task[list[Frame]]:
        """A stream that has begun; the task gives its frames, to its end."""
        begun = asyncio.Event()

        async def read() -> list[Frame]:
            async with (
                httpx.AsyncClient(trust_env=False, timeout=60) as client,
                client.stream("POST", f"{self.url}{path}", json=body) as response,
            ):
                begun.set()
                return parse(await response.aread())

        reading = asyncio.create_task(read())
        await begun.wait()
        return reading

    async def ask(self, thread: str) -> asyncio.Task[list[Frame]]:
        """Start a run."""
        return await self.open("/agui", run_input("推荐几道菜", thread=thread, run=f"run-{thread}"))

    async def connect(self, thread: str) -> asyncio.Task[list[Frame]]:
        """Refresh."""
        return await self.open("/agui/connect", run_input(None, thread=thread, run="refresh"))

    async def refuses(self) -> bool:
        """Whether new runs are turned away."""
        try:
            async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
                response = await client.post(f"{self.url}/agui", json=run_input("x", thread="late"))
        except httpx.TransportError:
            return True
        return response.status_code == 503


def last(frames: list[Frame]) -> tuple[str, str | None, bool]:
    """Type, code and whether the last frame of a stream is in the journal."""
    return frames[-1].event["type"], frames[-1].event.get("code"), frames[-1].seq is not None


def said(frames: list[Frame]) -> str:
    """Streamed and restated assistant text."""
    found = [frame.event for frame in frames]
    held = [m.get("content") or "" for e in found for m in e.get("messages", ()) if m["role"] == "assistant"]
    return "".join(held) + text_of(found)


@pytest.mark.requirement("SHUT-01", "SB-RUN-03", "SB-DUR-04", "SB-DUR-05", "SB-DUR-06")
async def test_shut_01_a_signal_with_open_streams_ends_them_whole_and_the_next_process_goes_on(tmp_path: Path) -> None:
    async with canteen() as agent:
        server = Server(agent, tmp_path, DRAIN_SECONDS="4")
        finishes = asyncio.Event()
        agent.replies += [Reply("清蒸鱼", gate=finishes), *(Reply("never", gate=asyncio.Event()) for _ in "bc")]
        with server.started() as process:
            await server.ready(process)
            streams: dict[str, asyncio.Task[list[Frame]]] = {}
            for count, thread in enumerate("abc", 1):
                streams[thread] = await server.ask(thread)
                await agent.received(count)
            tails = [await server.connect(thread) for thread in "ab"]
            process.process.send_signal(signal.SIGTERM)
            while not await server.refuses():
                pass
            finishes.set()
            frames = {thread: await stream for thread, stream in streams.items()}
            tailed = [await tail for tail in tails]
            assert await asyncio.to_thread(process.process.wait, 20) == 0, process.output()
        assert last(frames["a"]) == ("RUN_FINISHED", None, True)
        assert said(frames["a"]) == "清蒸鱼"
        for ended in (frames["b"], frames["c"], tailed[1]):
            assert last(ended) == ("RUN_ERROR", "SHUTTING_DOWN", False)
        assert last(tailed[0])[0] == "RUN_FINISHED"
        agent.always = Reply("麻婆豆腐")
        with server.started() as process:
            await server.ready(process)
            again = {thread: await (await server.connect(thread)) for thread in "abc"}
            assert {thread: last(found)[0] for thread, found in again.items()} == dict.fromkeys("abc", "RUN_FINISHED")
            assert "清蒸鱼" in said(again["a"])
            assert all("麻婆豆腐" in said(again[thread]) for thread in "bc")
            assert process.end() == 0
        assert len(agent.sends) == 5
        keys = [sent.headers["idempotency-key"] for sent in agent.sends]
        assert sorted(keys[3:]) == sorted(keys[1:3])
        assert not agent.cancelled


@pytest.mark.requirement("SB-DUR-05", "SB-DUR-06", "SB-DUR-15")
async def test_a_process_that_is_killed_loses_no_frame_and_no_run(tmp_path: Path) -> None:
    async with canteen() as agent:
        server = Server(agent, tmp_path)
        agent.replies.append(Reply("never", gate=asyncio.Event()))
        seen: list[bytes] = []
        with server.started() as process:
            await server.ready(process)
            async with (
                httpx.AsyncClient(trust_env=False, timeout=60) as client,
                client.stream("POST", f"{server.url}/agui", json=run_input("推荐几道菜", thread="t")) as response,
            ):
                async for piece in response.aiter_raw():
                    seen.append(piece)
                    if b"SUBAGENT_STARTED" in b"".join(seen):
                        break
            await agent.received()
            process.process.kill()
            await asyncio.to_thread(process.process.wait, 20)
        agent.always = Reply("麻婆豆腐")
        with server.started() as process:
            await server.ready(process)
            assert "麻婆豆腐" in said(await (await server.connect("t")))
            async with httpx.AsyncClient(trust_env=False) as client:
                journal = (await client.get(f"{server.url}/agui/threads/t/events")).content
            assert process.end() == 0
        assert journal.startswith(b"".join(seen))
        kinds = [frame.event["type"] for frame in parse(journal)]
        assert [kind for kind in kinds if kind in TERMINAL] == ["RUN_FINISHED"] == kinds[-1:]
        first, second = agent.sends
        assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
