"""Discovery from settings: fixed addresses, agent cards fetched at start and again in the background. No registry.

An agent that is down is listed with the reason and keeps its last known place; one that starts later is found by
the next look.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from dataclasses import replace

import httpx
import orjson

from supervisor.dispatch.address import AddressNotAllowed
from supervisor.dispatch.discovery.card import CardRefused, read_card, without_card
from supervisor.dispatch.discovery.port import Endpoint, Unavailable
from supervisor.dispatch.failures import CallFailed
from supervisor.dispatch.port import AgentInfo
from supervisor.dispatch.settings import DispatchSettings
from supervisor.dispatch.wire import read_body

log = logging.getLogger(__name__)

CARD_PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
"""The second one is where cards were before A2A 0.3."""


class _Entry:
    """What is known of one agent. `endpoint` is the last usable card, `info` the present view."""

    def __init__(self, name: str, url: str) -> None:
        self.info = AgentInfo(name, "", (), url, healthy=False, error="has not been looked at yet")
        self.code = "unreachable"
        self.endpoint: Endpoint | None = None
        self.etag: str | None = None
        self.allowed = True
        self.checked_at = float("-inf")
        self.next_at = float("-inf")
        self.lock = asyncio.Lock()


class StaticDiscovery:
    """Implements `discovery.port.Discovery` for `settings.agents`.

    `catalogue` holds the card types that can be shown, None to check nothing; `catalogue_version` is its version. Call
    `start` once, `aclose` at the end; without `start` agents are looked at when they are first called.
    """

    def __init__(
        self,
        settings: DispatchSettings,
        client: httpx.AsyncClient,
        catalogue: Set[str] | None = None,
        *,
        catalogue_version: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._client = client
        self._catalogue = catalogue
        self._catalogue_version = catalogue_version
        self._clock = clock
        self._version = 0
        self._wake = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._entries = {name: self._entry(name, url) for name, url in sorted(settings.agents.items())}

    @property
    def version(self) -> int:
        return self._version

    def agents(self) -> Sequence[AgentInfo]:
        return [entry.info for entry in self._entries.values()]

    def endpoint(self, agent: str) -> Endpoint | Unavailable:
        entry = self._entries.get(agent)
        if entry is None:
            return Unavailable("unknown_agent")
        return entry.endpoint or Unavailable(entry.code)

    def suspect(self, agent: str) -> None:
        entry = self._entries.get(agent)
        if entry and entry.allowed:
            soon = max(self._clock(), entry.checked_at + self._settings.recheck_gap)
            entry.next_at = min(entry.next_at, soon)
            self._wake.set()

    async def check(self, agent: str) -> None:
        entry = self._entries.get(agent)
        if entry and entry.allowed:
            await self._look(entry, self._clock() - self._settings.recheck_gap)

    async def start(self) -> None:
        """Looks at every agent once (bounded by `card_timeout`), then goes on in the background."""
        await self.refresh()
        self._watcher = asyncio.create_task(self._watch())

    async def refresh(self) -> None:
        """Looks at every agent now."""
        now = self._clock()
        await asyncio.gather(*(self._look(entry, now) for entry in self._entries.values() if entry.allowed))

    async def aclose(self) -> None:
        if self._watcher:
            self._watcher.cancel()
            with suppress(asyncio.CancelledError):
                await self._watcher

    def _entry(self, name: str, url: str) -> _Entry:
        entry = _Entry(name, url.rstrip("/"))
        try:
            if self._settings.addresses.split(url).query:
                raise AddressNotAllowed("the address of an agent has no query")
        except AddressNotAllowed as error:
            entry.allowed, entry.code = False, "address_not_allowed"
            entry.info = replace(entry.info, url="", error=f"its address is not allowed: {error}")
        return entry

    async def _watch(self) -> None:
        while True:
            now = self._clock()
            due = [entry for entry in self._entries.values() if entry.allowed and entry.next_at <= now]
            await asyncio.gather(*(self._look(entry, now) for entry in due))
            waits = [entry.next_at - self._clock() for entry in self._entries.values() if entry.allowed]
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(waits, default=self._settings.discovery_interval))):
                    await self._wake.wait()
            self._wake.clear()

    async def _look(self, entry: _Entry, asked_at: float) -> None:
        """Fetches the card, unless somebody else did after `asked_at`."""
        async with entry.lock:
            if entry.checked_at > asked_at:
                return
            before = (entry.info, entry.endpoint)
            try:
                async with asyncio.timeout(self._settings.card_timeout):
                    await self._fetch(entry)
                self._seen(entry)
            except Exception as error:
                self._missed(entry, error)
            entry.checked_at = self._clock()
            entry.next_at = entry.checked_at + (
                self._settings.discovery_interval if entry.info.healthy else self._settings.unhealthy_interval
            )
            self._version += before != (entry.info, entry.endpoint)

    async def _fetch(self, entry: _Entry) -> None:
        response = await self._get(entry, CARD_PATHS[0])
        if response.status_code == 404:
            await response.aclose()
            response = await self._get(entry, CARD_PATHS[1])
        try:
            if response.status_code == 304 and entry.endpoint:
                return
            legacy = entry.info.name in self._settings.legacy_agents
            if response.status_code == 404 and legacy:
                entry.endpoint, entry.etag = without_card(entry.info.name, entry.info.url), None
                return
            if response.status_code != 200:
                raise CardRefused("unreachable", f"answered {response.status_code} instead of its agent card")
            raw = await read_body(response, self._settings.max_card_bytes)
        finally:
            await response.aclose()
        card = orjson.loads(raw)
        if not isinstance(card, dict):
            raise CardRefused("bad_response", "its agent card is not a JSON object")
        known, version = self._catalogue, self._catalogue_version
        entry.endpoint = read_card(entry.info.name, entry.info.url, card, raw, known, legacy=legacy, version=version)
        entry.etag = response.headers.get("etag")

    async def _get(self, entry: _Entry, path: str) -> httpx.Response:
        headers = {"if-none-match": entry.etag} if entry.etag else {}
        request = self._client.build_request("GET", entry.info.url + path, headers=headers)
        return await self._client.send(request, stream=True)

    def _seen(self, entry: _Entry) -> None:
        if entry.endpoint is None:
            return
        if not entry.info.healthy:
            log.info("agent %s is there", entry.info.name)
        entry.info = entry.endpoint.agent

    def _missed(self, entry: _Entry, error: Exception) -> None:
        entry.code, why = _why(error)
        if entry.code == "address_not_allowed":
            entry.endpoint = entry.etag = None
        if entry.info.error != why:
            log.warning("agent %s: %s", entry.info.name, why)
        entry.info = replace(entry.info, healthy=False, error=why)


def _why(error: Exception) -> tuple[str, str]:
    """(code, words) without the error's own text unless it is ours."""
    match error:
        case CardRefused():
            return error.code, str(error)
        case CallFailed():
            return "bad_response", "its agent card is too large"
        case orjson.JSONDecodeError():
            return "bad_response", "its agent card is not JSON"
        case TimeoutError():
            return "unreachable", "did not answer in time"
        case _:
            return "unreachable", "cannot be reached"
