"""Chooses the card of an answer and fills its data: shuttles as `shuttle_cards`, car parks as `message-card`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.kit.spec import Card, Conversation
from agents.transport.wording import line_name, name, result_day, runs_label, wait_label

Data = Mapping[str, Any]
CARD_TYPES = ("shuttle_cards", "message-card")


def build_card(conversation: Conversation, answer: str) -> Card | None:
    """The card for the last result of a shuttle tool, else of the parking tool, else none."""
    chinese = conversation.chinese
    if (departures := conversation.result("next_departures")) is not None:
        data = _departure_card(departures.data, chinese)
    elif (lines := conversation.result("list_lines", "line_stops")) is not None:
        data = _line_card(lines.data, chinese)
    elif (lots := conversation.result("parking")) is not None:
        return Card("message-card", _parking_card(lots.data, answer, chinese), "parking", _bubble(answer))
    else:
        return None
    return Card("shuttle_cards", data, "shuttle", _bubble(answer))


def _bubble(answer: str) -> str:
    """The first sentence: what a reader sees where the card cannot be shown is the whole answer anyway."""
    for end in ("。", ". "):
        head, found, _ = answer.partition(end)
        if found:
            return head + found.strip()
    return answer


def _departure_card(data: Data, chinese: bool) -> dict[str, Any]:
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
    return {
        "title": title,
        "subtitle": f"{result_day(data, True)} · {data['now']} 更新" if chinese else _subtitle(data),
        "empty_text": empty,
        "items": [_departure_item(data, group, chinese) for group in groups.values()],
    }


def _subtitle(data: Data) -> str:
    day = result_day(data, False).removeprefix("on ")
    return f"{day[0].upper()}{day[1:]} · updated {data['now']}"


def _departure_item(data: Data, group: Sequence[Data], chinese: bool) -> dict[str, Any]:
    first = group[0]
    wait = first["wait_minutes"]
    item: dict[str, Any] = {
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
    return item


def _eta(data: Data, wait: int | None, chinese: bool) -> str:
    if data["date"] != data["today"]:
        return result_day(data, chinese).removeprefix("on ")
    return wait_label(wait, chinese) or ("已开走" if chinese else "gone")


def _line_card(data: Data, chinese: bool) -> dict[str, Any]:
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


def _line_item(line: Data, route: Data, chinese: bool) -> dict[str, Any]:
    stops: Sequence[Data] = route["stops"]
    service: Sequence[Data] = route["service"]
    upcoming: Sequence[str] = route["next"]
    first, last = service[0]["first"], service[0]["last"]
    item: dict[str, Any] = {
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


def _parking_card(data: Data, answer: str, chinese: bool) -> dict[str, Any]:
    title = f"停车位 · {data['at']}" if chinese else f"Parking · {data['at']}"
    return {"title": title, "text": answer, "items": [_lot_item(lot, chinese) for lot in data["lots"]]}


def _lot_item(lot: Data, chinese: bool) -> dict[str, str]:
    free = f"空位 {lot['free']}/{lot['capacity']}" if chinese else f"{lot['free']} of {lot['capacity']} free"
    if lot["free"] == 0:
        free = "已满" if chinese else "full"
    parts = [free, lot["price_zh" if chinese else "price_en"]]
    if lot["distance_m"] is not None:
        parts.append(f"{lot['distance_m']} m")
    return {"label": name(lot, chinese), "value": " · ".join(parts)}
