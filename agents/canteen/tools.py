"""The canteen agent's MCP server: dishes, canteens, stalls, crowding and reviews over the agent's own database."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from pydantic import Field

from agents.canteen.names import canteen_in, tag_id, tag_names
from agents.canteen.seed import MEALS
from agents.kit.clock import Clock
from agents.kit.database import fetch

Meal = Literal["breakfast", "lunch", "dinner"]
Limit = Annotated[int, Field(ge=1, le=50)]
CanteenName = Annotated[str, Field(max_length=60, description="a canteen: its name in Chinese or English, or its id")]

_DISHES = """
SELECT d.id, d.name_zh, d.name_en, d.price, d.spiciness, d.tags, d.rating, d.stock_{meal} AS stock,
  s.name_zh AS stall_zh, s.name_en AS stall_en, c.name_zh AS canteen_zh, c.name_en AS canteen_en
FROM dishes d JOIN stalls s ON s.id = d.stall JOIN canteens c ON c.id = s.canteen WHERE {where}
ORDER BY {order} LIMIT ?
"""
_ORDER = {
    "rating": "d.rating DESC, d.price, d.id",
    "price": "d.price, d.rating DESC, d.id",
    "price_desc": "d.price DESC, d.id",
    "spiciness": "d.spiciness DESC, d.rating DESC, d.id",
}


def build_server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    """The server. Its tools answer with names in both languages; times are campus time, prices yuan."""
    server: MCPServer[Any] = MCPServer("canteen")
    tools = CanteenTools(db, clock)
    for tool in (
        tools.search_dishes,
        tools.list_canteens,
        tools.list_stalls,
        tools.crowding_heatmap,
        tools.dish_reviews,
    ):
        server.add_tool(tool)
    return server


class CanteenTools:
    """The tools as plain async methods."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock

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
        sort: Literal["rating", "price", "price_desc", "spiciness"] = "rating",
        limit: Limit = 8,
    ) -> dict[str, Any]:
        """Dishes in stock for a meal (default: the present or next one). Spiciness is 0 (none) to 3 (very hot).

        A dish that several stalls sell is listed once, from the stall that ranks first.
        """
        now = self._clock()
        chosen = meal or meal_at(now)
        where, values = _dish_filter(chosen, spicy_min, spicy_max, max_price, stall, tags)
        if query:
            where.append("(d.name_zh LIKE ? OR d.name_en LIKE ? OR d.tags LIKE ?)")
            values += [f"%{query}%"] * 3
        found = self._canteen(canteen)
        if found:
            where.append("c.id = ?")
            values.append(found["id"])
        sql = _DISHES.format(meal=chosen, where=" AND ".join(where), order=_ORDER[sort])
        rows = fetch(self._db, sql, *values, 500)
        unique = _each_once(rows)
        return {
            **_moment(now),
            "meal": chosen,
            "canteen": found and _named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "total": len(unique),
            "dishes": [_dish(row) for row in unique[:limit]],
        }

    async def list_canteens(
        self,
        sort: Literal["crowding", "rating", "distance"] = "crowding",
        open_now: bool = False,
        hour: Annotated[int | None, Field(ge=0, le=23)] = None,
        near_lat: Annotated[float | None, Field(ge=-90, le=90)] = None,
        near_lng: Annotated[float | None, Field(ge=-180, le=180)] = None,
        limit: Limit = 10,
    ) -> dict[str, Any]:
        """Canteens with crowding (percent of seats taken) at an hour, default now. Closed ones come last."""
        now = self._clock()
        at = now.hour if hour is None else hour
        rows = [self._with_crowding(row, now, at) for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id")]
        for row in rows:
            row["distance_m"] = _metres(row, near_lat, near_lng)
        keys = {
            "crowding": lambda r: r["percent"] if r["percent"] is not None else 101,
            "rating": lambda r: -r["rating"],
            "distance": lambda r: r["distance_m"] if r["distance_m"] is not None else 10**9,
        }
        rows.sort(key=lambda r: (not r["open"], keys[sort](r)))
        shown = [row for row in rows if row["open"] or not open_now]
        return {**_moment(now), "at_hour": at, "sort": sort, "canteens": shown[:limit]}

    async def list_stalls(
        self,
        canteen: CanteenName | None = None,
        cuisine: Annotated[str | None, Field(max_length=30)] = None,
        sort: Literal["rating", "queue"] = "rating",
        limit: Limit = 20,
    ) -> dict[str, Any]:
        """Stalls with cuisine, queue in minutes, opening hours and price range in yuan."""
        now = self._clock()
        found = self._canteen(canteen)
        rows = fetch(
            self._db,
            f"""SELECT s.*, c.name_zh AS canteen_zh, c.name_en AS canteen_en, MIN(d.price) AS price_from,
            MAX(d.price) AS price_to FROM stalls s JOIN canteens c ON c.id = s.canteen JOIN dishes d ON d.stall = s.id
            WHERE (? IS NULL OR c.id = ?)
              AND (? IS NULL OR s.cuisine_zh LIKE ? OR s.cuisine_en LIKE ? OR s.name_zh LIKE ? OR s.name_en LIKE ?)
            GROUP BY s.id ORDER BY {"s.queue_minutes, s.id" if sort == "queue" else "s.rating DESC, s.id"} LIMIT ?""",
            *[found["id"] if found else None] * 2,
            cuisine or None,
            *[f"%{cuisine}%"] * 4,
            limit,
        )
        return {
            **_moment(now),
            "canteen": found and _named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "stalls": rows,
        }

    async def crowding_heatmap(self, hour: Annotated[int | None, Field(ge=0, le=23)] = None) -> dict[str, Any]:
        """How full every canteen is at an hour (default now), for a heat map; closed canteens are left out."""
        now = self._clock()
        at = now.hour if hour is None else hour
        rows = [self._with_crowding(row, now, at) for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id")]
        return {**_moment(now), "at_hour": at, "canteens": [row for row in rows if row["percent"] is not None]}

    async def dish_reviews(
        self, dish: Annotated[str | None, Field(max_length=60)] = None, limit: Limit = 6
    ) -> dict[str, Any]:
        """The newest reviews, of one dish (part of its name) or of all."""
        rows = fetch(
            self._db,
            """SELECT r.*, d.name_zh AS dish_zh, d.name_en AS dish_en, s.name_zh AS stall_zh, s.name_en AS stall_en
            FROM reviews r JOIN dishes d ON d.id = r.dish JOIN stalls s ON s.id = d.stall
            WHERE ? IS NULL OR d.name_zh LIKE ? OR d.name_en LIKE ? ORDER BY r.date DESC, r.id LIMIT ?""",
            dish or None,
            f"%{dish}%",
            f"%{dish}%",
            limit,
        )
        return {**_moment(self._clock()), "dish": dish, "reviews": rows}

    def _canteen(self, name: str | None) -> dict[str, Any] | None:
        wanted = (name or "").strip().lower()
        if not wanted:
            return None
        alias = canteen_in(wanted)
        for row in fetch(self._db, "SELECT * FROM canteens ORDER BY id"):
            if row["id"] == alias or wanted in (row["id"], row["name_zh"], row["name_en"].lower()):
                return row
        return None

    def _with_crowding(self, row: dict[str, Any], now: datetime, hour: int) -> dict[str, Any]:
        days = "weekend" if now.weekday() >= 5 else "weekday"
        sql = "SELECT percent FROM crowding WHERE canteen = ? AND days = ? AND hour = ?"
        found = fetch(self._db, sql, row["id"], days, hour)
        percent = found[0]["percent"] if found else None
        free = None if percent is None else round(row["seats"] * (100 - percent) / 100)
        return {**row, "percent": percent, "seats_free": free, "open": percent is not None}


def meal_at(now: datetime) -> Meal:
    """The meal that is served now or next."""
    return "breakfast" if now.hour < 10 or now.hour >= 21 else "lunch" if now.hour < 14 else "dinner"


def _dish_filter(
    meal: str,
    spicy_min: int | None,
    spicy_max: int | None,
    max_price: float | None,
    stall: str | None,
    tags: list[str] | None,
) -> tuple[list[str], list[Any]]:
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
    conditions += [("d.tags LIKE ?", f"%|{tag_id(tag)}|%") for tag in tags or ()]
    return [f"d.stock_{meal} > 0", *(sql for sql, _ in conditions)], [value for _, value in conditions]


def _each_once(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first row of every dish, in order."""
    unique: dict[str, dict[str, Any]] = {}
    for row in rows:
        unique.setdefault(row["name_zh"], row)
    return list(unique.values())


def _dish(row: dict[str, Any]) -> dict[str, Any]:
    tags = [tag for tag in row["tags"].split("|") if tag]
    return {
        **row,
        "price": f"{row['price']:.2f}",
        "tags": tags,
        "tags_en": [tag_names()[tag] for tag in tags],
    }


def _named(row: dict[str, Any]) -> dict[str, str]:
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}


def _moment(now: datetime) -> dict[str, Any]:
    return {"now": f"{now:%H:%M}", "weekend": now.weekday() >= 5}


def _metres(row: dict[str, Any], lat: float | None, lng: float | None) -> int | None:
    """Distance on the ground; at campus scale the earth is flat."""
    if lat is None or lng is None:
        return None
    east = (row["lng"] - lng) * math.cos(math.radians(lat)) * 111_320
    return round(math.hypot(east, (row["lat"] - lat) * 110_540))
