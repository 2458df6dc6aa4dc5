"""What a question about canteens asks for, as tool calls. Understands the words below; not a language model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agents.canteen.seed import DATA
from agents.kit.database import load_csv
from agents.kit.spec import Conversation

Call = tuple[str, dict[str, Any]]


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_HEATMAP = _re(r"热力图|拥挤图|客流图|\bheat ?map\b")
_REVIEWS = _re(r"评价|评论|口碑|好评|怎么样$|\breviews?\b|\bwhat do people say\b|\bopinions?\b")
_STALLS = _re(r"档口|窗口|摊位|\bstalls?\b|\bcounters?\b")
_QUEUE = _re(r"排队|不用等|最快|\bqueues?\b|\bfastest\b|\bshortest\b")
_CROWDING = _re(r"拥挤|不挤|挤|人少|人多|空位|座位|客流|错峰|\bcrowd\w*|\bbusy\b|\bbusiest\b|\bquiet\w*|\bseats?\b")
_BUSIEST = _re(r"最挤|最拥挤|人最多|\bmost crowded\b|\bbusiest\b")
_CANTEENS = _re(
    r"(?:有哪些|有什么|几个|所有|全部|可用)(?:的)?(?:食堂|餐厅)|食堂列表|哪个?(?:食堂|餐厅)|哪家(?:食堂|餐厅)"
    r"|\b(?:which|what|list|all|show)\b[^?.]{0,20}\b(?:canteens|canteen|dining halls?|cafeterias?)\b"
)
_NEAREST = _re(r"最近的?(?:食堂|餐厅)|附近|离我|\bnear(?:est|by| me)?\b|\bclosest\b")
_BEST = _re(r"评分最高|最好的?(?:食堂|餐厅)|\bbest canteen\b|\btop rated canteens?\b")

_NOT_SPICY = _re(r"不辣|不要辣|不吃辣|别太辣|清淡|\bnot (?:too )?spicy\b|\bmild\b|\bno chil\w+|\bnon-spicy\b")
_VERY_SPICY = _re(r"特别辣|很辣|超辣|最辣|爆辣|\bvery spicy\b|\bhottest\b|\bspiciest\b|\bextra hot\b")
_LITTLE_SPICY = _re(r"微辣|一点辣|小辣|\bmildly spicy\b|\ba (?:little|bit) spicy\b")
_SPICY = _re(r"辣|\bspicy\b|\bchil\w+")
_CHEAP = _re(r"便宜|实惠|省钱|划算|\bcheap\w*|\bbudget\b|\baffordable\b")
_EXPENSIVE = _re(r"最贵|\bmost expensive\b")
_PRICE = _re(
    r"(?:低于|不超过|少于|小于|under|below|less than|at most|up to|within)\s*[¥￥]?\s*(\d+(?:\.\d+)?)"
    r"|[¥￥]?\s*(\d+(?:\.\d+)?)\s*(?:元|块|yuan|rmb)\s*(?:钱)?(?:以下|以内|之内|内)?"
)
_MEALS = (
    (_re(r"早餐|早饭|早点|早上|\bbreakfast\b"), "breakfast"),
    (_re(r"午餐|午饭|中午|中饭|\blunch\b"), "lunch"),
    (_re(r"晚餐|晚饭|晚上|今晚|夜宵|\bdinner\b|\bsupper\b|\btonight\b"), "dinner"),
)
_HOUR = _re(r"(?<!\d)(\d{1,2})\s*(?:点|[:：]\d{2}|时)|\b(\d{1,2})\s*(am|pm)\b")
_TAGS = (
    (_re(r"素食|素菜|吃素|全素|\bvegetarian\b|\bvegan\b|\bmeatless\b"), "素食"),
    (_re(r"清真|\bhalal\b"), "清真"),
    (_re(r"减脂|低脂|健身|沙拉|\blow.fat\b|\bhealthy\b|\blight meals?\b|\bsalads?\b"), "低脂"),
    (_re(r"牛肉|\bbeef\b"), "牛肉"),
    (_re(r"鸡肉|\bchicken\b"), "鸡肉"),
    (_re(r"羊肉|\blamb\b"), "羊肉"),
    (_re(r"猪肉|\bpork\b"), "猪肉"),
    (_re(r"鱼|\bfish\b"), "鱼"),
    (_re(r"豆腐|\btofu\b"), "豆腐"),
    (_re(r"饺子|水饺|\bdumplings?\b"), "饺子"),
    (_re(r"面条|吃面|面食|\bnoodles?\b"), "面"),
    (_re(r"甜品|甜点|\bdesserts?\b"), "甜品"),
    (_re(r"饮料|饮品|奶茶|咖啡|\bdrinks?\b|\bcoffee\b|\btea\b"), "饮品"),
    (_re(r"粥|\bporridge\b|\bcongee\b"), "粥"),
)
_CUISINES = (
    ("川菜", _re(r"川菜|四川|\bsichuan\b")),
    ("湘菜", _re(r"湘菜|湖南|\bhunan\b")),
    ("粤式", _re(r"粤菜|粤式|广东|烧腊|\bcantonese\b")),
    ("韩餐", _re(r"韩餐|韩国|韩式|\bkorean\b")),
    ("日式", _re(r"日式|日本|日料|\bjapanese\b")),
    ("西式", _re(r"西餐|西式|\bwestern\b|\bpizza\b|\bpasta\b")),
    ("东北菜", _re(r"东北菜|\bnortheastern\b")),
    ("麻辣烫", _re(r"麻辣烫|\bmalatang\b")),
)
_ALIASES = (
    ("c1", _re(r"第?[一1]\s*食堂|食堂一|\bcanteen\s*(?:one|1)\b|\bfirst canteen\b")),
    ("c2", _re(r"第?[二2]\s*食堂|食堂二|\bcanteen\s*(?:two|2)\b|\bsecond canteen\b")),
    ("c3", _re(r"第?[三3]\s*食堂|食堂三|\bcanteen\s*(?:three|3)\b|\bthird canteen\b")),
    ("c4", _re(r"东苑|\beast court\b")),
    ("c5", _re(r"西苑|\bwest court\b")),
    ("c6", _re(r"清真餐厅|清真食堂|\bhalal dining\b")),
    ("c7", _re(r"教工|\bfaculty dining\b|\bfaculty hall\b")),
)
_DISHES = tuple((row["name_zh"], row["name_en"]) for row in load_csv(DATA / "dishes.csv"))
_FOLLOW_UP = _re(r"^\s*(?:那|还有|再来|换|更|有没有更|what about|how about|and |any (?:cheaper|other|more)|cheaper)")


def calls_for(conversation: Conversation) -> list[Call]:
    """The tool calls for the question; never empty, because every question can be answered with dishes."""
    question = conversation.question
    if _HEATMAP.search(question):
        return [("crowding_heatmap", _hour(question))]
    if _REVIEWS.search(question):
        dish = _dish_named(question, conversation.chinese)
        return [("dish_reviews", {"dish": dish} if dish else {})]
    if _STALLS.search(question):
        return [("list_stalls", _stalls(question))]
    if _asks_for_canteens(question):
        return [("list_canteens", _canteens(conversation))]
    return [("search_dishes", _dishes(conversation))]


def _asks_for_canteens(question: str) -> bool:
    patterns = (_CROWDING, _CANTEENS, _BEST)
    if any(p.search(question) for p in patterns):
        return True
    return bool(_NEAREST.search(question)) and not _wanted_dishes(question)


def _canteens(conversation: Conversation) -> dict[str, Any]:
    question = conversation.question
    arguments: dict[str, Any] = _hour(question)
    place = conversation.asker.location
    if place:
        arguments |= {"near_lat": place[0], "near_lng": place[1]}
    if _BEST.search(question):
        return {**arguments, "sort": "rating"}
    if _NEAREST.search(question) and place and not _CROWDING.search(question):
        return {**arguments, "sort": "distance"}
    return {**arguments, "sort": "crowding"}


def _stalls(question: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    if (canteen := _canteen(question)) is not None:
        arguments["canteen"] = canteen
    cuisine = next((name for name, pattern in _CUISINES if pattern.search(question)), None)
    if cuisine:
        arguments["cuisine"] = cuisine
    if _QUEUE.search(question):
        arguments["sort"] = "queue"
    return arguments


def _dishes(conversation: Conversation) -> dict[str, Any]:
    question = conversation.question
    arguments = _wanted_dishes(question)
    if (canteen := _canteen(question)) is not None:
        arguments["canteen"] = canteen
    meal = next((name for pattern, name in _MEALS if pattern.search(question)), None)
    if meal:
        arguments["meal"] = meal
    named = _dish_named(question, conversation.chinese)
    if named:
        arguments["query"] = named
    if _FOLLOW_UP.match(question) and conversation.earlier_results:
        last = conversation.earlier_results[-1]
        before = dict(last.arguments) if last.name == "search_dishes" else {}
        arguments = {**before, **arguments}
    return arguments


def _wanted_dishes(question: str) -> dict[str, Any]:
    """Filters and order that the words of the question name."""
    arguments: dict[str, Any] = _spiciness(question)
    if price := _PRICE.search(question):
        arguments["max_price"] = float(price[1] or price[2])
    tags = [tag for pattern, tag in _TAGS if pattern.search(question)]
    cuisines = [name for name, pattern in _CUISINES if pattern.search(question)]
    if tags:
        arguments["tags"] = tags[:2]
    if cuisines and not tags:
        arguments["query"] = cuisines[0]
    if _CHEAP.search(question):
        arguments["sort"] = "price"
    elif _EXPENSIVE.search(question):
        arguments["sort"] = "price_desc"
    return arguments


def _spiciness(question: str) -> dict[str, Any]:
    if _NOT_SPICY.search(question):
        return {"spicy_max": 0}
    if _VERY_SPICY.search(question):
        return {"spicy_min": 3, "sort": "spiciness"}
    if _LITTLE_SPICY.search(question):
        return {"spicy_min": 1, "spicy_max": 1}
    if "麻辣烫" in question:
        return {}
    return {"spicy_min": 2} if _SPICY.search(question) else {}


def _canteen(question: str) -> str | None:
    return next((canteen for canteen, pattern in _ALIASES if pattern.search(question)), None)


def _hour(question: str) -> dict[str, Any]:
    found = _HOUR.search(question)
    if not found:
        return {}
    hour = int(found[1] or found[2])
    afternoon = (found[3] or "").lower() == "pm" or re.search(r"下午|晚上|傍晚", question)
    if afternoon and hour < 12:
        hour += 12
    return {"hour": hour} if hour <= 23 else {}


def _dish_named(question: str, chinese: bool) -> str | None:
    """The longest dish name that the question holds."""
    names: Sequence[str] = [zh if chinese else en for zh, en in _DISHES]
    lowered = question.lower()
    return max((n for n in names if n.lower() in lowered), key=len, default=None)
