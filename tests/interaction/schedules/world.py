"""What must be true: threads as their users know them, and the checks of a schedule against journal and checkpoint."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from difflib import ndiff
from pathlib import Path
from typing import Any

from supervisor.events.encode import frame
from supervisor.journal.port import Record
from tests.fakes.agui import Frame, run_input
from tests.interaction.schedules.agents import Agents
from tests.interaction.schedules.conversation import Conversation, Message, spine
from tests.interaction.schedules.gates import Gates
from tests.interaction.schedules.model import cast, extensions
from tests.interaction.schedules.process import Supervisor
from tests.interaction.schedules.rules import check_results, check_run, runs_of
from tests.interaction.schedules.tab import Tab, frames
from tests.interaction.schedules.words import Script, read

Expected = tuple[str, int, int]
"""Outcome, open questions, pending calls."""


@dataclass
class Run:
    """A request that was accepted, and how its run must end."""

    body: Any
    expected: Expected
    may_be_stopped: bool = False
    """The process died over a stop, and nobody knows whether it had taken it."""


@dataclass
class Thread:
    """A thread as its user knows it."""

    id: str
    users: list[Message] = field(default_factory=list[Message])
    runs: list[Run] = field(default_factory=list[Run])
    script: Script = field(default_factory=lambda: read("-"))
    turn: int = 0
    open: list[Any] = field(default_factory=list[Any])
    pending: list[str] = field(default_factory=list[str])
    records: list[Record] = field(default_factory=list[Record])
    seen: dict[int, bytes] = field(default_factory=dict[int, bytes])
    broken: set[str] = field(default_factory=set[str])
    """Runs that were stopped or failed, and the ids of their messages."""
    tabs: list[Tab] = field(default_factory=list[Tab])

    def __post_init__(self) -> None:
        self.tabs = [Tab(f"{self.id}/{n}", self.witness) for n in "ab"]

    def witness(self, seq: int, raw: bytes) -> None:
        """A reader got a frame."""
        assert self.seen.setdefault(seq, raw) == raw, f"two readers of {self.id} got different frames {seq}"

    @property
    def status(self) -> str:
        """How the last run must end."""
        return self.runs[-1].expected[0] if self.runs else "new"

    @property
    def last_seq(self) -> int:
        return len(self.records)

    def run_records(self) -> list[list[Record]]:
        """The journal by run."""
        return [found for _, found in runs_of(self.records)]


class World:
    """One deployment, its agents, its users. `log` tells what happened."""

    def __init__(self, seed: str, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.log: list[str] = []
        self.gates = Gates()
        self.agents = Agents(self.gates)
        self.model = cast(self.gates)
        self.asked: Counter[str] = Counter()
        self.said: set[str] = set()
        self.count: Counter[str] = Counter()
        """How often what a schedule is about has happened."""
        folder.mkdir(exist_ok=True)
        path = folder / "world.db"
        self.supervisor = Supervisor(
            self.agents,
            extensions(),
            database=f"sqlite:{path}",
            agents=self.agents.setting(),
            model="tests.interaction.schedules.model:playing",
            drain_seconds=0,
            flush_window_ms=0,
            agent_timeout=600,
            discovery_interval=600,
        )
        self._path = path
        self._names = 0
        self.threads: list[Thread] = []

    def name(self, kind: str) -> str:
        """An id that was not there before."""
        self._names += 1
        return f"{kind}{self._names}"

    def note(self, text: str) -> None:
        self.log.append(text)

    async def open(self) -> None:
        await self.supervisor.start()
        self._disk = sqlite3.connect(self._path)

    async def finish(self) -> None:
        """Let everybody go on to the end."""
        for thread in self.threads:
            self.gates.open(f"{thread.script.tag}.")
            while self.busy(thread):
                await self.settle()
                self.gates.open(f"{thread.script.tag}.")
        await self.settle()
        for thread in self.threads:
            await self.check(thread)

    async def close(self) -> None:
        """No run is left."""
        left = self._disk.execute("SELECT count(*) FROM runs WHERE status IN ('running', 'stopping')").fetchone()
        assert left == (0,), "a run is never over"
        await self.supervisor.stop()
        self._disk.close()

    def busy(self, thread: Thread) -> bool:
        """Whether a run is going on."""
        return self.supervisor.runs.active(thread.id) is not None

    async def settle(self) -> None:
        """Returns when every run has ended or waits at a gate, and whoever reads has read."""
        for thread in self.threads:
            while not self.supervisor.dead:
                run = self.supervisor.runs.active(thread.id)
                held = self.gates.holds(f"{thread.script.tag}.") and thread.status != "cancelled"
                if run is None or held:
                    break
                await _first(run.wait(), self.gates.arrival(), self.supervisor.life.dead.wait())
        if self.supervisor.dead:
            await self.rise()
            await self.settle()
            return
        self.supervisor.life.fuse = None
        for thread in self.threads:
            if not self.busy(thread):
                for tab in thread.tabs:
                    await tab.idle()

    async def rise(self) -> None:
        """The process is dead; there is another one."""
        self.note("  † dead, and risen")
        self.count["death"] += 1
        self.count["death in a run"] += any(self.busy(thread) for thread in self.threads)
        for thread in self.threads:
            for tab in thread.tabs:
                await tab.leave()
        await self.supervisor.kill()
        await self.supervisor.start()

    def light_the_fuse(self) -> None:
        """Let the process die within its next writes and calls."""
        self.supervisor.life.fuse = self.rng.randint(1, 60)
        self.note(f"  it will die after {self.supervisor.life.fuse} more things done")

    async def restart(self) -> None:
        """The process is asked to stop; there is another one."""
        self.supervisor.life.fuse = None
        await self.supervisor.stop()
        for thread in self.threads:
            for tab in thread.tabs:
                following = tab.reading
                await tab.idle()
                assert not (following and tab.cut) or tab.held.outcome, f"{tab.name} was left without a word"
        await self.supervisor.start()

    async def collect(self, thread: Thread) -> list[Frame]:
        """The frames of a refresh of an idle thread."""
        response = await self.supervisor.post("/agui/connect", run_input(None, thread=thread.id, run=self.name("c")))
        return [f async for f in frames(response)]

    def read_journal(self, thread: Thread) -> None:
        """Take what the journal holds by now."""
        sql = "SELECT seq, run_key, data FROM journal WHERE thread_id = ? AND seq > ? ORDER BY seq"
        thread.records += [Record(*row) for row in self._disk.execute(sql, (thread.id, len(thread.records)))]

    async def check(self, thread: Thread) -> None:
        """Everything that can be said of a thread now."""
        assert not self.agents.problems, self.agents.problems
        assert not self.model.problems, self.model.problems
        self.read_journal(thread)
        idle = not self.busy(thread)
        self._check_journal(thread, idle=idle)
        self._check_effects()
        if idle and thread.runs:
            await self._check_client(thread)

    def _check_journal(self, thread: Thread, *, idle: bool) -> None:
        found = thread.run_records()
        assert len(found) <= len(thread.runs), f"{thread.id} has a run that nobody asked for"
        assert not idle or len(found) == len(thread.runs), f"a run of {thread.id} is lost"
        known = {r.seq: frame(r.seq, r.data) for r in thread.records}
        for seq, raw in thread.seen.items():
            assert known.get(seq, raw if not idle else None) == raw, f"frame {seq} of {thread.id} is not the journal's"
        for index, (run, records) in enumerate(zip(thread.runs, found, strict=False)):
            ended = idle or index < len(thread.runs) - 1
            events = [json.loads(r.data) for r in records]
            check_run(events, ended=ended)
            assert events[0]["runId"] == run.body["runId"]
            if ended and run.may_be_stopped and _outcome(events[-1]) == "cancelled":
                run.expected = "cancelled", 0, 0
            if ended:
                assert _outcome(events[-1]) == run.expected[0], f"{thread.id} {_outcome(events[-1])}, not {run}"
            if ended and run.expected[0] in ("cancelled", "error"):
                thread.broken |= {records[0].run_key} | {
                    str(e[k]) for e in events for k in ("messageId", "parentMessageId") if k in e
                }
                thread.broken |= {message["id"] for message in run.body["messages"] if message["role"] == "tool"}
        check_results([json.loads(r.data) for r in thread.records])

    def _check_effects(self) -> None:
        done = Counter(effect.text.split()[0] for effect in self.agents.effects if effect.task is None)
        for place, count in done.items():
            assert count <= self.asked[place.split(".")[0]], f"{place} was done {count} times"
        answers = Counter((e.task, e.text) for e in self.agents.effects if e.task is not None)
        assert max(answers.values(), default=1) == 1, f"an answer was told twice: {answers}"
        assert {text for _, text in answers} <= self.said, answers

    async def _check_client(self, thread: Thread) -> None:
        fresh = Conversation()
        for found in await self.collect(thread):
            fresh.apply(found.event)
        outcome, opened, pends = thread.runs[-1].expected
        users = [(m["id"], m["content"]) for m in fresh.messages if m["role"] == "user"]
        asked = [(m["id"], m["content"]) for m in thread.users]
        assert users == asked, f"{thread.id}: a question is lost or doubled: {users} instead of {asked}"
        thread.open, thread.pending = fresh.interrupts, _unanswered_front_calls(fresh.messages)
        assert (len(thread.open), len(thread.pending)) == (opened, pends), (fresh.outcome, thread.runs[-1].expected)
        assert outcome != "waiting" or fresh.pending == thread.pending, fresh.outcome
        if outcome == "success":
            roles = _roles_of_the_answer(fresh.messages)
            assert roles == thread.script.roles(thread.turn + 1), f"{roles} is not the answer to {thread.script}"
        for tab in thread.tabs:
            if tab.up_to(thread.last_seq) and not tab.cut:
                self._compare(thread, tab, fresh)

    def _compare(self, thread: Thread, tab: Tab, fresh: Conversation) -> None:
        self.count["comparison"] += 1
        mine = spine(_without_halves(tab.held.messages, fresh.messages, thread.broken))
        theirs = spine(fresh.messages)
        assert mine == theirs, f"- {tab.name}, + the checkpoint\n{_difference(mine, theirs)}"
        assert tab.held.state == fresh.state, f"{tab.name} holds {tab.held.state}, not {fresh.state}"
        assert tab.held.interrupts == fresh.interrupts, tab.name
        if thread.status in ("success", "waiting"):
            assert tab.held.pending == fresh.pending, tab.name


def _without_halves(mine: list[Message], theirs: list[Message], broken: set[str]) -> list[Message]:
    """Without what a run that was stopped or failed leaves with its reader only: half a message, and a result of the
    client's own that came too late. Reasoning without its message is nobody's."""
    there = {m["id"] for m in theirs}
    heads = there | {f"{message_id}:reasoning" for message_id in there}
    return [m for m in mine if m["id"] not in broken - there and (m["role"] != "reasoning" or m["id"] in heads)]


def _difference(mine: list[Message], theirs: list[Message]) -> str:
    held, stored = (
        [json.dumps(m, ensure_ascii=False, sort_keys=True)[:300] for m in messages] for messages in (mine, theirs)
    )
    return "\n".join(ndiff(held, stored))


def _roles_of_the_answer(messages: list[Message]) -> list[str]:
    asked = max(i for i, m in enumerate(messages) if m["role"] == "user")
    return [m["role"] for m in messages[asked + 1 :] if m["role"] != "activity"]


def _unanswered_front_calls(messages: list[Message]) -> list[str]:
    answered = {m["toolCallId"] for m in messages if m["role"] == "tool"}
    calls = [call for m in messages for call in m.get("toolCalls", ())]
    return [c["id"] for c in calls if c["function"]["name"] == "front" and c["id"] not in answered]


def _outcome(event: dict[str, Any]) -> str:
    if event["type"] == "RUN_ERROR":
        return "error"
    outcome = event["outcome"]
    return "waiting" if outcome.get("pendingToolCallIds") else outcome["type"]


async def _first(*waited: Any) -> None:
    tasks = [asyncio.ensure_future(item) for item in waited]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
