"""The MCP tools for those who have no dish in mind: the menu of a meal, and what to eat now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from agents.canteen.dishes import DISHES, dish_filter, each_once, with_tags
from agents.canteen.store import (
    CanteenName,
    Lat,
    Limit,
    Lng,
    Meal,
    Offset,
    StallName,
    Store,
    at_time,
    meal_at,
    metres,
    moment,
    named,
)
from agents.kit.database import fetch

DISHES_OF_A_STALL = 30
DISHES_OF_A_CANTEEN = 6
_GAIN = {"rating": 10.0, "wait": -0.5, "percent": -0.1, "metre": -0.005}
"""What a star, a minute in the queue, a percent of seats taken and a metre away count."""


class MenuTools(Store):
    """Menus and recommendations."""

    async def canteen_menu(
        self, canteen: CanteenName | None = None, stall: StallName | None = None, meal: Meal | None = None
    ) -> dict[str, Any]:
        """Today's menu for a meal (default: the present or next one), by stall; without a canteen by canteen."""
        now = self._clock()
        chosen = meal or meal_at(now)
        found, seller = self._canteen(canteen), self._stall(stall)
        where, values = dish_filter(chosen)
        if found:
            where, values = [*where, "c.id = ?"], [*values, found["id"]]
        if stall:
            where, values = [*where, "s.id = ?"], [*values, seller["id"] if seller else ""]
        sql = DISHES.format(meal=chosen, where=" AND ".join(where), order="d.rating DESC, d.price, d.id")
        rows = fetch(self._db, sql, *values, 500)
        by_stall = bool(found or stall)
        panes = _panes(rows, "stall" if by_stall else "canteen")
        return {
            **moment(now),
            "meal": chosen,
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "stall": seller and named(seller),
            "by_stall": by_stall,
            "total": len({row["name_zh"] for row in rows}),
            "panes": panes,
        }

    async def recommend_dishes(
        self,
        canteen: CanteenName | None = None,
        meal: Meal | None = None,
        spicy_min: Annotated[int | None, Field(ge=0, le=3)] = None,
        spicy_max: Annotated[int | None, Field(ge=0, le=3)] = None,
        max_price: Annotated[float | None, Field(gt=0)] = None,
        tags: Annotated[list[str] | None, Field(max_length=5)] = None,
        near_lat: Lat = None,
        near_lng: Lng = None,
        limit: Limit = 6,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """What to eat: well rated dishes of open stalls with short queues, in canteens with free seats nearby."""
        now, found = self._clock(), self._canteen(canteen)
        chosen = meal or meal_at(now)
        where, values = dish_filter(chosen, spicy_min, spicy_max, max_price, None, tags)
        if found:
            where, values = [*where, "c.id = ?"], [*values, found["id"]]
        sql = DISHES.format(meal=chosen, where=" AND ".join(where), order="d.rating DESC, d.id")
        at_once = chosen == meal_at(now)
        places = {row["id"]: row for row in self._crowding(now, at_time(now, None, "today"))}
        rows = each_once(fetch(self._db, sql, *values, 500))
        for row in rows:
            place = places[row["canteen_id"]]
            row["percent"] = place["percent"] if at_once else None
            row["distance_m"] = metres(place, near_lat, near_lng)
            row["open"] = at_once and row["opens"] <= f"{now:%H:%M}" < row["closes"]
        ranked = _varied(sorted(rows, key=lambda row: (not row["open"], -_score(row), row["id"])))
        return {
            **moment(now),
            "meal": chosen,
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "total": len(ranked),
            "offset": offset,
            "limit": limit,
            "dishes": [with_tags(row) for row in ranked[offset : offset + limit]],
        }


def _panes(rows: Sequence[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row[f"{by}_id"]):
        groups.setdefault(row[f"{by}_id"], []).append(row)
    most = DISHES_OF_A_STALL if by == "stall" else DISHES_OF_A_CANTEEN
    return [
        {
            "id": key,
            "name_zh": group[0][f"{by}_zh"],
            "name_en": group[0][f"{by}_en"],
            "floor": group[0]["floor"] if by == "stall" else "",
            "queue_minutes": group[0]["queue_minutes"] if by == "stall" else None,
            "dishes": [with_tags(row) for row in each_once(group)[:most]],
        }
        for key, group in groups.items()
    ]


def _score(row: dict[str, Any]) -> float:
    return (
        _GAIN["rating"] * row["rating"]
        + _GAIN["wait"] * row["queue_minutes"]
        + _GAIN["percent"] * (row["percent"] or 0)
        + _GAIN["metre"] * (row["distance_m"] or 0)
    )


def _varied(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The best dish of every stall before the second best of any."""
    seen: Counter[str] = Counter()
    rank: dict[str, int] = {}
    for row in rows:
        rank[row["id"]] = seen[row["stall_id"]]
        seen[row["stall_id"]] += 1
    return sorted(rows, key=lambda row: rank[row["id"]])
