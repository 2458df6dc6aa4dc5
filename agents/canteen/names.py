"""Names of canteens, stalls, dishes and tags as people write them in both languages. A lookup, not a language model."""

from __future__ import annotations

import re
from functools import cache

from agents.canteen.seed import DATA
from agents.kit.database import load_csv

_ALIASES = (
    ("c1", r"(?<![十\d])[一1]\s*食堂|食堂[一1](?!\d)|\bcanteen\s*(?:one|1)\b|\b(?:first|1st) canteen\b"),
    ("c2", r"(?<![十\d])[二2]\s*食堂|食堂[二2](?!\d)|\bcanteen\s*(?:two|2)\b|\b(?:second|2nd) canteen\b"),
    ("c3", r"(?<![十\d])[三3]\s*食堂|食堂[三3](?!\d)|\bcanteen\s*(?:three|3)\b|\b(?:third|3rd) canteen\b"),
    ("c4", r"东苑|\beast court\b"),
    ("c5", r"西苑|\bwest court\b"),
    ("c6", r"清真(?:餐厅|食堂)|\bhalal (?:dining|canteen)\b"),
    ("c7", r"教工(?:餐厅|食堂)|\bfaculty (?:dining|hall|canteen)\b"),
)
_NO_SUCH = re.compile(
    r"第?[一二三四五六七八九十\d]{1,3}\s*食堂|[南北中]苑(?:食堂|餐厅)?"
    r"|\bcanteen\s*(?:\d{1,3}|four|five|six|seven|eight|nine|ten)\b|\b(?:north|south) court\b",
    re.I,
)


@cache
def _aliases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((canteen, re.compile(pattern, re.I)) for canteen, pattern in _ALIASES)


def canteen_in(text: str) -> str | None:
    """The id of the canteen that the text names."""
    return next((canteen for canteen, pattern in _aliases() if pattern.search(text)), None)


def canteen_or_unknown(text: str) -> str | None:
    """As `canteen_in`; a canteen that does not exist is given as it is written."""
    unknown = _NO_SUCH.search(text)
    return canteen_in(text) or (unknown[0] if unknown else None)


def dish_in(text: str) -> str | None:
    """The longest dish name that the text holds, in the language in which it stands there."""
    return _longest("dishes", text)


def stall_in(text: str) -> str | None:
    """The longest stall name that the text holds."""
    return _longest("stalls", text)


@cache
def tag_names() -> dict[str, str]:
    """The English name of every tag."""
    return {row["zh"]: row["en"] for row in load_csv(DATA / "tags.csv")}


def tag_id(name: str) -> str:
    """The tag as the data has it, whichever language names it; an unknown one as it is."""
    return next((zh for zh, en in tag_names().items() if en.lower() == name.strip().lower()), name)


@cache
def _names(table: str) -> re.Pattern[str]:
    rows = load_csv(DATA / f"{table}.csv")
    chinese = {re.escape(row["name_zh"]) for row in rows}
    english = {rf"\b{re.escape(row['name_en'])}(?!\w)" for row in rows}
    return re.compile("|".join(sorted(chinese | english, key=len, reverse=True)), re.I)


def _longest(table: str, text: str) -> str | None:
    return max((found[0] for found in _names(table).finditer(text)), key=len, default=None)
