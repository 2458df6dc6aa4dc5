"""Chooses the card of an answer and fills its data from the tools' results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.canteen.answers import MEAL_NAMES, canteen_name, clock_time, pick
from agents.kit.spec import Card, Conversation

Data = Mapping[str, Any]

CARD_TYPES = ("dish_cards", "stall_cards", "canteen_cards", "canteen_heatmap")
_CHILIES = ("", "🌶", "🌶🌶", "🌶🌶🌶")


def build_card(conversation: Conversation, answer: str) -> Card | None:
    """The card for the last result that has one; reviews are words only."""
    chinese = conversation.chinese
    found = conversation.result("search_dishes", "list_canteens", "list_stalls", "crowding_heatmap")
    if found is None:
        return None
    bubble = answer.split("\n")[0][:200]
    if found.name == "search_dishes":
        return Card("dish_cards", _dish_card(found.data, chinese), "recommend", bubble)
    if found.name == "list_canteens":
        return Card("canteen_cards", _canteen_card(found.data, chinese), "list", bubble)
    if found.name == "list_stalls":
        return Card("stall_cards", _stall_card(found.data, chinese), "list", bubble)
    if not found.data["canteens"]:
        return None
    return Card("canteen_heatmap", _heatmap(found.data, chinese), "heatmap", bubble)


def _dish_card(data: Data, chinese: bool) -> dict[str, Any]:
    meal = MEAL_NAMES[data["meal"]][0 if chinese else 1]
    where = canteen_name(data, chinese)
    order = {
        "rating": ("按评分", "by rating"),
        "price": ("从便宜到贵", "cheapest first"),
        "price_desc": ("从贵到便宜", "dearest first"),
        "spiciness": ("从辣到不辣", "hottest first"),
    }[data["sort"]][0 if chinese else 1]
    return {
        "title": f"{where}{meal}推荐" if chinese else f"{where + ' – ' if where else ''}{meal}",
        "subtitle": order,
        "empty_text": "" if data["dishes"] else ("没有符合条件的菜" if chinese else "No dish fits"),
        "items": [_dish_item(dish, chinese) for dish in data["dishes"]],
    }


def _dish_item(dish: Data, chinese: bool) -> dict[str, Any]:
    stock = dish["stock"]
    tags = dish["tags" if chinese else "tags_en"]
    return {
        "id": dish["id"],
        "name": pick(dish, "name", chinese),
        "canteen": pick(dish, "canteen", chinese),
        "stall": pick(dish, "stall", chinese),
        "price": dish["price"],
        "rating": str(dish["rating"]),
        "spiciness": dish["spiciness"],
        "spiciness_label": _CHILIES[dish["spiciness"]],
        "tags": tags,
        "tags_label": " · ".join(tags[:3]),
        "stock_label": f"余 {stock} 份" if chinese else f"{stock} left",
    }


def _canteen_card(data: Data, chinese: bool) -> dict[str, Any]:
    rows: Sequence[Data] = data["canteens"]
    titles = {
        "crowding": ("食堂拥挤程度", "Canteens by crowding"),
        "busiest": ("食堂拥挤程度", "Canteens by crowding"),
        "rating": ("食堂评分", "Canteens by rating"),
        "distance": ("附近的食堂", "Canteens near you"),
    }
    return {
        "title": titles[data["sort"]][0 if chinese else 1],
        "subtitle": clock_time(data, chinese),
        "empty_text": "" if rows else ("没有食堂营业" if chinese else "No canteen is open"),
        "items": [_canteen_item(row, chinese) for row in rows],
    }


def _canteen_item(row: Data, chinese: bool) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": row["id"],
        "name": pick(row, "name", chinese),
        "location": pick(row, "location", chinese),
        "open_hours": f"{row['opens']}–{row['closes']}",
        "rating": str(row["rating"]),
        "crowding_label": "未营业" if chinese else "closed",
    }
    if row["percent"] is not None:
        light = "🟢" if row["percent"] < 40 else "🟡" if row["percent"] < 70 else "🔴"
        free = row["seats_free"]
        item |= {
            "crowding": row["percent"] / 100,
            "crowding_label": f"{light} {row['percent']}%",
            "seats_free": free,
            "seats_label": f"空座 {free}" if chinese else f"{free} seats free",
        }
    if row["distance_m"] is not None:
        item |= {"distance_m": row["distance_m"], "distance_label": f"{row['distance_m']} m"}
    return item


def _stall_card(data: Data, chinese: bool) -> dict[str, Any]:
    where = canteen_name(data, chinese)
    title = f"{where}的档口" if chinese and where else "档口" if chinese else f"Stalls{' at ' + where if where else ''}"
    rows: Sequence[Data] = data["stalls"]
    return {
        "title": title,
        "subtitle": "",
        "empty_text": "" if rows else ("没有找到档口" if chinese else "No stalls found"),
        "items": [_stall_item(row, chinese) for row in rows],
    }


def _stall_item(row: Data, chinese: bool) -> dict[str, Any]:
    wait = row["queue_minutes"]
    return {
        "id": row["id"],
        "name": pick(row, "name", chinese),
        "canteen": pick(row, "canteen", chinese),
        "floor": row["floor"],
        "cuisine": pick(row, "cuisine", chinese),
        "rating": str(row["rating"]),
        "queue_minutes": wait,
        "queue_label": f"排队约 {wait} 分钟" if chinese else f"about {wait} min wait",
        "open_hours": f"{row['opens']}–{row['closes']}",
        "price_range": f"¥{row['price_from']:g}–{row['price_to']:g}",
    }


def _heatmap(data: Data, chinese: bool) -> dict[str, Any]:
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
