"""Data of the cards about menus, recommendations, bookings and the meal card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.canteen.answers_service import number, reason
from agents.canteen.bookings import MOST_PEOPLE
from agents.canteen.card_items import dish_item, menu_item, wishes
from agents.canteen.seed import MEALS
from agents.canteen.wording import Data, called, day_label, meal_name, pick, wait_label
from agents.kit.spec import Conversation, ToolResult
from agents.kit.tickets import filters, pages

Json = dict[str, Any]


def menu(found: ToolResult, conversation: Conversation) -> Json:
    """`canteen_menu`."""
    data, chinese = found.data, conversation.chinese
    meal, where = meal_name(data["meal"], chinese), called(data["stall"] or data["canteen"], chinese)
    choices = [(meal_name(other, chinese), {"meal": other}) for other in MEALS]
    return {
        "title": f"{where}今日菜单" if chinese else f"Today's menu{' at ' + where if where else ''}",
        "subtitle": f"{day_label(data['date'], chinese)} · {meal}",
        "filter": filters(found.name, {**found.arguments, "meal": data["meal"]}, choices, chinese),
        "items": [_pane(pane, chinese) for pane in data["panes"]],
        "empty_text": "" if data["panes"] else (f"今天没有{meal}" if chinese else f"No {meal} today"),
    }


def _pane(pane: Data, chinese: bool) -> Json:
    wait = pane["queue_minutes"]
    return {
        "name": called(pane, chinese),
        "note": "" if wait is None else f"{pane['floor']} · {wait_label(wait, chinese)}",
        "items": [
            {**menu_item(dish, chinese), **({"stall": pick(dish, "stall", chinese)} if wait is None else {})}
            for dish in pane["dishes"]
        ],
    }


def recommendation(found: ToolResult, conversation: Conversation) -> Json:
    """`canteen_recommend`."""
    data, chinese = found.data, conversation.chinese
    meal, where = meal_name(data["meal"], chinese), called(data["canteen"], chinese)
    dishes: Sequence[Data] = data["dishes"]
    later = pages(found.name, found.arguments, data, chinese).get("next_page", [])
    return {
        "title": f"{where}{meal}吃什么" if chinese else f"What to eat for {meal}{' at ' + where if where else ''}",
        "subtitle": f"{data['now']} · 按评分、排队和距离"
        if chinese
        else f"{data['now']} · by rating, queue and distance",
        "items": [{**dish_item(dish, chinese), "reason": reason(dish, chinese)} for dish in dishes],
        "empty_text": "" if dishes else ("没有合适的菜" if chinese else "Nothing fits"),
        "filter": filters(found.name, found.arguments, wishes(chinese), chinese),
        "next_page": [{**button, "label": "换一批" if chinese else "Others"} for button in later],
    }


def form(found: ToolResult, conversation: Conversation) -> Json:
    """`form-card` to book a meal with."""
    data, chinese = found.data, conversation.chinese
    place = data["canteen"]
    values: Json = {"date": data["first"], "time": data["time"], "people": 2, "diets": [], "note": ""}
    fields = [
        _field("canteen", "食堂", "Canteen", "choice", chinese, options=_options(data["canteens"], chinese)),
        _field("date", "日期", "Date", "date", chinese, min=data["first"], max=data["last"]),
        _field("time", "时间", "Time", "choice", chinese, options=[_time(row, chinese) for row in data["times"]]),
        _field("people", "人数", "People", "number", chinese, min=1, max=MOST_PEOPLE, step=1),
        _field("diets", "忌口", "Diet", "choices", chinese, required=False, options=_options(data["diets"], chinese)),
        _field("note", "备注", "Note", "longtext", chinese, required=False),
    ]
    return {
        "title": "订餐" if chinese else "Book a meal",
        "subtitle": called(place, chinese),
        "form_id": _with_language(data["form"], chinese),
        "fields": fields,
        "values": {**values, "canteen": place["id"]} if place else values,
        "submit_label": "提交预订" if chinese else "Book",
    }


def _field(name: str, zh: str, en: str, kind: str, chinese: bool, *, required: bool = True, **more: Any) -> Json:
    return {"name": name, "label": zh if chinese else en, "kind": kind, "required": required, **more}


def _options(rows: Sequence[Data], chinese: bool) -> list[Json]:
    return [{"value": row["id"], "label": called(row, chinese)} for row in rows]


def _time(row: Data, chinese: bool) -> Json:
    return {"value": row["time"], "label": f"{row['time']} {called(row, chinese)}"}


def booked(found: ToolResult, conversation: Conversation) -> Json | None:
    """`message-card` that confirms a booking; None when there is none."""
    data, chinese = found.data, conversation.chinese
    row = data["booking"]
    if row is None:
        return None
    again = data["status"] == "repeated"
    title = ("已经订过了" if again else "订餐成功") if chinese else ("Booked before" if again else "Booked")
    facts = [
        ("订单号", "Booking", number(row)),
        ("食堂", "Canteen", pick(row, "canteen", chinese)),
        ("时间", "Time", f"{day_label(row['date'], chinese)} {row['time']}"),
        ("人数", "People", str(row["people"])),
        ("忌口", "Diet", " · ".join(called(diet, chinese) for diet in row["diets"])),
        ("备注", "Note", row["note"]),
    ]
    return {
        "title": title,
        "text": ("到食堂报订单号 {} 即可。" if chinese else "Say {} at the counter.").format(number(row)),
        "items": [{"label": zh if chinese else en, "value": value} for zh, en, value in facts if value],
    }


def identify(found: ToolResult, conversation: Conversation) -> Json:
    """`identify-card` before the meal card is shown."""
    chinese, name = conversation.chinese, conversation.asker.name
    person = [{"label": "当前用户" if chinese else "Signed in as", "value": name[:100]}] if name else []
    return {
        "title": "确认身份" if chinese else "Confirm who you are",
        "text": "为了查询饭卡余额，请确认是你本人。" if chinese else "Confirm that the meal card is yours.",
        "items": person,
        "token": _with_language(found.data["token"], chinese),
        "fields": [
            _field("number", "学号", "Student number", "text", chinese),
            _field("phone_end", "手机号后四位", "Last four digits of your phone", "text", chinese),
        ],
        "values": {"number": "", "phone_end": ""},
        "confirm_label": "是我" if chinese else "It is me",
        "decline": [{"label": "不是我" if chinese else "Not me"}],
    }


def meal_card(found: ToolResult, conversation: Conversation) -> Json | None:
    """`message-card` with the balance; None when the identity was not proved."""
    holder, chinese = found.data["holder"], conversation.chinese
    if holder is None:
        return None
    facts = [
        ("持卡人", "Holder", called(holder, chinese)),
        ("学号", "Student number", holder["number"]),
        ("余额", "Balance", f"¥{holder['balance']}"),
        ("今日消费", "Spent today", f"¥{holder['spent_today']}"),
    ]
    return {
        "title": "饭卡" if chinese else "Meal card",
        "text": f"余额 ¥{holder['balance']}" if chinese else f"Balance ¥{holder['balance']}",
        "items": [{"label": zh if chinese else en, "value": value} for zh, en, value in facts],
    }


def _with_language(key: str, chinese: bool) -> str:
    """A key that also tells, when it comes back, which language the card is in."""
    return f"{key}:{'zh' if chinese else 'en'}"
