"""The MCP tools of meal bookings: a form, and what is booked when it comes back. A form books only once."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from agents.canteen.seed import DATA
from agents.canteen.store import CanteenName, Store, moment, named
from agents.kit.database import fetch, insert_rows, load_csv

MOST_FORMS = 10_000
DAYS_AHEAD = 14
MINUTES_AHEAD = 30
MOST_PEOPLE = 20
MOST_NOTE = 300


@dataclass(frozen=True, slots=True)
class Booking:
    """What somebody wants to book."""

    canteen: str
    date: str
    time: str
    people: int
    diets: str
    note: str

    def row(self, key: str, now: datetime) -> dict[str, Any]:
        """The booking as it is stored. `key` is what can book only once: a form, or a call of a tool."""
        return {"key": key, **asdict(self), "made": now.isoformat()}


class BookingTools(Store):
    """Forms and bookings."""

    async def booking_form(self, canteen: CanteenName | None = None) -> dict[str, Any]:
        """A form to book a meal with; the user fills it in and submits it. Books nothing yet."""
        now, found = self._clock(), self._canteen(canteen)
        form = f"meal-{secrets.token_hex(8)}"
        with self._db:
            insert_rows(self._db, "kept.forms", [{"id": form, "made": now.isoformat()}])
            self._db.execute(
                "DELETE FROM kept.forms WHERE rowid <= (SELECT max(rowid) FROM kept.forms) - ?", [MOST_FORMS]
            )
        first, time = first_slot(now)
        return {
            **moment(now),
            "form": form,
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "canteens": [named(row) for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id")],
            "first": first.isoformat(),
            "last": (now.date() + timedelta(days=DAYS_AHEAD)).isoformat(),
            "time": time,
            "times": times(),
            "diets": diets(),
        }

    async def book_meal(self, form: Annotated[str, Field(max_length=200)], values: dict[str, Any]) -> dict[str, Any]:
        """Book what the form says. `status`: booked, repeated (this form booked before), invalid, unknown_form."""
        now = self._clock()
        if (before := self._booked(form)) is not None:
            return {**moment(now), "status": "repeated", "booking": before, "problems": []}
        if not fetch(self._db, "SELECT 1 FROM kept.forms WHERE id = ?", form):
            return {**moment(now), "status": "unknown_form", "booking": None, "problems": []}
        wanted = read_booking(values, now, self._canteen(_text(values, "canteen")))
        if not isinstance(wanted, Booking):
            return {**moment(now), "status": "invalid", "booking": None, "problems": wanted}
        with self._db:
            insert_rows(self._db, "kept.bookings", [wanted.row(form, now)])
        return {**moment(now), "status": "booked", "booking": self._booked(form), "problems": []}

    def _booked(self, form: str) -> dict[str, Any] | None:
        rows = fetch(
            self._db,
            """SELECT b.*, c.name_zh AS canteen_zh, c.name_en AS canteen_en
            FROM kept.bookings b JOIN canteens c ON c.id = b.canteen WHERE b.key = ?""",
            form,
        )
        return {**rows[0], "diets": [d for d in diets() if d["id"] in rows[0]["diets"].split("|")]} if rows else None


@cache
def times() -> list[dict[str, str]]:
    """When meals can be booked: `time` and the meal's names."""
    return load_csv(DATA / "booking_times.csv")


@cache
def diets() -> list[dict[str, str]]:
    """What a kitchen can heed: `id` and names."""
    return load_csv(DATA / "diets.csv")


def read_booking(values: Mapping[str, Any], now: datetime, canteen: Mapping[str, Any] | None) -> Booking | list[str]:
    """The booking that a form's values make, else the names of the fields that are wrong."""
    problems = [] if canteen else ["canteen"]
    day, time = _day(values, now), _text(values, "time")
    if day is None:
        problems.append("date")
    if time not in {row["time"] for row in times()}:
        problems.append("time")
    elif day == now.date() and time < soonest(now):
        problems.append("too_soon")
    people, note, wanted = values.get("people"), values.get("note", ""), values.get("diets", [])
    if not isinstance(people, int) or isinstance(people, bool) or not 1 <= people <= MOST_PEOPLE:
        problems.append("people")
    known = {row["id"] for row in diets()}
    if not isinstance(wanted, list) or not all(isinstance(diet, str) and diet in known for diet in wanted):
        problems.append("diets")
    if not isinstance(note, str) or len(note) > MOST_NOTE:
        problems.append("note")
    if problems or canteen is None or day is None:
        return problems
    return Booking(canteen["id"], day.isoformat(), time, int(people or 0), "|".join(wanted), str(note).strip())


def _day(values: Mapping[str, Any], now: datetime) -> date | None:
    try:
        day = date.fromisoformat(_text(values, "date"))
    except ValueError:
        return None
    return day if now.date() <= day <= now.date() + timedelta(days=DAYS_AHEAD) else None


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) and len(value) <= 60 else ""


def soonest(now: datetime) -> str:
    """The first time of the day that can still be booked, "24:00" for none."""
    soon = now + timedelta(minutes=MINUTES_AHEAD)
    return f"{soon:%H:%M}" if soon.date() == now.date() else "24:00"


def first_slot(now: datetime) -> tuple[date, str]:
    """The first day and time that can be booked."""
    today = [row["time"] for row in times() if row["time"] >= soonest(now)]
    return (now.date(), today[0]) if today else (now.date() + timedelta(days=1), times()[0]["time"])
