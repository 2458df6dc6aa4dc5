"""An agent whose process dies after any of its writes: whatever was stored last, nothing is made or done twice."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from agents.kit.settings import AgentSettings
from tests.unit.agents_kit.harness import V10, Rpc, message, running
from tests.unit.agents_kit.ordering import ORDERING

STEPS: list[dict[str, Any] | None] = [None, {"value": "large"}, {"approved": True}]
"""What is asked first, then the answers."""
ENOUGH = 200


class Dead(Exception):
    """What every use of the database raises once the process is dead to it."""


class Doom:
    """Lets `writes` transactions succeed, and none after them."""

    def __init__(self, writes: int) -> None:
        self.left = writes

    def strike(self, rpc: Rpc) -> None:
        engine = rpc.app.state.housekeeping._storage.engine.sync_engine
        event.listen(engine, "commit", self._count)
        event.listen(engine, "begin", self._refuse)

    @property
    def struck(self) -> bool:
        return self.left <= 0

    def _count(self, _: Any) -> None:
        self.left -= 1

    def _refuse(self, _: Any) -> None:
        if self.struck:
            raise Dead


async def step(rpc: Rpc, number: int, task: dict[str, Any] | None) -> dict[str, Any] | None:
    """The task after one message of the story, None if the process answered with an error or not at all."""
    answer = STEPS[number]
    sent = message("tea", contextId="c")
    if answer is not None and task is not None:
        sent = message("", parts=[{"data": answer}], taskId=task["id"], contextId="c")
    body = {"jsonrpc": "2.0", "id": "r", "method": "SendMessage", "params": {"message": sent}}
    headers = {**V10, "Idempotency-Key": f"k{number}"}
    try:
        async with asyncio.timeout(5):
            reply = (await rpc.http.post("/a2a", json=body, headers=headers)).json()
    except TimeoutError:
        return None
    return reply["result"]["task"] if "result" in reply else None


def orders(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "ordering-kept.db")) as db:
        return db.execute("SELECT count(*) FROM orders").fetchone()[0]


def settings(folder: Path) -> AgentSettings:
    return AgentSettings(database=f"sqlite:{folder / 'tasks.db'}", data_dir=folder)


async def told(folder: Path, writes: int) -> tuple[bool, int, str]:
    """Tell the story to a process that dies after so many writes, then the rest of it to the next one."""
    doom, number = Doom(writes), 0
    task: dict[str, Any] | None = None
    async with running(ORDERING, settings=settings(folder)) as rpc:
        doom.strike(rpc)
        while number < len(STEPS) and (after := await step(rpc, number, task)) is not None:
            task, number = after, number + 1
    first = min(number, len(STEPS) - 1)
    async with running(ORDERING, settings=settings(folder)) as rpc:
        for again in range(first, len(STEPS)):
            if again > 0 and task is not None and state(task) == "FAILED":
                break
            task = await step(rpc, again, task)
            assert task is not None, f"after {writes} writes, message {again}"
        found = (await rpc.post("ListTasks", {"contextId": "c"}))["result"]["tasks"]
    assert task is not None
    assert [one["id"] for one in found] == [task["id"]], f"after {writes} writes"
    return doom.struck, orders(folder), state(task)


def state(task: dict[str, Any]) -> str:
    return task["status"]["state"].removeprefix("TASK_STATE_")


@pytest.mark.requirement("SB-KIT-30")
async def test_whichever_write_was_the_last_there_is_one_task_and_at_most_one_order(tmp_path: Path) -> None:
    outcomes: list[tuple[str, int]] = []
    for writes in range(1, ENOUGH):
        folder = tmp_path / str(writes)
        folder.mkdir()
        struck, ordered, ended = await told(folder, writes)
        assert ordered == 1 if ended == "COMPLETED" else ordered <= 1, f"after {writes} writes: {ended}, {ordered}"
        outcomes.append((ended, ordered))
        if not struck:
            break
    assert outcomes[-1] == ("COMPLETED", 1)
    assert {("FAILED", 0), ("COMPLETED", 1)} <= set(outcomes)
    assert len(outcomes) > 20
