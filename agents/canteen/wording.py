"""Small phrases in both languages that the texts and the cards share: names, meals, times, queues, distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]

MEAL_NAMES = {"breakfast": ("早餐", "breakfast"), "lunch": ("午餐", "lunch"), "dinner": ("晚餐", "dinner")}
_DAYS = {
    "today": ("", ""),
    "tomorrow": ("明天", "tomorrow "),
    "weekday": ("工作日", "on weekdays "),
    "weekend": ("周末", "at weekends "),
}


def pick(row: Data, key: str, chinese: bool) -> str:
    """The field in the language of the answer."""
    return str(row[f"{key}_{'zh' if chinese else 'en'}"])


def called(row: Data | None, chinese: bool) -> str:
    """The name of a canteen, a stall or a dish, "" for None."""
    return pick(row, "name", chinese) if row else ""


def meal_name(meal: str, chinese: bool) -> str:
    """The meal in the language of the answer."""
    return MEAL_NAMES[meal][0 if chinese else 1]


def hours(row: Data) -> str:
    """When it is open: "06:30–21:00"."""
    return f"{row['opens']}–{row['closes']}"


def when(data: Data, chinese: bool) -> str:
    """The time that the crowding is of, as an adverb."""
    if data["at_now"]:
        return "现在" if chinese else "now"
    day, hour = _DAYS[data["day"]][0 if chinese else 1], f"{data['at_hour']:02d}:00"
    return f"{day} {hour} " if chinese else f"{day}at {hour}"


def clock_time(data: Data, chinese: bool) -> str:
    """What day and time the crowding is of; a time alone is today's."""
    return str(data["now"]) if data["at_now"] else when(data, chinese).strip().removeprefix("at ")


def wait_label(minutes: int, chinese: bool) -> str:
    """How long one queues."""
    return f"排队约 {minutes} 分钟" if chinese else f"about {minutes} min wait"


def metres_label(metres: int) -> str:
    """ "420 m", "1.2 km"."""
    return f"{metres} m" if metres < 1000 else f"{metres / 1000:.1f} km"


def day_label(iso: str, chinese: bool) -> str:
    """A date as people write it: "12 月 1 日", "2026-12-01"."""
    return f"{int(iso[5:7])} 月 {int(iso[8:])} 日" if chinese else iso
