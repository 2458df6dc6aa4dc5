"""What a question about transport asks for, as tool calls. Understands the words below; not a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.kit.spec import Asker, Conversation
from agents.transport import places
from agents.transport.places import Mention

Call = tuple[str, dict[str, Any]]

_PARKING = re.compile(r"停车|车位|泊车|停我的车|\bpark(?:ing|ed)?\b(?!\s+line)|\bcar ?parks?\b|\bgarages?\b", re.I)
_SHUTTLE = re.compile(
    r"校车|班车|公交|巴士|摆渡|接驳|发车|开往|首班|末班|头班|几点.{0,6}车|下一班|下一趟|坐.{0,4}车|线路|路线|车站|站点"
    r"|\bshuttles?\b|\bbus(?:es)?\b|\bdepart\w*|\btimetables?\b|\bschedules?\b|\blines?\b|\broutes?\b|\bride\b",
    re.I,
)
_NAMES_A_SHUTTLE = re.compile(
    r"校车|班车|公交|巴士|摆渡|接驳|首班|末班|头班|下一班|下一趟|\bshuttles?\b|\bbus(?:es)?\b|\btimetables?\b", re.I
)
_GETTING = re.compile(r"怎么(?:去|走|到)|如何(?:去|到)|\bget (?:to|from)\b|\bgo(?:ing)? to\b|\bway to\b|去|到", re.I)
_LIST = re.compile(
    r"(?:有|开通了?)?(?:哪些|哪几条|什么|几条|所有|全部)(?:校车|班车|公交|巴士)?(?:的)?(?:线路|路线|线|校车|班车)"
    r"|线路(?:列表|图|一览)|\b(?:what|which|all|list|show)\b[^?.]{0,24}\b(?:lines|routes|shuttles|buses)\b",
    re.I,
)
_HOW = re.compile(
    r"怎么(?:去|走|到)|如何(?:去|到|走)|路线规划|导航"
    r"|\bget (?:to|from)\b|\bway to\b|\bdirections? to\b|\bnavigat\w+|\broute (?:from|to)\b",
    re.I,
)
_STOP_LIST = re.compile(
    r"(?:哪些|所有|全部|几个|多少个?)(?:校车|班车)?(?:的)?(?:站点|车站|站)|(?:校车|班车)(?:站点|车站)(?:列表|有哪些)"
    r"|\b(?:which|what|all|list|show|how many)\b[^?.]{0,24}\bstops\b",
    re.I,
)
_STOPS = re.compile(r"经过|停靠|停哪|哪些站|哪几站|站点|途经|\bstops?\b|\bpass(?:es)?\b|\bserves?\b", re.I)
_FREE = re.compile(
    r"空位|空余|剩余|有位|还有.{0,4}位|免排队|\bfree\b|\bavailable\b|\bspaces?\b|\bvacan\w*|\bspots?\b", re.I
)
_NEAR_ME = re.compile(r"附近|最近的|离我|就近|\bnear(?:est|by| me| here)?\b|\bclosest\b", re.I)
_FIRST = re.compile(r"首班|头班|第一班|最早|\bfirst\b|\bearliest\b", re.I)
_LAST = re.compile(r"末班|尾班|最后一班|最晚|\blast\b|\blatest\b|\bfinal\b", re.I)

_FROM_BEFORE = re.compile(r"(?:从|由|在|离|\bfrom|\bat|\bleav\w+|\bnear)(?:\s+the)?\s*$", re.I)
_TO_BEFORE = re.compile(r"(?:去|到|往|回|至|抵达|\bto|\bfor|\btowards?|\breach(?:es)?)(?:\s+the)?\s*$", re.I)
_FROM_AFTER = re.compile(r"^\s*(?:出发|上车|发车|开出|开往|到|去|往|->|→|\bto\b)", re.I)

_DAYS: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern, re.I), day)
    for pattern, day in (
        (r"后天|\bday after tomorrow\b", "day_after_tomorrow"),
        (r"明天|明早|明晚|\btomorrow\b", "tomorrow"),
        (r"今天|今晚|今早|\btoday\b|\btonight\b", "today"),
        (r"(?:周|星期|礼拜)一|\bmondays?\b", "monday"),
        (r"(?:周|星期|礼拜)二|\btuesdays?\b", "tuesday"),
        (r"(?:周|星期|礼拜)三|\bwednesdays?\b", "wednesday"),
        (r"(?:周|星期|礼拜)四|\bthursdays?\b", "thursday"),
        (r"(?:周|星期|礼拜)五|\bfridays?\b", "friday"),
        (r"(?:周|星期|礼拜)六|\bsaturdays?\b", "saturday"),
        (r"(?:周|星期|礼拜)[日天]|\bsundays?\b", "sunday"),
        (r"周末|双休日|\bweekends?\b", "weekend"),
    )
)
_CHINESE_TIME = re.compile(
    r"(上午|早上|早晨|凌晨|中午|下午|傍晚|晚上|今晚|明晚|今早|明早)?\s*(\d{1,2}|[一二两三四五六七八九十]{1,3})[点时](半|一刻|三刻|(\d{1,2})分?)?"
)
_COLON_TIME = re.compile(r"(?<!\d)(\d{1,2})[:：](\d{2})\s*(am|pm|a\.m\.|p\.m\.)?", re.I)
_ENGLISH_TIMES = (
    re.compile(r"\b(\d{1,2})\s*(am|pm|a\.m\.|p\.m\.)(?![a-z])", re.I),
    re.compile(r"\b(\d{1,2})(\s*)o'clock\b", re.I),
    re.compile(r"\b(?:at|after|around|by)(\s)(\d{1,2})(?![\d:])", re.I),
)
_CLAUSES = re.compile(r"[。！？!?；;，,\n]+|\band\b|以及|还有(?=哪|什|几|多)|顺便|另外", re.I)
_NAMED_TIMES = (
    (re.compile(r"中午|正午|\bnoon\b|\blunch ?time\b", re.I), "12:00"),
    (re.compile(r"下午|\bafternoon\b", re.I), "13:00"),
    (re.compile(r"晚上|今晚|明晚|\bevening\b|\btonight\b", re.I), "18:00"),
    (re.compile(r"早上|上午|明早|今早|\bmorning\b", re.I), "06:00"),
)
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九十")} | {"两": 2}


def calls_for(conversation: Conversation) -> list[Call]:
    """The tool calls that answer the question; empty if it is not about transport."""
    question = conversation.question
    parking, shuttle = _subjects(question)
    if not parking and not shuttle:
        found = _mentions(question)
        follow_up = _follow_up(conversation, found)
        if follow_up:
            return [follow_up]
        shuttle = bool(found) and _GETTING.search(question) is not None
    about_shuttle, about_parking = _split(question) if parking and shuttle else (question, question)
    calls: list[Call] = []
    if shuttle:
        calls.append(_shuttle_call(about_shuttle, conversation.asker))
    if parking:
        calls.append(("parking", _parking_arguments(about_parking, conversation.asker)))
    return calls


def _subjects(text: str) -> tuple[bool, bool]:
    """Whether a text is about parking, and whether it is about shuttles."""
    found = _mentions(text)
    # The Science Park is no place to park: what a stop is called says nothing about what is asked.
    words = _without(text, found)
    return (
        _PARKING.search(words) is not None,
        any(pattern.search(words) for pattern in (_SHUTTLE, _STOP_LIST)) or any(map(_is_line, found)),
    )


def _split(question: str) -> tuple[str, str]:
    """The part about shuttles and the part about parking; the whole for both if the clauses do not tell them apart."""
    clauses = [clause for clause in _CLAUSES.split(question) if clause.strip()]
    parking = [clause for clause in clauses if _subjects(clause)[0]]
    shuttle = [clause for clause in clauses if clause not in parking]
    if not any(_subjects(clause)[1] for clause in shuttle):
        return question, question
    return "，".join(shuttle), "，".join(parking)


def _shuttle_call(question: str, asker: Asker) -> Call:
    found = _mentions(question)
    line = next((mention.place.id for mention in found if _is_line(mention)), None)
    origin, destination = stop_roles(question, [mention for mention in found if not _is_line(mention)])
    if line and _STOPS.search(question) and not (origin or destination):
        return "line_stops", {"line": line}
    if _STOP_LIST.search(question) and not (line or origin or destination):
        return "list_stops", {}
    if destination and not line and _HOW.search(question) and not _NAMES_A_SHUTTLE.search(question):
        return "plan_route", _route_arguments(origin, destination, question, asker)
    if _LIST.search(question) and not line and not origin:
        return "list_lines", {"destination": destination} if destination else {}
    arguments = {"destination": destination, "origin": origin, "line": line, **_moments(question)}
    if asker.location and not origin:
        arguments["near_lat"], arguments["near_lng"] = asker.location
    return "next_departures", _given(arguments)


def _route_arguments(origin: str | None, destination: str, question: str, asker: Asker) -> dict[str, Any]:
    moments = {key: value for key, value in _moments(question).items() if key != "which"}
    arguments = {"destination": destination, "origin": origin, **moments}
    if asker.location and not origin:
        arguments["near_lat"], arguments["near_lng"] = asker.location
    return _given(arguments)


def _parking_arguments(question: str, asker: Asker) -> dict[str, Any]:
    near = next((mention.place.id for mention in _mentions(question) if not _is_line(mention)), None)
    arguments: dict[str, Any] = {"near": near, "day": day_in(question), "at": time_in(question)}
    if _FREE.search(question):
        arguments["free_only"] = True
    if asker.location and not near and _NEAR_ME.search(question):
        arguments["near_lat"], arguments["near_lng"] = asker.location
    return _given(arguments)


def _follow_up(conversation: Conversation, found: Sequence[Mention]) -> Call | None:
    """The last call again with what this question changes: "and on Saturday?", "那从北门呢"."""
    if not conversation.earlier_results:
        return None
    last = conversation.earlier_results[-1]
    question = conversation.question
    stops = [mention for mention in found if not _is_line(mention)]
    if last.name == "parking":
        change = _parking_arguments(question, conversation.asker)
    else:
        origin, destination = stop_roles(question, stops)
        change = _given({"origin": origin, "destination": destination, **_moments(question)})
    if not change or last.name not in ("next_departures", "parking", "plan_route"):
        return None
    if last.name == "plan_route":
        change.pop("which", None)
    return last.name, {key: value for key, value in {**last.arguments, **change}.items() if key != "offset"}


def stop_roles(question: str, found: Sequence[Mention]) -> tuple[str | None, str | None]:
    """(origin, destination) stop ids, by the words around the stops; a lone stop without such words is where to go."""
    origin = destination = None
    unmarked: list[str] = []
    for mention in found:
        before, after = question[: mention.start], question[mention.end :]
        if _TO_BEFORE.search(before):
            destination = destination or mention.place.id
        elif _FROM_BEFORE.search(before) or _FROM_AFTER.search(after):
            origin = origin or mention.place.id
        else:
            unmarked.append(mention.place.id)
    for stop in unmarked:
        if destination is None:
            destination = stop
        elif origin is None and stop != destination:
            origin = stop
    return origin, None if destination == origin else destination


def day_in(question: str) -> str | None:
    """The day that a question names, as the tools spell it."""
    return next((day for pattern, day in _DAYS if pattern.search(question)), None)


def time_in(question: str) -> str | None:
    """The time that a question names as "HH:MM". Hours 1 to 6 are afternoon unless the question says otherwise."""
    for parse in (_colon_time, _chinese_time, _english_time):
        found = parse(question)
        if found:
            return found
    return next((time for pattern, time in _NAMED_TIMES if pattern.search(question)), None)


def _moments(question: str) -> dict[str, Any]:
    which = "last" if _LAST.search(question) else "first" if _FIRST.search(question) else None
    return {"day": day_in(question), "after": time_in(question) if which is None else None, "which": which}


def _colon_time(question: str) -> str | None:
    match = _COLON_TIME.search(question)
    if match is None:
        return None
    return _clock(int(match[1]), int(match[2]), match[3], guess=False)


def _chinese_time(question: str) -> str | None:
    match = _CHINESE_TIME.search(question)
    if match is None:
        return None
    part, hour, rest, minute = match[1] or "", match[2], match[3], match[4]
    minutes = int(minute) if minute else {"半": 30, "一刻": 15, "三刻": 45}.get(rest or "", 0)
    half = "pm" if part in ("下午", "傍晚", "晚上", "今晚", "明晚", "中午") else "am" if part else None
    value = _number(hour)
    if part == "中午" and value >= 11:
        half = None
    return _clock(value, minutes, half, guess=True)


def _english_time(question: str) -> str | None:
    for pattern in _ENGLISH_TIMES:
        match = pattern.search(question)
        if match is not None:
            hour, half = sorted(match.groups(), key=lambda group: not group.isdigit())
            return _clock(int(hour), 0, half.strip() or None, guess=True)
    return None


def _clock(hour: int, minute: int, half: str | None, *, guess: bool) -> str | None:
    afternoon = half is not None and half.lower().startswith("p")
    morning = half is not None and half.lower().startswith("a")
    if (afternoon and hour < 12) or (half is None and guess and 1 <= hour <= 6):
        hour += 12
    elif morning and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
    return _DIGITS[text[-1]]


def _mentions(text: str) -> list[Mention]:
    return places.mentions(text, (*places.stops(), *places.lines(), *places.kinds()))


def _without(question: str, found: Sequence[Mention]) -> str:
    for mention in found:
        question = question[: mention.start] + " " * (mention.end - mention.start) + question[mention.end :]
    return question


def _is_line(mention: Mention) -> bool:
    return mention.place in places.lines()


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if value is not None}
