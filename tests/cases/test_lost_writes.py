"""A process that dies between two writes, at every write: clients were told more than is saved, or less.

Deterministic counterpart of `tests/e2e/test_killed.py`, which kills real processes at random moments.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui
from langchain_core.messages import BaseMessage, ToolMessage

from chat_models import ToolSpec, Turn
from supervisor.graph.checkpoints import SqliteCheckpoints
from supervisor.graph.service import SupervisorGraph
from supervisor.graph.sqlite_saver import QueuedSaver
from supervisor.journal.sqlite import SqliteJournal
from supervisor.runs.sqlite import SqliteRunStore
from tests.cases.case import Case, Event, assert_known_shapes, of_type
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import assert_well_formed, events, parse, run_input

requirement = pytest.mark.requirement

EVENTS = "/agui/threads/t/events"
STEPS = {QueuedSaver: 1, SqliteJournal: 4}
"""How many more writes are saved from one try to the next."""
STORES = {QueuedSaver: ("aput", "aput_writes"), SqliteJournal: ("append",)}
each_store = pytest.mark.parametrize("store", STORES, ids=["told-more", "told-less"])


class Disk:
    """Saves so many writes of one store, and from then on none, and no run's end. `stuck`: without it, nothing more
    happens; a journal that is full does not hinder the run, which is then at its end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, store: type) -> None:
        self.left: int | None = None
        self.stuck = asyncio.Event()
        self._down = asyncio.Event()
        self._put = self._asking = self._answering = False
        for name in STORES[store]:
            monkeypatch.setattr(store, name, self._losing(name, getattr(store, name)))
        if store is SqliteJournal:
            monkeypatch.setattr(store, "append", _one_by_one(store.append))
        else:
            monkeypatch.setattr(SqliteJournal, "append", self._telling(SqliteJournal.append))
        # Two processes per write: what is proved elsewhere and takes them long is left out.
        monkeypatch.setattr("supervisor.app.check", lambda _: None)
        monkeypatch.setattr(SqliteRunStore, "end", self._unless_full(SqliteRunStore.end))
        monkeypatch.setattr(SqliteCheckpoints, "stored", self._before_agents(SqliteCheckpoints.stored))
        monkeypatch.setattr(SqliteCheckpoints, "forget", lambda *_: self._over())
        monkeypatch.setattr(SupervisorGraph, "release", lambda _: self._down.set())

    def saves(self, count: int | None) -> None:
        """Let `count` more writes through, all of them if it is None."""
        self.left = count
        self._put = self._asking = self._answering = False
        self.stuck.clear()
        self._down.clear()

    def decide(self, messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        """The model: asks both agents, then answers; says the same whenever it is asked again."""
        self._answering = isinstance(messages[-1], ToolMessage)
        if self._answering:
            return Turn("水煮鱼，10:20。")
        calls = [{"agent": name, "query": "x"} for name in ("canteen", "transport")]
        return Turn("我查", [("orchestrate_parallel", {"calls": calls})], reasoning="都问")

    def _over(self) -> None:
        if self.left == 0:
            self.stuck.set()

    def _telling(self, append: Callable[..., Awaitable[int]]) -> Callable[..., Awaitable[int]]:
        async def append_and_look(journal: Any, thread: str, run: str, told: Sequence[bytes]) -> int:
            first = await append(journal, thread, run, told)
            if self._answering and any(b"TEXT_MESSAGE_END" in event for event in told):
                self._over()
            return first

        return append_and_look

    def _losing(self, name: str, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def lose_or_write(store: Any, *args: Any) -> Any:
            if self.left is None or self.left > 0:
                self.left = self.left and self.left - 1
                return await write(store, *args)
            self._put = self._put or name == "aput"
            self._agents_wait()
            await self._down.wait()
            if name != "append":
                raise asyncio.CancelledError
            return 1

        return lose_or_write

    def _before_agents(self, stored: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def stored_or_stuck(saver: Any, *args: Any) -> None:
            self._asking = True
            self._agents_wait()
            await stored(saver, *args)
            self._asking = False

        return stored_or_stuck

    def _agents_wait(self) -> None:
        """Agents are asked once the checkpoint before is saved, which is the one that is lost."""
        if self._put and self._asking:
            self.stuck.set()

    def _unless_full(self, end: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def end_or_nothing(store: Any, *args: Any) -> None:
            if self.left != 0:
                await end(store, *args)

        return end_or_nothing


def _one_by_one(append: Callable[..., Awaitable[int]]) -> Callable[..., Awaitable[int]]:
    """Every event is a write of its own: how many share one is chance."""

    async def append_each(journal: Any, thread: str, run: str, told: Sequence[bytes]) -> int:
        sequences = [await append(journal, thread, run, [event]) for event in told]
        return sequences[0]

    return append_each


async def dies(case: Case, disk: Disk, body: Any) -> bool:
    """Ask a process that dies when its disk does; False if the run ended before."""
    async with case.open(drain_seconds=0) as house:
        asked = asyncio.create_task(house.post("/agui", body))
        stuck = asyncio.create_task(disk.stuck.wait())
        await asyncio.wait([asked, stuck], return_when=asyncio.FIRST_COMPLETED)
        died = stuck.done()
        stuck.cancel()
    await asked
    disk.saves(None)
    return died


async def goes_on(case: Case, run: str) -> tuple[list[Event], list[Event]]:
    """What the thread's last run has told once the next process is through with it, and a refresh."""
    async with case.open() as house:
        active = house.app.state.runs.active("t")
        if active is not None:
            await active.wait()
        frames = parse((await house.client.get(EVENTS)).content)
        refreshed = events((await house.post("/agui/connect", run_input(None, run="look"))).content)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    found = [frame.event for frame in frames]
    start = next(i for i, e in enumerate(found) if e["type"] == "RUN_STARTED" and e["runId"] == run)
    return found[start:], refreshed


def assert_whole(found: list[Event], refreshed: list[Event], invocations: int) -> None:
    """One run with one end, each invocation told once, and what clients hold is what a refresh gives."""
    assert_well_formed(found)
    assert_known_shapes(found)
    assert_valid_agui(found, severity_overrides={"AGUI204": "off", "AGUI207": "off"})
    assert found[-1]["outcome"] == refreshed[-1]["outcome"]
    begun = [e["subagentRunId"] for e in of_type(found, "SUBAGENT_STARTED")]
    assert len(begun) == len(set(begun)) <= invocations
    ended = of_type(found, "SUBAGENT_FINISHED")
    assert sorted(begun) == sorted(e["subagentRunId"] for e in ended)
    assert all(e["outcome"]["type"] == "success" for e in ended)
    snapshots = of_type(found, "MESSAGES_SNAPSHOT")
    (now,) = of_type(refreshed, "MESSAGES_SNAPSHOT")
    assert not snapshots or snapshots[-1]["messages"] == now["messages"]


@requirement("SB-DUR-20")
@each_store
async def test_a_run_comes_to_its_one_end_whichever_write_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: type
) -> None:
    disk = Disk(monkeypatch, store)
    for saved in itertools.count(step=STEPS[store]):
        case = Case(disk.decide, tmp_path=tmp_path / str(saved))
        disk.saves(saved)
        if not await dies(case, disk, run_input("x")):
            break
        found, refreshed = await goes_on(case, "r")
        assert_whole(found, refreshed, 2)
        for agent in (case.canteen, case.transport):
            assert len({send.headers["idempotency-key"] for send in agent.sends}) == 1, f"after {saved} writes"
    assert saved > 3


@requirement("SB-DUR-20")
@each_store
async def test_an_answer_to_an_agent_arrives_once_whichever_write_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: type
) -> None:
    disk = Disk(monkeypatch, store)
    for saved in itertools.count(step=STEPS[store]):
        case = Case(disk.decide, tmp_path=tmp_path / str(saved))
        case.canteen.always = Reply("几个人？", state="input-required")
        disk.saves(None)
        async with case.open() as house:
            asked = events((await house.post("/agui", run_input("x"))).content)
        case.canteen.always = Reply("好")
        disk.saves(saved)
        (question,) = asked[-1]["outcome"]["interrupts"]
        entry = {"interruptId": question["id"], "status": "resolved", "payload": {"value": "四个"}}
        if not await dies(case, disk, run_input(None, run="r2", resume=[entry])):
            break
        found, refreshed = await goes_on(case, "r2")
        assert_whole(found, refreshed, 1)
        first, *answers = case.canteen.sends
        assert {send.text for send in answers} == {"四个"}
        assert len({send.headers["idempotency-key"] for send in answers}) == 1, f"after {saved} writes"
        assert first.headers["idempotency-key"] != answers[0].headers["idempotency-key"]
        assert len(case.transport.sends) == 1
    assert saved > 3
