"""The offline model of the canteen agent: tool calls first, then a text about what they gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.canteen.question import calls_for
from agents.kit.spec import Conversation, ToolResult
from chat_models import Turn

Data = Mapping[str, Any]

MEAL_NAMES = {"breakfast": ("早餐", "breakfast"), "lunch": ("午餐", "lunch"), "dinner": ("晚餐", "dinner")}
SHOWN = 3
"""Rows that the text names; the card shows all."""


def answer_offline(conversation: Conversation) -> Turn:
    """First the tool calls, then the text about their results."""
    if not conversation.results:
        return Turn(calls=calls_for(conversation))
    return Turn("\n\n".join(_text(result, conversation.chinese) for result in conversation.results))


def _text(result: ToolResult, chinese: bool) -> str:
    if not result.ok:
        return "抱歉，食堂数据暂时查不到，请稍后再试。" if chinese else "Sorry, the canteen data cannot be read now."
    return _WRITERS[result.name](result.data, chinese)


def pick(row: Data, key: str, chinese: bool) -> str:
    """The field in the language of the answer."""
    return str(row[f"{key}_{'zh' if chinese else 'en'}"])


def _dishes(data: Data, chinese: bool) -> str:
    meal = MEAL_NAMES[data["meal"]][0 if chinese else 1]
    where = pick(data["canteen"], "name", chinese) if data["canteen"] else ""
    dishes: Sequence[Data] = data["dishes"]
    if not dishes:
        place = where or ("各食堂" if chinese else "any canteen")
        if chinese:
            return f"{place}{meal}没有找到符合条件的菜，换个口味或放宽价格试试。"
        return f"Nothing at {place} fits for {meal}. Try another taste or a higher price."
    named = [_one_dish(dish, chinese) for dish in dishes[:SHOWN]]
    if chinese:
        return f"为你找到{where}{meal}的 {len(dishes)} 道菜：{'；'.join(named)}。"
    place = f" at {where}" if where else ""
    return f"Here are {len(dishes)} dishes for {meal}{place}: {'; '.join(named)}."


def _one_dish(dish: Data, chinese: bool) -> str:
    name, stall, canteen = (pick(dish, key, chinese) for key in ("name", "stall", "canteen"))
    if chinese:
        return f"{name}（{canteen}·{stall}，¥{dish['price']}，评分 {dish['rating']}）"
    return f"{name} ({stall}, {canteen}, ¥{dish['price']}, rated {dish['rating']})"


def _canteens(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["canteens"]
    is_open = [row for row in rows if row["open"]]
    hour = f"{data['at_hour']:02d}:00"
    if not is_open:
        return f"{hour} 没有食堂营业。" if chinese else f"No canteen is open at {hour}."
    best, rest = is_open[0], is_open[1:SHOWN]
    name = pick(best, "name", chinese)
    others = [f"{pick(row, 'name', chinese)} {_measure(row, data['sort'], chinese)}" for row in rest]
    if chinese:
        lead = {"crowding": "现在最不拥挤", "rating": "评分最高", "distance": "离你最近"}[data["sort"]]
        more = f"其次是{'、'.join(others)}。" if others else ""
        return f"{lead}的是{name}，{_measure(best, data['sort'], True)}，还有约 {best['seats_free']} 个空座。{more}"
    lead = {"crowding": "least crowded", "rating": "best rated", "distance": "closest"}[data["sort"]]
    more = f" Next: {', '.join(others)}." if others else ""
    seats = f"about {best['seats_free']} free seats"
    return f"The {lead} is {name} ({_measure(best, data['sort'], False)}, {seats}).{more}"


def _measure(row: Data, sort: str, chinese: bool) -> str:
    if sort == "rating":
        return f"评分 {row['rating']}" if chinese else f"rated {row['rating']}"
    if sort == "distance" and row["distance_m"] is not None:
        return f"约 {row['distance_m']} 米" if chinese else f"{row['distance_m']} m away"
    return f"上座 {row['percent']}%" if chinese else f"{row['percent']}% full"


def _stalls(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["stalls"]
    where = pick(data["canteen"], "name", chinese) if data["canteen"] else ""
    if not rows:
        return "没有找到这样的档口。" if chinese else "There is no such stall."
    named = [f"{pick(row, 'name', chinese)}（{pick(row, 'cuisine', chinese)}）" for row in rows[:5]]
    if chinese:
        return f"{where or '全校'}有 {len(rows)} 个档口：{'、'.join(named)}{'等' if len(rows) > 5 else ''}。"
    named = [f"{pick(row, 'name', False)} ({pick(row, 'cuisine', False)})" for row in rows[:5]]
    more = " and more" if len(rows) > 5 else ""
    return f"{where or 'The campus'} has {len(rows)} stalls: {', '.join(named)}{more}."


def _heatmap(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = sorted(data["canteens"], key=lambda row: row["percent"])
    hour = f"{data['at_hour']:02d}:00"
    if not rows:
        return f"{hour} 没有食堂营业。" if chinese else f"No canteen is open at {hour}."
    low, high = rows[0], rows[-1]
    if chinese:
        quiet, busy = pick(low, "name", True), pick(high, "name", True)
        return f"{hour} 最空的是{quiet}（{low['percent']}%），最挤的是{busy}（{high['percent']}%）。"
    quiet, busy = pick(low, "name", False), pick(high, "name", False)
    return f"At {hour} {quiet} is the quietest ({low['percent']}%) and {busy} the busiest ({high['percent']}%)."


def _reviews(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["reviews"]
    if not rows:
        return "还没有这道菜的评价。" if chinese else "There are no reviews of that dish yet."
    lines = [_one_review(row, chinese) for row in rows[:SHOWN]]
    return "\n".join(["最近的评价：" if chinese else "The latest reviews:", *lines])


def _one_review(row: Data, chinese: bool) -> str:
    stars = "★" * row["stars"]
    dish, text, author = (pick(row, key, chinese) for key in ("dish", "text", "author"))
    return f"{stars} {dish}：{text}（{author}）" if chinese else f"{stars} {dish}: {text} ({author})"


_WRITERS: dict[str, Callable[[Data, bool], str]] = {
    "search_dishes": _dishes,
    "list_canteens": _canteens,
    "list_stalls": _stalls,
    "crowding_heatmap": _heatmap,
    "dish_reviews": _reviews,
}
