"""The campus data as the tests read it: straight from the CSV files, with nothing of the agent in between."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection
from importlib.resources import files

Row = dict[str, str]
Fits = Callable[[Row], bool]


def table(name: str) -> list[Row]:
    text = (files("agents.canteen") / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


CANTEENS = {row["id"]: row for row in table("canteens")}
STALLS = {row["id"]: row for row in table("stalls")}
DISHES = table("dishes")
REVIEWS = table("reviews")
CROWDING = {(row["canteen"], row["days"], int(row["hour"])): int(row["percent"]) for row in table("crowding")}


def price(dish: Row) -> float:
    return float(dish["price"])


def spiciness(dish: Row) -> int:
    return int(dish["spiciness"])


def tags(dish: Row) -> set[str]:
    return set(dish["tags"].split("|"))


def canteen_of(dish: Row) -> str:
    return STALLS[dish["stall"]]["canteen"]


ORDERS: dict[str, Callable[[Row], tuple[float | str, ...]]] = {
    "rating": lambda d: (-float(d["rating"]), price(d), d["id"]),
    "price": lambda d: (price(d), -float(d["rating"]), d["id"]),
    "price_desc": lambda d: (-price(d), d["id"]),
    "spiciness": lambda d: (-spiciness(d), -float(d["rating"]), d["id"]),
}


def dishes(meal: str, fits: Fits = lambda _: True, order: str = "rating") -> list[Row]:
    """The dishes in stock for a meal that fit, best first, each name once."""
    served = [d for d in DISHES if meal in d["meals"].split("|") and int(d[f"stock_{meal}"]) > 0 and fits(d)]
    unique: dict[str, Row] = {}
    for dish in sorted(served, key=ORDERS[order]):
        unique.setdefault(dish["name_zh"], dish)
    return list(unique.values())


def crowding(days: str, hour: int, among: Collection[str] | None = None) -> list[tuple[int, str]]:
    """(percent, canteen id) of the canteens open in that hour, quietest first."""
    return sorted((p, c) for (c, d, h), p in CROWDING.items() if (d, h) == (days, hour) and c in (among or CANTEENS))


def tag(*names: str) -> Fits:
    return lambda dish: tags(dish) >= set(names)


def hot(dish: Row) -> bool:
    return spiciness(dish) >= 2


def mild(dish: Row) -> bool:
    return spiciness(dish) == 0


def at(canteen: str) -> Fits:
    return lambda dish: canteen_of(dish) == canteen


def anything(_: Row) -> bool:
    return True


def both(*fits: Fits) -> Fits:
    return lambda dish: all(fit(dish) for fit in fits)


def up_to(limit: float) -> Fits:
    return lambda dish: price(dish) <= limit


def called(part: str) -> Fits:
    return lambda dish: part in dish["name_zh"]
