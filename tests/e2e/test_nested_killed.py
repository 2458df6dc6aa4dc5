"""SIGKILL of a supervisor that another one asks, and of the one that asks it: nothing is done twice."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui

from tests.e2e.killed.lane import Lane, agents, nursery
from tests.fakes.agui import assert_well_formed, parse, run_input, text_of

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for the death of processes that are no children"),
    pytest.mark.timeout(300),
]

ASK = "canteen: three dishes"
BOOK = "book a table in the canteen"
INNER = [f"inner after {n}" for n in (1, 9, 14, 20, 26, 32, 40)]
OUTER = [f"outer after {n}" for n in (1, 9, 20, 32)]
WAITING = ["inner while it waits", "outer while it waits", "both while they wait"]


@dataclass(frozen=True)
class Seen:
    """What the user saw, run by run, and what the agents did."""

    runs: list[list[dict[str, Any]]]
    effects: list[dict[str, Any]]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return asyncio.run(_all(tmp_path_factory.mktemp("nested")))


async def _all(folder: Path) -> dict[str, Seen]:
    async with nursery() as home, agents(folder) as stub:
        inner = Lane(folder / "inner", stub.setting, home)
        outer = Lane(folder / "outer", f"inner={inner.url}", home, model="offline")
        try:
            await inner.start()
            await outer.start()
            found: dict[str, Seen] = {}
            for name in (*INNER, *OUTER, *WAITING):
                thread = name.replace(" ", "-")
                before = len((await stub.account())["effects"])
                runs = await (_waiting if name in WAITING else _working)(name, thread, inner, outer)
                found[name] = Seen(runs, (await stub.account())["effects"][before:])
            return found
        finally:
            await asyncio.gather(inner.aclose(), outer.aclose())


async def _working(name: str, thread: str, inner: Lane, outer: Lane) -> list[list[dict[str, Any]]]:
    """One question, over which one of the supervisors dies when the user has read so many frames."""
    who, _, frames = name.split()
    body = run_input(ASK, thread=thread)
    if who == "outer":
        held = await outer.killed_after(body, int(frames), b"")
        await outer.start()
        return [[f.event for f in parse(held + await outer.answer(body, held))]]
    read = b""
    killed = False
    async for piece in outer.pieces(body):
        read += piece
        if not killed and len(parse(read[: read.rindex(b"\n\n") + 2])) >= int(frames):
            killed = True
            await inner.kill()
            await inner.start()
    again = run_input(ASK, thread=thread, run="r2", message="u2")
    return [[f.event for f in parse(stream)] for stream in (read, await outer.answer(again))]


async def _waiting(name: str, thread: str, inner: Lane, outer: Lane) -> list[list[dict[str, Any]]]:
    """A question of the innermost agent, over which supervisors die before the user answers."""
    first = [f.event for f in parse(await outer.answer(run_input(BOOK, thread=thread)))]
    for lane, names in ((inner, ("inner", "both")), (outer, ("outer", "both"))):
        if name.startswith(names):
            await lane.kill()
            await lane.start()
    (question,) = parse(await outer.connect(thread))[-1].event["outcome"]["interrupts"]
    entry = {"interruptId": question["id"], "status": "resolved", "payload": {"value": "four"}}
    body = run_input(None, thread=thread, run="r2", resume=[entry])
    return [first, [f.event for f in parse(await outer.answer(body))]]


@pytest.mark.requirement("SB-NEST-09")
@pytest.mark.parametrize("name", [*INNER, *OUTER, *WAITING])
def test_every_run_ends_once_and_in_order(seen: dict[str, Seen], name: str) -> None:
    for events in seen[name].runs:
        if "outer" not in name:
            assert_well_formed(events)
        assert [e["type"] for e in events if e["type"] in ("RUN_FINISHED", "RUN_ERROR")] == ["RUN_FINISHED"]
        assert_valid_agui(events, severity_overrides={"AGUI204": "off", "AGUI207": "off"})


@pytest.mark.requirement("SB-NEST-09")
@pytest.mark.parametrize("name", [*INNER, *OUTER])
def test_no_agent_acts_twice_for_one_question(seen: dict[str, Seen], name: str) -> None:
    questions = len(seen[name].runs)
    acted = Counter(effect["agent"] for effect in seen[name].effects)
    assert set(acted) == {"canteen", "transport"}
    assert all(1 <= count <= questions for count in acted.values())


@pytest.mark.requirement("SB-NEST-09")
@pytest.mark.parametrize("name", OUTER)
def test_who_asks_may_die_and_the_user_gets_the_answers_all_the_same(seen: dict[str, Seen], name: str) -> None:
    (events,) = seen[name].runs
    assert is_answered(events)


@pytest.mark.requirement("SB-NEST-09", "SB-NEST-04")
@pytest.mark.parametrize("name", INNER)
def test_who_is_asked_may_die_and_the_user_is_answered_or_told_and_answered_next_time(
    seen: dict[str, Seen], name: str
) -> None:
    first, second = seen[name].runs
    assert is_answered(first) or "The inner agent could not answer" in text_of(first)
    assert is_answered(second)


def is_answered(events: list[dict[str, Any]]) -> bool:
    """Whether the user has what both agents said, by the stream or by the last snapshot in it."""
    snapshots = [e["messages"] for e in events if e["type"] == "MESSAGES_SNAPSHOT"]
    told = text_of(events) + str(snapshots[-1:])
    return "水煮鱼" in told and "10:20" in told


@pytest.mark.requirement("SB-NEST-09", "SB-NEST-07")
@pytest.mark.parametrize("name", WAITING)
def test_the_answer_reaches_the_agent_that_asked_before_they_died(seen: dict[str, Seen], name: str) -> None:
    first, second = seen[name].runs
    assert first[-1]["outcome"]["type"] == "interrupt"
    asked, answer = (e for e in seen[name].effects if e["agent"] == "canteen")
    assert (answer["text"], answer["task"]) == ("four", asked["task"])
    assert second[-1]["type"] == "RUN_FINISHED"
