"""What all tools of the transport agent share: the database, the campus clock, and names as people write them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agents.kit.asking import ask
from agents.kit.clock import Clock
from agents.transport import places, timetable
from agents.transport.places import Place
from agents.transport.seed import minutes

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
Lat = Annotated[float | None, Field(ge=-90, le=90)]
Lng = Annotated[float | None, Field(ge=-180, le=180)]
Offset = Annotated[int, Field(ge=0, le=200, description="how many to pass over")]


class Campus:
    """Reads that more than one tool makes."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._stops = timetable.names(db, "stops")
        self._lines = timetable.names(db, "lines")
        self._lots = timetable.names(db, "parking")

    def _stop(self, stop: str | None) -> dict[str, str] | None:
        return None if stop is None else named(self._stops[stop])

    def _line(self, line: str | None) -> dict[str, Any] | None:
        return None if line is None else {**named(self._lines[line]), "number": self._lines[line]["number"]}


def moment(now: datetime, day: date) -> dict[str, Any]:
    """What every result says about the time it was made and the day it is for."""
    return {
        "now": f"{now:%H:%M}",
        "today": now.date().isoformat(),
        "date": day.isoformat(),
        "weekday": timetable.WEEKDAYS[day.weekday()],
    }


def when_to_start(now: datetime, day: str | None, after: str | None, which: str) -> tuple[date, int]:
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


def stop_id(name: str | None) -> str | None:
    """The stop that a name stands for, None for no name. Raises ToolError for an unknown one."""
    return _id(name, places.stops(), "stop")


def line_id(name: str | None) -> str | None:
    """The line that a name stands for, None for no name. Raises ToolError for an unknown one."""
    return _id(name, places.lines(), "line")


def which_stop(chinese: bool, **named: str | None) -> dict[str, Any] | None:
    """The question which stop is meant, for the first argument that names a kind of stop; None if none does."""
    for argument, name in named.items():
        if (kind := places.kind_of(name)) is not None:
            options = [{"value": s.id, "label": s.name_zh if chinese else s.name_en} for s in places.stops_of(kind)]
            zh, en = _WHICH["origin" if argument == "origin" else "destination"]
            message = zh.format(kind.name_zh) if chinese else en.format(kind.name_en)
            return ask(argument, {"type": "select", "message": message, "options": options})
    return None


_WHICH = {"origin": ("从哪个{}出发？", "From which {}?"), "destination": ("是哪个{}？", "Which {} do you mean?")}


def point(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    """A position, None when half of it is missing."""
    return None if lat is None or lng is None else (lat, lng)


def named(row: Mapping[str, Any]) -> dict[str, str]:
    """Id and names of a row."""
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}


def _id(name: str | None, known: tuple[Place, ...], kind: str) -> str | None:
    if not name or not name.strip():
        return None
    place = places.find(name, known)
    if place is None:
        choices = ", ".join(f"{option.name_en} ({option.name_zh})" for option in known)
        raise ToolError(f"No {kind} is called {name!r}. There are: {choices}.")
    return place.id
