"""The MCP tool that books a meal in conversation: it asks for what is missing, then for approval, then books once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date as Date
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from agents.canteen.bookings import DAYS_AHEAD, MOST_PEOPLE, BookingTools, first_slot, read_booking, soonest, times
from agents.canteen.store import CanteenName, Meal, moment, named
from agents.canteen.wording import called, day_label, meal_name
from agents.kit.asking import Answers, ask
from agents.kit.database import fetch, insert_rows

Day = Annotated[str, Field(max_length=10, description="`today`, `tomorrow` or YYYY-MM-DD")]
Time = Annotated[str, Field(max_length=5, description="HH:MM")]
People = Annotated[int, Field(ge=1, le=MOST_PEOPLE)]
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


class ReservationTools(BookingTools):
    """Booking without a form."""

    async def reserve_meal(
        self,
        answers: Answers,
        canteen: CanteenName | None = None,
        meal: Meal | None = None,
        date: Day | None = None,
        time: Time | None = None,
        people: People = 1,
        chinese: bool = False,
        call: str = "",
    ) -> dict[str, Any]:
        """Book a meal. Leave out what the user did not say: the user is asked for it, and for approval, by the tool.

        `status`: booked, declined (the user did not approve), invalid (see `problems`).
        """
        now = self._clock()
        if (before := self._booked(call)) is not None:
            return {**moment(now), "status": "booked", "booking": before, "problems": []}
        place = self._canteen(canteen)
        if place is None:
            return ask("canteen", self._which_canteen(chinese))
        slots = _slots(now, _date(date, now), meal)
        chosen = answers["slot"]["value"] if "slot" in answers else _of_slots(time, slots)
        if chosen is None:
            return ask("slot", _which_time(slots, place, chinese, now))
        day, _, hour = chosen.partition(" ")
        values = {"date": day, "time": hour, "people": people, "canteen": place["id"]}
        if "approval" not in answers:
            return ask("approval", _sure(values, place, chinese))
        if not answers["approval"]["approved"]:
            return {**moment(now), "status": "declined", "booking": None, "problems": []}
        return self._reserve(call, values, place, now)

    def _reserve(self, call: str, values: Mapping[str, Any], place: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        wanted = read_booking(values, now, place)
        if isinstance(wanted, list):
            return {**moment(now), "status": "invalid", "booking": None, "problems": wanted}
        with self._db:
            insert_rows(self._db, "kept.bookings", [wanted.row(call, now)])
        return {**moment(now), "status": "booked", "booking": self._booked(call), "problems": []}

    def _which_canteen(self, chinese: bool) -> dict[str, Any]:
        rows = [named(row) for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id")]
        return {
            "type": "select",
            "message": "订哪个食堂？" if chinese else "Which canteen shall I book?",
            "options": [{"value": row["id"], "label": called(row, chinese)} for row in rows],
        }


def _date(text: str | None, now: datetime) -> Date | None:
    """The day that is meant, None for any and for one that cannot be booked."""
    if text in ("today", "tomorrow"):
        return now.date() + timedelta(days=text == "tomorrow")
    try:
        day = Date.fromisoformat(text) if text and _ISO.fullmatch(text) else None
    except ValueError:
        return None
    return day if day and now.date() <= day <= now.date() + timedelta(days=DAYS_AHEAD) else None


def _slots(now: datetime, day: Date | None, meal: Meal | None) -> list[tuple[str, dict[str, str]]]:
    """When the meal can be booked, as "date time" with its row: on that day, else on the next one that has a time."""
    first = day or first_slot(now)[0]
    for ahead in range(2 if day is None else 1):
        on = first + timedelta(days=ahead)
        rows = [row for row in times() if meal is None or row["name_en"] == meal]
        found = [row for row in rows if on > now.date() or row["time"] >= soonest(now)]
        if found:
            return [(f"{on.isoformat()} {row['time']}", row) for row in found]
    return _slots(now, first + timedelta(days=1), meal)


def _of_slots(time: str | None, slots: list[tuple[str, dict[str, str]]]) -> str | None:
    return next((slot for slot, row in slots if row["time"] == time), None)


def _which_time(
    slots: list[tuple[str, dict[str, str]]], place: Mapping[str, Any], chinese: bool, now: datetime
) -> dict[str, Any]:
    day = Date.fromisoformat(slots[0][0].partition(" ")[0])
    ahead = (day - now.date()).days
    names = ("今天", "明天") if chinese else ("today", "tomorrow")
    when = names[ahead] if ahead < len(names) else day_label(day.isoformat(), chinese)
    where = called(place, chinese)
    return {
        "type": "select",
        "message": f"{when}{where}，几点用餐？" if chinese else f"{where}, {when}: at what time?",
        "options": [
            {"value": slot, "label": f"{row['time']} {meal_name(row['name_en'], chinese)}"} for slot, row in slots
        ],
    }


def _sure(values: Mapping[str, Any], place: Mapping[str, Any], chinese: bool) -> dict[str, Any]:
    day, where, people = day_label(values["date"], chinese), called(place, chinese), values["people"]
    crowd = "1 person" if people == 1 else f"{people} people"
    message = (
        f"确认预订：{where}，{day} {values['time']}，{people} 人？"
        if chinese
        else f"Book {where} for {crowd}, {day} at {values['time']}?"
    )
    details = (
        {"食堂": where, "日期": values["date"], "时间": values["time"], "人数": str(people)}
        if chinese
        else {"canteen": where, "date": values["date"], "time": values["time"], "people": str(people)}
    )
    return {"type": "approval", "message": message, "details": details}
