"""The offline model of the canteen agent: tool calls first, then a text about what they gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.canteen.answers_detail import WRITERS as DETAIL_WRITERS
from agents.canteen.answers_detail import one_canteen
from agents.canteen.answers_service import WRITERS as SERVICE_WRITERS
from agents.canteen.question import calls_for
from agents.canteen.wording import called, meal_name, pick, when
from agents.kit.spec import Conversation, ToolResult
from chat_models import Turn

Data = Mapping[str, Any]

SHOWN = 3
"""Rows that the text names; the card shows all."""
STALLS_SHOWN = 5

_DISH_ORDER = {
    "rating": ("", ""),
    "price": ("，从便宜到贵", ", cheapest first"),
    "price_desc": ("，从贵到便宜", ", dearest first"),
    "spiciness": ("，从辣到不辣", ", hottest first"),
}
_BEST_CANTEEN = {
    "crowding": ("最不拥挤的是", "the least crowded is"),
    "busiest": ("最拥挤的是", "the most crowded is"),
    "rating": ("评分最高的是", "the best rated is"),
    "distance": ("离你最近的是", "the closest to you is"),
}
_OF_A_TIME = ("crowding", "busiest")


def answer_offline(conversation: Conversation) -> Turn:
    """First the tool calls, then the text about their results."""
    if not conversation.results:
        return Turn(calls=calls_for(conversation))
    return Turn("\n\n".join(_text(result, conversation.chinese) for result in conversation.results))


def _text(result: ToolResult, chinese: bool) -> str:
    if not result.ok:
        return "抱歉，食堂数据暂时查不到，请稍后再试。" if chinese else "Sorry, the canteen data cannot be read now."
    return _unknown(result.data, chinese) + _WRITERS[result.name](result.data, chinese)


def _unknown(data: Data, chinese: bool) -> str:
    name = data.get("unknown_canteen")
    if not name:
        return ""
    return (
        f"没有找到“{name}”，下面看的是所有食堂。" if chinese else f'There is no "{name}"; this is about all canteens. '
    )


def _dishes(data: Data, chinese: bool) -> str:
    meal = meal_name(data["meal"], chinese)
    where = called(data["canteen"], chinese)
    dishes: Sequence[Data] = data["dishes"]
    if not dishes:
        return _no_dishes(data, meal, where, chinese)
    named = [_one_dish(dish, chinese) for dish in dishes[:SHOWN]]
    order = _DISH_ORDER[data["sort"]][0 if chinese else 1]
    if chinese:
        return f"为你找到{where}{meal}的 {len(dishes)} 道菜{order}：{'；'.join(named)}。"
    place = f" at {where}" if where else ""
    found = "Here is 1 dish" if len(dishes) == 1 else f"Here are {len(dishes)} dishes"
    return f"{found} for {meal}{place}{order if len(dishes) > 1 else ''}: {'; '.join(named)}."


def _no_dishes(data: Data, meal: str, where: str, chinese: bool) -> str:
    if data["offset"]:
        return "没有更多符合条件的菜了。" if chinese else "There are no more dishes that fit."
    if chinese:
        return f"{where or '各食堂'}{meal}没有找到符合条件的菜，换个口味、换一餐或放宽价格试试。"
    return f"Nothing at {where or 'any canteen'} fits for {meal}. Try another taste, another meal or a higher price."


def _one_dish(dish: Data, chinese: bool) -> str:
    name, stall, canteen = (pick(dish, key, chinese) for key in ("name", "stall", "canteen"))
    if chinese:
        return f"{name}（{canteen}·{stall}，¥{dish['price']}，评分 {dish['rating']}）"
    return f"{name} ({stall}, {canteen}, ¥{dish['price']}, rated {dish['rating']})"


def _canteens(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["canteens"]
    if data["canteen"]:
        return one_canteen(rows[0], data, chinese)
    is_open = [row for row in rows if row["open"]]
    if not is_open:
        return _all_closed(data, chinese)
    best, rest, sort = is_open[0], is_open[1:SHOWN], data["sort"]
    name, measure = pick(best, "name", chinese), _measure(best, sort, chinese)
    start = _start(data, len(is_open), chinese)
    lead = _BEST_CANTEEN[sort][0 if chinese else 1]
    if chinese:
        next_best = "、".join(f"{pick(row, 'name', True)}（{_measure(row, sort, True)}）" for row in rest)
        more = f"其次是{next_best}。" if rest else ""
        return f"{start}{lead}{name}，{measure}，约有 {best['seats_free']} 个空座。{more}"
    next_best = ", ".join(f"{pick(row, 'name', False)} ({_measure(row, sort, False)})" for row in rest)
    more = f" Next: {next_best}." if rest else ""
    return f"{start}{lead} {name} ({measure}, about {best['seats_free']} free seats).{more}"


def _start(data: Data, count: int, chinese: bool) -> str:
    """What comes before the best canteen: the time it is of, that the asker's place is not known, how many are open."""
    time = when(data, chinese)
    if chinese:
        lost = "没有你的位置，没法按远近排。" if data["location_unknown"] else ""
        if data["open_now"]:
            return f"{lost}{time}有 {count} 个食堂营业，".lstrip()
        return (lost + (time if data["sort"] in _OF_A_TIME else f"{time}营业的食堂里，")).lstrip()
    lost = "I do not know where you are. " if data["location_unknown"] else ""
    if data["open_now"]:
        return f"{lost}{count} canteen{' is' if count == 1 else 's are'} open {time}; "
    return f"{lost}{_sentence(time if data['sort'] in _OF_A_TIME else f'of the canteens open {time},')} "


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _all_closed(data: Data, chinese: bool) -> str:
    return f"{when(data, True)}没有食堂营业。".lstrip() if chinese else f"No canteen is open {when(data, False)}."


def _measure(row: Data, sort: str, chinese: bool) -> str:
    if sort == "rating":
        return f"评分 {row['rating']}" if chinese else f"rated {row['rating']}"
    if sort == "distance":
        return f"约 {row['distance_m']} 米" if chinese else f"{row['distance_m']} m away"
    return f"上座 {row['percent']}%" if chinese else f"{row['percent']}% full"


def _stalls(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["stalls"]
    if not rows:
        return "没有找到这样的档口。" if chinese else "There is no such stall."
    where, total, queue = called(data["canteen"], chinese), data["total"], data["sort"] == "queue"
    named = [_one_stall(row, queue, chinese) for row in rows[:STALLS_SHOWN]]
    more = total > STALLS_SHOWN
    if chinese:
        order = "，排队从短到长" if queue else ""
        return f"{where or '各食堂'}有 {total} 个档口{order}：{'、'.join(named)}{'等' if more else ''}。"
    order = ", shortest queue first" if queue and total > 1 else ""
    count = "There is 1 stall" if total == 1 else f"There are {total} stalls"
    return f"{count}{f' at {where}' if where else ''}{order}: {', '.join(named)}{' and more' if more else ''}."


def _one_stall(row: Data, queue: bool, chinese: bool) -> str:
    name, wait = pick(row, "name", chinese), row["queue_minutes"]
    if queue:
        place = pick(row, "canteen", chinese)
        return f"{name}（{place}，约 {wait} 分钟）" if chinese else f"{name} ({place}, about {wait} min)"
    cuisine = pick(row, "cuisine", chinese)
    return f"{name}（{cuisine}）" if chinese else f"{name} ({cuisine})"


def _heatmap(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = sorted(data["canteens"], key=lambda row: row["percent"])
    if not rows:
        return _all_closed(data, chinese)
    low, high, time = rows[0], rows[-1], when(data, chinese)
    quiet, busy = pick(low, "name", chinese), pick(high, "name", chinese)
    if chinese:
        if len(rows) == 1:
            return f"{time}只有{quiet}营业，上座 {low['percent']}%。".lstrip()
        return f"{time}最空的是{quiet}（{low['percent']}%），最挤的是{busy}（{high['percent']}%）。".lstrip()
    if len(rows) == 1:
        return f"Only {quiet} is open {time}, {low['percent']}% full."
    return f"{quiet} is the quietest {time} ({low['percent']}%) and {busy} the busiest ({high['percent']}%)."


_WRITERS: dict[str, Callable[[Data, bool], str]] = {
    "search_dishes": _dishes,
    "list_canteens": _canteens,
    "list_stalls": _stalls,
    "crowding_heatmap": _heatmap,
    **DETAIL_WRITERS,
    **SERVICE_WRITERS,
}
