"""A dispatcher in front of scripted agents, all in process, with recorded instead of slept pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx

from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import AgentCall, DispatchResult, Progress, UserContext
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.none import NoTokens
from supervisor.dispatch.tokens.port import Tokens
from tests.fakes.a2a_stub import A2AStub, Reply, StubAgent
from tests.fakes.asgi import StreamingASGITransport

ALICE = UserContext("u1", "Alice", "zh", {"lat": 22.5, "lng": 113.9}, "granted", "alices-own-token")


class World:
    """`async with World() as world`: add agents first, then `await world.ask(...)`. Time stands still unless `now` or
    `clock` moves it.
    """

    def __init__(
        self,
        *,
        tokens: Tokens | None = None,
        catalogue: set[str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] | None = None,
        **settings: Any,
    ) -> None:
        self.stub = A2AStub()
        self.pauses: list[float] = []
        self.progress: list[Progress] = []
        self.tell: Callable[[Progress], None] = self.progress.append
        self.now = 1000.0
        self.passed: Callable[[float], None] = lambda _: None
        self._clock = clock or (lambda: self.now)
        self._tokens = tokens or NoTokens()
        self._catalogue = catalogue
        self._settings = DispatchSettings(**settings)
        self.transport = transport or StreamingASGITransport(self.stub)
        self.client = make_client(self._settings, self.transport)
        self._parts: tuple[StaticDiscovery, A2ADispatcher] | None = None

    async def __aenter__(self) -> World:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.dispatcher.aclose()
        await self.discovery.aclose()
        await self.client.aclose()

    def agent(self, name: str = "canteen", **options: Any) -> StubAgent:
        return self.stub.agent(name, **options)

    @property
    def discovery(self) -> StaticDiscovery:
        return self._made()[0]

    @property
    def dispatcher(self) -> A2ADispatcher:
        return self._made()[1]

    def _made(self) -> tuple[StaticDiscovery, A2ADispatcher]:
        if self._parts is None:
            settings = self._settings
            if not settings.agents:
                settings = replace(settings, agents=self.stub.addresses())
            discovery = StaticDiscovery(settings, self.client, self._catalogue, clock=self._clock)
            dispatcher = A2ADispatcher(
                discovery,
                self._tokens,
                self.client,
                settings,
                clock=self._clock,
                sleep=self._pause,
                jitter=lambda: 1.0,
            )
            self._parts = discovery, dispatcher
        return self._parts

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.passed(seconds)
        await asyncio.sleep(0)

    async def ask(
        self,
        query: str = "推荐几道辣的菜",
        agent: str = "canteen",
        *,
        key: str = "key-1",
        context: str = "ctx-1",
        task: str | None = None,
        user: UserContext = ALICE,
    ) -> DispatchResult:
        call = AgentCall(agent, query, key, context, user, task)
        return await self.dispatcher.call(call, self.tell)

    async def reply(self, reply: Reply, **agent_options: Any) -> DispatchResult:
        """One question to a fresh agent that answers `reply`."""
        self.agent(**agent_options).replies.append(reply)
        return await self.ask()
