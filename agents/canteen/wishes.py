"""What kind of dish a question asks for, as filters of `search_dishes`. Understands the words below and dish names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.canteen.names import canteen_in, dish_in, part_of_dish, stall_in, without_canteens


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_ASKS_HOW_SPICY = _re(r"辣不辣|\bhow (?:spicy|hot)\b")
_NOT_SPICY = _re(
    r"不辣|(?:不要|不吃|不能吃|不想吃|别放|不放|吃不了|怕|无|(?<!有)没有|没)辣|清淡"
    r"|\bmild\b|\bnon-spicy\b|\bnot spicy\b"
    r"|\b(?:no|without)\b[^,.;]{0,12}\b(?:spic\w+|chil\w+)"
    r"|(?:n't|\bnot|\bcannot) (?:eat|like|want|have)\b[^,.;]{0,12}\bspicy\b"
)
_LESS_SPICY = _re(r"(?:不太|不要太|别太|不是很|不那么|少)辣|\b(?:not (?:too|so|very)|less) spicy\b")
_LITTLE_SPICY = _re(r"微辣|一点辣|小辣|\b(?:mildly|slightly|a (?:little|bit)) spicy\b")
_VERY_SPICY = _re(r"(?:特别|很|超|最|爆|变态|非常|更)辣|\bvery spicy\b|\b(?:hottest|spiciest|spicier)\b|\bextra hot\b")
_SPICY = _re(r"辣(?!烫)|\bspicy\b|\bchil\w+")

_COUNT = _re(
    r"(?P<hanzi>[两二三四五六七八九十])\s*道|(?P<digits>\d{1,2})\s*道"
    r"|\b(?P<word>two|three|four|five|six)\s(?:[a-z]+\s){0,3}dishes|\b(?P<number>\d{1,2})\s(?:[a-z]+\s){0,3}dishes"
)
_NUMBERS = {"两": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6} | {
    character: value for value, character in enumerate("二三四五六七八九十", 2)
}
MOST_DISHES = 20
_CHEAP = _re(r"便宜|实惠|省钱|划算|\bcheap\w*|\bbudget\b|\baffordable\b|\binexpensive\b")
_EXPENSIVE = _re(r"最贵|\bmost expensive\b")
_PRICE = _re(
    r"(?:低于|不超过|不到|最多|少于|小于|\b(?:under|below|less than|at most|up to|within|no more than)\b)"
    r"\s*[¥￥]?\s*(\d{1,4}(?:\.\d{1,2})?)(?!\d)"
    r"|(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)\s*(?:(?:元|块|yuan\b|rmb\b)钱?(?!\s*(?:以上|起|or more))|以[下内])"
    r"|[¥￥]\s*(\d{1,4}(?:\.\d{1,2})?)(?!\d)(?!\s*(?:以上|起|or more))"
)
_MEALS = (
    (_re(r"早餐|早饭|早点|早上|\bbreakfast\b"), "breakfast"),
    (_re(r"午餐|午饭|中午|中饭|\blunch\b"), "lunch"),
    (_re(r"晚餐|晚饭|晚上|今晚|夜宵|宵夜|\bdinner\b|\bsupper\b|\btonight\b"), "dinner"),
)
_TAG_WORDS = (
    (r"素食|素菜|吃素|全素|素的|不吃肉|不要肉|\bvegetarians?\b|\bvegan\b|\bmeatless\b|\b(?:no|without) meat\b", "素食"),
    (r"清真|\bhalal\b", "清真"),
    (r"减脂|减肥|低脂|健身|沙拉|\blow.fat\b|\bhealthy\b|\blight meals?\b|\bsalads?\b", "低脂"),
    (r"牛肉|\bbeef\b", "牛肉"),
    (r"鸡肉|\bchicken\b", "鸡肉"),
    (r"羊肉|\b(?:lamb|mutton)\b", "羊肉"),
    (r"猪肉|\bpork\b", "猪肉"),
    (r"鸭肉?|\bduck\b", "鸭肉"),
    (r"鱼(?!香)|\bfish\b", "鱼"),
    (r"虾|\b(?:prawns?|shrimps?)\b", "虾"),
    (r"海鲜|\bseafood\b", "海鲜"),
    (r"鸡蛋|\beggs?\b", "鸡蛋"),
    (r"豆腐|\btofu\b", "豆腐"),
    (r"饺子|水饺|\bdumplings?\b", "饺子"),
    (r"馄饨|抄手|\bwontons?\b", "馄饨"),
    (r"包子|\bbuns?\b", "包子"),
    (r"(?<![方后里外前上下对见海])面(?![前包对积试])|\bnoodles?\b", "面"),
    (r"米饭|盖饭|盖浇饭|\brice\b", "米饭"),
    (r"甜品|甜点|\bdesserts?\b", "甜品"),
    (r"饮料|饮品|喝的|\bdrinks?\b|\bcoffee\b|\btea\b", "饮品"),
    (r"粥|\bporridge\b|\bcongee\b", "粥"),
    (r"汤|\bsoups?\b", "汤"),
    (r"凉菜|\bcold dish(?:es)?\b", "凉菜"),
    (r"小吃|\bsnacks?\b", "小吃"),
    (r"水果|\bfruits?\b", "水果"),
    (r"蘑菇|\bmushrooms?\b", "蘑菇"),
    (r"咖喱|\bcurry\b", "咖喱"),
    (r"花生|\bpeanuts?\b", "花生"),
)
_TAGS = tuple((_re(pattern), tag) for pattern, tag in _TAG_WORDS)
_ANY_TAG = "(?:" + "|".join(pattern for pattern, _ in _TAG_WORDS) + ")"
_ALL_OF = rf"{_ANY_TAG}(?:\s*(?:和|或|与|、|,|\bor\b|\band\b)\s*{_ANY_TAG})*"
_NEGATED = _re(
    r"(?:不要|不吃|不含|不能吃|不想吃|不喜欢吃?|不放|别放|(?<!有)没有|除了|\ballergic to\s+"
    rf"|\b(?:no|without|except|(?:don't|do not|cannot|can't) (?:eat|like|want|have))\s+(?:any\s+)?){_ALL_OF}"
    rf"|对{_ALL_OF}过敏"
)
_OR = _re(r"或|还是|\bor\b")
_CUISINES = (
    ("川菜", _re(r"川菜|四川|\bsichuan\b")),
    ("湘菜", _re(r"湘菜|湖南|\bhunan\b")),
    ("粤式", _re(r"粤菜|粤式|广东|烧腊|\bcantonese\b")),
    ("韩餐", _re(r"韩餐|韩国|韩式|\bkorean\b")),
    ("日式", _re(r"日式|日本|日料|\bjapanese\b")),
    ("西式", _re(r"西餐|西式|\bwestern\b")),
    ("东北菜", _re(r"东北菜|\bnortheastern\b")),
    ("麻辣烫", _re(r"麻辣烫|\bmalatang\b")),
)
_STALL_CUISINES = {
    "素食": "素食",
    "清真": "清真",
    "低脂": "轻食",
    "面": "面",
    "饺子": "饺子",
    "馄饨": "馄饨",
    "甜品": "甜点",
    "饮品": "饮品",
    "包子": "早点",
    "粥": "早点",
}
_SPICE = ("spicy_min", "spicy_max")
MOST_TAGS = 3


def wishes(question: str) -> dict[str, Any]:
    """Filters and order that the question names; empty if it names none.

    A dish's own name counts as a name only: 鱼香肉丝 is no wish for fish, and 酸辣粉 none for something hot.
    """
    text = without_canteens(question)
    arguments: dict[str, Any] = {}
    if stall := stall_in(text):
        arguments["stall"] = stall
        text = text.replace(stall, " ")
    if dish := dish_in(text):
        arguments["query"] = dish
        text = text.replace(dish, " ")
    else:
        arguments |= {**_spiciness(text), **_kind(text)}
    if price := _PRICE.search(text):
        limit = float(price[1] or price[2] or price[3])
        arguments |= {"max_price": limit} if limit else {}
    if count := _count(text):
        arguments["limit"] = count
    if _CHEAP.search(text):
        arguments["sort"] = "price"
    elif _EXPENSIVE.search(text):
        arguments["sort"] = "price_desc"
    return arguments


def meal_in(question: str) -> str | None:
    """The meal that the question names."""
    return next((meal for pattern, meal in _MEALS if pattern.search(question)), None)


def cuisine_in(question: str) -> str | None:
    """What a stall is to sell, as the stalls' cuisines are called."""
    text = without_canteens(question)
    if (stall := stall_in(text)) is not None:
        return stall
    named = next((name for name, pattern in _CUISINES if pattern.search(text)), None)
    tag = next((tag for pattern, tag in _TAGS if tag in _STALL_CUISINES and pattern.search(text)), None)
    return named or (_STALL_CUISINES[tag] if tag else None)


def merged(before: Mapping[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The wishes of a follow-up question together with those it leaves as they were."""
    kept = dict(before)
    kept.pop("offset", None)
    if "query" in now:
        kept = {key: value for key, value in kept.items() if key in ("meal", "canteen")}
    if any(key in now for key in _SPICE):
        kept = {key: value for key, value in kept.items() if key not in _SPICE}
    if "tags" in now:
        kept.pop("any_tag", None)
    return {**kept, **now}


def canteen_argument(question: str) -> dict[str, Any]:
    """`{"canteen": ...}` if the question names one."""
    canteen = canteen_in(question)
    return {"canteen": canteen} if canteen else {}


def _count(text: str) -> int | None:
    """How many dishes are asked for; None if no number is named or it is no sensible one."""
    found = _COUNT.search(text)
    if found is None:
        return None
    digits = found["digits"] or found["number"]
    count = int(digits) if digits else _NUMBERS[(found["hanzi"] or found["word"]).lower()]
    return count if 0 < count <= MOST_DISHES else None


def _kind(text: str) -> dict[str, Any]:
    """Tags to have and to avoid, or a piece of a dish's name."""
    unwanted = [tag for found in _NEGATED.finditer(text) for tag in _tags(found[0])]
    kind: dict[str, Any] = {"without": unwanted[:MOST_TAGS]} if unwanted else {}
    text = _NEGATED.sub(" ", text).replace("辣椒", " ")  # a wish about how hot, not for a dish
    tags, part = _tags(text), part_of_dish(text)
    cuisine = next((name for name, pattern in _CUISINES if pattern.search(text)), None)
    if part and not cuisine and _says_more_than_a_tag(part):
        return {**kind, "query": part}
    if tags:
        kind["tags"] = tags[:MOST_TAGS]
        if len(tags) > 1 and _OR.search(text):
            kind["any_tag"] = True
    elif query := cuisine or part:
        kind["query"] = query
    return kind


def _says_more_than_a_tag(part: str) -> bool:
    return " " in part if part.isascii() else len(part) > 2


def _tags(text: str) -> list[str]:
    return [tag for pattern, tag in _TAGS if pattern.search(text)]


def _spiciness(text: str) -> dict[str, Any]:
    if _ASKS_HOW_SPICY.search(text):
        return {}
    if _NOT_SPICY.search(text):
        return {"spicy_max": 0}
    if _LESS_SPICY.search(text):
        return {"spicy_max": 1}
    if _LITTLE_SPICY.search(text):
        return {"spicy_min": 1, "spicy_max": 1}
    if _VERY_SPICY.search(text):
        return {"spicy_min": 3, "sort": "spiciness"}
    return {"spicy_min": 2} if _SPICY.search(text) else {}
