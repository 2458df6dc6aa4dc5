"""Chooses the card of an answer and fills its data from the tools' results: lists here, the others beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.canteen import cards_detail, cards_service
from agents.canteen.card_items import canteen_item, canteens, dish_item, stall_item, wishes
from agents.canteen.wording import called, clock_time, meal_name, pick
from agents.kit.spec import Card, Conversation, ToolResult
from agents.kit.tickets import filters, pages

Json = dict[str, Any]
Maker = Callable[[ToolResult, Conversation], Json | None]

_ORDERS = {
    "rating": ("按评分", "by rating"),
    "price": ("从便宜到贵", "cheapest first"),
    "price_desc": ("从贵到便宜", "dearest first"),
    "spiciness": ("从辣到不辣", "hottest first"),
}
_CANTEEN_TITLES = {
    "crowding": ("食堂拥挤程度", "Canteens by crowding"),
    "busiest": ("食堂拥挤程度", "Canteens by crowding"),
    "rating": ("食堂评分", "Canteens by rating"),
    "distance": ("附近的食堂", "Canteens near you"),
}


def build_card(conversation: Conversation, answer: str) -> Card | None:
    """The card for the last result that has one."""
    found = conversation.result(*_CARDS)
    if found is None:
        return None
    card_type, category, make = _CARDS[found.name]
    data = make(found, conversation)
    return None if data is None else Card(card_type, data, category, answer.split("\n\n")[0][:200])


def _dishes(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    meal, where = meal_name(data["meal"], chinese), called(data["canteen"], chinese)
    return {
        "title": f"{where}{meal}推荐" if chinese else f"{where + ' – ' if where else ''}{meal}",
        "subtitle": _ORDERS[data["sort"]][0 if chinese else 1],
        "empty_text": "" if data["dishes"] else ("没有符合条件的菜" if chinese else "No dish fits"),
        "items": [dish_item(dish, chinese) for dish in data["dishes"]],
        "filter": filters(found.name, found.arguments, wishes(chinese), chinese),
        **pages(found.name, found.arguments, data, chinese),
    }


def _canteens(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    rows: Sequence[Mapping[str, Any]] = data["canteens"]
    by = [("人少优先", "Least crowded", "crowding"), ("评分", "Best rated", "rating")]
    if found.arguments.get("near_lat") is not None:
        by.append(("最近", "Nearest", "distance"))
    choices = [(zh if chinese else en, {"sort": sort}) for zh, en, sort in by]
    return {
        "title": _CANTEEN_TITLES[data["sort"]][0 if chinese else 1],
        "subtitle": clock_time(data, chinese),
        "empty_text": "" if rows else ("没有食堂营业" if chinese else "No canteen is open"),
        "items": [canteen_item(row, chinese) for row in rows],
        "filter": filters(found.name, {**found.arguments, "sort": data["sort"]}, choices, chinese),
    }


def _stalls(found: ToolResult, conversation: Conversation) -> Json:
    data, chinese = found.data, conversation.chinese
    where = called(data["canteen"], chinese)
    title = f"{where}的档口" if chinese and where else "档口" if chinese else f"Stalls{' at ' + where if where else ''}"
    rows: Sequence[Mapping[str, Any]] = data["stalls"]
    place = data["canteen"]["id"] if data["canteen"] else None
    arguments = {**found.arguments, "canteen": place, "sort": data["sort"]}
    choices = [
        ("全部" if chinese else "All", {"canteen": None, "cuisine": None}),
        ("评分最高" if chinese else "Best rated", {"sort": "rating"}),
        ("排队最短" if chinese else "Shortest queue", {"sort": "queue"}),
        *canteens(chinese),
    ]
    return {
        "title": title,
        "subtitle": ("共 {} 个" if chinese else "{} in all").format(data["total"]),
        "empty_text": "" if rows else ("没有找到档口" if chinese else "No stalls found"),
        "items": [{**stall_item(row, chinese), "canteen": pick(row, "canteen", chinese)} for row in rows],
        "filter": filters(found.name, arguments, choices, chinese),
        **pages(found.name, arguments, data, chinese),
    }


def _heatmap(found: ToolResult, conversation: Conversation) -> Json | None:
    data, chinese = found.data, conversation.chinese
    if not data["canteens"]:
        return None
    return {
        "title": "食堂拥挤热力图" if chinese else "Canteen crowding",
        "subtitle": clock_time(data, chinese),
        "legend": "绿色空闲，红色拥挤" if chinese else "green is quiet, red is crowded",
        "cols": 3,
        "cells": [
            {
                "label": pick(row, "name", chinese),
                "value": row["percent"] / 100,
                "detail": f"{row['percent']}% · {row['seats_free']}" + (" 空座" if chinese else " free"),
            }
            for row in data["canteens"]
        ],
    }


_CARDS: dict[str, tuple[str, str, Maker]] = {
    "search_dishes": ("dish_cards", "recommend", _dishes),
    "list_canteens": ("canteen_cards", "list", _canteens),
    "list_stalls": ("stall_cards", "list", _stalls),
    "crowding_heatmap": ("canteen_heatmap", "heatmap", _heatmap),
    "canteen_details": ("canteen_detail_card", "detail", cards_detail.canteen),
    "stall_details": ("stall_detail_card", "detail", cards_detail.stall),
    "dish_details": ("message-card", "message", cards_detail.dish),
    "dish_reviews": ("review_cards", "list", cards_detail.reviews),
    "walk_to": ("navigation-card", "navigation", cards_detail.way),
    "canteen_menu": ("canteen_menu", "menu", cards_service.menu),
    "recommend_dishes": ("canteen_recommend", "recommend", cards_service.recommendation),
    "booking_form": ("form-card", "form", cards_service.form),
    "reserve_meal": ("message-card", "message", cards_service.booked),
    "book_meal": ("message-card", "message", cards_service.booked),
    "identify": ("identify-card", "form", cards_service.identify),
    "meal_card": ("message-card", "message", cards_service.meal_card),
}
CARD_TYPES = tuple(dict.fromkeys(card_type for card_type, _, _ in _CARDS.values()))
