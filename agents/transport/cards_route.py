"""Data of the cards about journeys: `route_card` to choose one, `navigation-card` to follow one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.kit.spec import Conversation, ToolResult
from agents.kit.tickets import pages
from agents.transport.wording import line_name, metres_label, minutes_label, name, result_day, wait_label

Data = Mapping[str, Any]
Json = dict[str, Any]


def route(found: ToolResult, conversation: Conversation) -> Json:
    """`route_card`; without a way it says so."""
    data, chinese = found.data, conversation.chinese
    journey = data["journey"]
    start, end = name(data["origin"], chinese), name(data["destination"], chinese)
    if journey is None:
        return {"title": f"{start} → {end}", "items": [], "empty_text": "没有走法" if chinese else "No way found"}
    earlier, later = ("更早", "更晚") if chinese else ("Earlier", "Later")
    turns = pages(found.name, found.arguments, data, chinese)
    labels = {"previous_page": earlier, "next_page": later}
    return {
        "title": f"{start} → {end}",
        "subtitle": _when(data, chinese),
        **_figures(journey, chinese),
        "price_label": "免费" if chinese else "free of charge",
        "items": _stops(journey["legs"], chinese),
        "note": _note(data, chinese),
        "start_navigation": _start(data, chinese),
        **{key: [{**button, "label": labels[key]} for button in buttons] for key, buttons in turns.items()},
    }


def navigation(found: ToolResult, conversation: Conversation) -> Json | None:
    """`navigation-card`; once it has started it has no button."""
    data, chinese = found.data, conversation.chinese
    journey, end = data["journey"], name(data["destination"], chinese)
    if journey is None:
        return None
    mode = "car" if data["by_car"] else ""
    start = name(data["origin"], chinese)
    return {
        "title": f"去{end}" if chinese else f"To the {end}",
        "subtitle": f"从{start}出发" if chinese else f"from {start}",
        **_figures(journey, chinese),
        "items": _stops(journey["legs"], chinese, mode),
        "note": ("导航已开始" if chinese else "Navigation has started") if data["started"] else _note(data, chinese),
        "start_navigation": [] if data["started"] else _start(data, chinese),
    }


def _when(data: Data, chinese: bool) -> str:
    journey, day = data["journey"], result_day(data, chinese)
    wait = wait_label(journey["wait_minutes"], chinese)
    if wait:
        return f"{journey['departs']} 出发 · {wait}" if chinese else f"leaves {journey['departs']} · {wait}"
    return f"{day} {journey['departs']} 出发" if chinese else f"leaves {day} at {journey['departs']}"


def _figures(journey: Data, chinese: bool) -> Json:
    return {
        "duration_label": minutes_label(journey["minutes"], chinese),
        "distance_label": metres_label(journey["metres"]),
    }


def _stops(legs: Sequence[Data], chinese: bool, mode: str = "") -> list[Json]:
    """Every stop once: where two legs meet, with the time one leaves and what changes there."""
    items: list[Json] = []
    for leg, before in zip(legs, [None, *legs], strict=False):
        label = _leg_label(leg, chinese, mode)
        for index, stop in enumerate(leg["stops"][:-1]):
            item = _item(stop, chinese)
            item |= {"next_mode": mode or ("shuttle" if leg["line"] else "walk"), "next_label": "" if index else label}
            if index == 0 and before is not None:
                item["transfer"] = bool(leg["line"]) and any(other["line"] for other in legs[: legs.index(leg)])
                there = before["arrives"]
                item["detail"] = "" if there == leg["departs"] else f"{there} 到" if chinese else f"arrive {there}"
            items.append(item)
    return [*items, _item(legs[-1]["stops"][-1], chinese)]


def _item(stop: Data, chinese: bool) -> Json:
    return {"name": name(stop, chinese), "time": stop["time"], "lat": stop["lat"], "lng": stop["lng"]}


def _leg_label(leg: Data, chinese: bool, mode: str) -> str:
    if leg["line"]:
        return line_name(leg["line"], chinese)
    way = metres_label(leg["metres"])
    if mode == "car":
        return f"开车 {way}" if chinese else f"{way} by car"
    return f"步行 {way}" if chinese else f"{way} on foot"


def _note(data: Data, chinese: bool) -> str:
    notes: list[str] = []
    if data["guessed"]:
        start = name(data["origin"], chinese)
        notes.append(f"不知道你的位置，按{start}出发算" if chinese else f"From the {start}: your place is not known")
    if data["journey"]["changes"]:
        notes.append("需要换乘" if chinese else "One change of line")
    on_foot = data.get("on_foot", 0)
    if any(leg["line"] for leg in data["journey"]["legs"]) and 0 < on_foot <= 1500:
        notes.append(f"全程步行 {on_foot} m" if chinese else f"{metres_label(on_foot)} if you walk")
    return (" · " if not chinese else "；").join(notes)


def _start(data: Data, chinese: bool) -> list[Json]:
    """The button that starts this very journey; none for another day, since nobody leaves today then."""
    if data["date"] != data["today"]:
        return []
    begin, end, label = data["origin"]["id"], data["destination"], "开始导航" if chinese else "Start"
    time = "" if data.get("by_car") else f"@{data['journey']['departs']}"
    return [{"label": label, "id": f"{begin}>{end['id']}{time}", "name": name(end, chinese)}]
