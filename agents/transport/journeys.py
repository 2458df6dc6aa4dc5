"""The MCP tools that lead somewhere: journeys with a change of line, the way to a car park, all stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agents.kit.database import fetch
from agents.transport.campus import (
    Campus,
    Day,
    Lat,
    LineName,
    Lng,
    Offset,
    StopName,
    Time,
    line_id,
    moment,
    named,
    point,
    stop_id,
    when_to_start,
    which_stop,
)
from agents.transport.routes import DETOUR, Leg, Network, Point, journey_metres
from agents.transport.seed import clock_text
from agents.transport.timetable import DAYS_AHEAD, metres_between

GATE = "south-gate"
"""Where a way starts when nobody knows where the user is."""
ON_CAMPUS = 5_000
MOST_JOURNEYS = 12
CAR_METRES_PER_MINUTE = 250


class JourneyTools(Campus):
    """Ways from one place to another."""

    async def list_stops(
        self,
        line: LineName | None = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 8,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """The stops on campus, or those of one line, with the lines that stop there."""
        now, wanted = self._clock(), line_id(line)
        served: dict[str, list[str]] = {}
        for row in fetch(self._db, "SELECT DISTINCT stop, line FROM line_stops ORDER BY line"):
            served.setdefault(row["stop"], []).append(row["line"])
        rows = [stop for stop in self._stops if wanted is None or wanted in served.get(stop, ())]
        return {
            **moment(now, now.date()),
            "line": self._line(wanted),
            "total": len(rows),
            "offset": offset,
            "limit": limit,
            "stops": [
                {**named(self._stops[stop]), "lines": [self._line(line) for line in served.get(stop, ())]}
                for stop in rows[offset : offset + limit]
            ],
        }

    async def plan_route(
        self,
        destination: StopName,
        origin: StopName | None = None,
        day: Day | None = None,
        after: Time | None = None,
        near_lat: Lat = None,
        near_lng: Lng = None,
        offset: Annotated[int, Field(ge=0, lt=MOST_JOURNEYS, description="how many earlier journeys to pass over")] = 0,
        chinese: bool = False,
    ) -> dict[str, Any]:
        """The way from one stop to another: lines, stops in order with times, walks, at most one change.

        Without an origin it starts at the position, or else at the South Gate (`guessed`). When nothing goes any more
        that day, the first journey of the next day with service is given (see `date`).
        """
        if (question := which_stop(chinese, destination=destination, origin=origin)) is not None:
            return question
        now, end = self._clock(), stop_id(destination)
        if end is None:
            raise ToolError("Say where to go: `destination` is empty.")
        start, since = when_to_start(now, day, after, "next")
        begin, here = self._start(stop_id(origin), point(near_lat, near_lng))
        found_day, found = self._journeys(begin, end, start, since, offset + 2)
        legs = found[offset] if offset < len(found) else ()
        return {
            **moment(now, found_day),
            "asked_date": start.isoformat(),
            "asked_time": after,
            "origin": self._place(begin),
            "here": here,
            "guessed": origin is None and not here,
            "destination": self._place(end),
            "offset": offset,
            "limit": 1,
            "total": min(len(found), MOST_JOURNEYS),
            "on_foot": Network(self._db, found_day).on_foot(begin, end),
            "journey": self._told(legs, begin, now, found_day) if legs else None,
        }

    async def navigate(
        self,
        to: Annotated[str, Field(max_length=80, description="a stop or a car park: its id or its name")],
        origin: StopName | None = None,
        after: Time | None = None,
        near_lat: Lat = None,
        near_lng: Lng = None,
        started: bool = False,
    ) -> dict[str, Any]:
        """The way to a stop by shuttle and on foot, or to a car park by car, for somebody who is about to leave."""
        lot = next((row for row in self._lots.values() if to in (row["id"], row["name_zh"], row["name_en"])), None)
        if lot is None:
            way = await self.plan_route(to, origin, "today", after, near_lat, near_lng)
            return {**way, "by_car": False, "started": started}
        begin, here = self._start(stop_id(origin), point(near_lat, near_lng))
        return {
            **self._drive(self._place(begin), lot),
            "here": here,
            "guessed": origin is None and not here,
            "by_car": True,
            "started": started,
        }

    def _drive(self, begin: Mapping[str, Any], lot: Mapping[str, Any]) -> dict[str, Any]:
        now = self._clock()
        end: dict[str, Any] = {**named(lot), "lat": lot["lat"], "lng": lot["lng"]}
        metres = round(DETOUR * metres_between((begin["lat"], begin["lng"]), (end["lat"], end["lng"])) / 10) * 10
        ride = max(1, round(metres / CAR_METRES_PER_MINUTE))
        way = {"departs": f"{now:%H:%M}", "arrives": f"{now + timedelta(minutes=ride):%H:%M}", "metres": metres}
        stops = [{**begin, "time": way["departs"]}, {**end, "time": way["arrives"]}]
        leg = {**way, "line": None, "direction": 0, "stops": stops}
        return {
            **moment(now, now.date()),
            "origin": begin,
            "destination": end,
            "journey": {**way, "minutes": ride, "wait_minutes": 0, "changes": 0, "legs": [leg]},
        }

    def _journeys(
        self, begin: str | Point, end: str, start: date, since: int, most: int
    ) -> tuple[date, list[tuple[Leg, ...]]]:
        """The first day from `start` on which one gets there, and its first journeys in order."""
        if begin == end:
            return start, []
        for ahead in range(DAYS_AHEAD + 1):
            day, after = start + timedelta(days=ahead), since if ahead == 0 else 0
            network = Network(self._db, day)
            found: list[tuple[Leg, ...]] = []
            # Midnight stands for a day without a time, and whoever asks for a later shuttle does not want to walk.
            while legs := network.journey(begin, end, after, rather_ride=after == 0 or bool(found)):
                on_foot = all(leg.line is None for leg in legs)
                if len(found) == most or (found and on_foot):
                    break
                found.append(legs)
                after = legs[0].departs + 1
                if on_foot:
                    break
            if found:
                return day, found
        return start, []

    def _start(self, origin: str | None, near: Point | None) -> tuple[str | Point, bool]:
        """Where the way starts, and whether that is where the user is."""
        if origin is not None:
            return origin, False
        gate = (self._stops[GATE]["lat"], self._stops[GATE]["lng"])
        if near is not None and metres_between(gate, near) <= ON_CAMPUS:
            return near, True
        return GATE, False

    def _place(self, place: str | Point) -> dict[str, Any]:
        if isinstance(place, str):
            return {**named(self._stops[place]), "lat": self._stops[place]["lat"], "lng": self._stops[place]["lng"]}
        return {"id": "", "name_zh": "你的位置", "name_en": "your place", "lat": place[0], "lng": place[1]}

    def _told(self, legs: Sequence[Leg], begin: str | Point, now: datetime, day: date) -> dict[str, Any]:
        rides, first = [leg for leg in legs if leg.line], legs[0].departs
        origin = self._place(begin)
        wait = first - now.hour * 60 - now.minute if day == now.date() else None
        return {
            "departs": clock_text(first),
            "arrives": clock_text(legs[-1].arrives),
            "minutes": legs[-1].arrives - first,
            "wait_minutes": wait if wait is not None and wait >= 0 else None,
            "metres": journey_metres(legs, self._stops, (origin["lat"], origin["lng"])),
            "changes": max(0, len(rides) - 1),
            "legs": [self._leg(leg, origin) for leg in legs],
        }

    def _leg(self, leg: Leg, origin: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "line": self._line(leg.line),
            "direction": leg.direction,
            "departs": clock_text(leg.departs),
            "arrives": clock_text(leg.arrives),
            "metres": leg.metres,
            "stops": [
                {**(self._place(stop) if stop else origin), "time": clock_text(minute)} for stop, minute in leg.stops
            ],
        }
