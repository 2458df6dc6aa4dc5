"""Data of the cards about one canteen, stall or dish, of reviews, and of the way there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.canteen.answers_detail import about_dish, spiciness
from agents.canteen.card_items import button, canteen_item, menu_item, stall_item
from agents.canteen.wording import Data, called, clock_time, hours, meal_name, metres_label, pick, wait_label
from agents.kit.spec import Conversation, ToolResult
from agents.kit.tickets import filters, pages

Json = dict[str, Any]

_STARS = (
    ("全部", "All", {"stars_min": None, "stars_max": None}),
    ("好评", "Good", {"stars_min": 4, "stars_max": None}),
    ("中评", "Fair", {"stars_min": 3, "stars_max": 3}),
    ("差评", "Poor", {"stars_min": None, "stars_max": 2}),
)


def canteen(found: ToolResult, conversation: Conversation) -> Json | None:
    """`canteen_detail_card`."""
    data, chinese = found.data, conversation.chinese
    row = data["canteen"]
    if row is None:
        return None
    time = clock_time(data, chinese)
    return {
        **canteen_item(row, chinese),
        "description": f"拥挤程度：{time}" if chinese else f"Crowding as of {time}",
        "items_title": "档口" if chinese else "Stalls",
        "items": [stall_item(stall, chinese) for stall in data["stalls"]],
        "empty_text": "" if data["stalls"] else ("没有档口" if chinese else "No stalls"),
        "show_menu": button("今日菜单" if chinese else "Menu", row, chinese),
        "show_reviews": button("看评价" if chinese else "Reviews", row, chinese),
        "start_navigation": button("怎么去" if chinese else "Directions", row, chinese),
    }


def stall(found: ToolResult, conversation: Conversation) -> Json | None:
    """`stall_detail_card`."""
    data, chinese = found.data, conversation.chinese
    row = data["stall"]
    if row is None:
        return None
    meal = meal_name(data["meal"], chinese)
    house = {"id": row["canteen"], "name_zh": row["canteen_zh"], "name_en": row["canteen_en"]}
    return {
        **stall_item(row, chinese),
        "canteen": pick(row, "canteen", chinese),
        "items_title": f"{meal}招牌菜" if chinese else f"Best for {meal}",
        "items": [menu_item(dish, chinese) for dish in data["dishes"]],
        "empty_text": "" if data["dishes"] else ("暂时没有菜" if chinese else "Nothing to eat here just now"),
        "open_canteen": button(called(house, chinese), house, chinese),
        "show_menu": button("今日菜单" if chinese else "Menu", row, chinese),
        "show_reviews": button("看评价" if chinese else "Reviews", row, chinese),
        "start_navigation": button("怎么去" if chinese else "Directions", row, chinese),
    }


def dish(found: ToolResult, conversation: Conversation) -> Json | None:
    """`message-card` with what is known of one dish."""
    data, chinese = found.data, conversation.chinese
    row = data["dish"]
    if row is None:
        return None
    latest, total = data["reviews"]["latest"], data["reviews"]["total"]
    meals = [meal_name(meal, chinese) for meal in row["meals"]]
    facts = [
        ("价格", "Price", f"¥{row['price']}"),
        ("评分", "Rating", f"★ {row['rating']}"),
        ("辣度", "Spiciness", spiciness(row["spiciness"], chinese)),
        ("标签", "Tags", " · ".join(row["tags" if chinese else "tags_en"])),
        ("档口", "Stall", f"{pick(row, 'stall', chinese)} · {row['floor']}"),
        ("食堂", "Canteen", pick(row, "canteen", chinese)),
        ("营业时间", "Hours", hours(row)),
        ("排队", "Queue", wait_label(row["queue_minutes"], chinese)),
        ("供应", "Served", ("、" if chinese else ", ").join(meals)),
        ("评价", "Reviews", f"{total}" + (f" · {pick(latest, 'text', chinese)}" if latest else "")),
    ]
    return {
        "title": pick(row, "name", chinese),
        "text": about_dish(data, chinese),
        "items": [{"label": zh if chinese else en, "value": value} for zh, en, value in facts],
    }


def reviews(found: ToolResult, conversation: Conversation) -> Json:
    """`review_cards`."""
    data, chinese = found.data, conversation.chinese
    about = called(data["dish"] or data["stall"] or data["canteen"], chinese)
    rows: Sequence[Data] = data["reviews"]
    count = f"{data['total']} 条" if chinese else f"{data['total']} in all"
    average = "" if data["average"] is None else f" · {'平均' if chinese else 'average'} ★ {data['average']}"
    choices = [(zh if chinese else en, change) for zh, en, change in _STARS]
    return {
        "title": (f"{about}的评价" if about else "最新评价")
        if chinese
        else f"Reviews{' of ' + about if about else ''}",
        "subtitle": count + average,
        "items": [_review(row, chinese) for row in rows],
        "empty_text": "" if rows else ("还没有评价" if chinese else "No reviews yet"),
        "filter": filters(found.name, found.arguments, choices, chinese),
        **pages(found.name, found.arguments, data, chinese),
    }


def _review(row: Data, chinese: bool) -> Json:
    return {
        "id": row["id"],
        "name": pick(row, "author", chinese),
        "rating": str(row["stars"]),
        "text": pick(row, "text", chinese),
        "about": f"{pick(row, 'dish', chinese)} · {pick(row, 'stall', chinese)}",
        "date_label": row["date"],
    }


def way(found: ToolResult, conversation: Conversation) -> Json | None:
    """`navigation-card`; once it has started it shows the way without the button."""
    data, chinese = found.data, conversation.chinese
    if data["end"] is None:
        return None
    start, end, target = data["start"], data["end"], data["stall"] or data["end"]
    walk, minutes = metres_label(data["metres"]), data["minutes"]
    asked = found.arguments.get("start")
    # The button has to lead from the same start again.
    again = {**target, "id": f"{start['id']}>{target['id']}"} if asked and start["id"] else target
    return {
        "title": f"去{called(target, chinese)}" if chinese else f"To {called(target, chinese)}",
        "subtitle": f"从{called(start, chinese)}步行" if chinese else f"on foot from {called(start, chinese)}",
        "duration_label": f"{minutes} 分钟" if chinese else f"{minutes} min",
        "distance_label": walk,
        "items": [
            {
                **_point(start, chinese),
                "time": data["now"],
                "next_mode": "walk",
                "next_label": f"步行 {walk}" if chinese else f"{walk} on foot",
            },
            {**_point(end, chinese), "time": data["arrives"], "detail": _floor(data["stall"], chinese)},
        ],
        "note": _note(data, chinese, lost=not asked and not data["here"]),
        "start_navigation": [] if data["started"] else button("开始导航" if chinese else "Start", again, chinese),
    }


def _point(row: Data, chinese: bool) -> Json:
    return {"name": called(row, chinese), "lat": row["lat"], "lng": row["lng"]}


def _floor(row: Data | None, chinese: bool) -> str:
    return f"{called(row, chinese)} · {row['floor']}" if row else ""


def _note(data: Data, chinese: bool, *, lost: bool) -> str:
    if data["started"]:
        return "导航已开始" if chinese else "Navigation has started"
    if lost:
        start = called(data["start"], chinese)
        return (
            f"不知道你的位置，按{start}出发算。" if chinese else f"Your place is not known; this is from the {start}."
        )
    return ""
