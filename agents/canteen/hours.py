"""Which hour and kind of day a question about crowding means. Knows no dates: only the tools have a clock."""

from __future__ import annotations

import re

_DIGITS = "零一二三四五六七八九"
_EXACT = re.compile(
    r"(?P<period>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|明早|明晚)?\s*"
    r"(?:(?<![\d.])(?P<number>\d{1,2})\s*(?:点|时|[:：][0-5]\d(?!\d)|(?=\s*[ap]\.?m\b|\s*o'?clock))"
    r"|(?P<chinese>[一二两三四五六七八九十]{1,3})点(?![点儿都也]))"
    r"(?P<minutes>[:：][0-5]\d)?\s*(?P<half>[ap])?\.?(?:m\b)?",
    re.I,
)
_WORDS = tuple(
    (re.compile(pattern, re.I), hour)
    for pattern, hour in (
        (r"早餐|早饭|早上|早晨|明早|\bbreakfast\b|\bmorning\b", 8),
        (r"上午", 10),
        (r"午餐|午饭|中午|\bnoon\b|\blunch\w*", 12),
        (r"下午|\bafternoon\b", 15),
        (r"晚餐|晚饭|傍晚|晚上|今晚|明晚|\bdinner\b|\bevening\b|\btonight\b", 18),
    )
)
_NOW = re.compile(r"现在|此刻|目前|\bnow\b|\bcurrently\b", re.I)
_DAYS = tuple(
    (re.compile(pattern, re.I), day)
    for pattern, day in (
        (r"明天|明早|明晚|\btomorrow\b", "tomorrow"),
        (r"周末|(?:周|星期)[六日天]|\bweekends?\b|\b(?:satur|sun)days?\b", "weekend"),
        (r"工作日|(?:周|星期)[一二三四五]|\bweekdays?\b|\b(?:mon|tues|wednes|thurs|fri)days?\b", "weekday"),
    )
)
_FIRST_MORNING_HOUR = 6
"""A smaller number without a period of the day means the afternoon: no canteen is open before."""


def hour_in(question: str) -> int | None:
    """The hour 0..23 that the question names as a number or as a part of the day; None for now."""
    for found in _EXACT.finditer(question):
        if (hour := _exact(found)) is not None:
            return hour
    if _NOW.search(question):
        return None
    return next((hour for pattern, hour in _WORDS if pattern.search(question)), None)


def day_in(question: str) -> str | None:
    """ "tomorrow", "weekend" or "weekday" if the question names such a day; None for today."""
    return next((day for pattern, day in _DAYS if pattern.search(question)), None)


def _exact(found: re.Match[str]) -> int | None:
    period, half = found["period"] or "", (found["half"] or "").lower()
    if found["chinese"] == "一" and not period:
        return None  # 一点 is "a little" more often than one o'clock
    hour = int(found["number"]) if found["number"] else _chinese_number(found["chinese"])
    return _on_the_clock(hour, period, half) if hour <= 23 else None


def _on_the_clock(hour: int, period: str, half: str) -> int:
    if hour == 12:
        return 0 if half == "a" or period in ("晚上", "今晚", "明晚", "凌晨") else 12
    if hour > 12 or half == "a" or period in ("凌晨", "早上", "早晨", "明早", "上午"):
        return hour
    late = half == "p" or period in ("下午", "傍晚", "晚上", "今晚", "明晚")
    noon = period == "中午" and hour < 4
    return hour + 12 if late or noon or 0 < hour < _FIRST_MORNING_HOUR else hour


def _chinese_number(text: str) -> int:
    tens, ten, ones = text.replace("两", "二").rpartition("十")
    if not ten:
        return _DIGITS.index(ones[0]) if len(ones) == 1 else 99
    return 10 * (_DIGITS.index(tens) if tens else 1) + (_DIGITS.index(ones) if ones else 0)
