"""Composition root: settings -> adapters -> ASGI app. The only module that knows which adapter serves which port."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
from fastapi import FastAPI
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from starlette.middleware.cors import CORSMiddleware

from a2ui_schemas.gate import check
from a2ui_schemas.loader import Catalogue, load_catalogue
from chat_models import resolve_model
from supervisor.a2a import routes as a2a
from supervisor.a2a.desk import Desk, Nesting
from supervisor.a2a.routes import A2ADoor
from supervisor.card_desk import CardDesk
from supervisor.cards import artifact
from supervisor.cards.render import CardRenderer
from supervisor.dispatch.a2a import A2ADispatcher
from supervisor.dispatch.client import make_client
from supervisor.dispatch.discovery.static import StaticDiscovery
from supervisor.dispatch.port import Dispatcher
from supervisor.dispatch.settings import DispatchSettings, parse_agents, parse_names
from supervisor.dispatch.tokens.none import NoTokens
from supervisor.dispatch.tokens.static import StaticTokens
from supervisor.extensions import Extensions, load_extensions
from supervisor.graph.build import GraphParts, tool_names
from supervisor.graph.checkpoints import SqliteCheckpoints
from supervisor.graph.offline import offline_model
from supervisor.graph.service import SupervisorGraph
from supervisor.http import page, problems
from supervisor.http.auth import SingleUser
from supervisor.http.requests import Limits
from supervisor.http.routes import FrontDoor, router
from supervisor.journal.database import Database
from supervisor.journal.memory import MemoryJournal
from supervisor.journal.port import Journal
from supervisor.journal.sqlite import SqliteJournal
from supervisor.runs.admission import Rules
from supervisor.runs.commands import make_commands
from supervisor.runs.manager import RunManager, RunSettings
from supervisor.runs.memory import MemoryRunStore
from supervisor.runs.port import RunStore
from supervisor.runs.sqlite import SqliteRunStore
from supervisor.settings import Settings
from supervisor.telemetry import tracing
from supervisor.telemetry.metrics import Metrics

_PASSED: set[str] = set()


def create_app(
    settings: Settings | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    extensions: Extensions | None = None,
) -> FastAPI:
    """The supervisor as an ASGI app. `transport` replaces the network towards the agents, for tests; `extensions` are
    what a host adds, in place of the setting.

    Raises ValueError when a setting or the card catalogue is wrong; agents that are down stop nothing.
    """
    chosen = settings or Settings()
    added = extensions or load_extensions(chosen.extensions)
    catalogue = _catalogue(chosen)
    dispatch = _dispatch_settings(chosen)
    chosen.sqlite_path()
    tracing.configure()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            await _open(app, stack, chosen, catalogue, dispatch, transport, added)
            if chosen.tune_gc:
                _settle_garbage_collector()
            yield

    app = FastAPI(title="Switchboard", version="0.1.0", lifespan=lifespan)
    problems.install(app)
    if origins := chosen.origins():
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["*"])
    return app


def _catalogue(settings: Settings) -> Catalogue:
    """The catalogue, past its gate. The digest is that of the files, so a process checks the same files once."""
    catalogue = load_catalogue(settings.catalogue_dir) if settings.catalogue_dir else load_catalogue()
    if catalogue.digest not in _PASSED:
        check(catalogue)
        _PASSED.add(catalogue.digest)
    return catalogue


async def _open(
    app: FastAPI,
    stack: AsyncExitStack,
    settings: Settings,
    catalogue: Catalogue,
    dispatch: DispatchSettings,
    transport: httpx.AsyncBaseTransport | None,
    added: Extensions,
) -> None:
    """Open everything that needs a running loop; `stack` closes it in reverse order."""
    metrics = Metrics()
    dispatcher = await _open_dispatcher(stack, settings, dispatch, catalogue, transport, metrics)
    metrics.watch(dispatcher.agents)
    checkpointer, journal, store = await _open_stores(stack, settings)
    models = settings.chosen_models()
    desk = CardDesk(CardRenderer(catalogue, events=metrics))
    graph = _graph(settings, desk, dispatcher, checkpointer, added)
    run_settings = RunSettings(
        flush_window=settings.flush_window_ms / 1000,
        heartbeat=settings.heartbeat_seconds,
        drain=settings.drain_seconds,
        subagents=settings.subagent_events,
        models=frozenset(models),
        rules=Rules(tool_names(added.tools), {name: card.actions for name, card in catalogue.cards.items()}),
        on_end=metrics.run_ended,
    )
    runs = RunManager(graph, journal, store, artifact.surface_events, run_settings)
    stack.push_async_callback(runs.aclose)
    await runs.recover()
    app.state.runs = runs
    door = FrontDoor(
        runs,
        SingleUser(),
        dispatcher.agents,
        catalogue.to_json(),
        Limits(settings.max_body_bytes, settings.max_message_chars),
        make_commands(runs.cancel, added.commands),
        models=sorted(models),
        shared_state=added.shared_state,
        subagents=settings.subagent_events,
        metrics=metrics,
    )
    app.include_router(router(door))
    if settings.serve_a2a:
        tasks = Desk(runs, Nesting(dispatch.supervisor_id, settings.nesting_limit), settings.subagent_events)
        app.include_router(a2a.router(A2ADoor(door, tasks, settings.nesting_limit, settings.public_url)))
    if settings.legacy_raw:
        from supervisor.http import raw  # the bridge takes seconds to import

        app.include_router(raw.router(door, graph, settings.heartbeat_seconds))
    page.install(app, settings.copilotkit_dist)


async def _open_dispatcher(
    stack: AsyncExitStack,
    settings: Settings,
    dispatch: DispatchSettings,
    catalogue: Catalogue,
    transport: httpx.AsyncBaseTransport | None,
    metrics: Metrics,
) -> Dispatcher:
    client = await stack.enter_async_context(make_client(dispatch, transport))
    known = frozenset(catalogue.types)
    discovery = StaticDiscovery(dispatch, client, known, catalogue_version=catalogue.version)
    tokens = StaticTokens(settings.agent_token) if settings.agent_token else NoTokens()
    dispatcher = A2ADispatcher(discovery, tokens, client, dispatch, observe=metrics.agent_called)
    stack.push_async_callback(dispatcher.aclose)
    stack.push_async_callback(discovery.aclose)
    await discovery.start()
    return dispatcher


async def _open_stores(stack: AsyncExitStack, settings: Settings) -> tuple[BaseCheckpointSaver[Any], Journal, RunStore]:
    path = settings.sqlite_path()
    if path is None:
        return InMemorySaver(), MemoryJournal(), MemoryRunStore()
    database = Database(path)
    stack.push_async_callback(database.aclose)
    journal, store, checkpointer = SqliteJournal(database), SqliteRunStore(database), SqliteCheckpoints(database)
    stack.push_async_callback(journal.aclose)
    stack.push_async_callback(checkpointer.drain)
    return checkpointer, journal, store


def _graph(
    settings: Settings,
    cards: CardDesk,
    dispatcher: Dispatcher,
    checkpointer: BaseCheckpointSaver[Any],
    added: Extensions,
) -> SupervisorGraph:
    def model(name: str) -> BaseChatModel:
        return resolve_model(
            name,
            offline=lambda: offline_model(settings.offline_delay_ms),
            base_url=settings.model_base_url,
            api_key=settings.model_api_key,
        )

    ttl = settings.interrupt_ttl_seconds
    parts = GraphParts(
        model(settings.model),
        dispatcher,
        checkpointer,
        cards,
        recursion_limit=settings.recursion_limit,
        models={name: model(spec) for name, spec in settings.chosen_models().items()},
        tools=added.tools,
        shared_state=added.shared_state,
        interrupt_ttl=timedelta(seconds=ttl) if ttl else None,
        turn_seconds=settings.turn_seconds,
    )
    return SupervisorGraph(parts)


def _dispatch_settings(settings: Settings) -> DispatchSettings:
    agents = parse_agents(settings.agents)
    return DispatchSettings(
        agents=agents,
        legacy_agents=parse_names(settings.legacy_agents, agents),
        agent_token=settings.agent_token,
        supervisor_id=settings.own_id(),
        total_timeout=settings.agent_timeout,
        first_byte_timeout=settings.agent_first_byte_seconds,
        idle_timeout=settings.agent_idle_seconds,
        max_in_flight=settings.agent_max_in_flight,
        breaker_failures=settings.agent_circuit_failures,
        breaker_seconds=settings.agent_circuit_seconds,
        discovery_interval=settings.discovery_interval,
    )


def _settle_garbage_collector() -> None:
    """What start-up made stays for ever: keep the collector from walking it during every run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
