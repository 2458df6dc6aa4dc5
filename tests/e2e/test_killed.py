"""SIGKILL at random moments of a run with two agents and SQLite: the next process goes on, and nobody can tell.

One fixture plays all conversations; the tests look at what was seen of them (see `killed/story.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui

from tests.cases.case import assert_known_shapes
from tests.e2e.killed.lane import HEADERS, NOT_YET
from tests.e2e.killed.story import Point, Told, tell
from tests.e2e.replay import MODERN, OLD, Held, comparable, replay, step
from tests.fakes.agui import TERMINAL, assert_well_formed, parse, run_input

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for the death of processes that are no children"),
    pytest.mark.timeout(300),
]
requirement = pytest.mark.requirement

FRAMES = {"ask": 86, "book": 42, "resume": 50}
"""About as many frames as an undisturbed run has; to wait for more is to kill at the end."""
ENDS = {"ask": ["success"], "book": ["interrupt"], "resume": ["interrupt", "success"]}
UNKNOWABLE = {"AGUI204": "off", "AGUI207": "off"}
"""What the validator objects to: a call that was cut in its arguments, which the snapshot behind it takes back, and a
result for a call that an earlier run has announced."""
DICE = random.Random(20)


def some(run: str, count: int) -> list[Point]:
    """Random moments of a run, spread over all of it."""
    width = FRAMES[run] / count
    return [Point(run, (int(i * width + DICE.random() * width) + 1,)) for i in range(count)]


UNDISTURBED = [Point(run, ()) for run in FRAMES]
POINTS = [
    *(Point("ask", (at,)) for at in (NOT_YET, HEADERS, 1, 2 * FRAMES["ask"])),
    *some("ask", 16),
    *(Point("ask", (at, then)) for at, then in ((12, 9), (36, 3))),
    *some("book", 4),
    *(Point("resume", (at,)) for at in (NOT_YET, 1, 3)),
    *some("resume", 4),
    Point("resume", (3, 3)),
]
NAMES = list(dict.fromkeys(point.name for point in POINTS))
every_kill = pytest.mark.parametrize("name", NAMES)
both_clients = pytest.mark.parametrize("client", [MODERN, OLD])


class Stories:
    """All conversations, and what the real clients make of them."""

    def __init__(self, told: dict[str, Told], unasked: list[str]) -> None:
        self.told = told
        self.unasked = unasked
        self.played = cache(self._played)

    def _played(self, client: str) -> dict[str, list[Held]]:
        conversations = [list(_steps(self.told[name])) for name in NAMES]
        return dict(zip(NAMES, replay(client, conversations), strict=True))


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Stories:
    points = {point.name: point for point in (*UNDISTURBED, *POINTS)}
    return Stories(*asyncio.run(tell(tmp_path_factory.mktemp("killed"), list(points.values()))))


def _steps(told: Told) -> Iterator[dict[str, Any]]:
    """The conversation as its client saw it, with the frames from before and after each kill in one stream."""
    for body, stream in zip(told.bodies, told.runs, strict=True):
        yield step("/agui", stream, body)
    for stream in (told.joined, told.refreshed):
        yield step("/agui/connect", stream, run_input(None, thread=told.point.name))


def _snapshot(stream: bytes) -> list[dict[str, Any]]:
    return [f.event["messages"] for f in parse(stream) if f.event["type"] == "MESSAGES_SNAPSHOT"][-1]


def _anonymous(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with their ids replaced by numbers in the order in which they come up."""
    text = json.dumps([comparable(m) for m in messages], ensure_ascii=False)
    ids = [m["id"].removesuffix(":reasoning") for m in messages if m["role"] != "activity"]
    ids += [call["id"] for m in messages for call in m.get("toolCalls", ())]
    ids += re.findall(r"\w+_cards-[0-9a-f]{8}", text)
    for number, found in enumerate(dict.fromkeys(ids)):
        text = text.replace(found, f"<{number}>")
    return json.loads(text)


@every_kill
@requirement("SB-KILL-01")
def test_a_run_whose_process_is_killed_ends_once(stories: Stories, name: str) -> None:
    told = stories.told[name]
    for stream, outcome in zip(told.runs, ENDS[told.point.run], strict=True):
        found = [frame.event for frame in parse(stream)]
        assert [e["type"] for e in found if e["type"] in (*TERMINAL, "RUN_STARTED")] == ["RUN_STARTED", "RUN_FINISHED"]
        assert found[-1]["outcome"]["type"] == outcome
        assert_well_formed(found)
        assert_known_shapes(found)
        assert_valid_agui(found, severity_overrides=UNKNOWABLE)
    assert told.running == 0, "a run is left running in the database"


@every_kill
@requirement("SB-KILL-02")
def test_the_record_goes_on_where_the_client_was_cut_off(stories: Stories, name: str) -> None:
    told = stories.told[name]
    assert told.first + told.held + told.rest == told.journal
    assert [frame.seq for frame in parse(told.journal)] == list(range(1, len(parse(told.journal)) + 1))


@every_kill
@requirement("SB-KILL-03")
def test_an_agent_does_once_what_it_is_asked(stories: Stories, name: str) -> None:
    told = stories.told[name]
    done = Counter((effect["agent"], effect["text"]) for effect in told.effects)
    assert done == Counter((e["agent"], e["text"]) for e in stories.told[told.point.run].effects)
    assert set(done.values()) == {1}, "the same question came under two keys"
    tasks = {effect["task"] for effect in told.effects if effect["agent"] == "canteen"}
    assert len(tasks) == 1, "an answer must reach the task that asked for it"


@every_kill
@requirement("SB-KILL-04")
def test_the_conversation_is_that_of_a_run_which_nobody_killed(stories: Stories, name: str) -> None:
    told = stories.told[name]
    undisturbed = stories.told[told.point.run]
    assert _anonymous(_snapshot(told.refreshed)) == _anonymous(_snapshot(undisturbed.refreshed))


@every_kill
@both_clients
@requirement("SB-KILL-05")
def test_a_client_that_goes_on_from_its_last_id_holds_what_a_refresh_gives(
    stories: Stories, client: str, name: str
) -> None:
    *runs, _, refreshed = stories.played(client)[name]
    _assert_untroubled(*runs, refreshed)
    _assert_same(runs[-1], refreshed, _snapshot(stories.told[name].refreshed))


@pytest.mark.parametrize("name", [point.name for point in POINTS if NOT_YET not in point.kills])
@both_clients
@requirement("SB-KILL-05")
def test_a_client_that_connects_to_the_run_that_goes_on_holds_what_a_refresh_gives(
    stories: Stories, client: str, name: str
) -> None:
    *_, joined, refreshed = stories.played(client)[name]
    _assert_untroubled(joined)
    _assert_same(joined, refreshed, _snapshot(stories.told[name].refreshed))


def test_kills_came_while_agents_worked_and_no_agent_was_told_to_stop(stories: Stories) -> None:
    asked_again = [name for name in NAMES if any(effect["asked"] > 1 for effect in stories.told[name].effects)]
    assert asked_again
    assert stories.unasked == []


def test_kills_came_in_every_part_of_a_run(stories: Stories) -> None:
    last = {parse(stories.told[n].held)[-1].event["type"] for n in NAMES if stories.told[n].held}
    assert last >= {"RUN_STARTED", "REASONING_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "TEXT_MESSAGE_CONTENT", "CUSTOM"}
    assert "RUN_FINISHED" in last


def _assert_untroubled(*played: Held) -> None:
    for held in played:
        assert (held["error"], held["warnings"]) == (None, [])


def _assert_same(held: Held, refreshed: Held, snapshot: list[dict[str, Any]]) -> None:
    expected = [comparable(m) for m in snapshot]
    assert [comparable(m) for m in held["messages"]] == expected
    assert [comparable(m) for m in refreshed["messages"]] == expected
    assert held["pending"] == refreshed["pending"]
