"""One leg: a question to one agent until there is an answer.

Retries, version fallback, stream pick-up, polling, cancellation.

Deadlines for the whole leg, the breaker and tokens are the dispatcher's (`a2a.py`); bytes and single exchanges are
`wire.py`'s.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import propagate

from contracts.extensions import NESTING
from supervisor.dispatch.codecs import CODECS, Codec, Question
from supervisor.dispatch.codecs.base import Version
from supervisor.dispatch.discovery.port import Endpoint, Interface
from supervisor.dispatch.failures import CallFailed
from supervisor.dispatch.port import AgentCall, Progress
from supervisor.dispatch.question import dumps, fixed_headers, header_key, message_id, question
from supervisor.dispatch.reply import PENDING, AgentReply, NotAReply, Reading, as_dict, as_list
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.wire import Wire, error_code

_OTHER: dict[Version, Version] = {"1.0": "0.3", "0.3": "1.0"}
# The first releases of the SDK took a method that they did not know for an invalid request.
_WRONG_VERSION = (-32601, -32600, -32009)
_NO_STREAMING = -32004
_INTERNAL = -32603
# All that a2a-sdk 0.3 says of it, as an internal error.
_NOT_STREAMING = "streaming is not supported"
_SEARCH_PAUSE = 0.05


@dataclass(slots=True)
class Ways:
    """How each agent turned out to be callable, where that is not what its card says.

    Shared by all legs of a process.
    """

    _known: dict[str, tuple[str, Version, bool]] = field(default_factory=dict[str, tuple[str, Version, bool]])

    def get(self, endpoint: Endpoint) -> tuple[Version, bool]:
        """(version, streaming) for the next call. What was learnt holds until the card changes."""
        known = self._known.get(endpoint.agent.name)
        if known and known[0] == endpoint.revision:
            return known[1], known[2]
        version = endpoint.interfaces[0].version
        return version, endpoint.streaming and CODECS[version].stream is not None

    def learn(self, endpoint: Endpoint, version: Version, streaming: bool) -> None:
        self._known[endpoint.agent.name] = (endpoint.revision, version, streaming)


@dataclass(frozen=True, slots=True)
class LegTools:
    """What all legs share. `sleep` and `jitter` are replaced in tests."""

    wire: Wire
    settings: DispatchSettings
    ways: Ways
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


class Leg:
    """Not reusable: one question, one answer. `run` raises CallFailed; `sent` is True once a request was tried."""

    def __init__(
        self, tools: LegTools, endpoint: Endpoint, call: AgentCall, on_progress: Callable[[Progress], None]
    ) -> None:
        self._tools = tools
        self._endpoint = endpoint
        self._call = call
        self._on_progress = on_progress
        self._token: str | None = None
        self._last_status = ""
        self._work: asyncio.Task[AgentReply] | None = None
        self._told = asyncio.Event()
        self._silent = False
        self._tried: set[tuple[Version, bool]] = set()
        self.sent = False
        version, self._streaming = tools.ways.get(endpoint)
        self._use(version)

    @property
    def task_id(self) -> str | None:
        """The remote task, once known."""
        return self._reading.task_id or self._call.task_id

    async def run(self, token: str | None) -> AgentReply:
        """Asks, and follows the task until it ends or waits for somebody.

        Goes on when the caller is cancelled, for its answer may hold the id of the task: `cancel` or `abandon` it.
        """
        self._token = token
        self._work = asyncio.create_task(self._answer())
        return await asyncio.shield(self._work)

    async def _answer(self) -> AgentReply:
        streamed = await self._ask()
        if streamed and not self._silent:
            await self._go_on()
        if not self._reading.finished and (streamed or self._reading.state in PENDING):
            await self._follow(at_once=streamed)
        return self._reading.reply()

    async def cancel(self, token: str | None = None) -> None:
        """Tells the agent to stop, if it may have a running task of ours, and ends the leg.

        A task whose id is not known yet is looked for. Takes at most `cancel_timeout`; failures are ignored.
        """
        self._on_progress = _ignore
        self._token = token or self._token
        try:
            with suppress(Exception):
                async with asyncio.timeout(self._tools.settings.cancel_timeout):
                    if self.sent and self.task_id is None:
                        await self._find()
                    if self.task_id and not self._reading.finished:
                        await self._post(self._codec.cancel, {"id": self.task_id}, lambda _: True)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Ends the leg; what the agent does goes on."""
        self._on_progress = _ignore
        if self._work is not None:
            self._work.cancel()

    async def _find(self) -> None:
        """Waits until the agent tells the id of the task or lists it; returns without one when it can do neither."""
        ways: list[Coroutine[Any, Any, object]] = []
        if self._codec.list:
            ways.append(self._search(self._codec.list))
        if self._streaming and self._work and not self._work.done():
            ways.append(self._told.wait())
        searches = [asyncio.ensure_future(way) for way in ways]
        try:
            for search in asyncio.as_completed(searches):
                with suppress(CallFailed):
                    await search
                    return
        finally:
            for search in searches:
                search.cancel()

    async def _search(self, method: str) -> None:
        """Looks through the tasks of the conversation for the one that our message made."""
        asked = {"contextId": self._call.context_id, "historyLength": 100, "pageSize": 50}
        while self.task_id is None:
            await self._post(method, dict(asked), self._take_list)
            if self.task_id is None:
                await self._tools.sleep(_SEARCH_PAUSE)

    async def _ask(self) -> bool:
        """Sends the message, again where that is safe.

        True if the answer came as a stream, or broke off with the task known.
        """
        attempt = 0
        while True:
            try:
                return await self._ask_in_some_version()
            except CallFailed as failure:
                if failure.lost and self._reading.task_id:
                    self._silent = failure.code == "timeout"
                    return True
                if attempt >= self._tools.settings.retries or not self._may_repeat(failure):
                    raise
                pause = failure.retry_after
            delay = self._tools.settings.retry_delay * 2**attempt * self._tools.jitter()
            await self._tools.sleep(max(delay, pause))
            attempt += 1

    def _may_repeat(self, failure: CallFailed) -> bool:
        if failure.retry_after > self._tools.settings.retry_after_max:
            return False
        return failure.retry == "safe" or (failure.retry == "idempotent" and self._endpoint.idempotent)

    async def _ask_in_some_version(self) -> bool:
        found_out = False
        while True:
            try:
                await self._send()
                break
            except CallFailed as failure:
                if not self._try_another_way(failure):
                    raise
                found_out = True
        if self._streaming and not self._reading.started:
            # It ended before it told anything, so that there is no task to ask for.
            raise CallFailed("bad_response", retry="idempotent", lost=True)
        if found_out:
            self._tools.ways.learn(self._endpoint, self._codec.version, self._streaming)
        return self._streaming

    def _try_another_way(self, failure: CallFailed) -> bool:
        """Changes version or gives up streaming if the agent's error says that it did not understand us.

        No way is tried twice. The method that an agent lacks may be the streaming one only.
        """
        here, there = self._codec.version, _OTHER.get(self._codec.version)
        others: list[tuple[Version, bool]] = []
        if failure.rpc in _WRONG_VERSION and there:
            others = [(there, self._streaming), (here, False), (there, False)]
        elif failure.rpc == _NO_STREAMING:
            others = [(here, False)]
        self._tried.add((here, self._streaming))
        way = next((way for way in others if way not in self._tried), None)
        if way is None or self._reading.started:
            return False
        self._use(way[0])
        self._streaming = way[1]
        return True

    def _use(self, version: Version) -> None:
        self._codec: Codec = CODECS[version]
        offered = {interface.version: interface for interface in self._endpoint.interfaces}
        self._interface = offered.get(version) or Interface(version, self._endpoint.interfaces[0].url)
        self._reading = Reading(legacy=version == "legacy")

    async def _send(self) -> None:
        params = self._codec.send_params(self._question())
        key = {"Idempotency-Key": header_key(self._call)}
        if self._streaming and self._codec.stream:
            wait = self._tools.settings.first_byte_timeout
            await self._post(self._codec.stream, params, self._take_event, headers=key, first_byte=wait)
        else:
            await self._post(self._codec.send, params, self._take, headers=key)

    def _question(self) -> Question:
        via = (*self._call.via, self._tools.settings.supervisor_id)
        nesting = {NESTING: {"via": list(via)}} if NESTING in self._endpoint.extensions else {}
        return question(self._call, nesting)

    async def _go_on(self) -> None:
        """Takes up a stream that broke off where the agent has it still. What goes wrong here is left to `_follow`.

        A stream that went silent is not taken up: it would only be waited for once more.
        """
        method, wait = self._codec.subscribe, self._tools.settings.first_byte_timeout
        for _ in range(1 + self._tools.settings.retries):
            if self._reading.finished or self._reading.task_id is None or method is None:
                return
            try:
                await self._post(method, {"id": self._reading.task_id}, self._take_event, first_byte=wait)
            except CallFailed as failure:
                if not failure.lost or failure.code == "timeout":
                    return

    async def _follow(self, *, at_once: bool) -> None:
        """Looks at the task until it ends; the leg's deadline bounds it. An agent that is gone may come back meanwhile:
        it is given up after `lost_timeout` seconds of pauses without an answer.
        """
        settings = self._tools.settings
        pause, missed = settings.poll_interval, 0.0
        if self._reading.task_id is None:
            raise CallFailed("bad_response")
        while True:
            if not at_once:
                await self._tools.sleep(pause)
                missed += pause
                pause = min(pause * 1.6, settings.poll_interval_max)
            at_once = False
            try:
                await self._look()
            except CallFailed as failure:
                if failure.retry == "never" or missed >= settings.lost_timeout:
                    raise
                pause = max(pause, min(failure.retry_after, settings.retry_after_max))
                continue
            missed = 0.0
            if self._reading.finished or self._reading.state not in PENDING:
                return

    async def _look(self) -> None:
        params = self._codec.get_params(self._reading.task_id or "")
        await self._post(self._codec.get, params, self._take, first_byte=self._tools.settings.first_byte_timeout)

    async def _post(
        self,
        method: str,
        params: dict[str, Any],
        take: Callable[[dict[str, Any]], bool],
        *,
        headers: dict[str, str] | None = None,
        first_byte: float | None = None,
    ) -> None:
        self.sent = True
        if self._interface.tenant:
            params["tenant"] = self._interface.tenant
        sent = fixed_headers(self._codec.version, self._endpoint.extensions) | (headers or {})
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        propagate.inject(sent)
        body = dumps({"jsonrpc": "2.0", "id": message_id(self._call), "method": method, "params": params})
        await self._tools.wire.post(self._interface.url, sent, body, take, first_byte=first_byte)

    def _take_event(self, envelope: dict[str, Any]) -> bool:
        self._take(envelope)
        return self._reading.finished

    def _take_list(self, envelope: dict[str, Any]) -> bool:
        for task in map(as_dict, as_list(_result(envelope).get("tasks"))):
            sent = (as_dict(message).get("messageId") for message in as_list(task.get("history")))
            if isinstance(task.get("id"), str) and message_id(self._call) in sent:
                self._reading.task_id = task["id"]
        return True

    def _take(self, envelope: dict[str, Any]) -> bool:
        try:
            steps = self._reading.apply(_result(envelope))
        except NotAReply:
            raise CallFailed("bad_response") from None
        if self._reading.task_id:
            self._told.set()
        for step in steps:
            self._tell(step)
        return True

    def _tell(self, step: Progress) -> None:
        if step.kind == "status":
            if step.text == self._last_status:
                return
            self._last_status = step.text
        self._on_progress(step)


def _ignore(_: Progress) -> None:
    """Nobody listens any more."""


def _result(envelope: dict[str, Any]) -> dict[str, Any]:
    code = error_code(envelope)
    if code is not None:
        unstreamed = code == _INTERNAL and _NOT_STREAMING in str(as_dict(envelope["error"]).get("message")).lower()
        raise CallFailed(f"rpc_{code}", rpc=_NO_STREAMING if unstreamed else code)
    return as_dict(envelope.get("result"))
