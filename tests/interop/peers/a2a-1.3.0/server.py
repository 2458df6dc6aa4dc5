"""Agents on a2a-sdk 1.3.0, one per way to be called, each at a path of its own. `server.py PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import script
import uvicorn
from a2a.helpers import new_data_part, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from a2a.utils.errors import InvalidParamsError
from google.protobuf.json_format import MessageToDict
from recorder import Recorder
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

HERE = f"http://127.0.0.1:{sys.argv[1]}"


class Agent(AgentExecutor):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._questions: Counter[str] = Counter()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text, context_id = context.get_user_input(), str(context.context_id)
        self._questions[context_id] += 1
        if text == "error":
            raise InvalidParamsError(message=script.SECRET)
        if text == "crash":
            raise RuntimeError(script.SECRET)
        if text == "message":
            await event_queue.enqueue_event(new_text_message(script.MESSAGE, context_id=context_id))
            return
        updater = TaskUpdater(event_queue, str(context.task_id), context_id)
        if context.current_task:
            data = [MessageToDict(part.data) for part in context.message.parts if part.HasField("data")]
            await self._answer(updater, script.heard(text, data[0] if data else None))
            return
        await event_queue.enqueue_event(new_task_from_user_message(context.message))
        await updater.start_work(updater.new_agent_message([new_text_part(script.STATUS)]))
        await self._act(text, updater, context_id)

    async def _act(self, text: str, updater: TaskUpdater, context_id: str) -> None:
        def said(words: str, *parts: Any) -> Any:
            return updater.new_agent_message([new_text_part(words), *parts])

        match text:
            case "fail":
                await updater.failed(said(script.FAILED))
            case "reject":
                await updater.reject(said(script.REJECTED))
            case "ask":
                await updater.requires_input(said(script.QUESTION, new_data_part(script.PAYLOAD)))
            case "sign-in":
                await updater.requires_auth(said(script.SIGN_IN))
            case "hang":
                await asyncio.Event().wait()
            case "again":
                await self._answer(updater, script.numbered(self._questions[context_id]))
            case _:
                await self._answer(updater, *script.PIECES)

    async def _answer(self, updater: TaskUpdater, *pieces: str) -> None:
        for index, piece in enumerate(pieces):
            await updater.add_artifact([new_text_part(piece)], artifact_id="answer", append=index > 0)
        await updater.add_artifact([new_data_part(script.DATA)], artifact_id="data")
        await updater.complete(updater.new_agent_message([], metadata=script.CARD))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await self._recorder.cancelled(str(context.context_id))
        await TaskUpdater(event_queue, str(context.task_id), str(context.context_id)).cancel()


def agent(
    name: str,
    versions: Sequence[str] = ("1.0",),
    *,
    streaming: bool = True,
    at: str = "",
    compat: bool = False,
    says: dict[str, Any] | None = None,
) -> Mount:
    """`at` is the address on the card if that is not where it is; `says` replaces the card that is served."""
    card = AgentCard(
        name=name,
        description="dishes",
        version="1",
        supported_interfaces=[
            AgentInterface(url=f"{at or f'{HERE}/{name}'}/a2a", protocol_binding="JSONRPC", protocol_version=version)
            for version in versions
        ],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="dishes", name="Dishes", description="dishes", tags=["spicy"])],
    )
    recorder = Recorder()
    handler = DefaultRequestHandler(agent_executor=Agent(recorder), task_store=InMemoryTaskStore(), agent_card=card)
    cards = create_agent_card_routes(card) if says is None else [_saying(says)]
    recorder.app = Starlette(routes=[*cards, *create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=compat)])
    return Mount(f"/{name}", recorder)


def _saying(card: dict[str, Any]) -> Route:
    async def endpoint(_: Any) -> JSONResponse:
        return JSONResponse(card)

    return Route("/.well-known/agent-card.json", endpoint)


def old_card(name: str) -> dict[str, Any]:
    """The card of an agent that was written for 0.3 and updated since."""
    skill = {"id": "dishes", "name": "Dishes", "description": "dishes", "tags": ["spicy"]}
    card = {"name": name, "description": "dishes", "version": "1", "protocolVersion": "0.3.0", "skills": [skill]}
    modes = {"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]}
    return {**card, **modes, "url": f"{HERE}/{name}/a2a", "capabilities": {"streaming": True}}


def streaming_card(name: str) -> dict[str, Any]:
    interface = {"url": f"{HERE}/{name}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return {**old_card(name), "supportedInterfaces": [interface], "protocolVersion": "1.0", "url": ""}


app = Starlette(
    routes=[
        agent("modern"),
        agent("modern-blocking", streaming=False),
        agent("both", ("1.0", "0.3"), compat=True),
        agent("compat", ("0.3",), compat=True),
        agent("compat-blocking", ("0.3",), compat=True, streaming=False),
        agent("says-old", says=old_card("says-old")),
        agent("says-streaming", streaming=False, says=streaming_card("says-streaming")),
        agent("at-localhost", at="http://localhost:1/at-localhost"),
        agent("at-everywhere", at="http://0.0.0.0:9/at-everywhere"),
        agent("at-another-host", at="https://canteen.internal.example/at-another-host"),
        agent("behind-a-prefix", at="http://10.0.0.7:8101"),
    ]
)

if __name__ == "__main__":
    print(json.dumps({"serving": HERE}), flush=True)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", access_log=False)
