"""Names of canteens, stalls, dishes and tags as people write them in both languages. A lookup, not a language model."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from agents.canteen.seed import DATA
from agents.kit.database import load_csv

_ALIASES = tuple(
    (canteen, re.compile(pattern, re.I))
    for canteen, pattern in (
        ("c1", r"第?(?<![十\d])[一1]\s*食堂|食堂[一1](?!\d)|\bcanteen\s*(?:one|1)\b|\b(?:first|1st) canteen\b"),
        ("c2", r"第?(?<![十\d])[二2]\s*食堂|食堂[二2](?!\d)|\bcanteen\s*(?:two|2)\b|\b(?:second|2nd) canteen\b"),
        ("c3", r"第?(?<![十\d])[三3]\s*食堂|食堂[三3](?!\d)|\bcanteen\s*(?:three|3)\b|\b(?:third|3rd) canteen\b"),
        ("c4", r"东苑(?:食堂)?|东区食堂|\beast (?:court(?: canteen)?|canteen)\b"),
        ("c5", r"西苑(?:食堂)?(?!饭堂)|西区食堂|\bwest (?:court(?: canteen)?\b(?! bowls)|canteen\b)"),
        ("c6", r"清真(?:餐厅|食堂)|\bhalal (?:dining(?: hall)?|canteen)\b"),
        ("c7", r"教工(?:餐厅|食堂)|\bfaculty (?:dining(?: hall)?|hall|canteen)\b"),
    )
)
_NO_SUCH = re.compile(
    r"第?[一二三四五六七八九十\d]{1,3}\s*食堂|[南北中]苑(?:食堂|餐厅)?"
    r"|\bcanteen\s*(?:\d{1,3}|four|five|six|seven|eight|nine|ten)\b|\b(?:north|south) court(?: canteen)?\b",
    re.I,
)
_HANZI = re.compile(r"[一-鿿]{2,}")
_LONGEST_PART = 6
_TOO_COMMON = frozenset(
    (
        *("with", "and", "in", "on", "of", "the", "big", "small", "set", "plate", "cup", "bowl", "dish", "day"),
        *("hot", "cold", "fresh", "light", "plain", "spicy", "chili", "sour", "sweet", "sauce", "style", "home"),
        *("special", "three"),
    )
)


def canteens_in(text: str) -> list[str]:
    """The ids of the canteens that the text names."""
    return [canteen for canteen, pattern in _ALIASES if pattern.search(text)]


def canteen_in(text: str) -> str | None:
    """The id of the one canteen that the text names, or a name of none as it is written; None for none or several."""
    known = canteens_in(text)
    if known:
        return known[0] if len(known) == 1 else None
    unknown = _NO_SUCH.search(text)
    return unknown[0] if unknown else None


def without_canteens(text: str) -> str:
    """The text without names of canteens, so that 清真餐厅 is a place and not a wish."""
    for _, pattern in _ALIASES:
        text = pattern.sub(" ", text)
    return _NO_SUCH.sub(" ", text)


def dish_in(text: str) -> str | None:
    """The longest dish name that the text holds, in the language in which it stands there."""
    return _longest("dishes", text)


def stall_in(text: str) -> str | None:
    """The longest stall name that the text holds."""
    return _longest("stalls", text)


def landmark_in(text: str) -> str | None:
    """The id of the landmark that the text starts from: 从图书馆, "from the library"."""
    for row in load_csv(DATA / "landmarks.csv"):
        if re.search(rf"从{row['name_zh']}|\bfrom (?:the )?{row['name_en']}\b", text, re.I):
            return row["id"]
    return None


def part_of_dish(text: str) -> str | None:
    """The longest piece of the text that dish names hold, e.g. 牛肉面 or "fried rice"."""
    chinese, english = _parts()
    runs = _HANZI.findall(text)
    for size in range(_LONGEST_PART, 1, -1):
        for run in runs:
            for start in range(len(run) - size + 1):
                if run[start : start + size] in chinese:
                    return run[start : start + size]
    words = re.findall(r"[a-z]+", text.lower())
    pairs = [" ".join(pair) for pair in pairwise(words)]
    found = (p.removesuffix(end) for p in (*pairs, *words) for end in ("", "s") if p.removesuffix(end) in english)
    return next(found, None)


@cache
def canteen_names() -> list[dict[str, str]]:
    """The canteens in the order of the data."""
    return load_csv(DATA / "canteens.csv")


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
    chinese = {re.escape(row["name_zh"]) + "(?!堂)" for row in rows}  # 和食 is a stall, 和食堂 is "and the canteen"
    english = {rf"\b{re.escape(row['name_en'])}(?!\w)" for row in rows}
    return re.compile("|".join(sorted(chinese | english, key=len, reverse=True)), re.I)


def _longest(table: str, text: str) -> str | None:
    return max((found[0] for found in _names(table).finditer(text)), key=len, default=None)


@cache
def _parts() -> tuple[frozenset[str], frozenset[str]]:
    rows = load_csv(DATA / "dishes.csv")
    chinese = {
        row["name_zh"][start:end]
        for row in rows
        for start in range(len(row["name_zh"]))
        for end in range(start + 2, min(start + _LONGEST_PART, len(row["name_zh"])) + 1)
    }
    english: set[str] = set()
    for row in rows:
        words = re.findall(r"[a-z]+", row["name_en"].lower())
        english.update(word for word in words if len(word) > 3 and word not in _TOO_COMMON)
        english.update(f"{a} {b}" for a, b in pairwise(words) if not {a, b} & _TOO_COMMON)
    return frozenset(chinese), frozenset(english)
