"""Agents on a2a-sdk 0.3.26, one per way to be called, each at a path of its own. `server.py PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import Any

import script
import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, DataPart, InvalidParamsError, Part, TextPart
from a2a.utils import new_agent_text_message, new_task
from a2a.utils.errors import ServerError
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
            raise ServerError(InvalidParamsError(message=script.SECRET))
        if text == "crash":
            raise RuntimeError(script.SECRET)
        if text == "message":
            await event_queue.enqueue_event(new_agent_text_message(script.MESSAGE, context_id))
            return
        updater = TaskUpdater(event_queue, str(context.task_id), context_id)
        if context.current_task:
            data = [part.root.data for part in context.message.parts if isinstance(part.root, DataPart)]
            await self._answer(updater, script.heard(text, data[0] if data else None))
            return
        await event_queue.enqueue_event(new_task(context.message))
        await updater.start_work(updater.new_agent_message([_text(script.STATUS)]))
        await self._act(text, updater, context_id)

    async def _act(self, text: str, updater: TaskUpdater, context_id: str) -> None:
        def said(words: str, *parts: Any) -> Any:
            return updater.new_agent_message([_text(words), *parts])

        match text:
            case "fail":
                await updater.failed(said(script.FAILED))
            case "reject":
                await updater.reject(said(script.REJECTED))
            case "ask":
                await updater.requires_input(said(script.QUESTION, _data(script.PAYLOAD)), final=True)
            case "sign-in":
                await updater.requires_auth(said(script.SIGN_IN), final=True)
            case "hang":
                await asyncio.Event().wait()
            case "again":
                await self._answer(updater, script.numbered(self._questions[context_id]))
            case _:
                await self._answer(updater, *script.PIECES)

    async def _answer(self, updater: TaskUpdater, *pieces: str) -> None:
        for index, piece in enumerate(pieces):
            await updater.add_artifact([_text(piece)], artifact_id="answer", append=index > 0)
        await updater.add_artifact([_data(script.DATA)], artifact_id="data")
        await updater.complete(updater.new_agent_message([], metadata=script.CARD))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await self._recorder.cancelled(str(context.context_id))
        await TaskUpdater(event_queue, str(context.task_id), str(context.context_id)).cancel()


def _text(words: str) -> Part:
    return Part(root=TextPart(text=words))


def _data(value: dict[str, Any]) -> Part:
    return Part(root=DataPart(data=value))


def agent(name: str, *, streaming: bool = True, says: dict[str, Any] | None = None) -> Mount:
    """`says` replaces the card that is served."""
    card = AgentCard(
        name=name,
        description="dishes",
        version="1",
        url=f"{HERE}/{name}/a2a",
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="dishes", name="Dishes", description="dishes", tags=["spicy"])],
    )
    recorder = Recorder()
    handler = DefaultRequestHandler(agent_executor=Agent(recorder), task_store=InMemoryTaskStore())
    recorder.settled = lambda: _settled(handler)
    served = A2AStarletteApplication(agent_card=card, http_handler=handler).build(rpc_url="/a2a")
    if says is not None:
        served.router.routes.insert(0, _saying(says))
    recorder.app = served
    return Mount(f"/{name}", recorder)


async def _settled(handler: DefaultRequestHandler) -> None:
    """This SDK puts a task away in the background, and loses an answer that comes meanwhile."""
    while tasks := [*handler._background_tasks, *handler._running_agents.values()]:
        await asyncio.wait(tasks)
        await asyncio.sleep(0)


def _saying(card: dict[str, Any]) -> Route:
    async def endpoint(_: Any) -> JSONResponse:
        return JSONResponse(card)

    return Route("/.well-known/agent-card.json", endpoint)


def new_card(name: str) -> dict[str, Any]:
    """A card of 1.0 in front of a server that was not updated."""
    interface = {"url": f"{HERE}/{name}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    skill = {"id": "dishes", "name": "Dishes", "description": "dishes", "tags": ["spicy"]}
    card = {"name": name, "description": "dishes", "version": "1", "supportedInterfaces": [interface]}
    modes = {"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]}
    return {**card, **modes, "skills": [skill], "capabilities": {"streaming": True}}


def streaming_card(name: str) -> dict[str, Any]:
    old = {"url": f"{HERE}/{name}/a2a", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}
    return {**new_card(name), "supportedInterfaces": [], **old}


app = Starlette(
    routes=[
        agent("old"),
        agent("old-blocking", streaming=False),
        agent("says-new", says=new_card("says-new")),
        agent("says-streaming-old", streaming=False, says=streaming_card("says-streaming-old")),
    ]
)

if __name__ == "__main__":
    print(json.dumps({"serving": HERE}), flush=True)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", access_log=False)
