"""300 turns over both agents and the supervisor while the network fails and processes are killed: nothing is lost.

One fixture plays them; the tests look at what was seen. `CHAOS_SEED` replays another course of faults.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from supervisor.dispatch.port import AgentCall, UserContext
from supervisor.dispatch.question import message_id
from tests.e2e.chaos.deck import Service, agents, supervisor
from tests.e2e.chaos.proxy import Proxy
from tests.e2e.chaos.users import Played, User
from tests.fakes.agui import TERMINAL, parse

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
requirement = pytest.mark.requirement

SEED = os.environ.get("CHAOS_SEED", "switchboard")
TURNS = int(os.environ.get("CHAOS_TURNS", "300"))
USERS = 6
KILLS = {"supervisor": 5, "canteen": 6, "transport": 6}
NOW = "2026-12-01T10:30"
"""Campus time: meals can be booked."""
SETTINGS = {
    "AGENT_FIRST_BYTE_SECONDS": "10",
    "AGENT_IDLE_SECONDS": "1",
    "AGENT_TIMEOUT": "20",
    # A circuit that opens lets one leg suffer for another; it has tests of its own.
    "AGENT_CIRCUIT_FAILURES": "100000",
    "DISCOVERY_INTERVAL": "1",
}
FRESH = 10.0
"""Seconds for which a supervisor may not have seen the agents after a kill."""
GRACE = 1.0
"""Seconds before a kill in which a call may already be lost without the proxy knowing."""


@dataclass(frozen=True)
class Told:
    """What was seen: runs, the journal by thread, what went through the network, what the agents have on disk."""

    runs: list[Played]
    journal: dict[str, bytes]
    proxies: dict[str, Proxy]
    services: dict[str, Service]
    messages: dict[str, Counter[str]]
    keys: dict[str, dict[str, str]]
    bookings: list[str]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The whole story, told once."""
    return asyncio.run(_play(tmp_path_factory.mktemp("chaos")))


async def _play(folder: Path) -> Told:
    dice = random.Random(SEED)
    monkey = Monkey(random.Random(dice.random()))
    async with AsyncExitStack() as stack:
        services: dict[str, Service] = await stack.enter_async_context(
            agents(folder, "canteen", "transport", CAMPUS_NOW=NOW)
        )
        proxies = {
            name: Proxy(name, service.url, random.Random(dice.random()), monkey.tick)
            for name, service in services.items()
        }
        for proxy in proxies.values():
            await stack.enter_async_context(proxy.open())
        places = {name: f"http://127.0.0.1:{proxy.port}" for name, proxy in proxies.items()}
        front = await stack.enter_async_context(supervisor(folder, places, **SETTINGS))
        monkey.services = {**services, "supervisor": front}
        users = [User(f"u{n}", front, random.Random(dice.random())) for n in range(USERS)]
        runs = [run for found in await asyncio.gather(*map(_all, users)) for run in found]
        await monkey.rest()
        journal = await _journal(front, {run.thread for run in runs})
    messages = {name: _messages(folder / f"{name}-tasks.db") for name in services}
    keys = {name: _keys(folder / f"{name}-tasks.db") for name in services}
    bookings = _column(folder / "canteen-data" / "canteen-kept.db", "SELECT key FROM bookings")
    return Told(runs, journal, proxies, monkey.services, messages, keys, bookings)


async def _all(user: User) -> list[Played]:
    return [played async for played in user.play(TURNS // USERS)]


class Monkey:
    """Kills what its dice say, when so many requests have passed the network."""

    def __init__(self, dice: random.Random) -> None:
        self.services: dict[str, Service] = {}
        self._passed = 0
        self._kills: dict[int, list[str]] = defaultdict(list)
        self._work: set[asyncio.Task[None]] = set()
        for name, count in KILLS.items():
            for moment in dice.sample(range(10, TURNS), count):
                self._kills[moment].append(name)

    def tick(self) -> None:
        """One more request."""
        self._passed += 1
        for name in self._kills.pop(self._passed, ()):
            work = asyncio.create_task(self.services[name].die_and_rise())
            self._work.add(work)

    async def rest(self) -> None:
        """Returns when everything that was killed is back."""
        await asyncio.gather(*self._work)


async def _journal(front: Service, threads: set[str]) -> dict[str, bytes]:
    async with httpx.AsyncClient(base_url=front.url, trust_env=False, timeout=60) as client:
        return {t: (await client.get(f"/agui/threads/{t}/events")).raise_for_status().content for t in sorted(threads)}


def _messages(database: Path) -> Counter[str]:
    """How many tasks of an agent hold each message of ours."""
    return Counter(
        name
        for history in _column(database, "SELECT history FROM tasks")
        for name in {m["messageId"] for m in json.loads(history or "[]") if m.get("role") == "ROLE_USER"}
    )


def _keys(database: Path) -> dict[str, str]:
    with closing(sqlite3.connect(database)) as connection:
        return dict(connection.execute("SELECT key, task_id FROM idempotency_keys"))


def _column(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as connection:
        return [value for (value,) in connection.execute(sql)]


def _runs(journal: bytes) -> Iterator[list[dict[str, Any]]]:
    """The events of each run on record."""
    events: list[dict[str, Any]] = []
    for frame in parse(journal):
        if frame.event["type"] == "RUN_STARTED" and events:
            yield events
            events = []
        events.append(frame.event)
    yield events


def _name_of(key: str) -> str:
    return message_id(AgentCall("", "", key, "", UserContext("")))


@requirement("SB-CHAOS-01")
def test_everything_was_tried(told: Told) -> None:
    assert len(told.runs) >= TURNS
    assert {name: len(told.services[name].outages) > 0 for name in KILLS} == dict.fromkeys(KILLS, True)
    faults = Counter(fault for proxy in told.proxies.values() for seen in proxy.seen.values() for fault in seen.faults)
    assert len(faults) >= 9, faults
    outcomes = Counter(run.events[-1].get("outcome", {}).get("type") for run in told.runs)
    statuses = Counter(status for run in told.runs for _, _, status, _ in run.legs())
    print(f"{len(told.runs)} runs {dict(outcomes)}, legs {dict(statuses)}, faults {dict(faults)}")
    print({name: len(told.services[name].outages) for name in KILLS}, f"{len(told.bookings)} bookings")
    assert outcomes["interrupt"] >= 5
    assert statuses["failed"] >= 5


@requirement("SB-CHAOS-01")
def test_every_turn_ends_once_and_in_words(told: Told) -> None:
    for run in told.runs:
        kinds = [event["type"] for event in run.events]
        assert [kind for kind in kinds if kind in TERMINAL] == ["RUN_FINISHED"], f"{run.run}: {kinds}"
        outcome = run.events[-1]["outcome"]
        if outcome["type"] == "interrupt":
            assert all(question["message"].strip() for question in outcome["interrupts"]), run.run
            continue
        said = _last_words(run)
        assert said.strip(), f"{run.run} asked {run.asked} and was told nothing"
        assert not any(leak in said for leak in ("Traceback", "127.0.0.1", "http_", "Error")), said


def _last_words(run: Played) -> str:
    """The answer as its reader has it: streamed, or restated after a crash."""
    texts: dict[str, str] = {}
    for event in run.events:
        if event["type"] == "MESSAGES_SNAPSHOT":
            texts = {m["id"]: m["content"] for m in event["messages"] if m["role"] == "assistant" and m.get("content")}
        elif event["type"] == "TEXT_MESSAGE_CONTENT":
            texts[event["messageId"]] = texts.get(event["messageId"], "") + event["delta"]
    return list(texts.values())[-1] if texts else ""


@requirement("SB-CHAOS-01")
def test_the_record_holds_every_run_once_and_nothing_else(told: Told) -> None:
    played = defaultdict(list)
    for run in told.runs:
        played[run.thread].append(run)
    for thread, journal in told.journal.items():
        recorded = list(_runs(journal))
        assert [events[0]["runId"] for events in recorded] == [run.run for run in played[thread]]
        for events in recorded:
            assert [event["type"] in TERMINAL for event in events].index(True) == len(events) - 1


@requirement("SB-CHAOS-02")
def test_every_key_was_executed_once(told: Told) -> None:
    for name, proxy in told.proxies.items():
        assert max(told.messages[name].values(), default=0) <= 1, f"a message to {name} is in two tasks"
        ours = {_name_of(key) for key in proxy.seen}
        assert set(told.messages[name]) <= ours, f"{name} has tasks that nobody asked for"
        assert set(told.keys[name]) <= set(proxy.seen)
        for run in told.runs:
            for agent, leg, status, _ in run.legs():
                if agent == name and status == "completed":
                    assert any(key.startswith(leg.removeprefix("sub_")) for key in told.keys[name]), leg
    assert len(set(told.bookings)) == len(told.bookings)
    approvals = sum(run.asked.count("'approved': True") for run in told.runs)
    assert 0 < len(told.bookings) <= approvals


@requirement("SB-CHAOS-03")
def test_no_legs_failure_changed_another_legs_outcome(told: Told) -> None:
    """A call whose own messages nobody touched, to an agent that lived, has succeeded whatever happened beside it."""
    untouched = 0
    for run in told.runs:
        for agent, leg, status, error in run.legs():
            first = leg.removeprefix("sub_")
            if not any(key.startswith(first) for key in told.proxies[agent].seen):
                # A supervisor that has just started knows no agent whose card it could not read yet.
                fresh = told.services["supervisor"].was_down(run.begin - FRESH, run.end)
                assert (error, fresh) == ("unreachable", True), f"{run.run}: {agent} {leg} was not asked: {error}"
                continue
            tasks = {task for key, task in told.keys[agent].items() if key.startswith(first)}
            down = told.services[agent].was_down(run.begin - GRACE, run.end)
            if down or told.proxies[agent].harmed(first, tasks) or "'cancelled'" in run.asked:
                continue
            untouched += 1
            seen = [s.faults for key, s in told.proxies[agent].seen.items() if key.startswith(first) or s.task in tasks]
            assert status in ("completed", "suspended"), f"{run.run}: {agent} {leg} {status} {error} {seen}"
    assert untouched >= TURNS // 5
