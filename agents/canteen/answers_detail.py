"""What the offline model says about one canteen, stall or dish, about reviews, and about the way there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.canteen.wording import called, hours, meal_name, metres_label, pick, wait_label, when

Data = Mapping[str, Any]

SHOWN = 3
_SPICINESS = (("不辣", "not spicy"), ("微辣", "mildly spicy"), ("辣", "spicy"), ("特别辣", "very spicy"))


def one_canteen(row: Data, data: Data, chinese: bool) -> str:
    """How full a canteen is at the time of the result, or that it is closed then."""
    name, time = pick(row, "name", chinese), when(data, chinese)
    opened = hours(row)
    if not row["open"]:
        closed = f"{name} is closed {time}; it is open {opened}."
        return f"{name}{time}没有营业，营业时间 {opened}。" if chinese else closed
    full, free, rated = row["percent"], row["seats_free"], row["rating"]
    if chinese:
        return f"{name}{time}上座 {full}%，约有 {free} 个空座；评分 {rated}，营业时间 {opened}。"
    return f"{name} is {full}% full {time}, with about {free} free seats. It is rated {rated} and open {opened}."


def spiciness(level: int, chinese: bool) -> str:
    """How hot a dish is, in words."""
    return _SPICINESS[level][0 if chinese else 1]


def about_dish(data: Data, chinese: bool) -> str:
    """One sentence about the dish of a result."""
    dish, meal = data["dish"], data["meal"]
    name, stall, canteen = (pick(dish, key, chinese) for key in ("name", "stall", "canteen"))
    hot, stock = spiciness(dish["spiciness"], chinese), dish["stock"]
    if chinese:
        left = f"{meal_name(meal, True)}还有 {stock} 份" if stock else f"{meal_name(meal, True)}没有供应"
        return f"{name}（{canteen}·{stall}）¥{dish['price']}，{hot}，评分 {dish['rating']}，{left}。"
    left = f"{stock} left for {meal}" if stock else f"not available for {meal}"
    return f"{name} ({stall}, {canteen}) costs ¥{dish['price']}; {hot}, rated {dish['rating']}, {left}."


def _canteen(data: Data, chinese: bool) -> str:
    if data["canteen"] is None:
        return _missing(data["asked"], chinese)
    return one_canteen(data["canteen"], data, chinese)


def _stall(data: Data, chinese: bool) -> str:
    stall = data["stall"]
    if stall is None:
        return _missing(data["asked"], chinese)
    name, canteen, cuisine = (pick(stall, key, chinese) for key in ("name", "canteen", "cuisine"))
    queue = wait_label(stall["queue_minutes"], chinese)
    dishes: Sequence[Data] = data["dishes"][:SHOWN]
    if chinese:
        best = f"招牌菜有{'、'.join(called(dish, True) for dish in dishes)}。" if dishes else ""
        where = f"{name}（{canteen} {stall['floor']}，{cuisine}）"
        return f"{where}评分 {stall['rating']}，{queue}，营业时间 {hours(stall)}。{best}"
    best = f" Try {', '.join(called(dish, False) for dish in dishes)}." if dishes else ""
    where = f"{name} ({canteen} {stall['floor']}, {cuisine})"
    return f"{where} is rated {stall['rating']}, {queue}, open {hours(stall)}.{best}"


def _dish(data: Data, chinese: bool) -> str:
    if data["dish"] is None:
        return _missing(data["asked"], chinese)
    latest = data["reviews"]["latest"]
    said = "" if latest is None else f"\n{'最近的评价' if chinese else 'Latest review'}: {_one_review(latest, chinese)}"
    return about_dish(data, chinese) + said


def _missing(asked: str, chinese: bool) -> str:
    return f"没有找到“{asked}”，换个名字试试。" if chinese else f'There is no "{asked}". Try another name.'


def _reviews(data: Data, chinese: bool) -> str:
    rows: Sequence[Data] = data["reviews"]
    if not rows:
        return _no_reviews(data, chinese)
    lines = [_one_review(row, chinese) for row in rows[:SHOWN]]
    return "\n".join(["最近的评价：" if chinese else "The latest reviews:", *lines])


def _no_reviews(data: Data, chinese: bool) -> str:
    if data["offset"]:
        return "没有更多评价了。" if chinese else "There are no more reviews."
    if data["dish"]:
        return "还没有这道菜的评价。" if chinese else "There are no reviews of that dish yet."
    return "没有找到这样的评价。" if chinese else "There are no such reviews."


def _one_review(row: Data, chinese: bool) -> str:
    stars = "★" * row["stars"]
    dish, text, author = (pick(row, key, chinese) for key in ("dish", "text", "author"))
    return f"{stars} {dish}：{text}（{author}）" if chinese else f"{stars} {dish}: {text} ({author})"


def _way(data: Data, chinese: bool) -> str:
    if data["end"] is None:
        return _missing(data["asked"], chinese)
    start, end = called(data["start"], chinese), called(data["stall"] or data["end"], chinese)
    way, minutes, arrives = metres_label(data["metres"]), data["minutes"], data["arrives"]
    if chinese:
        lead = "开始导航：" if data["started"] else ""
        return f"{lead}从{start}步行到{end}约 {way}，{minutes} 分钟，{arrives} 到。"
    lead = "Navigation started: " if data["started"] else ""
    start = start if data["here"] else f"the {start}"
    text = f"from {start} it is about {way} on foot to {end}, {minutes} min; you arrive at {arrives}."
    return lead + (text if lead else text[0].upper() + text[1:])


WRITERS: dict[str, Callable[[Data, bool], str]] = {
    "canteen_details": _canteen,
    "stall_details": _stall,
    "dish_details": _dish,
    "dish_reviews": _reviews,
    "walk_to": _way,
}
