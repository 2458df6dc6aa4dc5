"""What the offline model says about menus, recommendations, bookings and the meal card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.canteen.bookings import DAYS_AHEAD, MINUTES_AHEAD, MOST_NOTE, MOST_PEOPLE
from agents.canteen.wording import called, day_label, meal_name, metres_label, pick, wait_label

Data = Mapping[str, Any]

SHOWN = 3
_PROBLEMS = {
    "canteen": ("请选一个食堂", "choose a canteen"),
    "date": (f"日期要在今天起的 {DAYS_AHEAD} 天之内", f"the date must be within {DAYS_AHEAD} days from today"),
    "time": ("请选一个列出的时间", "choose one of the listed times"),
    "too_soon": (f"至少要提前 {MINUTES_AHEAD} 分钟", f"book at least {MINUTES_AHEAD} minutes ahead"),
    "people": (f"人数要在 1 到 {MOST_PEOPLE} 之间", f"the number of people must be 1 to {MOST_PEOPLE}"),
    "diets": ("忌口请从列出的里面选", "choose from the listed diets"),
    "note": (f"备注最多 {MOST_NOTE} 个字", f"a note has at most {MOST_NOTE} characters"),
}


def reason(dish: Data, chinese: bool) -> str:
    """Why a dish is recommended."""
    parts = [wait_label(dish["queue_minutes"], chinese)]
    if dish["percent"] is not None:
        parts.append(f"食堂上座 {dish['percent']}%" if chinese else f"canteen {dish['percent']}% full")
    if dish["distance_m"] is not None:
        away = metres_label(dish["distance_m"])
        parts.append(f"离你 {away}" if chinese else f"{away} away")
    return "，".join(parts) if chinese else ", ".join(parts)


def _menu(data: Data, chinese: bool) -> str:
    panes: Sequence[Data] = data["panes"]
    meal, where = meal_name(data["meal"], chinese), called(data["stall"] or data["canteen"], chinese)
    if not panes:
        return (
            f"{where}今天没有{meal}菜单。" if chinese else f"There is no {meal} menu{' at ' + where if where else ''}."
        )
    best = max((dish for pane in panes for dish in pane["dishes"]), key=lambda dish: dish["rating"])
    name, count, total = called(best, chinese), len(panes), data["total"]
    if chinese:
        groups = f"{count} 个{'档口' if data['by_stall'] else '食堂'}"
        return f"{where or '各食堂'}今天{meal}有 {groups}的 {total} 道菜，评分最高的是{name}（¥{best['price']}）。"
    groups = f"{count} {'stall' if data['by_stall'] else 'canteen'}{'' if count == 1 else 's'}"
    place = f" at {where}" if where else ""
    return f"Today's {meal}{place}: {total} dishes from {groups}; the best rated is {name} (¥{best['price']})."


def _recommendation(data: Data, chinese: bool) -> str:
    dishes: Sequence[Data] = data["dishes"]
    meal = meal_name(data["meal"], chinese)
    if not dishes and data["offset"]:
        return "没有更多推荐了。" if chinese else "There is nothing more to recommend."
    if not dishes:
        return f"{meal}没有找到合适的菜，换个条件试试。" if chinese else f"Nothing fits for {meal}. Try other wishes."
    named = [_one_dish(dish, chinese) for dish in dishes[:SHOWN]]
    return f"{meal}推荐：{'；'.join(named)}。" if chinese else f"For {meal} try {'; '.join(named)}."


def _one_dish(dish: Data, chinese: bool) -> str:
    name, stall, canteen = (pick(dish, key, chinese) for key in ("name", "stall", "canteen"))
    facts = f"¥{dish['price']}"
    if chinese:
        return f"{name}（{canteen}·{stall}，{facts}，{wait_label(dish['queue_minutes'], True)}）"
    return f"{name} ({stall}, {canteen}, {facts}, {wait_label(dish['queue_minutes'], False)})"


def _form(data: Data, chinese: bool) -> str:
    where = called(data["canteen"], chinese)
    if chinese:
        return f"请填好订餐信息{f'（{where}）' if where else ''}再提交，提交后就预订好了。"
    return f"Fill in the form and submit it to book a meal{' at ' + where if where else ''}."


def booking_line(booking: Data, chinese: bool) -> str:
    """A booking in one line."""
    where, people = pick(booking, "canteen", chinese), booking["people"]
    if chinese:
        return f"{where}，{day_label(booking['date'], True)} {booking['time']}，{people} 人，订单号 {number(booking)}"
    crowd = "1 person" if people == 1 else f"{people} people"
    return f"{where}, {booking['date']} at {booking['time']}, {crowd}, booking {number(booking)}"


def number(booking: Data) -> str:
    """What the booking is called at the counter."""
    return f"M{booking['number']:04d}"


def _booked(data: Data, chinese: bool) -> str:
    match data["status"]:
        case "booked":
            line = booking_line(data["booking"], chinese)
            return f"订好了：{line}。" if chinese else f"Booked: {line}."
        case "repeated":
            line = booking_line(data["booking"], chinese)
            return (
                f"这张表单已经订过了，没有重复预订：{line}。"
                if chinese
                else f"This form was booked before, nothing was booked twice: {line}."
            )
        case "declined":
            return "好的，没有预订。" if chinese else "All right, nothing was booked."
        case "invalid":
            wrong = [_PROBLEMS[problem][0 if chinese else 1] for problem in data["problems"]]
            return (
                f"没有订成：{'；'.join(wrong)}。改好后再提交一次。"
                if chinese
                else f"Not booked: {'; '.join(wrong)}. Correct the form and submit it again."
            )
        case _:
            return (
                "这张表单已经失效，请重新说一次“订餐”。"
                if chinese
                else "This form is out of date. Say “book a meal” to get a new one."
            )


def _identify(data: Data, chinese: bool) -> str:
    del data
    if chinese:
        return "查询饭卡之前，请先确认是你本人。"
    return "Please confirm who you are before I look up the meal card."


def _meal_card(data: Data, chinese: bool) -> str:
    holder, left = data["holder"], data["left"]
    if holder is not None:
        balance, spent = holder["balance"], holder["spent_today"]
        if chinese:
            return f"饭卡余额 ¥{balance}，今天消费 ¥{spent}。"
        return f"The balance of the meal card is ¥{balance}; ¥{spent} were spent today."
    if data["status"] == "no_match" and left:
        return (
            f"学号或手机号后四位不对，还可以试 {left} 次。"
            if chinese
            else f"The student number or the end of the telephone number is wrong; {left} tries are left."
        )
    return (
        "这次身份确认已经失效，请重新查询饭卡。"
        if chinese
        else "This confirmation is out of date. Please ask for the meal card again."
    )


WRITERS: dict[str, Callable[[Data, bool], str]] = {
    "canteen_menu": _menu,
    "recommend_dishes": _recommendation,
    "booking_form": _form,
    "reserve_meal": _booked,
    "book_meal": _booked,
    "identify": _identify,
    "meal_card": _meal_card,
}
