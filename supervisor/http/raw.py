"""`/agui/raw` (`LEGACY_RAW=1`): CopilotKit's stock bridge over the supervisor's own graph, for clients that read RAW.

The bridge only tells what the graph does. What goes into the graph is admitted and built by us, as for `/agui`; what
must not leave (prompts, credentials, exception texts) is taken out of what it tells. The run is one like any other: it
belongs to the server, and the journal has its outcome. Imported only when it is switched on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import orjson
from ag_ui.core import BaseEvent, CustomEvent, RunAgentInput, RunFinishedEvent
from copilotkit import LangGraphAGUIAgent
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from supervisor.dispatch.port import UserContext
from supervisor.errors import ERRORS, ErrorRow, RunFailure
from supervisor.events import internal as ev
from supervisor.events.encode import unnumbered
from supervisor.graph.hitl.questions import read_questions
from supervisor.graph.port import ThreadView, Turn
from supervisor.graph.service import Invocation, SupervisorGraph
from supervisor.http.requests import parse_turn, read_object
from supervisor.http.routes import FrontDoor, as_stream
from supervisor.http.sse import EventStream
from supervisor.runs.feed import Feed
from supervisor.runs.run import Run
from supervisor.telemetry.tracing import joined

Json = dict[str, Any]


def router(door: FrontDoor, graph: SupervisorGraph, heartbeat: float) -> APIRouter:
    """The one route."""
    routes = APIRouter()

    @routes.post("/agui/raw")
    async def agui_raw(request: Request) -> Response:
        """RunAgentInput -> SSE of the stock bridge; what was answered before is replayed as `/agui` replays it."""
        user = await door.authenticate(request)
        body = await _with_answer(door, user, await read_object(request, door.limits))
        told = RawGraph(graph)
        asked = parse_turn(body, user, door.limits)
        with joined(request.headers):
            recorded = await door.runs.submit(asked, told)
        run = door.runs.active(asked.thread_id)
        if run is None or run.graph is not told:
            return as_stream(request, body, recorded, door)
        return EventStream(told.read(run, heartbeat))

    return routes


async def _with_answer(door: FrontDoor, user: UserContext, body: Json) -> Json:
    """The body with `forwardedProps.command.resume`, which names no question, as an answer to the one that is open."""
    props, thread_id = body.get("forwardedProps"), body.get("threadId")
    command = cast("Json", props).get("command") if isinstance(props, dict) else None
    if not isinstance(command, dict) or "resume" not in command or body.get("resume") or not isinstance(thread_id, str):
        return body
    if not await door.runs.authorise(thread_id, user.user_id):
        return body
    open_ids = [interrupt["id"] for interrupt in (await door.runs.view(thread_id)).interrupts]
    payload = _decoded(cast("Json", command)["resume"])
    entries = [{"interruptId": name, "status": "resolved", "payload": payload} for name in open_ids]
    return {**body, "resume": entries} if len(entries) == 1 else body


def _decoded(value: Any) -> Any:
    """Old clients send JSON inside a string."""
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return value


class RawGraph:
    """The supervisor's graph for one run, told by the bridge to a feed of its own; the run itself gets the outcome."""

    def __init__(self, graph: SupervisorGraph) -> None:
        self._graph = graph
        self._feed = Feed()
        self._ending: Json | None = None

    async def stream(
        self, turn: Turn, *, recovered: bool = False, announced: frozenset[str] = frozenset()
    ) -> AsyncIterator[Sequence[ev.InternalEvent]]:
        """Run the turn. Raises `RunFailure` with a stable code for every failure."""
        try:
            await self._tell(turn)
        except RunFailure as failure:
            self._ending = _error(failure.row)
            raise
        view = await self._graph.view(turn.thread_id)
        yield [ev.Restated(view.messages), ev.Paused(view.interrupts, view.pending_calls)]

    async def view(self, thread_id: str) -> ThreadView:
        return await self._graph.view(thread_id)

    async def cancel_turn(self, turn: Turn) -> Sequence[ev.InternalEvent]:
        return await self._graph.cancel_turn(turn)

    def release(self) -> None:
        self._graph.release()

    def read(self, run: Run, heartbeat: float) -> AsyncIterator[bytes]:
        """What the bridge tells. Its last event waits for the end of the run, after which the thread is free."""
        self._closing = asyncio.create_task(self._close_after(run))
        return self._feed.read(0, heartbeat)

    async def _close_after(self, run: Run) -> None:
        await run.wait()
        self._feed.publish([unnumbered(self._ending or _stopped(run))])
        self._feed.close()

    async def _tell(self, turn: Turn) -> None:
        try:
            bridge = Bridge(await self._graph.invocation(turn))
            secret = turn.user.bearer_token
            async for event in bridge.events(turn):
                if event["type"] == "RUN_FINISHED":
                    self._ending = event
                else:
                    self._feed.publish([_without(secret, unnumbered(event))])
        except Exception as error:
            raise await self._graph.failure(error, turn.thread_id) from None


class Bridge(LangGraphAGUIAgent):
    """The stock bridge for one run. It may read the graph, never choose what the graph is called with."""

    def __init__(self, call: Invocation) -> None:
        super().__init__(name="supervisor", graph=call.graph, config=cast("Json", call.config))
        self._call = call

    async def events(self, turn: Turn) -> AsyncIterator[Json]:
        """AG-UI events as dicts. Raises what the graph raised."""
        asked = RunAgentInput(
            thread_id=turn.thread_id,
            run_id=turn.run_id,
            state={},
            messages=[],
            tools=[],
            context=[],
            forwarded_props={},
        )
        # Not `run`: it would send an exception's text to the client.
        async for event in self._handle_stream_events(asked):
            shown = cast("BaseEvent | None", event)
            if shown is not None:
                yield shown.model_dump(by_alias=True, exclude_none=True)

    async def prepare_stream(self, input: Any, agent_state: Any, config: Any) -> Any:
        """The stock one builds the graph's input from the client's history, state and forwardedProps."""
        keys = list(self._call.state_keys)
        cast("Json", self.active_run)["schema_keys"] = {"input": keys, "output": keys, "config": [], "context": []}
        stream = self.graph.astream_events(
            self._call.given,
            self._call.config,
            context=self._call.context,
            version="v2",
            subgraphs=True,
            durability="sync",
        )
        return {"stream": _shown(stream), "state": dict(agent_state.values), "config": config}

    def _emit_interrupt_finish(self, *, thread_id: str, run_id: str, lg_interrupts: list[Any]) -> list[Any]:
        """Questions as `on_interrupt` in their neutral form; calls of front-end tools need no word beside the call."""
        questions = [q.wire["metadata"] for q in read_questions(lg_interrupts) if q.frontend_call is None]
        return [
            *(CustomEvent(name="on_interrupt", value=orjson.dumps(q).decode()) for q in questions),
            RunFinishedEvent(thread_id=thread_id, run_id=run_id),
        ]


async def _shown(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for event in stream:
        if _public(event):
            hidden = {"error", "input"} if event["event"].startswith("on_chat_model") else {"error"}
            yield {**event, "data": {k: v for k, v in event["data"].items() if k not in hidden}}


def _public(event: Any) -> bool:
    """Events of the graph, its nodes, its model and its tools; not of what they use inside, agent calls among it."""
    metadata = event.get("metadata") or {}
    if "|" in metadata.get("langgraph_checkpoint_ns", ""):
        return False
    return not event["event"].startswith("on_chain") or event["name"] == metadata.get("langgraph_node", event["name"])


def _error(row: ErrorRow, code: str | None = None) -> Json:
    return {"type": "RUN_ERROR", "message": row.message, "code": code or row.code}


def _stopped(run: Run) -> Json:
    """How a run ends for old clients when the graph did not end it."""
    if run.status == "cancelled":
        return _error(ERRORS["CANCELLED"], "cancelled")
    return _error(ERRORS["SHUTTING_DOWN" if run.status == "running" else "AGENT_INTERNAL"])


def _without(secret: str | None, frame: bytes) -> bytes:
    """Whatever a tool or a node does with the context, the user's token does not leave."""
    return frame.replace(secret.encode(), b"***") if secret else frame
