"""Several supervisors in one process that ask each other over A2A, with stub agents at the bottom.

    async with AsyncExitStack() as stack:
        nest = Nest()
        canteen = nest.stub.agent("canteen", ...)
        inner = await nest.open(stack, "inner", "canteen")
        outer = await nest.open(stack, "outer", "inner")

Supervisors live at http://NAME.test, agents of the stub at http://agents.test/NAME. One that is closed is unreachable.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import httpx

from tests.fakes.a2a_stub import A2AStub
from tests.fakes.house import House, open_house


class Nest:
    """The network between them."""

    def __init__(self) -> None:
        self.stub = A2AStub()
        self.houses: dict[str, House] = {}
        self._held: dict[str, tuple[str, asyncio.Event]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        host = dict(scope["headers"]).get(b"host", b"").decode().partition(":")[0]
        if host == "agents.test":
            await self.stub(scope, receive, send)
            return
        house = self.houses.get(host.removesuffix(".test"))
        if house is None:
            raise httpx.ConnectError("nobody listens")
        held = self._held.get(host.removesuffix(".test"))
        if held is None:
            await house.app(scope, receive, send)
        else:
            await _late(house.app, scope, receive, send, *held)

    async def open(self, stack: AsyncExitStack, name: str, *agents: str, **settings: Any) -> House:
        """A supervisor with these agents, each another supervisor or an agent of the stub."""
        listed = ",".join(f"{agent}={self.url(agent)}" for agent in agents)
        chosen = {"agents": listed, "supervisor_id": name, "discovery_interval": 0.5, **settings}
        house = await stack.enter_async_context(open_house(self, **chosen))
        self.houses[name] = house
        stack.callback(self.houses.pop, name, None)
        return house

    def hold(self, name: str, method: str) -> asyncio.Event:
        """Nothing that a supervisor answers to a method gets out before the event is set; it works all the same."""
        event = asyncio.Event()
        self._held[name] = (method, event)
        return event

    def url(self, agent: str) -> str:
        """Where an agent is."""
        return self.stub.agents[agent].url if agent in self.stub.agents else f"http://{agent}.test"


async def _late(app: Any, scope: Any, receive: Any, send: Any, method: str, event: asyncio.Event) -> None:
    first = await receive()

    async def again() -> Any:
        nonlocal first
        given, first = first, None
        return given if given is not None else await receive()

    async def sending(message: Any) -> None:
        await event.wait()
        await send(message)

    await app(scope, again, sending if method.encode() in first.get("body", b"") else send)
