"""What a question about canteens asks for, as tool calls. Understands the words below; not a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from agents.canteen.hours import day_in, hour_in
from agents.canteen.names import canteens_in, dish_in, part_of_dish, stall_in, without_canteens
from agents.canteen.wishes import canteen_argument, cuisine_in, meal_in, merged, wishes
from agents.kit.spec import Conversation, ToolResult

Call = tuple[str, dict[str, Any]]

PAGE = 8
"""Dishes in one answer; a question for more gets the next ones."""


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_HEATMAP = _re(r"热力图|拥挤图|客流图|\bheat ?maps?\b")
_REVIEWS = _re(r"评价(?!最|高)|评论|口碑|好评|\breviews?\b|\bwhat do people say\b|\bopinions?\b")
_OPINION = _re(r"怎么样|好吃吗|好不好吃|\bhow (?:is|are|good)\b|\bany good\b")
_STALLS = _re(r"档口|窗口|摊位|\bstalls?\b|\bcounters?\b")
_QUEUE = _re(r"排队|不用等|\bqueues?\b|\bqueuing\b|\bshortest (?:line|wait)\b")
_CROWDING = _re(
    r"挤|人最?[少多]|人不多|空位|有座|有位|座位|空座|客流|错峰"
    r"|\bcrowd\w*|\bbusy\b|\bbusier\b|\bbusiest\b|\bquiet\w*|\bseats?\b|\bempt(?:y|ier|iest)\b"
)
_BUSIEST = _re(r"最挤|最拥挤|人最多|哪.{0,6}人多|\bmost crowded\b|\bbusiest\b")
_OPENING = _re(
    r"开门|关门|营业|打烊|开着|还开|(?:食堂|餐厅)开|\bopen(?:s|ing)?\b|\bclos(?:es|ing|ed)\b|\bwhen does\b.*\bclose\b"
)
_OPEN_NOW = _re(r"开着|还开|(?:食堂|餐厅)开|营业(?!时间)|\bopen\b")
_ASKS_WHEN = _re(r"几点|什么时候|时间|\bwhen\b|\bhours\b|\btimes?\b")
_CANTEENS = _re(
    r"(?:哪些|有什么|几个|所有|全部|可用)(?:的)?(?:食堂|餐厅)|食堂列表|哪个?(?:食堂|餐厅)|哪家(?:食堂|餐厅)"
    r"|\b(?:which|what(?! about)|list|all|show|how many)\b[^?.]{0,20}\b(?:canteens?|dining halls?|cafeterias?)\b"
)
_NEAREST = _re(r"最近的?(?:食堂|餐厅)|附近|离我|\bnear(?:est|by| me)?\b|\bclosest\b")
_BEST = _re(
    r"(?:评分|评价|口碑)最高|最好|最棒|(?:哪个?|哪家)(?:食堂|餐厅)(?:最|比较|更)?好"
    r"|\b(?:best|top rated|highest rated)\b"
)
_PLACE = _re(r"食堂|餐厅|\bcanteens?\b|\bdining halls?\b|\bcafeterias?\b")
_FOOD = _re(r"菜|吃|喝|\bdish(?:es)?\b|\bfood\b|\beat\b|\bmenus?\b|\bmeals?\b|\bserves?\b|\bsells?\b")
_FOLLOW_UP = _re(
    r"^\s*(?:那|还有|再|换|更|别的|不要|有没有(?:更|别的|其他)|(?:有没有|能不能|可以|有)?便宜(?:一?点|些)"
    r"|[^，。？?]{1,8}的呢|what about|how about|and\b|but\b"
    r"|(?:(?:any|something|anything|what) )?(?:cheaper|other|more|else|less|another)\b)"
)


def calls_for(conversation: Conversation) -> list[Call]:
    """The tool calls for the question; never empty, because every question can be answered with dishes."""
    question = conversation.question
    last = _continued(conversation)
    if last is not None and last.name != "search_dishes":
        arguments = {**last.arguments, **_ARGUMENTS[last.name](conversation)}
        return [(last.name, arguments)]
    tool = _tool(question)
    call = (tool, _ARGUMENTS[tool](conversation))
    if tool == "list_canteens" and _FOOD.search(question) and wishes(question).keys() - {"sort", "limit"}:
        return [call, ("search_dishes", _dishes(conversation))]
    return [call]


def _tool(question: str) -> str:
    if _HEATMAP.search(question):
        return "crowding_heatmap"
    if _REVIEWS.search(question) or (_OPINION.search(question) and dish_in(question)):
        return "dish_reviews"
    if _asks_for_stalls(question):
        return "list_stalls"
    return "list_canteens" if _asks_for_canteens(question) else "search_dishes"


def _asks_for_stalls(question: str) -> bool:
    if _QUEUE.search(question):
        return True
    named = dish_in(question) or stall_in(question)
    return bool(_STALLS.search(question)) and not named and not wishes(question).keys() & {"spicy_min", "max_price"}


def _asks_for_canteens(question: str) -> bool:
    if _CROWDING.search(question):
        return True
    if wishes(question):
        return False
    if _BEST.search(question) or _OPENING.search(question):
        return bool(_PLACE.search(question) or canteens_in(question)) and "菜" not in question
    if _FOOD.search(question):
        return False
    asked_about = canteens_in(question) and _OPINION.search(question)
    return bool(asked_about or _CANTEENS.search(question) or _NEAREST.search(question))


def _continued(conversation: Conversation) -> ToolResult | None:
    """The last result of the conversation, if the question only changes something about it."""
    question, earlier = conversation.question, conversation.earlier_results
    if not earlier or not _FOLLOW_UP.match(question) or earlier[-1].name not in _ARGUMENTS:
        return None
    last = earlier[-1]
    if last.name == "search_dishes":
        return last
    topic = _tool(question)
    about = {"query"} if last.name == "dish_reviews" else {"stall"}
    return last if topic == "search_dishes" and not wishes(question).keys() - about else None


def _heatmap(conversation: Conversation) -> dict[str, Any]:
    hour, day = hour_in(conversation.question), day_in(conversation.question)
    return ({} if hour is None else {"hour": hour}) | ({} if day is None else {"day": day})


def _canteens(conversation: Conversation) -> dict[str, Any]:
    question, place = conversation.question, conversation.asker.location
    arguments = {**_heatmap(conversation), **canteen_argument(question)}
    if place:
        arguments |= {"near_lat": place[0], "near_lng": place[1]}
    if _OPEN_NOW.search(question) and not _ASKS_WHEN.search(question) and "canteen" not in arguments:
        arguments["open_now"] = True
    if _BUSIEST.search(question):
        arguments["sort"] = "busiest"
    elif _BEST.search(question):
        arguments["sort"] = "rating"
    elif _NEAREST.search(question) and not _CROWDING.search(question):
        arguments["sort"] = "distance"
    return arguments


def _stalls(conversation: Conversation) -> dict[str, Any]:
    question = conversation.question
    arguments = canteen_argument(question)
    if cuisine := cuisine_in(question):
        arguments["cuisine"] = cuisine
    if _QUEUE.search(question):
        arguments["sort"] = "queue"
    return arguments


def _reviews(conversation: Conversation) -> dict[str, Any]:
    text = without_canteens(conversation.question)
    dish = dish_in(text) or part_of_dish(text)
    return {"dish": dish} if dish else {}


def _dishes(conversation: Conversation) -> dict[str, Any]:
    question = conversation.question
    now = {**wishes(question), **canteen_argument(question)}
    if meal := meal_in(question):
        now["meal"] = meal
    last = _continued(conversation)
    if last is None or last.name != "search_dishes":
        return now
    if now:
        return merged(last.arguments, now)
    return _next_page(last.arguments)


def _next_page(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {**arguments, "offset": min(arguments.get("offset", 0) + arguments.get("limit", PAGE), 500)}


_ARGUMENTS: dict[str, Callable[[Conversation], dict[str, Any]]] = {
    "search_dishes": _dishes,
    "list_canteens": _canteens,
    "list_stalls": _stalls,
    "crowding_heatmap": _heatmap,
    "dish_reviews": _reviews,
}
