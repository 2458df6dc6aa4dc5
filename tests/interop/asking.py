"""Our client in front of one agent of a peer: a real dispatcher with static discovery over real sockets."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import AgentCall, DispatchResult, Progress, UserContext
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.none import NoTokens
from tests.interop.processes import Peer

SECONDS = 20


@dataclass(frozen=True)
class Way:
    """One agent of a peer: what its wire speaks, whether it streams, and which methods are tried in vain first."""

    peer: str
    agent: str
    speaks: Literal["1.0", "0.3", "legacy"]
    streams: bool = True
    probe: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """How it wants to be asked."""
        if self.speaks == "1.0":
            return "SendStreamingMessage" if self.streams else "SendMessage"
        return "message/stream" if self.streams else "message/send"


class Asker:
    """One conversation with one agent."""

    def __init__(self, peer: Peer, way: Way, dispatcher: A2ADispatcher) -> None:
        self._peer = peer
        self._way = way
        self._dispatcher = dispatcher
        self.context = uuid.uuid4().hex
        self.progress: list[Progress] = []
        self.said = asyncio.Event()

    async def ask(self, text: str, *, task: str | None = None, data: dict[str, Any] | None = None) -> DispatchResult:
        key = uuid.uuid4().hex
        call = AgentCall("canteen", text, key, self.context, UserContext("u1", "Alice"), task, data)
        async with asyncio.timeout(SECONDS):
            return await self._dispatcher.call(call, self._tell)

    async def methods(self) -> list[str]:
        """How the agent was asked in this conversation, in order."""
        return [request["method"] for request in (await self.seen())["requests"]]

    async def seen(self, until: str = "") -> dict[str, Any]:
        async with asyncio.timeout(SECONDS):
            return await self._peer.seen(self._way.agent, self.context, until=until)

    def _tell(self, step: Progress) -> None:
        self.progress.append(step)
        self.said.set()


@asynccontextmanager
async def asking(peers: dict[str, Peer], way: Way) -> AsyncIterator[Asker]:
    peer = peers[way.peer]
    legacy = frozenset({"canteen"} if way.speaks == "legacy" else ())
    url = f"{peer.url}/{way.agent}".rstrip("/")
    settings = DispatchSettings(agents={"canteen": url}, legacy_agents=legacy, poll_interval=0.05)
    async with make_client(settings) as client:
        discovery = StaticDiscovery(settings, client)
        await discovery.refresh()
        assert discovery.agents()[0].error is None
        dispatcher = A2ADispatcher(discovery, NoTokens(), client, settings)
        yield Asker(peer, way, dispatcher)
        await dispatcher.aclose()
        await discovery.aclose()
