"""Whatever is asked about transport, there is an answer, and every card fits the shared catalogue."""

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

from agents.kit.clock import campus_clock
from agents.kit.database import open_database
from agents.kit.mcp_tools import quiet_server
from agents.kit.spec import Asker
from agents.transport import places
from agents.transport.agent import SPEC
from agents.transport.cards import CARD_TYPES
from agents.transport.seed import seed
from agents.transport.tools import TransportTools, build_server
from tests.unit.agents_kit.cards import fits
from tests.unit.agents_kit.harness import stopped
from tests.unit.agents_kit.talk import Answered, Talk

WORDS = (
    *("怎么去", "从", "到", "去", "校车", "停车", "空位", "线路", "站点", "哪些", "末班车", "首班", "下一班", "导航"),
    *("那", "呢", "how do I get to", "from the", "to the", "bus", "shuttle", "park", "free", "lines", "stops", "which"),
    *(
        "last",
        "near me",
        "明天",
        "周六",
        "周末",
        "下午5点半",
        "8点",
        "25点",
        "tomorrow",
        "at 7 pm",
        "on Sunday",
        "12:30",
    ),
    *("中午", "，", "？", " ", "😀", "\x00"),
)
KNOWN = (*places.stops(), *places.lines())
NAMES = [name for place in KNOWN for name in (place.name_zh, place.name_en, *place.aliases)]
QUESTIONS = st.lists(st.sampled_from(WORDS) | st.sampled_from(NAMES) | st.text(max_size=6), max_size=7).map("".join)
SPACED = st.lists(st.sampled_from(WORDS) | st.sampled_from(NAMES), max_size=7).map(" ".join)
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31))
CAMPUS = st.tuples(st.floats(31.015, 31.035), st.floats(121.43, 121.45))
PLACES = st.none() | CAMPUS | st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@cache
def tool_schemas() -> dict[str, Any]:
    async def listed() -> dict[str, Any]:
        async with Client(quiet_server(build_server, open_database(seed), campus_clock({}))) as client:
            return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    return asyncio.run(listed())


def check(answered: Answered) -> None:
    """An answer, calls that the MCP server accepts, and a card that the catalogue accepts if there is one."""
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
        talk = Talk(SPEC, TransportTools(db, lambda: now), Asker(locale=locale, location=place))
        for question in questions:
            check(talk.ask(question))
    finally:
        db.close()


STOP, LINE = st.sampled_from([*NAMES, "nowhere", "", "gate"]), st.sampled_from(["L1", "line 3", "6号线", "line 99"])
DAY = st.sampled_from(["today", "tomorrow", "day_after_tomorrow", "weekend", "monday", "sunday"])
TIME = st.times().map(lambda time: f"{time:%H:%M}")
NEAR = {"near_lat": st.floats(-90, 90), "near_lng": st.floats(-180, 180)}
CALLS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "next_departures": {
        "destination": STOP,
        "origin": STOP,
        "line": LINE,
        "day": DAY,
        "after": TIME,
        **NEAR,
        "which": st.sampled_from(["next", "first", "last"]),
        "limit": st.integers(1, 30),
        "offset": st.integers(0, 200),
        "chinese": st.booleans(),
    },
    "list_lines": {"destination": STOP, "chinese": st.booleans()},
    "line_stops": {"line": LINE},
    "list_stops": {"line": LINE, "limit": st.integers(1, 50), "offset": st.integers(0, 200)},
    "parking": {"near": STOP, "free_only": st.booleans(), "day": DAY, "at": TIME, "chinese": st.booleans(), **NEAR},
    "plan_route": {
        "destination": STOP,
        "origin": STOP,
        "day": DAY,
        "after": TIME,
        **NEAR,
        "offset": st.integers(0, 11),
        "chinese": st.booleans(),
    },
    "navigate": {
        "to": STOP | st.sampled_from(["P1", "P5", "南门停车场"]),
        "origin": STOP,
        "after": TIME,
        "started": st.booleans(),
        **NEAR,
    },
}


def calls_of(tool: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A call of the tool with what it requires and any of the rest."""
    required = tool_schemas()[tool].get("required", [])
    must = {key: CALLS[tool][key] for key in required}
    may = {key: value for key, value in CALLS[tool].items() if key not in required}
    return st.tuples(st.just(tool), st.fixed_dictionaries(must, optional=may))


def test_the_generated_calls_use_every_argument_of_every_tool() -> None:
    assert {tool: set(schema["properties"]) for tool, schema in tool_schemas().items()} == {
        tool: set(arguments) for tool, arguments in CALLS.items()
    }


@given(st.sampled_from(sorted(CALLS)).flatmap(calls_of), MOMENTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_call_that_a_model_may_make_gives_an_answer_and_a_valid_card(
    call: tuple[str, dict[str, Any]], moment: datetime, chinese: bool
) -> None:
    now = moment.replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    db = open_database(seed)
    try:
        check(Talk(SPEC, TransportTools(db, lambda: now)).call("问" if chinese else "ask", *call))
    finally:
        db.close()


CARD_OF = {
    "shuttle_cards": ("下一班去图书馆的校车", "which lines are there?", "1号线经过哪些站", "怎么坐校车去图书馆"),
    "route_card": ("怎么去图书馆", "从地铁站怎么到科技园", "how do I get to the metro station?", "way to the library"),
    "parking_cards": ("停车场还有位置吗", "图书馆附近哪里可以停车", "where can I park?"),
    "list-card": ("有哪些校车站点", "which stops are there?"),
}


@pytest.mark.parametrize(("card_type", "question"), [(card, q) for card, qs in CARD_OF.items() for q in qs])
def test_every_card_type_has_its_questions(card_type: str, question: str) -> None:
    db = open_database(seed)
    try:
        answered = Talk(SPEC, TransportTools(db, stopped("2026-12-01T10:30"))).ask(question)
    finally:
        db.close()
    check(answered)
    assert answered.card is not None
    assert answered.card.type == card_type


def test_the_only_card_that_no_question_leads_to_is_the_one_that_a_click_opens() -> None:
    assert set(CARD_TYPES) - set(CARD_OF) == {"navigation-card"}
