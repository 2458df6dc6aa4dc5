"""The supervisor as a process that can end in two ways: asked to stop, or dead from one moment to the next.

A dead process writes nothing, calls nobody and runs no shutdown code. Here death shuts its ways to the disk and to the
agents (`Life.through`), then its tasks are dropped and its connections cut, which rolls back what was not committed.
The fuse chooses the moment: it burns down with every write and every call, before and after each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

import httpx
import pytest

from supervisor import app as composition
from supervisor.app import create_app
from supervisor.extensions import Extensions
from supervisor.journal.database import Database
from supervisor.runs.manager import RunManager
from supervisor.settings import Settings
from tests.fakes.asgi import StreamingASGITransport

T = TypeVar("T")

_life: ContextVar[Life | None] = ContextVar("life", default=None)


class Dead(BaseException):
    """What code of a dead process meets wherever it touches the world. No handler of `Exception` may see it."""


class Cut(Exception):
    """The connection broke because the process died."""


class Life:
    """What belongs to one process: its tasks, databases and shutdown hooks."""

    def __init__(self) -> None:
        self.dead = asyncio.Event()
        self.fuse: int | None = None
        self.tasks: set[asyncio.Task[Any]] = set()
        self.stores: list[Database] = []
        self.hooks: list[AsyncExitStack] = []

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Tasks that are made in here are this process's."""
        token = _life.set(self)
        try:
            yield
        finally:
            _life.reset(token)

    def own(self, task: asyncio.Task[Any]) -> None:
        """Count a task to this process until it has ended."""
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and isinstance(task.exception(), Dead):
            return  # Nobody is left who could ask for it.

    async def through(self, call: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any) -> T:
        """A write or a call to an agent, unless the process dies just before, or just after."""
        self._burn()
        result = await call(*args, **kwargs)
        self._burn()
        return result

    def _burn(self) -> None:
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse <= 0:
                self.dead.set()
        if self.dead.is_set():
            raise Dead

    async def bury(self) -> None:
        """Drop everything without a word."""
        self.dead.set()
        with self.inside():
            for stack in list(self.hooks):
                stack.pop_all()
        while tasks := [task for task in self.tasks if not task.done()]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for store in self.stores:
            # What it had not committed is rolled back.
            store._worker.shutdown()
            store.connection.close()


class _Hooks(AsyncExitStack):
    def __init__(self) -> None:
        super().__init__()
        _living().hooks.append(self)


class _Front(StreamingASGITransport):
    """Requests of clients: what they start belongs to the process."""

    def __init__(self, life: Life, app: Any) -> None:
        super().__init__(app)
        self._life = life

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        with self._life.inside():
            return await super().handle_async_request(request)

    async def finished(self) -> None:
        """Returns when every request has been answered to its end."""
        while self._running:
            await asyncio.wait(self._running)


class _Back(StreamingASGITransport):
    """Requests to the agents: what they start is the agents'."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        life = _living()
        token = _life.set(None)
        try:
            return await life.through(super().handle_async_request, request)
        finally:
            _life.reset(token)


def _living() -> Life:
    life = _life.get()
    assert life is not None, "this is the code of no process"
    return life


def install(patch: pytest.MonkeyPatch) -> None:
    """Make processes mortal, for the test of `patch`. The check of the catalogue is left out: it is no part of this."""
    patch.setattr(Database, "__init__", _born(Database.__init__))
    patch.setattr(Database, "run", _mortal(Database.run))
    patch.setattr(composition, "AsyncExitStack", _Hooks)
    patch.setattr(composition, "check", lambda _: None)


def _born(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def initialised(store: Any, *args: Any, **kwargs: Any) -> None:
        init(store, *args, **kwargs)
        store.life = _living()
        store.life.stores.append(store)

    return initialised


def _mortal(way: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(way)
    async def guarded(store: Any, *args: Any, **kwargs: Any) -> Any:
        return await store.life.through(way, store, *args, **kwargs)

    return guarded


def own_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Have every new task counted to the process whose code makes it."""

    def factory(loop: asyncio.AbstractEventLoop, coroutine: Any, **kwargs: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **kwargs)
        life = _life.get()
        if life is not None:
            life.own(task)
        return task

    loop.set_task_factory(factory)


class Supervisor:
    """One deployment: the same data and agents through all its processes."""

    def __init__(self, peers: Any, extensions: Extensions, **settings: Any) -> None:
        self._peers = peers
        self._extensions = extensions
        self._settings = Settings(**settings)
        self.life = Life()

    @property
    def runs(self) -> RunManager:
        """The runs of the present process."""
        return self._app.state.runs

    @property
    def dead(self) -> bool:
        """Whether the process has died and nobody has noticed yet."""
        return self.life.dead.is_set()

    async def start(self) -> None:
        """A new process."""
        self.life = Life()
        with self.life.inside():
            self._app = create_app(self._settings, _Back(self._peers), self._extensions)
            self._lifespan = self._app.router.lifespan_context(self._app)
            await self._lifespan.__aenter__()
        self._front = _Front(self.life, self._app)
        self._client = httpx.AsyncClient(transport=self._front, base_url="http://supervisor.test", timeout=None)

    async def stop(self) -> None:
        """SIGTERM. Servers close their connections before they end the lifespan."""
        self.runs.begin_drain()
        await self._front.finished()
        with self.life.inside():
            await self._lifespan.__aexit__(None, None, None)
        await self._client.aclose()

    async def kill(self) -> None:
        """SIGKILL."""
        await self.life.bury()
        with self.life.inside():
            await self._lifespan.__aexit__(None, None, None)
        await self._client.aclose()

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """The response once its head is there. Raises `Cut`."""
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.send(self._client.build_request("POST", path, json=body, headers=named))

    async def get(self, path: str) -> httpx.Response:
        """The response once its head is there. Raises `Cut`."""
        return await self.send(self._client.build_request("GET", path))

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The response once its head is there. Raises `Cut`."""
        return await self.or_cut(self._client.send(request, stream=True))

    async def or_cut(self, waited: Any) -> Any:
        """The result of an awaitable, unless the process dies first: then raises `Cut`."""
        work, death = asyncio.ensure_future(waited), asyncio.ensure_future(self.life.dead.wait())
        try:
            await asyncio.wait([work, death], return_when=asyncio.FIRST_COMPLETED)
            if not work.done() or (death.done() and work.exception() is not None):
                raise Cut
            return work.result()
        finally:
            work.cancel()
            death.cancel()
