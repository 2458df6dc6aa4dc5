"""The names of stops and lines, and how to find them in a question. Reads the seed files, not the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.kit.database import load_csv

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Place:
    """A stop or a line under all its names."""

    id: str
    name_zh: str
    name_en: str
    aliases: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        """Every name, the id included."""
        return (self.id, self.name_zh, self.name_en, *self.aliases)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text, from `start` to `end`."""

    place: Place
    start: int
    end: int


@cache
def stops() -> tuple[Place, ...]:
    """The stops in the order of the seed file."""
    return tuple(_place(row, ()) for row in load_csv(DATA / "stops.csv"))


@cache
def lines() -> tuple[Place, ...]:
    """The lines in the order of the seed file; their numbers are names too."""
    return tuple(_place(row, _numbered(row["number"])) for row in load_csv(DATA / "lines.csv"))


@cache
def kinds() -> tuple[Place, ...]:
    """What several stops are alike: "the gate" is none of them before somebody says which."""
    return tuple(_place(row, ()) for row in load_csv(DATA / "kinds.csv"))


def kind_of(name: str | None) -> Place | None:
    """The kind of stop that a name names instead of a stop."""
    found = find(name, (*stops(), *kinds())) if name else None
    return found if found in kinds() else None


def stops_of(kind: Place) -> tuple[Place, ...]:
    """The stops that may be meant."""
    row = next(row for row in load_csv(DATA / "kinds.csv") if row["id"] == kind.id)
    return tuple(stop for stop in stops() if stop.id in row["stops"].split("|"))


def find(name: str, places: Iterable[Place]) -> Place | None:
    """The place that `name` stands for: one of its names, or a text that mentions exactly one place."""
    wanted = name.strip().lower()
    listed = tuple(places)
    for place in listed:
        if wanted in (known.lower() for known in place.names()):
            return place
    found = {mention.place.id: mention.place for mention in mentions(name, listed)}
    return next(iter(found.values())) if len(found) == 1 else None


def mentions(text: str, places: Iterable[Place]) -> list[Mention]:
    """The places that a text names, in its order; where names overlap, the longest counts."""
    found = [
        Mention(place, match.start(), match.end())
        for place in places
        for name in place.names()
        for match in _pattern(name).finditer(text)
    ]
    found.sort(key=lambda mention: (mention.start - mention.end, mention.start))
    kept: list[Mention] = []
    for mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    escaped = re.escape(name).replace(r"\ ", r"[\s-]+")
    if name.isascii():
        return re.compile(rf"(?<![A-Za-z0-9]){escaped}(?:s|'s)?(?![A-Za-z0-9])", re.I)
    return re.compile(escaped, re.I)


def _place(row: Mapping[str, str], more: tuple[str, ...]) -> Place:
    aliases = tuple(alias for alias in row["aliases"].split("|") if alias)
    return Place(row["id"], row["name_zh"], row["name_en"], (*aliases, *more))


def _numbered(number: str) -> tuple[str, ...]:
    digits = "零一二三四五六七八九"[int(number)]
    chinese = tuple(f"{n}{suffix}" for n in (number, digits) for suffix in ("号线", "路", "号校车"))
    return (f"line {number}", f"route {number}", f"bus {number}", f"shuttle {number}", *chinese)
