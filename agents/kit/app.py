"""Composition root of an agent: spec and settings in, ASGI app out. The only place where its parts meet."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from email.utils import formatdate

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import RequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.types import AgentCard
from langchain_core.language_models import BaseChatModel
from mcp.client import Client
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Lifespan

from agents.kit.card import RPC_PATH, agent_card
from agents.kit.clock import Clock, campus_clock
from agents.kit.database import open_database
from agents.kit.drain import Drain
from agents.kit.executor import GraphExecutor
from agents.kit.graph import AgentGraph, model_of
from agents.kit.handler import HardenedHandler
from agents.kit.housekeeping import Housekeeping
from agents.kit.http_status import HttpStatus
from agents.kit.limits import BodyLimit, JsonOnly
from agents.kit.mcp_tools import langchain_tools, quiet_server
from agents.kit.settings import AgentSettings
from agents.kit.spec import AgentSpec
from agents.kit.storage import open_storage

logger = logging.getLogger(__name__)

IN_MEMORY_SECONDS = 600.0
"""A task that waits for its user stays in memory for so long; then it is read from its store again."""
STREAM_GRACE_SECONDS = 2.0


class _Started(AgentExecutor):
    """Stands in the handler until the lifespan has connected the tools; `inner` does the work."""

    inner: GraphExecutor | None = None

    def stop(self) -> None:
        if self.inner is not None:
            self.inner.stop()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        await self._get().execute(context, event_queue)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await self._get().cancel(context, event_queue)

    def _get(self) -> AgentExecutor:
        if self.inner is None:
            raise RuntimeError("The app's lifespan has not started.")
        return self.inner


def build_app(
    spec: AgentSpec,
    settings: AgentSettings | None = None,
    *,
    clock: Clock | None = None,
    model: BaseChatModel | None = None,
    port: int | None = None,
) -> Starlette:
    """The agent as an ASGI app; its lifespan opens the data, the MCP client and the graph.

    `clock` and `model` replace what the environment names. Raises ValueError for settings that make no sense.
    """
    settings = settings or AgentSettings()
    clock = clock or campus_clock()
    chosen = model or model_of(
        spec,
        settings.model,
        base_url=settings.model_base_url,
        api_key=settings.model_api_key,
        delay_ms=settings.offline_delay_ms,
    )
    card = agent_card(spec, settings.base_url(port or settings.port or spec.default_port))
    storage = open_storage(settings.database, spec.name, lease_seconds=settings.lease_seconds)
    executor = _Started()
    handler = HardenedHandler(
        agent_executor=executor,
        task_store=storage.tasks,
        agent_card=card,
        ledger=storage.ledger,
        leases=storage.leases,
        key_seconds=settings.key_seconds,
        event_stream=storage.events,
        validate_input_modes=True,
        interrupted_task_timeout=min(IN_MEMORY_SECONDS, settings.interrupted_seconds),
    )
    housekeeping = Housekeeping(storage, handler.works_on, handler.abandon)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            await storage.open()
            stack.push_async_callback(storage.close)
            await stack.enter_async_context(housekeeping.going_on(settings.lease_seconds / 3))
            db = open_database(spec.seed, settings.data_dir, spec.name)
            stack.callback(db.close)
            client = await stack.enter_async_context(Client(quiet_server(spec.mcp_server, db, clock)))
            graph = AgentGraph(spec, chosen, await langchain_tools(client), clock, storage.history)
            executor.inner = GraphExecutor(
                graph,
                turn_seconds=settings.turn_seconds,
                max_chars=settings.max_message_chars,
                ledger=storage.ledger,
                wait_seconds=settings.interrupted_seconds,
                watch=storage.tasks.watch,
            )
            stack.push_async_callback(handler.aclose)
            logger.info("%s is ready", spec.name)
            yield

    app = a2a_app(card, handler, settings, lifespan)
    app.state.housekeeping = housekeeping
    app.state.drain = Drain(handler, executor.stop, settings.drain_seconds)
    return app


def a2a_app(
    card: AgentCard, handler: RequestHandler, settings: AgentSettings, lifespan: Lifespan[Starlette]
) -> Starlette:
    """The HTTP side of any agent, with a graph or without: card, both spellings of the address, limits, health."""
    routes = [_dated(route) for route in create_agent_card_routes(card, cache_control="public, max-age=60")]
    for path in (RPC_PATH, RPC_PATH + "/"):
        routes += create_jsonrpc_routes(
            handler, path, enable_v0_3_compat=True, shutdown_grace_period=STREAM_GRACE_SECONDS
        )
    return Starlette(
        routes=[*routes, Route("/healthz", _health)],
        middleware=[
            Middleware(HttpStatus),
            Middleware(BodyLimit, max_bytes=settings.max_body_bytes),
            Middleware(JsonOnly),
        ],
        lifespan=lifespan,
    )


def _dated(route: Route) -> Route:
    """The card with the time since which it is what it is: that of its making."""
    made = formatdate(usegmt=True)

    async def endpoint(request: Request) -> Response:
        response: Response = await route.endpoint(request)
        response.headers["Last-Modified"] = made
        return response

    return Route(route.path, endpoint)


async def _health(request: Request) -> JSONResponse:
    drain: Drain | None = getattr(request.app.state, "drain", None)
    if drain is not None and drain.begun:
        return JSONResponse({"status": "draining"}, status_code=503)
    return JSONResponse({"status": "ok"})
