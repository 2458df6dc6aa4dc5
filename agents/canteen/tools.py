"""The canteen agent's MCP server: dishes, canteens, stalls, crowding and reviews over the agent's own database."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from pydantic import Field

from agents.canteen.names import canteen_in, tag_id, tag_names
from agents.canteen.seed import MEALS
from agents.kit.clock import Clock
from agents.kit.database import fetch

Meal = Literal["breakfast", "lunch", "dinner"]
Hour = Annotated[int | None, Field(ge=0, le=23)]
Day = Literal["today", "tomorrow", "weekday", "weekend"]
Limit = Annotated[int, Field(ge=1, le=50)]
CanteenName = Annotated[str, Field(max_length=60, description="a canteen: its name in Chinese or English, or its id")]

NOON = 12

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
_CANTEEN_ORDER: dict[str, Callable[[dict[str, Any]], float]] = {
    "crowding": lambda row: row["percent"] or 0,
    "busiest": lambda row: -(row["percent"] or 0),
    "rating": lambda row: -row["rating"],
    "distance": lambda row: row["distance_m"],
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
        any_tag: bool = False,
        without: Annotated[
            list[str] | None, Field(max_length=5, description="tags to avoid, e.g. 猪肉 or pork")
        ] = None,
        sort: Literal["rating", "price", "price_desc", "spiciness"] = "rating",
        limit: Limit = 8,
        offset: Annotated[int, Field(ge=0, le=500, description="how many of the best to pass over")] = 0,
    ) -> dict[str, Any]:
        """Dishes in stock for a meal (default: the present or next one). Spiciness is 0 (none) to 3 (very hot).

        A dish that several stalls sell is listed once, from the stall that ranks first. Best first, but a dish that
        is called as the query comes before those that are only called alike.
        """
        now = self._clock()
        chosen = meal or meal_at(now)
        where, values = _dish_filter(chosen, spicy_min, spicy_max, max_price, stall, tags, without, any_tag)
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
        if query and sort == "rating":
            unique.sort(key=lambda row: query.lower() not in (row["name_zh"], row["name_en"].lower()))
        return {
            **_moment(now),
            "meal": chosen,
            "canteen": found and _named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "total": len(unique),
            "offset": offset,
            "dishes": [_dish(row) for row in unique[offset : offset + limit]],
        }

    async def list_canteens(
        self,
        canteen: CanteenName | None = None,
        sort: Literal["crowding", "busiest", "rating", "distance"] = "crowding",
        open_now: bool = False,
        hour: Hour = None,
        day: Day = "today",
        near_lat: Annotated[float | None, Field(ge=-90, le=90)] = None,
        near_lng: Annotated[float | None, Field(ge=-180, le=180)] = None,
        limit: Limit = 10,
    ) -> dict[str, Any]:
        """Canteens, or one, with crowding (percent of seats taken) at an hour, default now. Closed ones come last.

        `open_now` leaves closed ones out, unless one canteen is asked for.

        Without a position the order by distance is that by crowding, and `location_unknown` is true.
        """
        now = self._clock()
        found = self._canteen(canteen)
        at = _at(now, hour, day)
        lost = sort == "distance" and (near_lat is None or near_lng is None)
        order = "crowding" if lost else sort
        rows = [row for row in self._crowding(now, at) if found is None or row["id"] == found["id"]]
        for row in rows:
            row["distance_m"] = _metres(row, near_lat, near_lng)
        rows.sort(key=lambda row: (not row["open"], _CANTEEN_ORDER[order](row)))
        shown = [row for row in rows if row["open"] or found or not open_now]
        return {
            **_moment(now),
            **at,
            "sort": order,
            "location_unknown": lost,
            "open_now": open_now,
            "canteen": found and _named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "canteens": shown[:limit],
        }

    async def list_stalls(
        self,
        canteen: CanteenName | None = None,
        cuisine: Annotated[str | None, Field(max_length=60)] = None,
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
            GROUP BY s.id ORDER BY {"s.queue_minutes, s.id" if sort == "queue" else "s.rating DESC, s.id"}""",
            *[found["id"] if found else None] * 2,
            cuisine or None,
            *[f"%{cuisine}%"] * 4,
        )
        return {
            **_moment(now),
            "canteen": found and _named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "total": len(rows),
            "stalls": rows[:limit],
        }

    async def crowding_heatmap(self, hour: Hour = None, day: Day = "today") -> dict[str, Any]:
        """How full every canteen is at an hour (default now), for a heat map; closed canteens are left out."""
        now = self._clock()
        at = _at(now, hour, day)
        return {**_moment(now), **at, "canteens": [row for row in self._crowding(now, at) if row["open"]]}

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

    def _crowding(self, now: datetime, at: dict[str, Any]) -> list[dict[str, Any]]:
        """All canteens with how full they are then; a closed one has no percentage."""
        rows = fetch(
            self._db,
            """SELECT c.*, r.percent FROM canteens c LEFT JOIN crowding r
            ON r.canteen = c.id AND r.days = ? AND r.hour = ? ORDER BY c.id""",
            _kind_of_day(now, at["day"]),
            at["at_hour"],
        )
        return [_with_seats(row, f"{now:%H:%M}" if at["at_now"] else None) for row in rows]


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
    without: list[str] | None,
    any_tag: bool,
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
    conditions += _tag_conditions(tags or (), any_tag)
    conditions += [("d.tags NOT LIKE ?", f"%|{tag_id(tag)}|%") for tag in without or ()]
    return [f"d.stock_{meal} > 0", *(sql for sql, _ in conditions)], [value for _, value in conditions]


def _tag_conditions(tags: Sequence[str], any_of_them: bool) -> list[tuple[str, Any]]:
    if any_of_them and tags:
        wanted = json.dumps([tag_id(tag) for tag in tags])
        return [("EXISTS (SELECT 1 FROM json_each(?) WHERE d.tags LIKE '%|' || value || '|%')", wanted)]
    return [("d.tags LIKE ?", f"%|{tag_id(tag)}|%") for tag in tags]


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


def _with_seats(row: dict[str, Any], minute: str | None) -> dict[str, Any]:
    """Free seats, and whether it is open: at that minute, or in some minute of the hour for None."""
    is_open = row["percent"] is not None and (minute is None or row["opens"] <= minute < row["closes"])
    percent = row["percent"] if is_open else None
    free = None if percent is None else round(row["seats"] * (100 - percent) / 100)
    return {**row, "percent": percent, "seats_free": free, "open": is_open}


def _named(row: dict[str, Any]) -> dict[str, str]:
    return {"id": row["id"], "name_zh": row["name_zh"], "name_en": row["name_en"]}


def _moment(now: datetime) -> dict[str, Any]:
    return {"now": f"{now:%H:%M}", "weekend": now.weekday() >= 5}


def _at(now: datetime, hour: int | None, day: Day) -> dict[str, Any]:
    """What time the crowding is asked for. Another day without an hour means lunchtime, when it matters most."""
    at_now = hour is None and day == "today"
    other = NOON if hour is None else hour
    return {"day": day, "at_hour": now.hour if at_now else other, "at_now": at_now}


def _kind_of_day(now: datetime, day: Day) -> str:
    if day in ("weekday", "weekend"):
        return day
    date = now + timedelta(days=1 if day == "tomorrow" else 0)
    return "weekend" if date.weekday() >= 5 else "weekday"


def _metres(row: dict[str, Any], lat: float | None, lng: float | None) -> int | None:
    """Distance on the ground; at campus scale the earth is flat."""
    if lat is None or lng is None:
        return None
    east = (row["lng"] - lng) * math.cos(math.radians(lat)) * 111_320
    return round(math.hypot(east, (row["lat"] - lat) * 110_540))
