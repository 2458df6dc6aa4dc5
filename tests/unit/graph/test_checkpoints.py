"""Checkpoints that a run may rely on: an agent is asked when the checkpoint that its key hangs on is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from supervisor.graph.checkpoints import SqliteCheckpoints
from supervisor.journal.database import Database
from tests.fakes.dispatcher import FakeDispatcher, said
from tests.fakes.graph import Desk, calls, model


class SlowSaver(SqliteCheckpoints):
    """Stores nothing until `go` is set; `log` tells what was stored."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.go = asyncio.Event()
        self.asked = asyncio.Event()
        self.log: list[str] = []

    async def aput(self, config: Any, checkpoint: Any, *args: Any, **kwargs: Any) -> Any:
        await self.go.wait()
        result = await super().aput(config, checkpoint, *args, **kwargs)
        self.log.append("stored")
        return result

    async def stored(self, thread_id: str, checkpoint_id: str) -> None:
        self.asked.set()
        await super().stored(thread_id, checkpoint_id)


@pytest.fixture
async def saver(tmp_path: Path) -> AsyncIterator[SlowSaver]:
    database = Database(tmp_path / "graph.db")
    made = SlowSaver(database)
    yield made
    await made.drain()
    await database.aclose()


@pytest.mark.requirement("SB-GRAPH-06")
async def test_an_agent_is_asked_only_when_the_checkpoint_of_the_call_is_stored(saver: SlowSaver) -> None:
    dispatcher = FakeDispatcher(lambda call: (saver.log.append("asked"), said(call))[1])
    desk = Desk(model(calls(("canteen", "辣")), "完"), dispatcher, saver)
    run = asyncio.create_task(desk.ask())
    await saver.asked.wait()
    assert dispatcher.calls == []
    saver.go.set()
    await run
    # The input, the question and the model's call come first.
    assert saver.log.index("asked") >= 3


async def test_a_checkpoint_of_an_earlier_process_needs_no_waiting(saver: SlowSaver, tmp_path: Path) -> None:
    saver.go.set()
    checkpoint = empty_checkpoint()
    place: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    await saver.aput(place, checkpoint, {}, {})
    database = Database(tmp_path / "graph.db")
    async with asyncio.timeout(10):
        await SqliteCheckpoints(database).stored("t", checkpoint["id"])
    await database.aclose()


@pytest.mark.requirement("SB-GRAPH-07")
async def test_a_write_whose_caller_is_cancelled_leaves_no_open_transaction(saver: SlowSaver) -> None:
    saver.go.set()
    place: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    for _ in range(20):
        write = asyncio.create_task(saver.aput(place, empty_checkpoint(), {}, {}))
        await asyncio.sleep(0)
        write.cancel()
        await asyncio.wait([write])
        await saver.drain()
        assert not saver.conn.in_transaction


def place(thread: str = "t") -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


@pytest.fixture
async def quick(saver: SlowSaver) -> SlowSaver:
    saver.go.set()
    return saver


@pytest.mark.requirement("SB-GRAPH-08")
async def test_what_waits_shares_a_commit_and_is_there_in_order(
    quick: SlowSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[int] = []
    together = quick._together
    monkeypatch.setattr(quick, "_together", lambda calls: commits.append(len(calls)) or together(calls))
    checkpoints = [empty_checkpoint() for _ in range(10)]
    await asyncio.gather(*(quick.aput(place(), checkpoint, {}, {}) for checkpoint in checkpoints))
    assert commits in ([1, 9], [10])
    found = [entry.checkpoint["id"] async for entry in quick.alist(place())]
    assert found == sorted((checkpoint["id"] for checkpoint in checkpoints), reverse=True)


@pytest.mark.requirement("SB-GRAPH-08")
async def test_a_write_that_fails_takes_nothing_along(quick: SlowSaver) -> None:
    nowhere: Any = {"configurable": {"thread_id": "t"}}
    good = empty_checkpoint()
    results = await asyncio.gather(
        quick.aput(place(), good, {}, {}),
        quick.aput_writes(nowhere, [("channel", 1)], "task"),
        quick.aput(place("other"), good, {}, {}),
        return_exceptions=True,
    )
    assert [isinstance(result, Exception) for result in results] == [False, True, False]
    assert await quick.aget_tuple(place()) is not None
    assert await quick.aget_tuple(place("other")) is not None
    await quick.adelete_thread("t")
    assert await quick.aget_tuple(place()) is None
