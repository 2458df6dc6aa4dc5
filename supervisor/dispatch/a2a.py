"""The Dispatcher over A2A: discovery, token, breaker, deadline and cancellation around one `Leg` per call.

Never raises but on cancellation, and never puts an agent's error text, an address or a token into a result or a log.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx

from supervisor.dispatch import outcome
from supervisor.dispatch.discovery.port import Discovery, Endpoint, Unavailable
from supervisor.dispatch.failures import CallFailed
from supervisor.dispatch.guard import AgentGuard, CircuitBreaker
from supervisor.dispatch.leg import Leg, LegTools, Ways
from supervisor.dispatch.port import AgentCall, AgentInfo, DispatchResult, Progress
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.tokens.port import Tokens
from supervisor.dispatch.wire import Wire
from supervisor.telemetry import tracing

log = logging.getLogger(__name__)


class A2ADispatcher:
    """Implements `dispatch.port.Dispatcher`.

    One per process; `client` comes from `make_client` and stays the caller's to close.

    `clock` (breaker), `sleep` (pauses between attempts and polls) and `jitter` (0..1) are replaced in tests.
    `observe` is told of every call: the agent, its error code or `ok`, and the seconds it took.
    """

    def __init__(
        self,
        discovery: Discovery,
        tokens: Tokens,
        client: httpx.AsyncClient,
        settings: DispatchSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        observe: Callable[[str, str, float], None] = lambda *_: None,
    ) -> None:
        self._discovery = discovery
        self._tokens = tokens
        self._settings = settings
        self._clock = clock
        self._observe = observe
        self._tools = LegTools(Wire(client, settings), settings, Ways(), sleep, jitter)
        self._guards: dict[str, AgentGuard] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._released = False

    @property
    def version(self) -> int:
        return self._discovery.version

    def agents(self) -> Sequence[AgentInfo]:
        return [self._guarded(info) for info in self._discovery.agents()]

    def _guarded(self, info: AgentInfo) -> AgentInfo:
        guard = self._guards.get(info.name)
        if guard is None or (guard.breaker.state == "closed" and not guard.in_flight):
            return info
        return replace(info, circuit=guard.breaker.state, in_flight=guard.in_flight)

    async def call(self, call: AgentCall, on_progress: Callable[[Progress], None]) -> DispatchResult:
        started, outcome_code = time.monotonic(), "cancelled"
        try:
            with tracing.agent_call_span(call.agent) as span:
                result = await self._call(call, on_progress)
                outcome_code = result.error or "ok"
                if result.error:
                    tracing.failed(span, result.error)
                return result
        finally:
            self._observe(call.agent, outcome_code, time.monotonic() - started)

    async def _call(self, call: AgentCall, on_progress: Callable[[Progress], None]) -> DispatchResult:
        endpoint = await self._locate(call.agent)
        if isinstance(endpoint, Unavailable):
            return outcome.failure(call.agent, endpoint.code)
        if call.seconds is not None and call.seconds <= 0:
            return outcome.failure(call.agent, "timeout")
        guard = self._guard(call.agent)
        if not guard.breaker.allow():
            return outcome.failure(call.agent, "circuit_open")
        leg = Leg(self._tools, endpoint, call, on_progress)
        try:
            result = await self._run(leg, guard, endpoint, call)
        except asyncio.CancelledError:
            guard.breaker.abandoned()
            if self._released:
                leg.abandon()
            else:
                await asyncio.shield(self._spawn(leg.cancel()))
            raise
        except CallFailed as failure:
            return self._failed(leg, guard, call, failure)
        guard.breaker.succeeded()
        return result

    async def cancel(self, call: AgentCall) -> None:
        endpoint = await self._locate(call.agent)
        if isinstance(endpoint, Unavailable) or not call.task_id:
            return
        with suppress(CallFailed):
            token = await self._token(endpoint, call)
            await Leg(self._tools, endpoint, call, lambda _: None).cancel(token)

    def release(self) -> None:
        self._released = True

    async def aclose(self) -> None:
        """Waits for the last cancellations to reach the agents."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)

    async def _locate(self, agent: str) -> Endpoint | Unavailable:
        """Where the agent is. One that was never seen is looked for a few times more: it, or we, may just have started,
        and after a restart of ours a task of an earlier process may be waiting there.
        """
        found = self._discovery.endpoint(agent)
        for attempt in range(self._settings.retries + 1):
            if not isinstance(found, Unavailable) or found.code != "unreachable":
                break
            if attempt:
                await self._tools.sleep(self._settings.recheck_gap)
            await self._discovery.check(agent)
            found = self._discovery.endpoint(agent)
        return found

    async def _run(self, leg: Leg, guard: AgentGuard, endpoint: Endpoint, call: AgentCall) -> DispatchResult:
        total = self._settings.total_timeout
        try:
            async with asyncio.timeout(total if call.seconds is None else min(total, call.seconds)), guard.slot():
                token = await self._token(endpoint, call)
                return outcome.of_reply(call.agent, await leg.run(token))
        except TimeoutError:
            raise CallFailed("timeout", lost=True) from None
        except CallFailed:
            raise
        except Exception as error:
            # A defect of ours, or a reply that none of the checks foresaw; its text may hold what the agent sent.
            log.error("calling %s failed unexpectedly: %s", call.agent, type(error).__name__)
            raise CallFailed("bad_response") from None

    async def _token(self, endpoint: Endpoint, call: AgentCall) -> str | None:
        try:
            return await self._tokens.bearer(endpoint.agent, call.user)
        except Exception as error:
            log.warning("no token for %s: %s", call.agent, type(error).__name__)
            raise CallFailed("unauthorized") from None

    def _failed(self, leg: Leg, guard: AgentGuard, call: AgentCall, failure: CallFailed) -> DispatchResult:
        code = failure.code
        log.warning("agent %s: %s", call.agent, code)
        if not leg.sent:
            guard.breaker.abandoned()
        elif code in ("timeout", "unreachable") or code.startswith("http_5"):
            guard.breaker.failed()
        else:
            guard.breaker.succeeded()
        self._discovery.suspect(call.agent)
        if leg.sent and (leg.task_id or failure.lost):
            self._spawn(leg.cancel())
        return outcome.failure(call.agent, code, task_id=leg.task_id, context_id=call.context_id)

    def _guard(self, agent: str) -> AgentGuard:
        guard = self._guards.get(agent)
        if guard is None:
            settings = self._settings
            breaker = CircuitBreaker(settings.breaker_failures, settings.breaker_seconds, self._clock)
            guard = self._guards[agent] = AgentGuard(breaker, settings.max_in_flight)
        return guard

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task
