"""Answers timetable and parking questions from the database. Pure reads: the caller says what time it is."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from agents.kit.database import fetch
from agents.transport.seed import clock_text

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYS_AHEAD = 7
WALK_METRES = 400.0


@dataclass(frozen=True, slots=True)
class Leg:
    """A ride on one line and direction: where one gets on and off, in minutes after the trip starts."""

    line: str
    direction: int
    board: str
    leave: str
    board_minutes: int
    leave_minutes: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: stop and line ids, or None for any; `near` is (latitude, longitude)."""

    origin: str | None = None
    destination: str | None = None
    line: str | None = None
    near: tuple[float, float] | None = None


def service_days(day: date) -> str:
    """The timetable that applies on a date: `weekday` or `weekend`."""
    return "weekend" if day.weekday() >= 5 else "weekday"


def date_of(name: str | None, today: date) -> date:
    """The date of `today`, `tomorrow`, `day_after_tomorrow`, `weekend` or a weekday name (today included).

    Raises ValueError for any other name.
    """
    wanted = (name or "today").strip().lower()
    offsets = {"today": 0, "tomorrow": 1, "day_after_tomorrow": 2}
    if wanted in offsets:
        return today + timedelta(days=offsets[wanted])
    if wanted == "weekend":
        return today if today.weekday() >= 5 else today + timedelta(days=5 - today.weekday())
    if wanted in WEEKDAYS:
        return today + timedelta(days=(WEEKDAYS.index(wanted) - today.weekday()) % 7)
    raise ValueError(f"unknown day {name!r}")


def names(db: sqlite3.Connection, table: str) -> dict[str, dict[str, Any]]:
    """id -> row of `stops`, `lines` or `parking`."""
    return {row["id"]: row for row in fetch(db, f"SELECT * FROM {table} ORDER BY rowid")}


def legs(db: sqlite3.Connection, wish: Wish) -> list[Leg]:
    """The rides that fit, at most one per line and direction.

    Without an origin one gets on at the first stop of the line, or near `near`: at a stop within a short walk, or if
    there is none, at the nearest stop of all.
    """
    routes: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in fetch(db, "SELECT * FROM line_stops ORDER BY line, direction, seq"):
        if wish.line in (None, row["line"]):
            routes.setdefault((row["line"], row["direction"]), []).append(row)
    stops = names(db, "stops")
    found = [leg for leg in (_leg(key, route, wish, stops) for key, route in routes.items()) if leg is not None]
    if wish.near is None or wish.origin is not None or not found:
        return found
    walks = {leg: _metres(wish.near, stops[leg.board]) for leg in found}
    return [leg for leg in found if walks[leg] <= max(WALK_METRES, min(walks.values()))]


def _leg(
    key: tuple[str, int], route: Sequence[Mapping[str, Any]], wish: Wish, stops: Mapping[str, Mapping[str, Any]]
) -> Leg | None:
    pairs = [
        (board, leave)
        for i, board in enumerate(route)
        for leave in route[i + 1 :]
        if wish.destination in (None, leave["stop"])
        and wish.origin in (None, board["stop"])
        and (wish.destination is None or board["stop"] != leave["stop"])
    ]
    if not pairs:
        return None
    if wish.destination is None:
        # To the end of the line, from where the traveller gets on.
        pairs = [(board, leave) for board, leave in pairs if leave is route[-1]]
    near = wish.near
    if wish.origin is not None:
        board, leave = min(pairs, key=lambda pair: pair[1]["minutes"] - pair[0]["minutes"])
    elif near is not None:
        board, leave = min(pairs, key=lambda pair: _metres(near, stops[pair[0]["stop"]]))
    else:
        board, leave = pairs[0]
    return Leg(*key, board["stop"], leave["stop"], board["minutes"], leave["minutes"])


def departures(db: sqlite3.Connection, ride: Leg, day: date, after: int) -> Iterator[tuple[int, int]]:
    """(departure at the stop, arrival) in minutes of `day`, not before `after`, in order."""
    rows = fetch(
        db,
        "SELECT departs FROM trips WHERE line = ? AND direction = ? AND days = ? ORDER BY departs",
        ride.line,
        ride.direction,
        service_days(day),
    )
    for row in rows:
        leaves = row["departs"] + ride.board_minutes
        if leaves >= after:
            yield leaves, row["departs"] + ride.leave_minutes


def search(
    db: sqlite3.Connection, wish: Wish, start: date, after: int, *, which: str
) -> tuple[date, list[tuple[Leg, int, int]]]:
    """The first day from `start` with a fitting departure, and its departures: (ride, leaves, arrives) by time.

    `which`: `next` from `after` on, `first` of the day; `last` gives the last one first.
    """
    rides = legs(db, wish)
    for offset in range(DAYS_AHEAD + 1):
        day = start + timedelta(days=offset)
        since = after if offset == 0 and which == "next" else 0
        found = sorted(
            ((ride, leaves, arrives) for ride in rides for leaves, arrives in departures(db, ride, day, since)),
            key=lambda departure: (departure[1], departure[2]),
        )
        if found:
            return day, found[::-1] if which == "last" else found
    return start, []


def line_summary(db: sqlite3.Connection, line: str, now: datetime) -> list[dict[str, Any]]:
    """One row per direction: stops with minutes, running days, first and last trip, the next one today (or None)."""
    stops = names(db, "stops")
    summary: list[dict[str, Any]] = []
    for ride in legs(db, Wish(line=line)):
        rows = fetch(
            db,
            "SELECT days, min(departs) AS first, max(departs) AS last, count(*) AS trips FROM trips"
            " WHERE line = ? AND direction = ? GROUP BY days ORDER BY days",
            line,
            ride.direction,
        )
        route = fetch(
            db,
            "SELECT stop, minutes FROM line_stops WHERE line = ? AND direction = ? ORDER BY seq",
            line,
            ride.direction,
        )
        upcoming = [leaves for leaves, _ in departures(db, ride, now.date(), now.hour * 60 + now.minute)]
        summary.append(
            {
                "direction": ride.direction,
                "stops": [{**_named(stops[row["stop"]]), "minutes": row["minutes"]} for row in route],
                "service": [
                    {
                        "days": row["days"],
                        "first": clock_text(row["first"]),
                        "last": clock_text(row["last"]),
                        "trips": row["trips"],
                    }
                    for row in rows
                ],
                "next": [clock_text(minute) for minute in upcoming[:4]],
                "wait_minutes": upcoming[0] - now.hour * 60 - now.minute if upcoming else None,
            }
        )
    return summary


def parking_lots(
    db: sqlite3.Connection, day: date, hour: int, near: tuple[float, float] | None
) -> list[dict[str, Any]]:
    """Every lot with the places free in that hour, by distance if `near` is given, else the emptiest first."""
    rows = fetch(
        db,
        "SELECT p.*, h.free FROM parking p JOIN parking_hours h ON h.lot = p.id WHERE h.days = ? AND h.hour = ?",
        service_days(day),
        hour,
    )
    for row in rows:
        row["distance_m"] = None if near is None else round(_metres(near, row))
    return sorted(rows, key=lambda row: -row["free"] if near is None else row["distance_m"])


def _named(row: Mapping[str, Any]) -> dict[str, str]:
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}


def metres_between(here: tuple[float, float], there: tuple[float, float]) -> float:
    """Distance on a flat campus; off by less than a metre over its few kilometres."""
    north = (there[0] - here[0]) * 111_320
    east = (there[1] - here[1]) * 111_320 * math.cos(math.radians(here[0]))
    return math.hypot(north, east)


def _metres(here: tuple[float, float], place: Mapping[str, Any]) -> float:
    return metres_between(here, (place["lat"], place["lng"]))
