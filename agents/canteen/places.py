"""The MCP tools about canteens and stalls: lists, one of them, how full they are, and the way there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.canteen.dishes import DISHES, dish_filter, each_once, with_tags
from agents.canteen.seed import MEALS
from agents.canteen.store import (
    STALLS,
    CanteenName,
    Day,
    Hour,
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

_CANTEEN_ORDER: dict[str, Callable[[dict[str, Any]], float]] = {
    "crowding": lambda row: row["percent"] or 0,
    "busiest": lambda row: -(row["percent"] or 0),
    "rating": lambda row: -row["rating"],
    "distance": lambda row: row["distance_m"],
}
DISHES_OF_A_STALL = 12
DETOUR = 1.25
"""Paths are longer than the line between two points."""
METRES_PER_MINUTE = 75
ON_CAMPUS = 5_000
"""Whoever is further away in metres does not walk; the way then starts at the gate."""
GATE = "south-gate"


class PlaceTools(Store):
    """Canteens, stalls and ways."""

    async def list_canteens(
        self,
        canteen: CanteenName | None = None,
        sort: Literal["crowding", "busiest", "rating", "distance"] = "crowding",
        open_now: bool = False,
        hour: Hour = None,
        day: Day = "today",
        near_lat: Lat = None,
        near_lng: Lng = None,
        limit: Limit = 10,
    ) -> dict[str, Any]:
        """Canteens, or one, with crowding (percent of seats taken) at an hour, default now. Closed ones come last.

        `open_now` leaves closed ones out, unless one canteen is asked for.

        Without a position the order by distance is that by crowding, and `location_unknown` is true.
        """
        now = self._clock()
        found = self._canteen(canteen)
        at = at_time(now, hour, day)
        lost = sort == "distance" and (near_lat is None or near_lng is None)
        order = "crowding" if lost else sort
        rows = [row for row in self._crowding(now, at) if found is None or row["id"] == found["id"]]
        for row in rows:
            row["distance_m"] = metres(row, near_lat, near_lng)
        rows.sort(key=lambda row: (not row["open"], _CANTEEN_ORDER[order](row)))
        shown = [row for row in rows if row["open"] or found or not open_now]
        return {
            **moment(now),
            **at,
            "sort": order,
            "location_unknown": lost,
            "open_now": open_now,
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "canteens": shown[:limit],
        }

    async def canteen_details(
        self, canteen: CanteenName, hour: Hour = None, day: Day = "today", near_lat: Lat = None, near_lng: Lng = None
    ) -> dict[str, Any]:
        """One canteen: hours, how full it is at an hour (default now), its stalls with queues and prices."""
        now, found = self._clock(), self._canteen(canteen)
        at = at_time(now, hour, day)
        rows = [row for row in self._crowding(now, at) if found and row["id"] == found["id"]]
        sql = f"{STALLS} WHERE s.canteen = ? GROUP BY s.id ORDER BY s.rating DESC, s.id"
        return {
            **moment(now),
            **at,
            "asked": canteen,
            "canteen": {**rows[0], "distance_m": metres(rows[0], near_lat, near_lng)} if rows else None,
            "stalls": fetch(self._db, sql, found["id"]) if found else [],
        }

    async def list_stalls(
        self,
        canteen: CanteenName | None = None,
        cuisine: Annotated[str | None, Field(max_length=60)] = None,
        sort: Literal["rating", "queue"] = "rating",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Stalls with cuisine, queue in minutes, opening hours and price range in yuan."""
        now = self._clock()
        found = self._canteen(canteen)
        rows = fetch(
            self._db,
            f"""{STALLS} WHERE (? IS NULL OR c.id = ?)
              AND (? IS NULL OR s.cuisine_zh LIKE ? OR s.cuisine_en LIKE ? OR s.name_zh LIKE ? OR s.name_en LIKE ?)
            GROUP BY s.id ORDER BY {"s.queue_minutes, s.id" if sort == "queue" else "s.rating DESC, s.id"}""",
            *[found["id"] if found else None] * 2,
            cuisine or None,
            *[f"%{cuisine}%"] * 4,
        )
        return {
            **moment(now),
            "canteen": found and named(found),
            "unknown_canteen": canteen if canteen and not found else None,
            "sort": sort,
            "total": len(rows),
            "offset": offset,
            "limit": limit,
            "stalls": rows[offset : offset + limit],
        }

    async def stall_details(self, stall: StallName, meal: Meal | None = None) -> dict[str, Any]:
        """One stall: where it is, its queue and hours, and its best dishes of a meal (default: the next it serves)."""
        now, found = self._clock(), self._stall(stall)
        wanted = meal or meal_at(now)
        later = MEALS[MEALS.index(wanted) :] + MEALS[: MEALS.index(wanted)]
        served = {m: self._dishes_of(found["id"], m) for m in ([wanted] if meal else later)} if found else {}
        chosen = next((m for m, dishes in served.items() if dishes), wanted)
        return {
            **moment(now),
            "asked": stall,
            "stall": found,
            "meal": chosen,
            "dishes": served.get(chosen, [])[:DISHES_OF_A_STALL],
        }

    async def crowding_heatmap(self, hour: Hour = None, day: Day = "today") -> dict[str, Any]:
        """How full every canteen is at an hour (default now), for a heat map; closed canteens are left out."""
        now = self._clock()
        at = at_time(now, hour, day)
        return {**moment(now), **at, "canteens": [row for row in self._crowding(now, at) if row["open"]]}

    async def walk_to(
        self,
        place: Annotated[str, Field(max_length=60, description="a canteen or a stall: its id or its name")],
        start: Annotated[str | None, Field(max_length=60, description="a landmark to start from: id or name")] = None,
        near_lat: Lat = None,
        near_lng: Lng = None,
        started: bool = False,
    ) -> dict[str, Any]:
        """The way on foot to a canteen or stall, from a landmark, else from a position, else from the South Gate."""
        now = self._clock()
        end = self._canteen(place)
        stall = None if end else self._stall(place)
        end = end or (stall and self._canteen(stall["canteen"]))
        begin, here = self._start(end, start, near_lat, near_lng)
        way = round(DETOUR * (metres(end, begin["lat"], begin["lng"]) or 0) / 10) * 10 if end else 0
        minutes = max(1, round(way / METRES_PER_MINUTE))
        return {
            **moment(now),
            "asked": place,
            "start": begin,
            "here": here,
            "end": end and {**named(end), "lat": end["lat"], "lng": end["lng"]},
            "stall": stall and end and {**named(stall), "floor": stall["floor"]},
            "metres": way,
            "minutes": minutes,
            "arrives": f"{now + timedelta(minutes=minutes):%H:%M}",
            "started": started,
        }

    def _dishes_of(self, stall: str, meal: str) -> list[dict[str, Any]]:
        where, values = dish_filter(meal)
        sql = DISHES.format(meal=meal, where=" AND ".join([*where, "s.id = ?"]), order="d.rating DESC, d.id")
        return [with_tags(row) for row in each_once(fetch(self._db, sql, *values, stall, 50))]

    def _start(
        self, end: dict[str, Any] | None, start: str | None, lat: float | None, lng: float | None
    ) -> tuple[dict[str, Any], bool]:
        """Where the way starts, and whether that is where the user is."""
        rows = {row["id"]: row for row in fetch(self._db, "SELECT * FROM landmarks ORDER BY rowid")}
        wanted = (start or "").strip().lower()
        found = next((r for r in rows.values() if wanted in (r["id"], r["name_zh"], r["name_en"].lower())), None)
        if found:
            return found, False
        away = metres(end, lat, lng) if end else None
        if away is not None and away <= ON_CAMPUS:
            return {"id": "", "name_zh": "你的位置", "name_en": "your place", "lat": lat, "lng": lng}, True
        return rows[GATE], False
