"""The transport agent's MCP server: departures, lines, stops and parking over the agent's own database."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agents.kit.clock import Clock
from agents.transport import places, timetable
from agents.transport.places import Place
from agents.transport.seed import clock_text, minutes
from agents.transport.timetable import Leg, Wish

Day = Literal[
    "today",
    "tomorrow",
    "day_after_tomorrow",
    "weekend",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]
Time = Annotated[str, Field(pattern=r"^([01]?\d|2[0-3]):[0-5]\d$", description="HH:MM, 24 hours")]
StopName = Annotated[str, Field(max_length=80, description="a stop: its name in Chinese or English, or its id")]
LineName = Annotated[
    str, Field(max_length=80, description="a line: its name, its number (`line 1`, `1号线`) or its id")
]


def build_server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    """The server. Its tools answer with names in both languages; times are campus time."""
    server: MCPServer[Any] = MCPServer("transport")
    tools = _Tools(db, clock)
    for tool in (tools.next_departures, tools.list_lines, tools.line_stops, tools.parking):
        server.add_tool(tool)
    return server


class _Tools:
    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._stops = timetable.names(db, "stops")
        self._lines = timetable.names(db, "lines")

    async def next_departures(
        self,
        destination: StopName | None = None,
        origin: StopName | None = None,
        line: LineName | None = None,
        day: Day | None = None,
        after: Time | None = None,
        which: Literal["next", "first", "last"] = "next",
        near_lat: float | None = None,
        near_lng: float | None = None,
        limit: Annotated[int, Field(ge=1, le=30)] = 10,
    ) -> dict[str, Any]:
        """Shuttle departures by time. Leave out what the user did not say: `after` defaults to now, `day` to today.

        When nothing leaves any more that day, the departures of the next day with service are given (see `date`).
        """
        now = self._clock()
        start, since = _when(now, day, after, which)
        wish = Wish(
            origin=_id(origin, places.stops(), "stop"),
            destination=_id(destination, places.stops(), "stop"),
            line=_id(line, places.lines(), "line"),
            near=_point(near_lat, near_lng),
        )
        found_day, found = timetable.search(self._db, wish, start, since, which=which, limit=limit)
        return {
            **_moment(now, found_day),
            "asked_date": start.isoformat(),
            "which": which,
            "after": clock_text(since),
            "asked_time": after if which == "next" else None,
            "origin": self._stop(wish.origin),
            "destination": self._stop(wish.destination),
            "line": self._line(wish.line),
            "departures": [self._departure(now, found_day, *departure) for departure in found],
        }

    async def list_lines(self, destination: StopName | None = None) -> dict[str, Any]:
        """All shuttle lines with stops, running days, first and last trips; with `destination` those stopping there."""
        now = self._clock()
        stop = _id(destination, places.stops(), "stop")
        lines = [self._summary(line, now) for line in self._lines]
        if stop is not None:
            lines = [
                line
                for line in lines
                if any(stop == served["id"] for route in line["directions"] for served in route["stops"])
            ]
        return {**_moment(now, now.date()), "destination": self._stop(stop), "lines": lines}

    async def line_stops(self, line: LineName) -> dict[str, Any]:
        """The stops of one line in each direction with riding minutes, first and last trips, the next ones today."""
        now = self._clock()
        found = _id(line, places.lines(), "line")
        return {**_moment(now, now.date()), "lines": [self._summary(found or "", now)]}

    async def parking(
        self,
        near: StopName | None = None,
        near_lat: float | None = None,
        near_lng: float | None = None,
        free_only: bool = False,
        day: Day | None = None,
        at: Time | None = None,
    ) -> dict[str, Any]:
        """Car parks with the places free at a time (default now), nearest first if a place is given."""
        now = self._clock()
        today = timetable.date_of(day, now.date())
        hour = minutes(at) // 60 if at else now.hour
        stop = _id(near, places.stops(), "stop")
        point = _point(near_lat, near_lng)
        if stop is not None:
            point = (self._stops[stop]["lat"], self._stops[stop]["lng"])
        lots = timetable.parking_lots(self._db, today, hour, point)
        return {
            **_moment(now, today),
            "at": at or f"{now:%H:%M}",
            "near": self._stop(stop),
            "free_only": free_only,
            "lots": [
                {
                    key: lot[key]
                    for key in ("id", "name_zh", "name_en", "free", "capacity", "price_zh", "price_en", "distance_m")
                }
                for lot in lots
                if lot["free"] > 0 or not free_only
            ],
        }

    def _departure(self, now: datetime, day: date, ride: Leg, leaves: int, arrives: int) -> dict[str, Any]:
        wait = leaves - now.hour * 60 - now.minute if day == now.date() else None
        return {
            "line": self._line(ride.line),
            "direction": ride.direction,
            "from": self._stop(ride.board),
            "to": self._stop(ride.leave),
            "departs": clock_text(leaves),
            "arrives": clock_text(arrives),
            "ride_minutes": arrives - leaves,
            "wait_minutes": wait if wait is not None and wait >= 0 else None,
        }

    def _summary(self, line: str, now: datetime) -> dict[str, Any]:
        return {**(self._line(line) or {}), "directions": timetable.line_summary(self._db, line, now)}

    def _stop(self, stop: str | None) -> dict[str, str] | None:
        return None if stop is None else _named(self._stops[stop])

    def _line(self, line: str | None) -> dict[str, Any] | None:
        return None if line is None else {**_named(self._lines[line]), "number": self._lines[line]["number"]}


def _when(now: datetime, day: str | None, after: str | None, which: str) -> tuple[date, int]:
    """The date to start at and the minute of it. A time without a day that is already over means tomorrow."""
    start = timetable.date_of(day, now.date())
    this_minute = now.hour * 60 + now.minute
    if which != "next":
        return start, 0
    if after is None:
        return start, this_minute if start == now.date() else 0
    since = minutes(after)
    if day is None and since < this_minute:
        return timetable.date_of("tomorrow", now.date()), since
    return start, since


def _moment(now: datetime, day: date) -> dict[str, Any]:
    return {
        "now": f"{now:%H:%M}",
        "today": now.date().isoformat(),
        "date": day.isoformat(),
        "weekday": timetable.WEEKDAYS[day.weekday()],
    }


def _id(name: str | None, known: tuple[Place, ...], kind: str) -> str | None:
    if not name or not name.strip():
        return None
    place = places.find(name, known)
    if place is None:
        choices = ", ".join(f"{option.name_en} ({option.name_zh})" for option in known)
        raise ToolError(f"No {kind} is called {name!r}. There are: {choices}.")
    return place.id


def _point(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    return None if lat is None or lng is None else (lat, lng)


def _named(row: Mapping[str, Any]) -> dict[str, str]:
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}
