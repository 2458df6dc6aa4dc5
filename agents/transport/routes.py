"""Finds journeys: at most one change of line, and walks at both ends. Pure reads: the caller says what time it is."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any

from agents.kit.database import fetch
from agents.transport.timetable import metres_between, names, service_days

DETOUR = 1.25
"""Paths are longer than the line between two points."""
METRES_PER_MINUTE = 75
WALK_TO_A_STOP = 500
WALK_ALL_THE_WAY = 2_500
ALWAYS_WALK = 350
MINUTES_TO_SPARE = 5
METRES_TO_SPARE_A_MINUTE = 100
"""One walks although a shuttle goes if that is five minutes faster, and a minute more for every hundred metres."""
CHANGE_MINUTES = 1
MINUTES_OF_A_CHANGE = 3
RIDES = 2

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Leg:
    """A ride (`line` set) or a walk. Stops are (stop id or "" for the start, minute of the day), in order."""

    stops: tuple[tuple[str, int], ...]
    metres: int = 0
    line: str | None = None
    direction: int = 0

    @property
    def departs(self) -> int:
        """The minute it starts."""
        return self.stops[0][1]

    @property
    def arrives(self) -> int:
        """The minute it ends."""
        return self.stops[-1][1]


@dataclass(frozen=True, slots=True)
class _Reached:
    """The earliest time at a stop, and how one gets there."""

    minute: int
    legs: tuple[Leg, ...] = ()


class Network:
    """Stops, lines and trips of one day."""

    def __init__(self, db: sqlite3.Connection, day: date) -> None:
        self._stops = names(db, "stops")
        self._routes: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for row in fetch(db, "SELECT * FROM line_stops ORDER BY line, direction, seq"):
            self._routes.setdefault((row["line"], row["direction"]), []).append((row["stop"], row["minutes"]))
        self._trips: dict[tuple[str, int], list[int]] = {key: [] for key in self._routes}
        for row in fetch(db, "SELECT * FROM trips WHERE days = ? ORDER BY departs", service_days(day)):
            self._trips[(row["line"], row["direction"])].append(row["departs"])
        away = {(a, b): _walked(self._point(a), self._point(b)) for a in self._stops for b in self._stops if a != b}
        self._walks = [(a, b, metres) for (a, b), metres in away.items() if metres <= WALK_TO_A_STOP]

    def journey(self, start: str | Point, end: str, after: int, *, rather_ride: bool = False) -> tuple[Leg, ...]:
        """The legs that arrive first when one starts after that minute; () when nothing goes that day any more.

        `rather_ride`: one walks all the way only where no shuttle goes, or a few steps.
        """
        walk = self._on_foot(start, end, after)
        ride = self._by_shuttle(start, end, after)
        if walk is None or (ride and rather_ride and walk.metres > ALWAYS_WALK):
            return ride
        worth_it = walk.arrives + max(MINUTES_TO_SPARE, walk.metres // METRES_TO_SPARE_A_MINUTE)
        return (walk,) if not ride or walk.metres <= ALWAYS_WALK or worth_it <= ride[-1].arrives else ride

    def on_foot(self, start: str | Point, end: str) -> int:
        """Metres to walk all the way."""
        return _walked(self._point(start), self._point(end))

    def _on_foot(self, start: str | Point, end: str, after: int) -> Leg | None:
        metres = self.on_foot(start, end)
        return _walk(_id(start), end, after, metres) if metres <= WALK_ALL_THE_WAY else None

    def _by_shuttle(self, start: str | Point, end: str, after: int) -> tuple[Leg, ...]:
        first = {stop: _Reached(after + _minutes(metres), walk) for stop, metres, walk in self._first(start, after)}
        at_the_stop = {stop: here for stop, here in first.items() if not here.legs}
        found = [*self._rides_to(end, first, walk=True), *self._rides_to(end, at_the_stop, walk=False)]
        return self._tightened(min(found, key=_trouble).legs) if found else ()

    def _rides_to(self, end: str, reached: Mapping[str, _Reached], *, walk: bool) -> Iterator[_Reached]:
        """The earliest arrival with every number of rides."""
        for _ in range(RIDES):
            reached = self._ride(reached)
            reached = self._walk_on(reached) if walk else reached
            if end in reached:
                yield reached[end]

    def _first(self, start: str | Point, after: int) -> Iterator[tuple[str, int, tuple[Leg, ...]]]:
        """(stop, metres, walk) of the stops where one may get on first: those nearby, at least the nearest."""
        away = {stop: _walked(self._point(start), self._point(stop)) for stop in self._stops}
        for stop, metres in away.items():
            if stop == start:
                yield stop, 0, ()
            elif metres <= max(WALK_TO_A_STOP, min(away.values())):
                yield stop, metres, (_walk(_id(start), stop, after, metres),)

    def _ride(self, reached: Mapping[str, _Reached]) -> dict[str, _Reached]:
        """What one more ride reaches."""
        found: dict[str, _Reached] = {}
        for (line, direction), route in self._routes.items():
            trips = self._trips[(line, direction)]
            for index, (board, offset) in enumerate(route[:-1]):
                here = reached.get(board)
                if here is None:
                    continue
                change = CHANGE_MINUTES if here.legs and here.legs[-1].line else 0
                if here.legs and here.legs[-1].line == line:
                    continue
                position = bisect_left(trips, here.minute + change - offset)
                if position < len(trips):
                    self._get_off(found, here, Leg(_stops(route[index:], trips[position]), 0, line, direction))
        return found

    def _get_off(self, found: dict[str, _Reached], here: _Reached, ride: Leg) -> None:
        for count in range(2, len(ride.stops) + 1):
            stop, minute = ride.stops[count - 1]
            known, way = found.get(stop), _Reached(minute, (*here.legs, replace(ride, stops=ride.stops[:count])))
            if known is None or _rank(way) < _rank(known):
                found[stop] = way

    def _walk_on(self, reached: Mapping[str, _Reached]) -> dict[str, _Reached]:
        """What is near the stops that were reached."""
        found = dict(reached)
        for stop, other, metres in self._walks:
            here = reached.get(stop)
            if here is not None and (other not in found or here.minute + _minutes(metres) < found[other].minute):
                walk = _walk(stop, other, here.minute, metres)
                found[other] = _Reached(walk.arrives, (*here.legs, walk))
        return found

    def _tightened(self, legs: Sequence[Leg]) -> tuple[Leg, ...]:
        """The same journey, left as late as the last ride allows: nobody likes to wait on the way."""
        later: list[Leg] = []
        for leg in reversed(legs):
            until = later[0].departs if later else None
            if until is not None and leg.line:
                slack = CHANGE_MINUTES if later[0].line else 0
                offset = next(m for s, m in self._routes[(leg.line, leg.direction)] if s == leg.stops[0][0])
                trips = self._trips[(leg.line, leg.direction)]
                last = trips[bisect_right(trips, until - slack - (leg.arrives - leg.departs) - offset) - 1]
                leg = _shifted(leg, last + offset - leg.departs)
            elif until is not None:
                leg = _shifted(leg, until - leg.arrives)
            later.insert(0, leg)
        return tuple(later)

    def _point(self, place: str | Point) -> Point:
        return (self._stops[place]["lat"], self._stops[place]["lng"]) if isinstance(place, str) else place


def _rank(way: _Reached) -> tuple[int, int, int]:
    """Of two that arrive together, less on foot; then the later ride: nobody rides past a stop and back."""
    return way.minute, sum(leg.metres for leg in way.legs), -way.legs[-1].departs


def _trouble(way: _Reached) -> int:
    """What a journey costs its traveller: walking twice its time, a change three minutes."""
    rides = sum(leg.line is not None for leg in way.legs)
    return way.minute + 2 * sum(_minutes(leg.metres) for leg in way.legs) + MINUTES_OF_A_CHANGE * (rides - 1)


def _stops(route: Sequence[tuple[str, int]], departs: int) -> tuple[tuple[str, int], ...]:
    return tuple((stop, departs + minutes) for stop, minutes in route)


def _shifted(leg: Leg, minutes: int) -> Leg:
    return replace(leg, stops=tuple((stop, minute + minutes) for stop, minute in leg.stops))


def _walk(start: str, end: str, minute: int, metres: int) -> Leg:
    return Leg(((start, minute), (end, minute + _minutes(metres))), metres)


def _minutes(metres: int) -> int:
    return -(-metres // METRES_PER_MINUTE)


def _walked(start: Point, end: Point) -> int:
    return round(DETOUR * metres_between(start, end) / 10) * 10


def _id(place: str | Point) -> str:
    return place if isinstance(place, str) else ""


def journey_metres(legs: Sequence[Leg], stops: Mapping[str, Mapping[str, Any]], start: Point) -> int:
    """How far it is along the stops of the legs."""
    total = 0
    for leg in legs:
        points = [(stops[s]["lat"], stops[s]["lng"]) if s else start for s, _ in leg.stops]
        along = sum(_walked(a, b) for a, b in pairwise(points))
        total += leg.metres or along
    return total
