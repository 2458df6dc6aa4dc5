"""What a question about canteens asks for, as tool calls. Understands the words below; not a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from agents.canteen.bookings import MOST_PEOPLE
from agents.canteen.hours import day_in, hour_in
from agents.canteen.names import (
    canteen_names,
    canteens_in,
    dish_in,
    landmark_in,
    part_of_dish,
    stall_in,
    without_canteens,
)
from agents.canteen.wishes import canteen_argument, cuisine_in, meal_in, merged, wishes
from agents.kit.spec import Conversation, ToolResult

Call = tuple[str, dict[str, Any]]

PAGE = 8
"""Dishes in one answer; a question for more gets the next ones."""
RECOMMENDED = 6
_OF_ONE_CANTEEN = ("canteen", "hour", "day", "near_lat", "near_lng")
_CANTEEN_IDS = frozenset(row["id"] for row in canteen_names())


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_HEATMAP = _re(r"热力图|拥挤图|客流图|\bheat ?maps?\b")
_REVIEWS = _re(r"评价(?!最|高)|评论|口碑|好评|\breviews?\b|\bwhat do people say\b|\bopinions?\b")
_OPINION = _re(r"怎么样|好吃吗|好不好吃|\bhow (?:is|are|good)\b|\bany good\b")
_MEAL_CARD = _re(r"饭卡|餐卡|余额|\bmeal cards?\b|\bbalance\b")
_BOOKING = _re(
    r"订餐|订位|订座|订个?(?:早|午|晚|包)|订[^，。？?]{0,16}[早午中晚][餐饭]|预[订定约]|包间"
    r"|\breserv\w+|\bbook(?:ing)?\s+(?:an?|another|the|some|my|lunch|dinner|breakfast)\b"
)
_CLOCK = _re(r"(?<!\d)([01]?\d|2[0-3])[:：]([0-5]\d)(?!\d)")
_PEOPLE = _re(r"(\d{1,2}|[一两二三四五六七八九十])\s*(?:个人|人|位)|(\d{1,2})\s*(?:people|persons?|guests?)\b")
_WAY = _re(r"怎么[去走到]|如何[去到]|带我去|导航|路线|\bget to\b|\bway to\b|\bdirections?\b|\bnavigat\w+")
_MENU = _re(r"菜单|\bmenus?\b")
_DETAILS = _re(r"详情|详细|介绍|信息|\bdetails?\b|\btell me (?:more )?about\b|\binformation\b")
_WHAT_TO_EAT = _re(
    r"吃什么|吃啥|吃点什么|推荐(?:一下)?[吧呀？?！!。\s]*$|有什么推荐"
    r"|\bwhat (?:should|can|shall) (?:i|we) (?:eat|have)\b|\bwhat to eat\b|\brecommend(?: me)? (?:something|anything)\b"
    r"|\bany recommendations?\b|\bwhat do you recommend\b"
)
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
    if last is not None and last.name == "recommend_dishes":
        return [_other_recommendation(conversation, last.arguments)]
    if last is not None and last.name != "search_dishes":
        return [_call(last.name, {**last.arguments, **_ARGUMENTS[last.name](conversation)})]
    call = _call(tool := _tool(question), _ARGUMENTS[tool](conversation))
    if tool == "list_canteens" and _FOOD.search(question) and wishes(question).keys() - {"sort", "limit"}:
        return [call, ("search_dishes", _dishes(conversation))]
    return [call]


def _call(tool: str, arguments: dict[str, Any]) -> Call:
    """The call; what is asked of one canteen that exists is a call for its details."""
    if tool in ("list_canteens", "canteen_details"):
        if arguments.get("canteen") in _CANTEEN_IDS:
            return "canteen_details", {key: value for key, value in arguments.items() if key in _OF_ONE_CANTEEN}
        return "list_canteens", arguments
    return tool, {key: value for key, value in arguments.items() if value is not None}


def _tool(question: str) -> str:
    seller = stall_in(without_canteens(question))
    for asked, tool in (
        (_MEAL_CARD.search(question), "identify"),
        (_BOOKING.search(question) and (meal_in(question) or _CLOCK.search(question)), "reserve_meal"),
        (_BOOKING.search(question), "booking_form"),
        (_HEATMAP.search(question), "crowding_heatmap"),
        (_WAY.search(question) and (seller or canteens_in(question)), "walk_to"),
        (_REVIEWS.search(question) or (_OPINION.search(question) and dish_in(question)), "dish_reviews"),
        (_MENU.search(question) and not wishes(question).keys() - {"stall"}, "canteen_menu"),
        (_DETAILS.search(question) and dish_in(question), "dish_details"),
        ((_DETAILS.search(question) or _OPINION.search(question)) and seller, "stall_details"),
        (_DETAILS.search(question) and canteens_in(question), "list_canteens"),
        (_asks_for_stalls(question), "list_stalls"),
        (_asks_for_canteens(question), "list_canteens"),
        (_WHAT_TO_EAT.search(question) and not wishes(question), "recommend_dishes"),
    ):
        if asked:
            return tool
    return "search_dishes"


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
    if last.name in ("search_dishes", "recommend_dishes"):
        return last
    topic = _tool(question)
    about = {"query"} if last.name in ("dish_reviews", "dish_details") else {"stall"}
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
    """About a dish, else a stall, else a canteen; what is not named is None, so that a follow-up leaves it behind."""
    text = without_canteens(conversation.question)
    if dish := dish_in(text):
        return {"dish": dish, "stall": None, "canteen": None}
    if stall := stall_in(text):
        return {"dish": None, "stall": stall, "canteen": None}
    if canteen := canteen_argument(conversation.question):
        return {"dish": None, "stall": None, **canteen}
    part = part_of_dish(text)
    return {"dish": part} if part else {}


def _one_dish(conversation: Conversation) -> dict[str, Any]:
    dish = dish_in(without_canteens(conversation.question))
    return _with_meal({"dish": dish} if dish else {}, conversation)


def _one_stall(conversation: Conversation) -> dict[str, Any]:
    stall = stall_in(without_canteens(conversation.question))
    return _with_meal({"stall": stall} if stall else {}, conversation)


def _menu(conversation: Conversation) -> dict[str, Any]:
    return {**canteen_argument(conversation.question), **_one_stall(conversation)}


def _recommendation(conversation: Conversation) -> dict[str, Any]:
    place = conversation.asker.location
    here = {"near_lat": place[0], "near_lng": place[1]} if place else {}
    return _with_meal({**canteen_argument(conversation.question), **here}, conversation)


def _other_recommendation(conversation: Conversation, before: Mapping[str, Any]) -> Call:
    """More of the same if the question wishes nothing, else dishes as it wishes."""
    now = {**wishes(conversation.question), **_menu(conversation)}
    if now:
        return "search_dishes", {**{key: before[key] for key in ("meal", "canteen") if key in before}, **now}
    return "recommend_dishes", {
        **before,
        "offset": min(before.get("offset", 0) + before.get("limit", RECOMMENDED), 500),
    }


def _way(conversation: Conversation) -> dict[str, Any]:
    question, where = conversation.question, conversation.asker.location
    stall, start = stall_in(without_canteens(question)), landmark_in(question)
    place = {"place": stall or canteens_in(question)[0]} if stall or canteens_in(question) else {}
    if start:
        return {**place, "start": start}
    return {**place, "near_lat": where[0], "near_lng": where[1]} if where else place


def _booking(conversation: Conversation) -> dict[str, Any]:
    return canteen_argument(conversation.question)


def _reservation(conversation: Conversation) -> dict[str, Any]:
    question = conversation.question
    arguments = _with_meal(canteen_argument(question), conversation)
    if found := _CLOCK.search(question):
        hour = int(found[1])
        arguments["time"] = f"{hour + 12 if hour < 10 and arguments.get('meal') == 'dinner' else hour:02d}:{found[2]}"
    if day_in(question) == "tomorrow":
        arguments["date"] = "tomorrow"
    if people := _people(question):
        arguments["people"] = people
    return arguments


def _people(question: str) -> int | None:
    found = _PEOPLE.search(question)
    if found is None:
        return None
    number = found[1] or found[2]
    count = int(number) if number.isdecimal() else "零一二三四五六七八九十".index(number.replace("两", "二"))
    return count if 1 <= count <= MOST_PEOPLE else None


def _nothing(conversation: Conversation) -> dict[str, Any]:
    del conversation
    return {}


def _with_meal(arguments: dict[str, Any], conversation: Conversation) -> dict[str, Any]:
    meal = meal_in(conversation.question)
    return {**arguments, "meal": meal} if meal else arguments


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
    "canteen_details": _canteens,
    "stall_details": _one_stall,
    "crowding_heatmap": _heatmap,
    "dish_details": _one_dish,
    "dish_reviews": _reviews,
    "walk_to": _way,
    "canteen_menu": _menu,
    "recommend_dishes": _recommendation,
    "booking_form": _booking,
    "reserve_meal": _reservation,
    "identify": _nothing,
}
