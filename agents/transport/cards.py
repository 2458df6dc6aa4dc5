"""Chooses the card of an answer and fills its data: shuttles, car parks and stops here, journeys beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.kit.spec import Card, Conversation, ToolResult
from agents.kit.tickets import filters, pages
from agents.transport import cards_route, places
from agents.transport.wording import join, line_name, metres_label, name, result_day, runs_label, wait_label

Data = Mapping[str, Any]
Json = dict[str, Any]
Maker = Callable[[ToolResult, Conversation], Json | None]


def build_card(conversation: Conversation, answer: str) -> Card | None:
    """The card for the last result about shuttles, else about parking, else none."""
    found = next((r for tools in _RANKS if (r := conversation.result(*tools)) is not None), None)
    if found is None:
        return None
    card_type, category, make = _CARDS[found.name]
    data = make(found, conversation)
    return None if data is None else Card(card_type, data, category, _bubble(answer))


def _bubble(answer: str) -> str:
    """The first sentence: what a reader sees where the card cannot be shown is the whole answer anyway."""
    for end in ("。", ". "):
        head, found, _ = answer.partition(end)
        if found:
            return head + found.strip()
    return answer


def _departures(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    groups: dict[tuple[str, int], list[Data]] = {}
    for departure in data["departures"]:
        groups.setdefault((departure["line"]["id"], departure["direction"]), []).append(departure)
    destination, origin = name(data["destination"], chinese), name(data["origin"], chinese)
    if chinese:
        title = (f"从{origin}" if origin else "") + (f"去{destination}" if destination else "") + "的校车"
        title = title if destination or origin else "校车班次"
        empty = "没有找到班次"
    else:
        title = "Shuttles" + (f" from {origin}" if origin else "") + (f" to {destination}" if destination else "")
        empty = "No departures found"
    arguments = {**found.arguments, "day": found.arguments.get("day") or "today"}
    choices = [(zh if chinese else en, {"day": day}) for zh, en, day in _DAYS]
    return {
        "title": title,
        "subtitle": f"{result_day(data, True)} · {data['now']} 更新" if chinese else _subtitle(data),
        "empty_text": empty,
        "items": [_departure_item(data, group, chinese) for group in groups.values()],
        "filter": filters(found.name, arguments, choices, chinese),
        **(pages(found.name, found.arguments, data, chinese) if data["which"] == "next" else {}),
    }


def _subtitle(data: Data) -> str:
    day = result_day(data, False).removeprefix("on ")
    return f"{day[0].upper()}{day[1:]} · updated {data['now']}"


def _departure_item(data: Data, group: Sequence[Data], chinese: bool) -> Json:
    first = group[0]
    wait = first["wait_minutes"]
    item: Json = {
        "id": f"{first['line']['id']}-{first['direction']}",
        "name": line_name(first["line"], chinese),
        "from": name(first["from"], chinese),
        "to": name(first["to"], chinese),
        "next_departure": first["departs"],
        "eta_label": _eta(data, wait, chinese),
        "following_label": " · ".join(departure["departs"] for departure in group[1:4])
        if data["which"] != "last"
        else "",
        "status_label": f"{first['arrives']} 到达" if chinese else f"arrives {first['arrives']}",
    }
    if wait is not None:
        item["eta_minutes"] = wait
        way = f"{first['from']['id']}>{first['to']['id']}@{first['departs']}"
        label = "怎么走" if chinese else "Directions"
        item["start_navigation"] = [{"label": label, "id": way, "name": name(first["to"], chinese)}]
    return item


def _eta(data: Data, wait: int | None, chinese: bool) -> str:
    if data["date"] != data["today"]:
        return result_day(data, chinese).removeprefix("on ")
    return wait_label(wait, chinese) or ("已开走" if chinese else "gone")


def _lines(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    stop = name(data.get("destination"), chinese)
    title = (
        (f"经过{stop}的校车线路" if stop else "校车线路")
        if chinese
        else f"Shuttle lines{' to ' + stop if stop else ''}"
    )
    return {
        "title": title,
        "empty_text": "没有找到线路" if chinese else "No lines found",
        "items": [_line_item(line, route, chinese) for line in data["lines"] for route in line["directions"]],
    }


def _line_item(line: Data, route: Data, chinese: bool) -> Json:
    stops: Sequence[Data] = route["stops"]
    service: Sequence[Data] = route["service"]
    upcoming: Sequence[str] = route["next"]
    first, last = service[0]["first"], service[0]["last"]
    item: Json = {
        "id": f"{line['id']}-{route['direction']}",
        "name": line_name(line, chinese),
        "from": name(stops[0], chinese),
        "to": name(stops[-1], chinese),
        "eta_label": wait_label(route["wait_minutes"], chinese) or ("今天已收班" if chinese else "none today"),
        "following_label": " · ".join(upcoming[1:4]),
        "stops_label": " → ".join(name(stop, chinese) for stop in stops),
        "days_label": runs_label([row["days"] for row in service], chinese),
        "status_label": f"首班 {first} · 末班 {last}" if chinese else f"first {first} · last {last}",
    }
    if upcoming:
        item["next_departure"] = upcoming[0]
        item["eta_minutes"] = route["wait_minutes"]
    return item


def _parking(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    lots: Sequence[Data] = data["lots"]
    near = name(data["near"], chinese)
    day = result_day(data, chinese).removeprefix("on ")
    choices = [("全部", "All", {"free_only": None}), ("有空位", "Free places", {"free_only": True})]
    arguments = {**found.arguments, "free_only": True if data["free_only"] else None}
    title = (f"{near}附近的停车位" if near else "停车位") if chinese else f"Parking{f' near {near}' if near else ''}"
    return {
        "title": title,
        "subtitle": f"{day} {data['at']}" if chinese else f"{day[0].upper()}{day[1:]} at {data['at']}",
        "items": [_lot_item(lot, chinese) for lot in lots],
        "empty_text": "" if lots else ("没有空位" if chinese else "No free places"),
        "filter": filters(found.name, arguments, [(zh if chinese else en, c) for zh, en, c in choices], chinese),
    }


def _lot_item(lot: Data, chinese: bool) -> Json:
    free, capacity = lot["free"], lot["capacity"]
    full = "已满" if chinese else "full"
    item: Json = {
        "id": lot["id"],
        "name": name(lot, chinese),
        "location": name(lot["stop"], chinese),
        "free": free,
        "capacity": capacity,
        "occupancy": round(1 - free / capacity, 2),
        "occupancy_label": (f"空 {free} / {capacity}" if chinese else f"{free} of {capacity} free") if free else full,
        "price_label": lot["price_zh" if chinese else "price_en"],
    }
    if lot["distance_m"] is not None:
        item |= {"distance_m": lot["distance_m"], "distance_label": metres_label(lot["distance_m"])}
    if free:
        label = "带我去" if chinese else "Take me there"
        item["start_navigation"] = [{"label": label, "id": lot["id"], "name": name(lot, chinese)}]
    return item


def _stops(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    rows: Sequence[Data] = data["stops"]
    line = data["line"]
    title = line_name(line, chinese) if line else ("校车站点" if chinese else "Shuttle stops")
    arguments = {**found.arguments, "line": line["id"] if line else None}
    every: list[tuple[str, Json]] = [("全部" if chinese else "All", {"line": None})]
    by_line = [(place.name_zh if chinese else place.name_en, {"line": place.id}) for place in places.lines()]
    return {
        "title": title,
        "subtitle": f"共 {data['total']} 站" if chinese else f"{data['total']} stops",
        "items": [
            {
                "id": row["id"],
                "name": name(row, chinese),
                "detail": join([name(served, chinese) for served in row["lines"]], chinese),
                "value": f"{len(row['lines'])} 条线路" if chinese else f"lines: {len(row['lines'])}",
            }
            for row in rows
        ],
        "empty_text": "" if rows else ("没有更多站点" if chinese else "No more stops"),
        "filter": filters(found.name, arguments, [*every, *by_line], chinese),
        **pages(found.name, arguments, data, chinese),
    }


_DAYS = (("今天", "Today", "today"), ("明天", "Tomorrow", "tomorrow"), ("周末", "Weekend", "weekend"))
_CARDS: dict[str, tuple[str, str, Maker]] = {
    "next_departures": ("shuttle_cards", "shuttle", _departures),
    "list_lines": ("shuttle_cards", "shuttle", _lines),
    "line_stops": ("shuttle_cards", "shuttle", _lines),
    "list_stops": ("list-card", "list", _stops),
    "plan_route": ("route_card", "navigation", cards_route.route),
    "navigate": ("navigation-card", "navigation", cards_route.navigation),
    "parking": ("parking_cards", "parking", _parking),
}
_RANKS = (
    ("next_departures", "plan_route", "navigate"),
    ("list_lines", "line_stops", "list_stops"),
    ("parking",),
)
"""Of an answer about several things the first kind has the card."""
CARD_TYPES = tuple(dict.fromkeys(card_type for card_type, _, _ in _CARDS.values()))
