"""What the offline model says about journeys, ways that have started, and the stops of the campus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.transport.wording import join, line_name, metres_label, name, result_day, wait_label

Data = Mapping[str, Any]


def route_text(data: Data, chinese: bool) -> str:
    """A journey in words: where to get on which line, where to change, when one is there."""
    journey, start, end = data["journey"], name(data["origin"], chinese), name(data["destination"], chinese)
    if journey is None:
        return _no_way(data, chinese)
    steps = ("，再" if chinese else ", then ").join(
        _step(leg, chinese, first=not index) for index, leg in enumerate(journey["legs"])
    )
    lead, more = _around(data, chinese)
    day, wait = result_day(data, chinese), wait_label(journey["wait_minutes"], chinese)
    departs, arrives = journey["departs"], journey["arrives"]
    if chinese:
        soon = f"（{wait}）" if wait else ""
        return f"{lead}从{start}到{end}：{day} {departs}{soon}出发，{steps}，{arrives} 到。{more}"
    soon = f" ({wait})" if wait else ""
    when = f"at {departs}" if data["date"] == data["today"] else f"{day} at {departs}"
    return f"{lead}From {_the(data, start)} to the {end}: leave {when}{soon}, {steps}; arrive at {arrives}.{more}"


def _around(data: Data, chinese: bool) -> tuple[str, str]:
    """What is said before the way and after it."""
    lead = ("开始导航：" if chinese else "Navigation has started. ") if data.get("started") else ""
    if not data["guessed"]:
        return lead, ""
    return (
        lead,
        "不知道你的位置，所以按南门出发算。" if chinese else " I do not know where you are; this is from the gate.",
    )


def _step(leg: Data, chinese: bool, *, first: bool) -> str:
    last, count = name(leg["stops"][-1], chinese), len(leg["stops"]) - 1
    if leg["line"] is None:
        way = metres_label(leg["metres"])
        return f"步行 {way} 到{last}" if chinese else f"walk {way} to the {last}"
    line, board = line_name(leg["line"], chinese), name(leg["stops"][0], chinese)
    at = leg["departs"]
    if chinese:
        return f"{'' if first else f' {at} '}在{board}坐 {line}，{count} 站到{last}"
    stops = "1 stop" if count == 1 else f"{count} stops"
    return f"take {line} at the {board}{'' if first else f' at {at}'} for {stops} to the {last}"


def _no_way(data: Data, chinese: bool) -> str:
    start, end = name(data["origin"], chinese), name(data["destination"], chinese)
    if data["origin"]["id"] == data["destination"]["id"]:
        return f"你已经在{end}了。" if chinese else f"You are at the {end} already."
    if data["offset"]:
        return "没有更晚的走法了。" if chinese else "There is no later journey."
    return f"没有找到从{start}到{end}的走法。" if chinese else f"There is no way from {_the(data, start)} to the {end}."


def drive_text(data: Data, chinese: bool) -> str:
    """The way to a car park by car."""
    start, end, journey = name(data["origin"], chinese), name(data["destination"], chinese), data["journey"]
    way, minutes, arrives = metres_label(journey["metres"]), journey["minutes"], journey["arrives"]
    lead, more = _around(data, chinese)
    if chinese:
        return f"{lead}从{start}开车到{end}约 {way}，{minutes} 分钟，{arrives} 到。{more}"
    by_car = f"{way} by car to the {end}, {minutes} min; you arrive at {arrives}."
    return f"{lead}From {_the(data, start)} it is {by_car}{more}"


def stops_text(data: Data, chinese: bool) -> str:
    """The stops in one line."""
    rows: Sequence[Data] = data["stops"]
    if not rows:
        return "没有更多站点了。" if chinese else "There are no more stops."
    line, total = data["line"], data["total"]
    listed = join([name(row, chinese) for row in rows], chinese)
    more = len(rows) < total
    if chinese:
        return f"{line_name(line, True) if line else '校车'}有 {total} 个站点：{listed}{'等' if more else ''}。"
    where = f"{line_name(line, False)} has" if line else "The shuttles have"
    return f"{where} {total} stops{', among them' if more else ':'} {listed}."


def _the(data: Data, start: str) -> str:
    return start if data["here"] else f"the {start}"
