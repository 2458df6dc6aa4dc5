"""Small phrases in both languages that the texts and the cards share: names, days, waiting times."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

_WEEKDAYS_ZH = "一二三四五六日"
_WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_RUNS = {"weekday": ("周一至周五", "Mon–Fri"), "weekend": ("周末", "Sat–Sun")}


def name(row: Mapping[str, Any] | None, chinese: bool) -> str:
    """The name of a stop, a line or a car park; "" for None."""
    return "" if row is None else str(row["name_zh" if chinese else "name_en"])


def line_name(row: Mapping[str, Any], chinese: bool) -> str:
    """A line with its number: "1号线 图书馆环线", "Line 1 Library Loop"."""
    return f"{row['number']}号线 {row['name_zh']}" if chinese else f"Line {row['number']} {row['name_en']}"


def day_label(day: str, today: str, chinese: bool) -> str:
    """The day as seen from today (both ISO dates): "今天", "tomorrow", else the weekday with its date."""
    date, base = datetime.date.fromisoformat(day), datetime.date.fromisoformat(today)
    ahead = (date - base).days
    if ahead in (0, 1):
        return ("今天", "明天")[ahead] if chinese else ("today", "tomorrow")[ahead]
    if chinese:
        return f"周{_WEEKDAYS_ZH[date.weekday()]}（{date.month}月{date.day}日）"
    return f"on {_WEEKDAYS_EN[date.weekday()]} ({day})"


def result_day(data: Mapping[str, Any], chinese: bool) -> str:
    """The day that a tool's result is for."""
    return day_label(data["date"], data["today"], chinese)


def wait_label(minutes: int | None, chinese: bool) -> str:
    """ "7 分钟后", "in 7 min", "in 1 h 5 min"; "" for None."""
    if minutes is None:
        return ""
    if minutes == 0:
        return "马上发车" if chinese else "leaving now"
    hours, rest = divmod(minutes, 60)
    if chinese:
        span = (f"{hours} 小时" if hours else "") + (f"{' ' if hours else ''}{rest} 分钟" if rest else "")
        return f"{span}后"
    return "in " + " ".join(part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest else "") if part)


def minutes_label(minutes: int, chinese: bool) -> str:
    """How long something takes: "24 分钟", "1 h 5 min"."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} {'小时' if chinese else 'h'}"] if hours else []
    parts += [f"{rest} {'分钟' if chinese else 'min'}"] if rest or not hours else []
    return " ".join(parts)


def metres_label(metres: int) -> str:
    """ "420 m", "1.2 km"."""
    return f"{metres} m" if metres < 1000 else f"{metres / 1000:.1f} km"


def runs_label(days: Sequence[str], chinese: bool) -> str:
    """When a line runs, from the timetables it has."""
    if set(days) >= {"weekday", "weekend"}:
        return "每天" if chinese else "daily"
    return " / ".join(_RUNS[day][0 if chinese else 1] for day in days)


def join(parts: Sequence[str], chinese: bool) -> str:
    """A list in a sentence."""
    if chinese:
        return "、".join(parts)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
