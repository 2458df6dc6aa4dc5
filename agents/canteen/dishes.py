"""The MCP tools about dishes: search, one dish, and what people say about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.canteen.names import tag_id, tag_names
from agents.canteen.seed import MEALS
from agents.canteen.store import CanteenName, DishName, Limit, Meal, Offset, StallName, Store, meal_at, moment, named
from agents.kit.database import fetch

Stars = Annotated[int | None, Field(ge=1, le=5)]

DISHES = """
SELECT d.id, d.stall AS stall_id, d.name_zh, d.name_en, d.price, d.spiciness, d.tags, d.meals, d.rating,
  d.stock_{meal} AS stock, s.name_zh AS stall_zh, s.name_en AS stall_en, s.floor, s.queue_minutes, s.opens, s.closes,
  c.id AS canteen_id, c.name_zh AS canteen_zh, c.name_en AS canteen_en
FROM dishes d JOIN stalls s ON s.id = d.stall JOIN canteens c ON c.id = s.canteen WHERE {where}
ORDER BY {order} LIMIT ?
"""
_ORDER = {
    "rating": "d.rating DESC, d.price, d.id",
    "price": "d.price, d.rating DESC, d.id",
    "price_desc": "d.price DESC, d.id",
    "spiciness": "d.spiciness DESC, d.rating DESC, d.id",
}
_REVIEWS = """
SELECT r.*, d.name_zh AS dish_zh, d.name_en AS dish_en, s.name_zh AS stall_zh, s.name_en AS stall_en
FROM reviews r JOIN dishes d ON d.id = r.dish JOIN stalls s ON s.id = d.stall WHERE {where} ORDER BY r.date DESC, r.id
"""


class DishTools(Store):
    """Dishes and their reviews."""

    async def search_dishes(
        self,
        query: Annotated[str | None, Field(max_length=60, description="part of a dish's name or an ingredient")] = None,
        spicy_min: Annotated[int | None, Field(ge=0, le=3)] = None,
        spicy_max: Annotated[int | None, Field(ge=0, le=3)] = None,
        max_price: Annotated[float | None, Field(gt=0)] = None,
        meal: Meal | None = None,
        canteen: CanteenName | None = None,
        stall: Annotated[str | None, Field(max_length=60)] = None,
        tags: Annotated[list[str] | None, Field(max_length=5)] = None,
        any_tag: bool = False,
        without: Annotated[
            list[str] | None, Field(max_length=5, description="tags to avoid, e.g. 猪肉 or pork")
        ] = None,
        sort: Literal["rating", "price", "price_desc", "spiciness"] = "rating",
        limit: Limit = 8,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Dishes in stock for a meal (default: the present or next one). Spiciness is 0 (none) to 3 (very hot).

        A dish that several stalls sell is listed once, from the stall that ranks first. Best first, but a dish that
        is called as the query comes before those that are only called alike.
        """
        now = self._clock()
        chosen = meal or meal_at(now)
        where, values = dish_filter(chosen, spicy_min, spicy_max, max_price, stall, tags, without, any_tag)
        if query:
            where.append("(d.name_zh LIKE ? OR d.name_en LIKE ? OR d.tags LIKE ?)")
            values += [f"%{query}%"] * 3
        found = self._canteen(canteen)
        if found:
            where.append("c.id = ?")
            values.append(found["id"])
        sql = DISHES.format(meal=chosen, where=" AND ".join(where), order=_ORDER[sort])
        unique = each_once(fetch(self._db, sql, *values, 500))
        if query and sort == "rating":
            unique.sort(key=lambda row: query.lower() not in (row["name_zh"], row["name_en"].lower()))
        return {
            **moment(now),
            "meal": chosen,
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "total": len(unique),
            "offset": offset,
            "limit": limit,
            "dishes": [with_tags(row) for row in unique[offset : offset + limit]],
        }

    async def dish_details(self, dish: DishName, meal: Meal | None = None) -> dict[str, Any]:
        """One dish: price, taste, stock for a meal (default: the present or next one), stall, reviews in short."""
        now = self._clock()
        chosen = meal or meal_at(now)
        where = "d.id = ? OR d.name_zh LIKE ? OR d.name_en LIKE ?"
        order = f"d.id != ?, d.name_zh != ? AND lower(d.name_en) != lower(?), d.stock_{chosen} = 0, d.rating DESC, d.id"
        sql = DISHES.format(meal=chosen, where=where, order=order)
        rows = fetch(self._db, sql, dish, *[f"%{dish}%"] * 2, *[dish] * 3, 1) if dish.strip() else []
        reviews = fetch(self._db, _REVIEWS.format(where="d.id = ?"), rows[0]["id"]) if rows else []
        return {
            **moment(now),
            "asked": dish,
            "meal": chosen,
            "dish": with_tags(rows[0]) if rows else None,
            "reviews": {"total": len(reviews), "latest": reviews[0] if reviews else None},
        }

    async def dish_reviews(
        self,
        dish: DishName | None = None,
        stall: StallName | None = None,
        canteen: CanteenName | None = None,
        stars_min: Stars = None,
        stars_max: Stars = None,
        limit: Limit = 6,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """The newest reviews, of one dish, stall or canteen, or of all."""
        seller, place = self._stall(stall), self._canteen(canteen)
        conditions: list[tuple[str, Sequence[Any]]] = [("r.stars BETWEEN ? AND ?", (stars_min or 1, stars_max or 5))]
        if dish:
            conditions.append(("(d.id = ? OR d.name_zh LIKE ? OR d.name_en LIKE ?)", (dish, f"%{dish}%", f"%{dish}%")))
        if stall:
            conditions.append(("s.id = ?", (seller["id"] if seller else "",)))
        if place:
            conditions.append(("s.canteen = ?", (place["id"],)))
        where = " AND ".join(sql for sql, _ in conditions)
        rows = fetch(self._db, _REVIEWS.format(where=where), *(value for _, values in conditions for value in values))
        return {
            **moment(self._clock()),
            "dish": dish and self._dish_called(dish),
            "stall": seller and named(seller),
            "canteen": place and named(place),
            "unknown_canteen": canteen if canteen and not place else None,
            "total": len(rows),
            "average": round(sum(row["stars"] for row in rows) / len(rows), 1) if rows else None,
            "offset": offset,
            "limit": limit,
            "reviews": rows[offset : offset + limit],
        }

    def _dish_called(self, name: str) -> dict[str, str]:
        """The names of a dish by its id or its name; any other text is a name in both languages."""
        rows = fetch(
            self._db,
            "SELECT id, name_zh, name_en FROM dishes WHERE id = ? OR name_zh = ? OR lower(name_en) = lower(?) LIMIT 1",
            *[name] * 3,
        )
        return rows[0] if rows else {"id": "", "name_zh": name, "name_en": name}


def dish_filter(
    meal: str,
    spicy_min: int | None = None,
    spicy_max: int | None = None,
    max_price: float | None = None,
    stall: str | None = None,
    tags: list[str] | None = None,
    without: list[str] | None = None,
    any_tag: bool = False,
) -> tuple[list[str], list[Any]]:
    """SQL conditions and their values for the dishes in stock at a meal that fit."""
    assert meal in MEALS
    conditions: list[tuple[str, Any]] = [("d.meals LIKE ?", f"%|{meal}|%")]
    if spicy_min is not None:
        conditions.append(("d.spiciness >= ?", spicy_min))
    if spicy_max is not None:
        conditions.append(("d.spiciness <= ?", spicy_max))
    if max_price is not None:
        conditions.append(("d.price <= ?", max_price))
    if stall:
        conditions.append(("s.name_zh || ' ' || s.name_en LIKE ?", f"%{stall}%"))
    conditions += _tag_conditions(tags or (), any_tag)
    conditions += [("d.tags NOT LIKE ?", f"%|{tag_id(tag)}|%") for tag in without or ()]
    return [f"d.stock_{meal} > 0", *(sql for sql, _ in conditions)], [value for _, value in conditions]


def each_once(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first row of every dish, in order."""
    unique: dict[str, dict[str, Any]] = {}
    for row in rows:
        unique.setdefault(row["name_zh"], row)
    return list(unique.values())


def with_tags(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its tags and meals as lists and its price as a text."""
    tags = [tag for tag in row["tags"].split("|") if tag]
    return {
        **row,
        "price": f"{row['price']:.2f}",
        "tags": tags,
        "tags_en": [tag_names()[tag] for tag in tags],
        "meals": [meal for meal in row["meals"].split("|") if meal],
    }


def _tag_conditions(tags: Sequence[str], any_of_them: bool) -> list[tuple[str, Any]]:
    if any_of_them and tags:
        wanted = json.dumps([tag_id(tag) for tag in tags])
        return [("EXISTS (SELECT 1 FROM json_each(?) WHERE d.tags LIKE '%|' || value || '|%')", wanted)]
    return [("d.tags LIKE ?", f"%|{tag_id(tag)}|%") for tag in tags]
