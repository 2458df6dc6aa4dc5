"""The production client against sockets on the loopback interface: what in-process transports cannot show."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import AgentCall, DispatchResult, Progress, UserContext
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.none import NoTokens
from tests.fakes.a2a_shapes import IDEMPOTENCY, agent_card

Writer = asyncio.StreamWriter
Handler = Callable[[bytes, Writer], Awaitable[None]]
ANSWER = json.dumps({"result": {"message": {"parts": [{"text": "好"}]}}}, ensure_ascii=False).encode()


def response(body: bytes, kind: str = "application/json", more: str = "") -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{more}\r\n".encode() + body


async def say_ok(_: bytes, writer: Writer) -> None:
    writer.write(response(ANSWER))


async def hang_up(_: bytes, writer: Writer) -> None:
    writer.transport.abort()


class Agent:
    """A bare HTTP server. It serves its card and gives each POST to the next handler."""

    def __init__(self, *extensions: str, streaming: bool = False) -> None:
        self.handlers: list[Handler] = []
        self.posts: list[bytes] = []
        self.connections = 0
        self.pauses: list[float] = []
        self.tell: Callable[[Progress], None] = lambda _: None
        self._extensions, self._streaming = extensions, streaming
        self.port = 0
        self.stop: Callable[[], None] = lambda: None

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        self.connections += 1
        while head := await _head(reader):
            if head.startswith(b"GET"):
                url = f"http://127.0.0.1:{self.port}"
                card = agent_card("canteen", url, ("1.0",), extensions=self._extensions, streaming=self._streaming)
                writer.write(response(json.dumps(card).encode(), more="connection: close\r\n"))
                break
            size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self.posts.append(head + await reader.readexactly(size))
            await self.handlers.pop(0)(self.posts[-1], writer)
        writer.close()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


@asynccontextmanager
async def calling(
    agent: Agent, *, card_first: bool = True
) -> AsyncGenerator[Callable[[str], Awaitable[DispatchResult]], None]:
    server = await asyncio.start_server(agent.serve, "127.0.0.1", 0)
    agent.stop = server.close
    agent.port = server.sockets[0].getsockname()[1]
    # By name, because aiohttp keeps no cookies of bare addresses anyway.
    settings = DispatchSettings(agents={"canteen": f"http://localhost:{agent.port}"})

    async def pause(seconds: float) -> None:
        agent.pauses.append(seconds)

    client = make_client(settings)
    discovery = StaticDiscovery(settings, client)
    dispatcher = A2ADispatcher(discovery, NoTokens(), client, settings, sleep=pause)
    try:
        await discovery.refresh()

        async def ask(key: str) -> DispatchResult:
            call = AgentCall("canteen", "hi", key, "ctx", UserContext("u"))
            async with asyncio.timeout(10):
                return await dispatcher.call(call, agent.tell)

        yield ask
    finally:
        await dispatcher.aclose()
        await client.aclose()
        server.close()


async def test_calls_share_a_connection_and_no_cookies() -> None:
    async def with_cookie(_: bytes, writer: Writer) -> None:
        writer.write(response(ANSWER, more="set-cookie: session=alice; Path=/\r\n"))

    agent = Agent()
    agent.handlers = [with_cookie, say_ok]
    async with calling(agent) as ask:
        assert [(await ask(key)).content for key in "ab"] == ["好", "好"]
    assert agent.connections == 2  # one for the card, one for the calls
    assert b"cookie" not in agent.posts[1].lower()


async def test_a_connection_that_dies_under_a_request_counts_as_sent() -> None:
    agent = Agent()
    agent.handlers = [hang_up, say_ok]
    async with calling(agent) as ask:
        assert (await ask("a")).error == "unreachable"
    assert [b'"method":"SendMessage"' in post for post in agent.posts].count(True) == 1


@pytest.mark.requirement("A2A-11")
async def test_a2a_11_a_lost_reply_is_asked_for_again_with_the_same_key() -> None:
    agent = Agent(IDEMPOTENCY)
    agent.handlers = [hang_up, say_ok]
    async with calling(agent) as ask:
        assert (await ask("key-1")).content == "好"
    assert [b"idempotency-key: key-1" in post.lower() for post in agent.posts] == [True, True]
    assert len({post.partition(b"\r\n\r\n")[2] for post in agent.posts}) == 1


async def test_an_agent_that_stopped_listening_is_unreachable_and_was_sent_nothing() -> None:
    agent = Agent()
    async with calling(agent) as ask:
        agent.stop()
        outcome = await ask("a")
    assert (outcome.error, agent.posts) == ("unreachable", [])
    assert len(agent.pauses) == 2  # a refused connection is safe to try again, though the agent declares nothing


async def test_a_body_cut_short_is_a_lost_reply() -> None:
    async def cut(_: bytes, writer: Writer) -> None:
        writer.write(response(ANSWER)[:-5])
        writer.close()

    agent = Agent()
    agent.handlers = [cut]
    async with calling(agent) as ask:
        assert (await ask("a")).error == "unreachable"


async def test_what_is_not_http_is_a_result_too() -> None:
    async def noise(_: bytes, writer: Writer) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        writer.close()

    agent = Agent()
    agent.handlers = [noise]
    async with calling(agent) as ask:
        outcome = await ask("a")
    assert (outcome.ok, outcome.error) == (False, "bad_response")


async def test_a_stream_is_read_as_it_comes_and_its_connection_is_used_again() -> None:
    said = asyncio.Event()

    def chunk(event: dict[str, object]) -> bytes:
        data = b"data: " + json.dumps({"result": event}).encode() + b"\n\n"
        return f"{len(data):x}\r\n".encode() + data + b"\r\n"

    async def stream(_: bytes, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        writer.write(chunk({"artifactUpdate": {"taskId": "t", "artifact": {"parts": [{"text": "h"}]}}}))
        await said.wait()
        writer.write(chunk({"statusUpdate": {"taskId": "t", "status": {"state": "TASK_STATE_COMPLETED"}}}))
        for _turn in range(50):  # the client has read the end of the task before it reads the end of the stream
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")

    agent = Agent(streaming=True)
    agent.tell = lambda _: said.set()
    agent.handlers = [stream, say_ok]
    async with calling(agent) as ask:
        assert (await ask("a")).content == "h"
        assert (await ask("b")).content == "好"
    assert agent.connections == 2  # one for the card, one for the calls


async def test_proxy_settings_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    agent = Agent()
    agent.handlers = [say_ok]
    async with calling(agent) as ask:
        assert (await ask("a")).ok


def test_redirects_are_never_followed() -> None:
    client = make_client(DispatchSettings(), httpx.MockTransport(lambda _: httpx.Response(200)))
    assert client.follow_redirects is False
