"""The conversations in which supervisors are killed, and everything that is known about one of them at its end."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.killed.lane import Agents, Lane, agents, nursery
from tests.fakes.agui import parse, run_input

LANES = 4
QUESTIONS = {"ask": "three dishes", "book": "book a table"}
"""The canteen answers the one and asks back about the other."""

Body = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """A conversation and where its supervisors die: after so many more frames of the run at hand.

    The run is the answer to a question, `ask` or `book`, or, for `resume`, the answer to what the canteen asks back.
    """

    run: str
    kills: tuple[int, ...]

    @property
    def name(self) -> str:
        """For the report of a test, and the thread's id."""
        return "-".join([self.run, *map(str, self.kills)])


@dataclass(frozen=True)
class Told:
    """What was seen of a conversation: streams as bytes. `first` is the run before `resume`'s, which was not disturbed.

    `held` is what the client had read at the last kill, `rest` what it got for its last id, `joined` a refresh right
    after the last start, `refreshed` and `journal` what there was at the end.
    """

    point: Point
    bodies: list[Body]
    first: bytes
    held: bytes
    rest: bytes
    joined: bytes
    refreshed: bytes
    journal: bytes
    effects: list[Body]
    running: int

    @property
    def runs(self) -> list[bytes]:
        """The whole stream of each run, the frames from before and after its kills in one piece."""
        return [*([self.first] if self.first else []), self.held + self.rest]


async def tell(folder: Path, points: list[Point]) -> tuple[dict[str, Told], list[str]]:
    """All conversations by name, and the methods of agents that nobody should have called."""
    async with nursery() as home, agents(folder) as stub:
        lanes = [Lane(folder / f"lane{i}", stub.setting, home) for i in range(LANES)]
        queue: asyncio.Queue[Point] = asyncio.Queue()
        for point in points:
            queue.put_nowait(point)
        told: dict[str, Told] = {}

        async def work(lane: Lane) -> None:
            await lane.start()
            while not queue.empty():
                point = queue.get_nowait()
                told[point.name] = await _tell(lane, stub, point)

        try:
            await asyncio.gather(*map(work, lanes))
        finally:
            await asyncio.gather(*(lane.aclose() for lane in lanes))
        return told, (await stub.account())["others"]


async def _tell(lane: Lane, stub: Agents, point: Point) -> Told:
    thread, first = point.name, b""
    bodies = [run_input(QUESTIONS["ask" if point.run == "ask" else "book"], thread=thread)]
    if point.run == "resume":
        first = await lane.answer(bodies[0])
        (question,) = parse(first)[-1].event["outcome"]["interrupts"]
        entry = {"interruptId": question["id"], "status": "resolved", "payload": {"value": "four"}}
        bodies.append(run_input(None, thread=thread, run="r2", resume=[entry]))
    held = b""
    for frames in point.kills:
        held += await lane.killed_after(bodies[-1], frames, held)
        await lane.start()
    rest, joined = await asyncio.gather(lane.answer(bodies[-1], held), lane.connect(thread))
    return Told(
        point,
        bodies,
        first,
        held,
        rest,
        joined,
        await lane.connect(thread),
        await lane.journal(thread),
        [effect for effect in (await stub.account())["effects"] if effect["thread"] == thread],
        _running(lane.database),
    )


def _running(database: Path) -> int:
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT COUNT(*) FROM runs WHERE status = 'running'").fetchone()[0]
