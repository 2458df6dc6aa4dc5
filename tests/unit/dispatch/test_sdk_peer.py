"""Our client against a server that we did not write: a2a-sdk's own request handler, in process, in both versions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from a2a.helpers import new_data_part, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette

from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import AgentCall, DispatchResult, Progress, UserContext
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.none import NoTokens
from tests.fakes.asgi import StreamingASGITransport

CARD = {"card_template_id": "dish_cards", "card_data_model": {"items": [{"name": "水煮鱼", "spiciness": 3}]}}


class Canteen(AgentExecutor):
    """Does what the first word of the question says."""

    def __init__(self) -> None:
        self.contexts: list[str] = []
        self.cancelled = asyncio.Event()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        self.contexts.append(str(context.context_id))
        if text == "message":
            await event_queue.enqueue_event(new_text_message("你好", context_id=context.context_id))
            return
        if not context.current_task:
            assert context.message
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, str(context.task_id), str(context.context_id))
        await updater.start_work(updater.new_agent_message([new_text_part("正在查菜单…")]))
        if text == "fail":
            await updater.failed(updater.new_agent_message([new_text_part("系统维护")]))
        elif text == "ask":
            await updater.requires_input(updater.new_agent_message([new_text_part("哪天？")]))
        elif text == "hang":
            await asyncio.Event().wait()
        else:
            await self._answer(updater)

    async def _answer(self, updater: TaskUpdater) -> None:
        for index, piece in enumerate(["推荐", "水煮鱼"]):
            await updater.add_artifact([new_text_part(piece)], artifact_id="answer", append=index > 0)
        await updater.add_artifact([new_data_part({"seats": 12})], artifact_id="data")
        await updater.complete(updater.new_agent_message([], metadata=CARD))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.cancelled.set()
        await TaskUpdater(event_queue, str(context.task_id), str(context.context_id)).cancel()


class Peer:
    def __init__(self, dispatcher: A2ADispatcher, canteen: Canteen) -> None:
        self._dispatcher = dispatcher
        self.canteen = canteen
        self.progress: list[Progress] = []
        self.said = asyncio.Event()

    async def ask(self, text: str, *, task: str | None = None) -> DispatchResult:
        call = AgentCall("canteen", text, f"key of {text}", "ctx-1", UserContext("u1", "Alice"), task)
        async with asyncio.timeout(10):
            return await self._dispatcher.call(call, self._tell)

    def _tell(self, step: Progress) -> None:
        self.progress.append(step)
        self.said.set()


def app_of(canteen: Canteen, versions: Sequence[str], streaming: bool) -> Starlette:
    card = AgentCard(
        name="canteen",
        description="菜品",
        version="1",
        supported_interfaces=[
            AgentInterface(url="http://0.0.0.0:1/a2a", protocol_binding="JSONRPC", protocol_version=version)
            for version in versions
        ],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="dishes", name="菜品", description="d", tags=["辣"])],
    )
    handler = DefaultRequestHandler(agent_executor=canteen, task_store=InMemoryTaskStore(), agent_card=card)
    routes: list[Any] = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat="0.3" in versions),
    ]
    return Starlette(routes=routes)


@asynccontextmanager
async def peer(versions: Sequence[str], *, streaming: bool) -> AsyncGenerator[Peer, None]:
    canteen = Canteen()
    settings = DispatchSettings(agents={"canteen": "http://canteen.test"}, poll_interval=0.01)
    async with make_client(settings, StreamingASGITransport(app_of(canteen, versions, streaming))) as client:
        discovery = StaticDiscovery(settings, client)
        await discovery.refresh()
        assert discovery.agents()[0].error is None
        dispatcher = A2ADispatcher(discovery, NoTokens(), client, settings)
        yield Peer(dispatcher, canteen)
        await dispatcher.aclose()


WAYS = pytest.mark.parametrize(
    ("versions", "streaming"), [(("1.0",), True), (("1.0", "0.3"), False), (("0.3",), True), (("0.3",), False)]
)


@WAYS
async def test_an_sdk_agent_answers_with_text_card_and_data(versions: Sequence[str], streaming: bool) -> None:
    async with peer(versions, streaming=streaming) as sdk:
        outcome = await sdk.ask("辣")
        assert sdk.canteen.contexts == ["ctx-1"]
    assert (outcome.ok, outcome.content, outcome.data) == (True, "推荐水煮鱼", {"seats": 12})
    assert (outcome.card_type, outcome.card_data) == ("dish_cards", CARD["card_data_model"])
    assert isinstance(outcome.card_data["items"][0]["spiciness"], int)
    if streaming:
        assert sdk.progress == [
            Progress("status", "正在查菜单…"),
            Progress("text", "推荐"),
            Progress("text", "水煮鱼"),
        ]


@WAYS
async def test_an_sdk_agent_may_answer_with_a_message_fail_or_ask_back(
    versions: Sequence[str], streaming: bool
) -> None:
    async with peer(versions, streaming=streaming) as sdk:
        assert (await sdk.ask("message")).content == "你好"
        failed = await sdk.ask("fail")
        assert (failed.error, failed.content) == ("a2a_state_failed", "系统维护")
        question = await sdk.ask("ask")
        assert (question.status, question.content) == ("suspended", "哪天？")
        answer = await sdk.ask("mon", task=question.task_id)
        assert (answer.ok, answer.task_id) == (True, question.task_id)


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
@pytest.mark.requirement("A2A-07")
async def test_a2a_07_a_cancel_stops_an_sdk_agent(versions: Sequence[str]) -> None:
    async with asyncio.timeout(10), peer(versions, streaming=True) as sdk:
        leg = asyncio.create_task(sdk.ask("hang"))
        await sdk.said.wait()
        leg.cancel()
        await asyncio.wait([leg])
        assert leg.cancelled()
        assert sdk.canteen.cancelled.is_set()
