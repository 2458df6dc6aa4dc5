"""The rows and buttons that several cards share, as their data schemas have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.canteen.names import canteen_names
from agents.canteen.wording import hours, metres_label, pick, wait_label

Data = Mapping[str, Any]
Choices = Sequence[tuple[str, Mapping[str, Any]]]

CHILIES = ("", "🌶", "🌶🌶", "🌶🌶🌶")
_WISHES = (
    ("全部", "All", {"spicy_min": None, "spicy_max": None, "tags": None, "max_price": None}),
    ("辣", "Spicy", {"spicy_min": 2, "spicy_max": None}),
    ("不辣", "Mild", {"spicy_min": None, "spicy_max": 0}),
    ("素食", "Vegetarian", {"tags": ["素食"]}),
    ("15 元以内", "Up to ¥15", {"max_price": 15}),
)


def button(label: str, row: Data, chinese: bool) -> list[dict[str, str]]:
    """The one button of an action on a canteen, a stall or a dish."""
    return [{"label": label, "id": row["id"], "name": pick(row, "name", chinese)}]


def wishes(chinese: bool) -> Choices:
    """Filters of dishes."""
    return [(zh if chinese else en, change) for zh, en, change in _WISHES]


def canteens(chinese: bool) -> Choices:
    """Filters by canteen."""
    return [(pick(row, "name", chinese), {"canteen": row["id"]}) for row in canteen_names()]


def dish_item(dish: Data, chinese: bool) -> dict[str, Any]:
    """A dish with where it is sold."""
    return {
        **menu_item(dish, chinese),
        "canteen": pick(dish, "canteen", chinese),
        "stall": pick(dish, "stall", chinese),
    }


def menu_item(dish: Data, chinese: bool) -> dict[str, Any]:
    """A dish where it is clear who sells it."""
    stock, tags = dish["stock"], dish["tags" if chinese else "tags_en"]
    return {
        "id": dish["id"],
        "name": pick(dish, "name", chinese),
        "price": dish["price"],
        "rating": str(dish["rating"]),
        "spiciness": dish["spiciness"],
        "spiciness_label": CHILIES[dish["spiciness"]],
        "tags": tags,
        "tags_label": " · ".join(tags[:3]),
        "stock_label": f"余 {stock} 份" if chinese else f"{stock} left",
    }


def canteen_item(row: Data, chinese: bool) -> dict[str, Any]:
    """A canteen with how full it is."""
    item: dict[str, Any] = {
        "id": row["id"],
        "name": pick(row, "name", chinese),
        "location": pick(row, "location", chinese),
        "open_hours": hours(row),
        "rating": str(row["rating"]),
        "crowding_label": "未营业" if chinese else "closed",
    }
    if row["percent"] is not None:
        light = "🟢" if row["percent"] < 40 else "🟡" if row["percent"] < 70 else "🔴"
        free = row["seats_free"]
        item |= {
            "crowding": row["percent"] / 100,
            "crowding_label": f"{light} {row['percent']}%",
            "seats_free": free,
            "seats_label": f"空座 {free}" if chinese else f"{free} seats free",
        }
    if row["distance_m"] is not None:
        item |= {"distance_m": row["distance_m"], "distance_label": metres_label(row["distance_m"])}
    return item


def stall_item(row: Data, chinese: bool) -> dict[str, Any]:
    """A stall with its queue and prices."""
    return {
        "id": row["id"],
        "name": pick(row, "name", chinese),
        "floor": row["floor"],
        "cuisine": pick(row, "cuisine", chinese),
        "rating": str(row["rating"]),
        "queue_minutes": row["queue_minutes"],
        "queue_label": wait_label(row["queue_minutes"], chinese),
        "open_hours": hours(row),
        "price_range": f"¥{row['price_from']:g}–{row['price_to']:g}",
    }
