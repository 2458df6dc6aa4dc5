"""What the kit demands of a client, of ours: the version with every call, and its last number means nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import AgentCall, UserContext
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.none import NoTokens
from tests.fakes.a2a_stub import A2AStub, Reply, StubAgent
from tests.fakes.asgi import StreamingASGITransport


@asynccontextmanager
async def _client(stub: A2AStub) -> AsyncIterator[A2ADispatcher]:
    settings = DispatchSettings(agents=stub.addresses(), poll_interval=0.001)
    async with make_client(settings, StreamingASGITransport(stub)) as client, asyncio.timeout(20):
        discovery = StaticDiscovery(settings, client)
        await discovery.refresh()
        dispatcher = A2ADispatcher(discovery, NoTokens(), client, settings)
        yield dispatcher
        await dispatcher.aclose()


def _call() -> AgentCall:
    return AgentCall("canteen", "Hello", "key", "ctx", UserContext("u1"))


def _canteen(**options: Any) -> tuple[A2AStub, StubAgent]:
    stub = A2AStub()
    return stub, stub.agent("canteen", versions=("1.0",), **options)


@pytest.mark.requirement("VER-CLIENT-001")
@pytest.mark.parametrize("streaming", [True, False])
async def test_our_client_says_the_version_with_every_call(streaming: bool) -> None:
    stub, canteen = _canteen(streaming=streaming)
    canteen.replies.append(Reply(state="working", cut=True, polls=[Reply(state="working"), Reply("done")]))
    async with _client(stub) as dispatcher:
        answer = await dispatcher.call(_call(), lambda _: None)
        canteen.replies.append(Reply(state="working", cut=True, gate=asyncio.Event()))
        leg = asyncio.create_task(dispatcher.call(_call(), lambda _: None))
        await canteen.received(2)
        leg.cancel()
        await asyncio.wait([leg])
    assert answer.content == "done"
    methods = {request.method for request in canteen.requests}
    assert {"GetTask", "SendStreamingMessage" if streaming else "SendMessage"} < methods
    assert {request.headers.get("a2a-version") for request in canteen.requests} == {"1.0"}


@pytest.mark.requirement("VER-CLIENT-002")
@pytest.mark.parametrize("version", ["1.0.0", "1.0.7"])
async def test_our_client_reads_over_the_last_number_of_a_version_on_a_card(version: str) -> None:
    stub, canteen = _canteen()
    for interface in canteen.card["supportedInterfaces"]:
        interface["protocolVersion"] = version
    canteen.replies.append(Reply("done"))
    async with _client(stub) as dispatcher:
        answer = await dispatcher.call(_call(), lambda _: None)
    assert answer.content == "done"
    assert canteen.requests[0].headers["a2a-version"] == "1.0"
