"""Journeys between all stops; times are read off the timetable by hand or checked against it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from agents.kit.database import fetch, open_database
from agents.transport import places
from agents.transport.routes import RIDES, WALK_ALL_THE_WAY, Leg, Network
from agents.transport.seed import minutes, seed
from agents.transport.tools import TransportTools
from tests.unit.agents_kit.harness import stopped

TUESDAY, SATURDAY = date(2026, 12, 1), date(2026, 12, 5)
STOPS = [stop.id for stop in places.stops()]


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    opened = open_database(seed)
    yield opened
    opened.close()


def rides(db: sqlite3.Connection, leg: Leg, days: str) -> Iterator[tuple[tuple[str, int], ...]]:
    """Every ride that the timetable has on the line of a leg, over as many stops."""
    key = (leg.line, leg.direction)
    route = fetch(db, "SELECT stop, minutes FROM line_stops WHERE line = ? AND direction = ? ORDER BY seq", *key)
    for trip in fetch(db, "SELECT departs FROM trips WHERE line = ? AND direction = ? AND days = ?", *key, days):
        times = [(row["stop"], trip["departs"] + row["minutes"]) for row in route]
        for start in range(len(times) - len(leg.stops) + 1):
            yield tuple(times[start : start + len(leg.stops)])


@pytest.mark.parametrize(("day", "days"), [(TUESDAY, "weekday"), (SATURDAY, "weekend")])
@pytest.mark.parametrize("clock", ["07:00", "12:10", "17:45", "21:00"])
def test_every_journey_keeps_to_the_timetable(db: sqlite3.Connection, day: date, days: str, clock: str) -> None:
    network, after = Network(db, day), minutes(clock)
    for start in STOPS:
        for end in STOPS:
            legs = network.journey(start, end, after) if start != end else ()
            if not legs:
                continue
            assert (legs[0].stops[0][0], legs[-1].stops[-1][0]) == (start, end)
            assert legs[0].departs >= after
            for leg in legs:
                assert leg.line is None or leg.stops in rides(db, leg, days)
            for before, then in pairwise(legs):
                assert before.stops[-1][0] == then.stops[0][0]
                assert before.arrives <= then.departs
                assert before.line is not None or then.line is not None
            assert sum(leg.line is not None for leg in legs) <= RIDES


def test_from_any_stop_one_gets_to_any_other_by_day(db: sqlite3.Connection) -> None:
    network = Network(db, TUESDAY)
    for start in STOPS:
        for end in STOPS:
            assert start == end or network.journey(start, end, minutes("12:00")), (start, end)


def told(legs: tuple[Leg, ...]) -> list[Any]:
    return [(leg.line, leg.stops[0], leg.stops[-1]) for leg in legs]


def test_a_ride_is_taken_where_it_is_worth_it_and_a_short_way_is_walked(db: sqlite3.Connection) -> None:
    network = Network(db, TUESDAY)
    ride = network.journey("south-gate", "library", minutes("10:30"))
    assert told(ride) == [("L2", ("south-gate", 635), ("library", 641))]
    (walk,) = network.journey("library", "teaching", minutes("10:30"))
    assert (walk.line, walk.departs, walk.metres) == (None, 630, 290)


def test_one_changes_where_the_lines_meet_or_a_short_walk_away(db: sqlite3.Connection) -> None:
    legs = Network(db, TUESDAY).journey("metro", "science-park", minutes("12:00"))
    assert told(legs) == [
        ("L3", ("metro", 730), ("teaching", 739)),
        (None, ("teaching", 752), ("library", 756)),
        ("L4", ("library", 756), ("science-park", 768)),
    ]


FAR = (31.0575, 121.4382)
"""3.6 km north of the library, not much less from the campus."""


def test_a_long_way_is_not_walked_when_nothing_goes(db: sqlite3.Connection) -> None:
    network = Network(db, TUESDAY)
    assert network.on_foot(FAR, "library") > WALK_ALL_THE_WAY
    assert network.journey(FAR, "library", minutes("23:50")) == ()
    (walk,) = network.journey("science-park", "library", minutes("23:50"))
    assert walk.line is None


async def test_when_nothing_goes_today_the_journey_is_of_the_next_day(db: sqlite3.Connection) -> None:
    tools = TransportTools(db, stopped("2026-12-01T23:50"))
    found = await tools.plan_route("library", near_lat=FAR[0], near_lng=FAR[1])
    assert (found["date"], found["asked_date"]) == ("2026-12-02", "2026-12-01")
    assert [leg["line"] is None for leg in found["journey"]["legs"]] == [True, False]


async def test_the_journeys_of_a_day_come_in_order_and_end(db: sqlite3.Connection) -> None:
    tools = TransportTools(db, stopped("2026-12-01T20:00"))
    departs: list[str] = []
    offset = 0
    while True:
        found = await tools.plan_route("library", "south-gate", offset=offset)
        assert found["date"] == "2026-12-01"
        departs.append(found["journey"]["departs"])
        offset += 1
        if offset >= found["total"]:
            break
    assert departs == sorted(set(departs))
    assert departs[-1] == "22:25"  # the last Metro Link of a weekday, and a short walk


async def test_a_time_that_is_over_means_tomorrow_and_a_day_without_a_time_its_first_shuttle(
    db: sqlite3.Connection,
) -> None:
    tools = TransportTools(db, stopped("2026-12-01T10:30"))
    assert (await tools.plan_route("library", "south-gate", after="08:00"))["date"] == "2026-12-02"
    first = await tools.plan_route("science-park", "east-dorms", day="tomorrow")
    assert (first["date"], first["journey"]["departs"]) == ("2026-12-02", "07:30")
    assert first["journey"]["wait_minutes"] is None


async def test_whoever_is_far_away_starts_at_the_gate(db: sqlite3.Connection) -> None:
    tools = TransportTools(db, stopped("2026-12-01T10:30"))
    far = await tools.plan_route("library", near_lat=22.5, near_lng=113.9)
    assert (far["here"], far["guessed"], far["origin"]["id"]) == (False, True, "south-gate")
    near = await tools.plan_route("library", near_lat=31.0262, near_lng=121.4347)
    assert (near["here"], near["guessed"], near["origin"]["name_en"]) == (True, False, "your place")
