"""The offline model of the transport agent: tool calls first, then a text about what they gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.kit.spec import Conversation, ToolResult
from agents.transport.answers_route import drive_text, route_text, stops_text
from agents.transport.question import calls_for
from agents.transport.wording import day_label, join, line_name, name, result_day, runs_label, wait_label
from chat_models import Turn

Data = Mapping[str, Any]

_HELP = (
    "我可以回答校车和停车的问题，例如“下一班去图书馆的校车几点”“周末有哪些校车线路”“南门还有停车位吗”。",
    "I can help with campus shuttles and parking: try “when is the next shuttle to the library?”, "
    "“which shuttle lines run at the weekend?” or “is there free parking near the South Gate?”.",
)
_FAILED = (
    "抱歉，没有查到这个站点或线路，请换个说法，例如“图书馆”“北门”“1号线”。",
    "Sorry, I could not find that stop or line. Try a name like “Library”, “North Gate” or “Line 1”.",
)


def answer_offline(conversation: Conversation) -> Turn:
    """First the tool calls, then the text about their results."""
    chinese = conversation.chinese
    if conversation.results:
        return Turn("\n\n".join(_text(result, chinese) for result in conversation.results))
    calls = calls_for(conversation)
    return Turn(calls=calls) if calls else Turn(_HELP[0 if chinese else 1])


def _text(result: ToolResult, chinese: bool) -> str:
    if not result.ok:
        return _FAILED[0 if chinese else 1]
    if result.name == "next_departures":
        return _departures_text(result.data, chinese)
    if result.name == "navigate":
        return (drive_text if result.data["by_car"] else route_text)(result.data, chinese)
    return _WRITERS[result.name](result.data, chinese)


def _departures_text(data: Data, chinese: bool) -> str:
    departures: Sequence[Data] = data["departures"]
    if not departures and data["offset"]:
        return "没有更晚的班次了。" if chinese else "There are no later departures."
    if not departures:
        return _no_service(data, chinese)
    if data["offset"]:
        return _later_text(departures, chinese)
    if data["which"] != "next":
        return _edge_text(data, departures[0], chinese)
    first, rest = departures[0], departures[1:]
    opening = _nothing_left(data, chinese) + _one(data, first, chinese)
    same = [d["departs"] for d in rest if _ride(d) == _ride(first)][:3]
    other = next((d for d in rest if _ride(d) != _ride(first)), None)
    more = ""
    if same:
        more += f"之后还有 {join(same, True)}。" if chinese else f" After that: {join(same, False)}."
    if other is not None:
        more += _alternative(other, chinese)
    return opening + more


def _later_text(departures: Sequence[Data], chinese: bool) -> str:
    times = [f"{departure['departs']} {line_name(departure['line'], chinese)}" for departure in departures]
    return f"更晚的班次：{join(times, True)}。" if chinese else f"Later departures: {join(times, False)}."


def _nothing_left(data: Data, chinese: bool) -> str:
    if data["date"] == data["asked_date"]:
        return ""
    asked = day_label(data["asked_date"], data["today"], chinese)
    started = data["asked_date"] == data["today"] or data["asked_time"]
    if chinese:
        return f"{asked}没有{'更多' if started else ''}班次了。"
    return f"There are no {'more ' if started else ''}departures {asked}. "


def _one(data: Data, departure: Data, chinese: bool) -> str:
    line, wait = line_name(departure["line"], chinese), departure["wait_minutes"]
    start, end = name(departure["from"], chinese), name(departure["to"], chinese)
    departs, arrives, day = departure["departs"], departure["arrives"], result_day(data, chinese)
    since = data["asked_time"] if data["date"] == data["asked_date"] else None
    if chinese:
        soon = " " if wait is None else f"（{wait_label(wait, True)}）"
        target = f"去{end}的" if data["destination"] else "的"
        subject = f"{since} 之后{target}最早一班校车" if since else f"{target}下一班校车".removeprefix("的")
        return f"{subject}是 {line}，{day} {departs}{soon}从{start}发车，{arrives} 到{end}。"
    soon = "" if wait is None else f" ({wait_label(wait, False)})"
    when = f"at {departs}" if data["date"] == data["today"] else f"{day} at {departs}"
    subject = "The first shuttle" if since else "The next shuttle"
    subject += (f" to {_the(end)}" if data["destination"] else "") + (f" after {since}" if since else "")
    return f"{subject} is {line}: it leaves {_the(start)} {when}{soon} and reaches {_the(end)} at {arrives}."


def _alternative(departure: Data, chinese: bool) -> str:
    line, start = line_name(departure["line"], chinese), name(departure["from"], chinese)
    if chinese:
        return f"也可以坐 {departure['departs']} 从{start}出发的 {line}，{departure['arrives']} 到。"
    return f" {line} also goes there, from {_the(start)} at {departure['departs']}, arriving at {departure['arrives']}."


def _edge_text(data: Data, departure: Data, chinese: bool) -> str:
    line, start = line_name(departure["line"], chinese), name(departure["from"], chinese)
    end, departs, day = name(departure["to"], chinese), departure["departs"], result_day(data, chinese)
    last = data["which"] == "last"
    gone = data["date"] == data["today"] and departs < data["now"]
    if chinese:
        note = "，已经开走了" if gone else ""
        kind = "末" if last else "首"
        arrival = f"{departure['arrives']} 到{note}。"
        return f"{day}去{end}的{kind}班车是 {line}，{departs} 从{start}发车，{arrival}"
    note = " It has already left." if gone else ""
    kind = "last" if last else "first"
    arrival = f"arrives at {departure['arrives']}.{note}"
    return f"The {kind} shuttle to {_the(end)} {day} is {line}: it leaves {_the(start)} at {departs} and {arrival}"


def _no_service(data: Data, chinese: bool) -> str:
    origin, destination = name(data["origin"], chinese), name(data["destination"], chinese)
    line = line_name(data["line"], chinese) if data["line"] else ""
    if chinese:
        route = (f"从{origin}" if origin else "") + (f"到{destination}" if destination else "")
        return f"没有找到{line}{route}的直达校车，可以问问“有哪些校车线路”。"
    route = (f" from {_the(origin)}" if origin else "") + (f" to {_the(destination)}" if destination else "")
    return (
        f"No direct shuttle{' on ' + line if line else ''} runs{route}. Ask “which lines are there?” to see them all."
    )


def _lines_text(data: Data, chinese: bool) -> str:
    lines: Sequence[Data] = data["lines"]
    if not lines:
        stop = name(data.get("destination"), chinese)
        return f"没有校车经过{stop}。" if chinese else f"No shuttle line stops at {_the(stop)}."
    if len(lines) == 1:
        return _line_text(lines[0], chinese)
    stop = name(data.get("destination"), chinese)
    if chinese:
        listed = join([f"{line_name(line, True)}（{_runs(line, True)}）" for line in lines], True)
        where = f"经过{stop}的校车线路" if stop else "校园里的校车线路"
        return f"{where}有 {len(lines)} 条：{listed}。"
    listed = join([f"{line_name(line, False)} ({_runs(line, False)})" for line in lines], False)
    where = f"stop at {_the(stop)}" if stop else "run on campus"
    return f"{len(lines)} shuttle lines {where}: {listed}."


def _line_text(line: Data, chinese: bool) -> str:
    sentences: list[str] = []
    for route in line["directions"]:
        stops = " → ".join(name(stop, chinese) for stop in route["stops"])
        first, last = route["service"][0]["first"], route["service"][0]["last"]
        upcoming: Sequence[str] = route["next"]
        if chinese:
            soon = f"，今天接下来 {join(upcoming[:3], True)} 发车" if upcoming else "，今天没有班次了"
            sentences.append(f"{stops}，首班 {first}，末班 {last}{soon}。")
        else:
            soon = f"next today at {join(upcoming[:3], False)}" if upcoming else "no more trips today"
            sentences.append(f"{stops}: first {first}, last {last}, {soon}.")
    opening = (
        f"{line_name(line, chinese)}（{_runs(line, True)}）："
        if chinese
        else f"{line_name(line, False)} ({_runs(line, False)}): "
    )
    return opening + ("" if chinese else " ").join(sentences)


def _runs(line: Data, chinese: bool) -> str:
    return runs_label([service["days"] for service in line["directions"][0]["service"]], chinese)


def _parking_text(data: Data, chinese: bool) -> str:
    lots: Sequence[Data] = data["lots"]
    near, day = name(data["near"], chinese), result_day(data, chinese)
    if not lots:
        return (
            f"{day} {data['at']} 各停车场都没有空位。"
            if chinese
            else f"No car park has a free place {day} at {data['at']}."
        )
    best = next((lot for lot in lots if lot["free"] > 0), lots[0])
    others = [lot for lot in lots if lot is not best][:2]
    if chinese:
        opening = (
            f"离{near}最近、有空位的" if near else "空位最多的" if best["distance_m"] is None else "离你最近、有空位的"
        )
        text = f"{day} {data['at']}，{opening}停车场是{_lot(best, True)}。"
        return text + (f"另外{'，'.join(_lot(lot, True) for lot in others)}。" if others else "")
    opening = f"closest to {_the(near)} with free places" if near else "with the most free places"
    if not near and best["distance_m"] is not None:
        opening = "closest to you with free places"
    text = f"{day[0].upper()}{day[1:]} at {data['at']} the car park {opening} is {_lot(best, False)}."
    return text + (f" Also: {'; '.join(_lot(lot, False) for lot in others)}." if others else "")


def _lot(lot: Data, chinese: bool) -> str:
    away, full = lot["distance_m"], lot["free"] == 0
    if chinese:
        distance = "" if away is None else f"，约 {away} 米"
        free = "已满" if full else f"空位 {lot['free']}/{lot['capacity']}"
        return f"{lot['name_zh']}（{free}{distance}，{lot['price_zh']}）"
    distance = "" if away is None else f", {away} m away"
    free = "full" if full else f"{lot['free']} of {lot['capacity']} free"
    return f"the {lot['name_en']} ({free}{distance}, {lot['price_en']})"


def _ride(departure: Data) -> tuple[str, int]:
    return departure["line"]["id"], departure["direction"]


def _the(stop: str) -> str:
    """English stop names take an article: "the Library"."""
    return f"the {stop}"


_WRITERS: Mapping[str, Callable[[Data, bool], str]] = {
    "parking": _parking_text,
    "list_lines": _lines_text,
    "line_stops": _lines_text,
    "list_stops": stops_text,
    "plan_route": route_text,
}
