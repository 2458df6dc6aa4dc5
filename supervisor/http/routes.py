"""The front door: AG-UI endpoints, what is known about agents and cards, health. No business rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from contracts.interrupts import TYPES
from supervisor.dispatch.port import AgentInfo
from supervisor.errors import Problem
from supervisor.events.downgrade import downgraded
from supervisor.events.painter import painted
from supervisor.events.projector import PROTOCOL_VERSION
from supervisor.events.subagents import SubagentMode
from supervisor.http.auth import Authenticator
from supervisor.http.capabilities import painter_of
from supervisor.http.encoding import event_stream
from supervisor.http.fields import required_id
from supervisor.http.requests import Limits, modern, parse_turn, read_object
from supervisor.runs.commands import Command, Commands
from supervisor.runs.connect import connect
from supervisor.runs.manager import RunManager
from supervisor.telemetry.metrics import Metrics
from supervisor.telemetry.tracing import joined


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """What the endpoints need. `agents` does no I/O; `catalogue` is ready-made JSON."""

    runs: RunManager
    authenticate: Authenticator
    agents: Callable[[], Sequence[AgentInfo]]
    catalogue: dict[str, Any]
    limits: Limits
    commands: Commands
    models: Sequence[str] = ()
    shared_state: Sequence[str] = ()
    subagents: SubagentMode = "both"
    metrics: Metrics = field(default_factory=Metrics)


def router(door: FrontDoor) -> APIRouter:
    """All routes but the page."""
    routes = APIRouter()
    _run_routes(routes, door)
    _thread_routes(routes, door)
    _knowledge_routes(routes, door)
    _health_routes(routes, door)
    return routes


def _run_routes(routes: APIRouter, door: FrontDoor) -> None:
    @routes.post("/agui")
    async def agui(request: Request) -> Response:
        """RunAgentInput -> SSE of the run; with `Last-Event-ID: N`, its frames after N and never a new run."""
        user = await door.authenticate(request)
        body = await read_object(request, door.limits)
        last_id = request.headers.get("last-event-id")
        if last_id is not None:
            thread_id = required_id(body, "threadId")
            await _known_thread(door, thread_id, user.user_id)
            after = _sequence(last_id, "Last-Event-ID", 1)
            source = await door.runs.resume_after(thread_id, after)
        else:
            with joined(request.headers):
                source = await door.runs.submit(parse_turn(body, user, door.limits))
        return as_stream(request, body, source, door)

    @routes.post("/agui/connect")
    async def agui_connect(request: Request) -> Response:
        """RunAgentInput -> SSE: the conversation as a snapshot, then the run that is going on."""
        user = await door.authenticate(request)
        body = await read_object(request, door.limits)
        thread_id, run_id = required_id(body, "threadId"), required_id(body, "runId")
        await door.runs.authorise(thread_id, user.user_id)
        return as_stream(request, body, connect(door.runs, thread_id, run_id), door)

    @routes.post("/agui/command")
    async def agui_command(request: Request) -> Response:
        """`{threadId, command, payload?}` -> `{status: accepted, result?}` or `{status: rejected, reason}`."""
        user = await door.authenticate(request)
        body = await read_object(request, door.limits)
        thread_id = required_id(body, "threadId")
        command = required_id(body, "command")
        await _known_thread(door, thread_id, user.user_id)
        return JSONResponse(await door.commands.run(command, Command(thread_id, user, body.get("payload"))))


def as_stream(request: Request, body: dict[str, Any], source: AsyncIterator[bytes], door: FrontDoor) -> Response:
    """The stream as this client takes it."""
    painter = painter_of(body)
    source = painted(source, painter) if painter is not None else source
    return event_stream(request, source if modern(body) else downgraded(source), door.subagents)


def _thread_routes(routes: APIRouter, door: FrontDoor) -> None:
    @routes.get("/agui/threads/{thread_id:path}/events")
    async def events(request: Request, thread_id: str) -> Response:
        """The thread's journal after `?after=N` as SSE, then live while a run is going on."""
        user = await door.authenticate(request)
        await _known_thread(door, thread_id, user.user_id)
        after = _sequence(request.query_params.get("after", "0"), "after", 0)
        return event_stream(request, door.runs.replay(thread_id, None, after), door.subagents)


def _knowledge_routes(routes: APIRouter, door: FrontDoor) -> None:
    @routes.get("/agui/capabilities")
    async def capabilities() -> dict[str, Any]:
        """AG-UI `AgentCapabilities`: what this supervisor can do."""
        return {
            "identity": {"name": "switchboard", "type": "langgraph"},
            "transport": {"streaming": True},
            "output": {"supportedMimeTypes": ["text/plain", "application/json"]},
            "multiAgent": {
                "supported": True,
                "subagents": [{"name": a.name, "description": a.description} for a in door.agents()],
            },
            "tools": {"supported": True, "parallelCalls": True},
            "state": {"snapshots": bool(door.shared_state), "deltas": bool(door.shared_state)},
            "humanInTheLoop": {"supported": True, "approvals": True},
            "custom": {
                "protocolVersion": PROTOCOL_VERSION,
                "connect": "/agui/connect",
                "commands": door.commands.names,
                "forwardedProps": ["edit-last", "regenerate"],
                "models": list(door.models),
                "sharedState": list(door.shared_state),
                "interrupts": list(TYPES),
            },
        }

    @routes.get("/agents")
    async def agents() -> dict[str, Any]:
        """Every agent that discovery knows: healthy or not and why, its skills and card types."""
        return {"agents": [_agent_json(agent) for agent in door.agents()]}

    @routes.get("/catalogue")
    async def catalogue() -> dict[str, Any]:
        """The card types that can be rendered."""
        return door.catalogue


def _health_routes(routes: APIRouter, door: FrontDoor) -> None:
    @routes.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The process lives."""
        return {"status": "ok"}

    @routes.get("/metrics")
    async def metrics() -> Response:
        """Counters in the Prometheus text format."""
        return Response(door.metrics.text(), media_type=door.metrics.content_type)

    @routes.get("/readyz")
    async def readyz() -> Response:
        """Runs are accepted. `degraded` names agents that do not answer: it still serves, so it is still 200."""
        if door.runs.draining:
            return JSONResponse({"status": "draining"}, 503)
        down = [agent.name for agent in door.agents() if not agent.healthy]
        return JSONResponse({"status": "degraded", "unhealthyAgents": down} if down else {"status": "ready"})


async def _known_thread(door: FrontDoor, thread_id: str, user_id: str) -> None:
    if not await door.runs.authorise(thread_id, user_id):
        raise Problem(404, "thread_not_found", "There is no such thread for this user.")


def _sequence(text: str, name: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) < 2**63:
        raise Problem(400, "invalid_cursor", f"`{name}` must be the id of a frame: a whole number from {least} on.")
    return int(text)


def _agent_json(agent: AgentInfo) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": agent.name,
        "description": agent.description,
        "url": agent.url,
        "healthy": agent.healthy,
        "streaming": agent.streaming,
        "circuit": agent.circuit,
        "inFlight": agent.in_flight,
        "cardTypes": list(agent.card_types),
        "skills": [
            {"id": s.id, "name": s.name, "description": s.description, "tags": list(s.tags)} for s in agent.skills
        ],
        "findings": list(agent.findings),
    }
    if agent.catalogue_version:
        row["catalogueVersion"] = agent.catalogue_version
    return {**row, "error": agent.error} if agent.error else row
