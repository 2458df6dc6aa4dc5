"""What all tools of the canteen share: the database, the campus clock, and how places, hours and ways are read."""

from __future__ import annotations

import math
import sqlite3
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.canteen.names import canteen_in
from agents.kit.clock import Clock
from agents.kit.database import fetch

Meal = Literal["breakfast", "lunch", "dinner"]
Hour = Annotated[int | None, Field(ge=0, le=23)]
Day = Literal["today", "tomorrow", "weekday", "weekend"]
Limit = Annotated[int, Field(ge=1, le=50)]
Offset = Annotated[int, Field(ge=0, le=500, description="how many to pass over")]
Lat = Annotated[float | None, Field(ge=-90, le=90)]
Lng = Annotated[float | None, Field(ge=-180, le=180)]
CanteenName = Annotated[str, Field(max_length=60, description="a canteen: its name in Chinese or English, or its id")]
StallName = Annotated[str, Field(max_length=60, description="a stall: its id or part of its name")]
DishName = Annotated[str, Field(max_length=60, description="a dish: its id or part of its name")]

NOON = 12
STALLS = """
SELECT s.*, c.name_zh AS canteen_zh, c.name_en AS canteen_en, MIN(d.price) AS price_from, MAX(d.price) AS price_to
FROM stalls s JOIN canteens c ON c.id = s.canteen JOIN dishes d ON d.stall = s.id
"""


class Store:
    """Reads that more than one tool makes."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def _canteen(self, name: str | None) -> dict[str, Any] | None:
        """The canteen with this id or name, None for any other text."""
        wanted = (name or "").strip().lower()
        if not wanted:
            return None
        alias = canteen_in(wanted)
        for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id"):
            if row["id"] == alias or wanted in (row["id"], row["name_zh"], row["name_en"].lower()):
                return row
        return None

    def _stall(self, name: str | None) -> dict[str, Any] | None:
        """The stall with this id, this name, or the first whose name holds the text."""
        wanted = (name or "").strip()
        if not wanted:
            return None
        rows = fetch(
            self._db,
            f"""{STALLS} WHERE s.id = ? OR s.name_zh LIKE ? OR s.name_en LIKE ? GROUP BY s.id
            ORDER BY s.id != ?, lower(s.name_zh) != lower(?) AND lower(s.name_en) != lower(?), s.id LIMIT 1""",
            wanted,
            *[f"%{wanted}%"] * 2,
            *[wanted] * 3,
        )
        return rows[0] if rows else None

    def _crowding(self, now: datetime, at: dict[str, Any]) -> list[dict[str, Any]]:
        """All canteens with how full they are then; a closed one has no percentage."""
        rows = fetch(
            self._db,
            """SELECT c.*, r.percent FROM canteens c LEFT JOIN crowding r
            ON r.canteen = c.id AND r.days = ? AND r.hour = ? ORDER BY c.id""",
            _kind_of_day(now, at["day"]),
            at["at_hour"],
        )
        return [_with_seats(row, f"{now:%H:%M}" if at["at_now"] else None) for row in rows]


def meal_at(now: datetime) -> Meal:
    """The meal that is served now or next."""
    return "breakfast" if now.hour < 10 or now.hour >= 21 else "lunch" if now.hour < 14 else "dinner"


def named(row: dict[str, Any]) -> dict[str, str]:
    """Id and names of a row."""
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}


def moment(now: datetime) -> dict[str, Any]:
    """What every result says about the time it was made."""
    return {"now": f"{now:%H:%M}", "date": now.date().isoformat(), "weekend": now.weekday() >= 5}


def at_time(now: datetime, hour: int | None, day: Day) -> dict[str, Any]:
    """What time the crowding is asked for. Another day without an hour means lunchtime, when it matters most."""
    at_now = hour is None and day == "today"
    other = NOON if hour is None else hour
    return {"day": day, "at_hour": now.hour if at_now else other, "at_now": at_now}


def metres(row: dict[str, Any], lat: float | None, lng: float | None) -> int | None:
    """Distance on the ground; at campus scale the earth is flat."""
    if lat is None or lng is None:
        return None
    east = (row["lng"] - lng) * math.cos(math.radians(lat)) * 111_320
    return round(math.hypot(east, (row["lat"] - lat) * 110_540))


def _with_seats(row: dict[str, Any], minute: str | None) -> dict[str, Any]:
    """Free seats, and whether it is open: at that minute, or in some minute of the hour for None."""
    is_open = row["percent"] is not None and (minute is None or row["opens"] <= minute < row["closes"])
    percent = row["percent"] if is_open else None
    free = None if percent is None else round(row["seats"] * (100 - percent) / 100)
    return {**row, "percent": percent, "seats_free": free, "open": is_open}


def _kind_of_day(now: datetime, day: Day) -> str:
    if day in ("weekday", "weekend"):
        return day
    date = now + timedelta(days=1 if day == "tomorrow" else 0)
    return "weekend" if date.weekday() >= 5 else "weekday"
