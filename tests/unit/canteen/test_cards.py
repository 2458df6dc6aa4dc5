"""Whatever is asked, there is an answer, and every card fits the shared catalogue."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.client import Client

from agents.canteen.cards import CARD_TYPES
from agents.canteen.seed import seed
from agents.canteen.tools import CanteenTools, build_server
from agents.kit.clock import campus_clock
from agents.kit.database import open_database
from agents.kit.mcp_tools import quiet_server
from agents.kit.spec import Asker
from tests.unit.agents_kit.cards import fits
from tests.unit.agents_kit.talk import Answered
from tests.unit.canteen.tables import CANTEENS, DISHES, STALLS
from tests.unit.canteen.talk import Talk

WORDS = (
    *(
        "食堂",
        "热力图",
        "评价",
        "怎么样",
        "档口",
        "排队",
        "最不挤",
        "哪个食堂",
        "最挤",
        "附近",
        "评分最高",
        "营业",
        "几点关门",
    ),
    *("heat map", "reviews of", "stalls", "queue", "busy", "which canteen", "nearest", "best", "open now", "when"),
    *("不辣", "特别辣", "辣", "便宜", "最贵", "15元以下", "0元", "9999元", "under 3 yuan", "早餐", "晚饭", "lunch"),
    *("素食", "清真", "beef", "或", "or", "不吃", "without", "pork", "面条", "川菜", "火锅", "burger", "没有", "和"),
    *(
        "那",
        "还有",
        "更便宜",
        "换一批",
        "呢",
        "any more",
        "what about",
        "第九食堂",
        "canteen nine",
        "一点",
        "明天",
        "周末",
    ),
    *("菜单", "吃什么", "推荐", "详情", "怎么去", "订餐", "饭卡", "从图书馆"),
    *("menu", "book a meal", "tell me about", "get to", "balance", "what to eat"),
    *("18点", "下午三点", "25点", "at 7 pm", "12:30", "凌晨", "tomorrow", "？", "，", " ", "%", "'", "\x00", "😀"),
)
NAMES = [
    row[key] for rows in (CANTEENS.values(), STALLS.values(), DISHES) for row in rows for key in ("name_zh", "name_en")
]
QUESTIONS = st.lists(st.sampled_from(WORDS) | st.sampled_from(NAMES) | st.text(max_size=8), max_size=7).map("".join)
SPACED = st.lists(st.sampled_from(WORDS) | st.sampled_from(NAMES), max_size=7).map(" ".join)
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31))
PLACES = st.none() | st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@cache
def tool_schemas() -> dict[str, Any]:
    async def listed() -> dict[str, Any]:
        async with Client(quiet_server(build_server, open_database(seed), campus_clock({}))) as client:
            return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    return asyncio.run(listed())


def check(answered: Answered) -> None:
    """An answer, calls that the MCP server accepts, and a card that the catalogue accepts if there is one."""
    assert answered.calls
    for name, arguments in answered.calls:
        Draft202012Validator(tool_schemas()[name]).validate(arguments)
    assert answered.text.strip() == answered.text != ""
    if answered.card is not None:
        assert answered.card.type in CARD_TYPES
        fits(answered.card.type, dict(answered.card.data))
        assert answered.card.bubble_text


@given(st.lists(QUESTIONS | SPACED, min_size=1, max_size=3), MOMENTS, PLACES, st.sampled_from([None, "zh-CN", "en"]))
@settings(max_examples=150, deadline=None)
def test_every_conversation_gets_answers_with_valid_cards(
    questions: list[str], moment: datetime, place: tuple[float, float] | None, locale: str | None
) -> None:
    now = moment.replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    db = open_database(seed)
    try:
        talk = Talk(CanteenTools(db, lambda: now), Asker(locale=locale, location=place))
        for question in questions:
            check(talk.ask(question))
    finally:
        db.close()


TEXT = st.sampled_from([*NAMES, "c4", "第九食堂", "素食", "lamb", "%", "\x00"]) | st.text(max_size=10)
LIMIT = st.integers(1, 50)
OFFSET = st.integers(0, 500)
STARS = st.integers(1, 5)
MEAL = st.sampled_from(["breakfast", "lunch", "dinner"])
LAT, LNG = st.floats(-90, 90), st.floats(-180, 180)
STALL, DISH = TEXT | st.sampled_from(sorted(STALLS)), TEXT | st.sampled_from([dish["id"] for dish in DISHES])
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))
HOUR = st.integers(0, 23)
DAY = st.sampled_from(["today", "tomorrow", "weekday", "weekend"])
CALLS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "search_dishes": {
        "query": TEXT,
        "spicy_min": st.integers(0, 3),
        "spicy_max": st.integers(0, 3),
        "max_price": st.floats(0.01, 100),
        "meal": st.sampled_from(["breakfast", "lunch", "dinner"]),
        "canteen": TEXT,
        "stall": TEXT,
        "tags": st.lists(TEXT, max_size=5),
        "any_tag": st.booleans(),
        "without": st.lists(TEXT, max_size=5),
        "sort": st.sampled_from(["rating", "price", "price_desc", "spiciness"]),
        "limit": LIMIT,
        "offset": st.integers(0, 500),
    },
    "list_canteens": {
        "canteen": TEXT,
        "sort": st.sampled_from(["crowding", "busiest", "rating", "distance"]),
        "open_now": st.booleans(),
        "hour": HOUR,
        "day": DAY,
        "near_lat": st.floats(-90, 90),
        "near_lng": st.floats(-180, 180),
        "limit": LIMIT,
    },
    "list_stalls": {
        "canteen": TEXT,
        "cuisine": TEXT,
        "sort": st.sampled_from(["rating", "queue"]),
        "limit": LIMIT,
        "offset": OFFSET,
    },
    "crowding_heatmap": {"hour": HOUR, "day": DAY},
    "dish_reviews": {
        "dish": DISH,
        "stall": STALL,
        "canteen": TEXT,
        "stars_min": STARS,
        "stars_max": STARS,
        "limit": LIMIT,
        "offset": OFFSET,
    },
    "canteen_details": {"canteen": TEXT, "hour": HOUR, "day": DAY, "near_lat": LAT, "near_lng": LNG},
    "stall_details": {"stall": STALL, "meal": MEAL},
    "dish_details": {"dish": DISH, "meal": MEAL},
    "walk_to": {
        "place": TEXT | STALL,
        "start": st.sampled_from(["library", "图书馆", "South Gate", "the moon"]),
        "near_lat": LAT,
        "near_lng": LNG,
        "started": st.booleans(),
    },
    "canteen_menu": {"canteen": TEXT, "stall": STALL, "meal": MEAL},
    "recommend_dishes": {
        "canteen": TEXT,
        "meal": MEAL,
        "spicy_min": st.integers(0, 3),
        "spicy_max": st.integers(0, 3),
        "max_price": st.floats(0.01, 100),
        "tags": st.lists(TEXT, max_size=5),
        "near_lat": LAT,
        "near_lng": LNG,
        "limit": LIMIT,
        "offset": OFFSET,
    },
    "booking_form": {"canteen": TEXT},
    "book_meal": {"form": st.text(max_size=30), "values": st.dictionaries(st.text(max_size=9), JSON, max_size=4)},
    "reserve_meal": {
        "canteen": TEXT,
        "meal": MEAL,
        "date": st.sampled_from(["today", "tomorrow", "2026-12-05", "9999-99-99", "", "soon"]),
        "time": st.sampled_from(["12:00", "07:30", "", "noon"]),
        "people": st.integers(1, 20),
        "answers": st.fixed_dictionaries(
            {},
            optional={
                "slot": st.sampled_from(["2026-12-02 12:00", "2020-01-01 12:00"]).map(lambda slot: {"value": slot}),
                "approval": st.booleans().map(lambda yes: {"approved": yes}),
            },
        ),
        "chinese": st.booleans(),
        "call": st.sampled_from(["a", "b"]),
    },
    "identify": {},
    "meal_card": {"token": TEXT, "number": TEXT, "phone_end": TEXT},
}


def calls_of(tool: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A call of the tool with what it requires and any of the rest."""
    required = tool_schemas()[tool].get("required", [])
    arguments = CALLS[tool]
    must = {key: arguments[key] for key in required}
    may = {key: value for key, value in arguments.items() if key not in required}
    return st.tuples(st.just(tool), st.fixed_dictionaries(must, optional=may))


ANY_CALL = st.sampled_from(sorted(CALLS)).flatmap(calls_of)


def test_the_generated_calls_use_every_argument_of_every_tool() -> None:
    assert {tool: set(schema["properties"]) for tool, schema in tool_schemas().items()} == {
        tool: set(arguments) for tool, arguments in CALLS.items()
    }


@given(ANY_CALL, MOMENTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_call_that_a_model_may_make_gives_an_answer_and_a_valid_card(
    call: tuple[str, dict[str, Any]], moment: datetime, chinese: bool
) -> None:
    now = moment.replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    db = open_database(seed)
    try:
        check(Talk(CanteenTools(db, lambda: now)).call("问" if chinese else "ask", *call))
    finally:
        db.close()


CARD_OF = {
    "dish_cards": ("辣的菜", "cheap dishes"),
    "stall_cards": ("二食堂有哪些档口", "which stalls are in canteen two"),
    "canteen_cards": ("哪个食堂不挤", "which canteen is quiet"),
    "canteen_heatmap": ("热力图", "heat map"),
    "canteen_detail_card": ("东区食堂几点开门", "东苑食堂详情", "when does canteen two close", "第二食堂怎么样"),
    "stall_detail_card": ("渝味鱼庄怎么样", "介绍一下渝味鱼庄", "tell me about Yuwei Fish House"),
    "review_cards": ("水煮鱼的评价", "渝味鱼庄的评价", "二食堂的评价", "reviews of the Mapo tofu"),
    "canteen_menu": ("今天的菜单", "二食堂晚餐菜单", "what's on the menu?", "menu of Yuwei Fish House"),
    "canteen_recommend": ("推荐吃什么", "今天中午吃什么", "有什么推荐", "what should I eat?", "晚上吃什么"),
    "message-card": ("水煮鱼详情", "details of the Mapo tofu"),
    "navigation-card": ("怎么去二食堂", "从图书馆怎么走到渝味鱼庄", "how do I get to canteen three from the library?"),
    "form-card": ("帮我订餐", "预订二食堂", "book a meal", "I want to book a table at canteen two"),
    "identify-card": ("我的饭卡余额", "what is the balance of my meal card?"),
}


@pytest.mark.parametrize(("card_type", "question"), [(card, q) for card, qs in CARD_OF.items() for q in qs])
def test_every_card_type_has_its_questions(tools: CanteenTools, card_type: str, question: str) -> None:
    answered = Talk(tools).ask(question)
    check(answered)
    assert answered.card is not None
    assert answered.card.type == card_type


def test_no_card_type_is_left_out() -> None:
    assert set(CARD_OF) == set(CARD_TYPES)


def test_a_closed_campus_has_no_heat_map(tools: CanteenTools) -> None:
    answered = Talk(tools).ask("凌晨3点的热力图")
    assert (answered.card, answered.text) == (None, "03:00 没有食堂营业。")
