"""The transport agent's MCP server: departures, lines, stops, journeys and parking over the agent's own database."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from pydantic import Field

from agents.kit.clock import Clock
from agents.transport import timetable
from agents.transport.campus import (
    Day,
    Lat,
    LineName,
    Lng,
    Offset,
    StopName,
    Time,
    line_id,
    moment,
    point,
    stop_id,
    when_to_start,
    which_stop,
)
from agents.transport.journeys import JourneyTools
from agents.transport.seed import clock_text, minutes
from agents.transport.timetable import Leg, Wish

_LOT = ("id", "name_zh", "name_en", "free", "capacity", "price_zh", "price_en", "distance_m")


def build_server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    """The server. Its tools answer with names in both languages; times are campus time."""
    server: MCPServer[Any] = MCPServer("transport")
    tools = TransportTools(db, clock)
    for tool in (
        *(tools.next_departures, tools.list_lines, tools.line_stops, tools.list_stops),
        *(tools.parking, tools.plan_route, tools.navigate),
    ):
        server.add_tool(tool)
    return server


class TransportTools(JourneyTools):
    """The tools as plain async methods."""

    async def next_departures(
        self,
        destination: StopName | None = None,
        origin: StopName | None = None,
        line: LineName | None = None,
        day: Day | None = None,
        after: Time | None = None,
        which: Literal["next", "first", "last"] = "next",
        near_lat: Lat = None,
        near_lng: Lng = None,
        limit: Annotated[int, Field(ge=1, le=30)] = 10,
        offset: Offset = 0,
        chinese: bool = False,
    ) -> dict[str, Any]:
        """Shuttle departures by time. Leave out what the user did not say: `after` defaults to now, `day` to today.

        When nothing leaves any more that day, the departures of the next day with service are given (see `date`).
        """
        if (question := which_stop(chinese, destination=destination, origin=origin)) is not None:
            return question
        now = self._clock()
        start, since = when_to_start(now, day, after, which)
        wish = Wish(
            origin=stop_id(origin), destination=stop_id(destination), line=line_id(line), near=point(near_lat, near_lng)
        )
        found_day, found = timetable.search(self._db, wish, start, since, which=which)
        return {
            **moment(now, found_day),
            "asked_date": start.isoformat(),
            "which": which,
            "after": clock_text(since),
            "asked_time": after if which == "next" else None,
            "origin": self._stop(wish.origin),
            "destination": self._stop(wish.destination),
            "line": self._line(wish.line),
            "total": len(found),
            "offset": offset,
            "limit": limit,
            "departures": [self._departure(now, found_day, *found) for found in found[offset : offset + limit]],
        }

    async def list_lines(self, destination: StopName | None = None, chinese: bool = False) -> dict[str, Any]:
        """All shuttle lines with stops, running days, first and last trips; with `destination` those stopping there."""
        if (question := which_stop(chinese, destination=destination)) is not None:
            return question
        now = self._clock()
        stop = stop_id(destination)
        lines = [self._summary(line, now) for line in self._lines]
        if stop is not None:
            lines = [
                line
                for line in lines
                if any(stop == served["id"] for route in line["directions"] for served in route["stops"])
            ]
        return {**moment(now, now.date()), "destination": self._stop(stop), "lines": lines}

    async def line_stops(self, line: LineName) -> dict[str, Any]:
        """The stops of one line in each direction with riding minutes, first and last trips, the next ones today."""
        now = self._clock()
        found = line_id(line)
        return {**moment(now, now.date()), "lines": [self._summary(found or "", now)]}

    async def parking(
        self,
        near: StopName | None = None,
        near_lat: Lat = None,
        near_lng: Lng = None,
        free_only: bool = False,
        day: Day | None = None,
        at: Time | None = None,
        chinese: bool = False,
    ) -> dict[str, Any]:
        """Car parks with the places free at a time (default now), nearest first if a place is given."""
        if (question := which_stop(chinese, near=near)) is not None:
            return question
        now = self._clock()
        today = timetable.date_of(day, now.date())
        hour = minutes(at) // 60 if at else now.hour
        stop = stop_id(near)
        here = point(near_lat, near_lng)
        if stop is not None:
            here = (self._stops[stop]["lat"], self._stops[stop]["lng"])
        lots = timetable.parking_lots(self._db, today, hour, here)
        return {
            **moment(now, today),
            "at": at or f"{now:%H:%M}",
            "near": self._stop(stop),
            "free_only": free_only,
            "lots": [
                {**{key: lot[key] for key in _LOT}, "stop": self._stop(lot["stop"])}
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
