"""Clicks in the transport agent's cards over A2A, in process. Tuesday 2026-12-01 10:30 unless a test says otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.kit.spec import Action, Asker, Conversation
from agents.transport.actions import act
from agents.transport.agent import SPEC
from agents.transport.cards import CARD_TYPES
from tests.unit.agents_kit.cards import clicked, explore, ids, shown
from tests.unit.agents_kit.harness import Rpc, running

LAKE = {"currentLocation": {"lat": 31.0262, "lng": 121.4347}, "locationPermission": "granted"}


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC) as client:
        yield client


def button(data: dict[str, Any], key: str, label: str) -> str:
    """What the button with this label sends."""
    return next(found.get("value") or found.get("cursor") for found in data[key] if found["label"] == label)


async def test_later_and_earlier_journeys_replace_the_route_in_place(rpc: Rpc) -> None:
    on, first = await shown(rpc, "怎么去图书馆")
    assert (on, first["items"][0]["time"], first["items"][-1]["time"]) == ("route_card", "10:35", "10:41")
    assert "previous_page" not in first
    text, led_to, second = await clicked(rpc, on, "next_page", {"cursor": button(first, "next_page", "更晚")})
    assert (led_to, second["items"][0]["time"], second["items"][-1]["time"]) == ("update", "10:40", "10:47")
    assert "1号线 图书馆环线" in text
    back = button(second, "previous_page", "更早")
    _, led_to, again = await clicked(rpc, on, "previous_page", {"cursor": back})
    assert (led_to, again) == ("update", first)


async def test_navigation_starts_with_the_journey_that_was_shown(rpc: Rpc) -> None:
    on, route = await shown(rpc, "从南门怎么去图书馆")
    _, _, second = await clicked(rpc, on, "next_page", {"cursor": button(route, "next_page", "更晚")})
    (start,) = second["start_navigation"]
    context = {"id": start["id"], "name": start["name"]}
    text, led_to, way = await clicked(rpc, on, "start_navigation", context)
    assert (led_to, [stop["time"] for stop in way["items"]]) == ("navigation-card", ["10:40", "10:44", "10:47"])
    (go,) = way["start_navigation"]
    text, led_to, going = await clicked(rpc, led_to, "start_navigation", {"id": go["id"], "name": go["name"]})
    assert (led_to, going["note"], going["start_navigation"]) == ("update", "导航已开始", [])
    assert going["items"] == way["items"]
    assert text.startswith("开始导航：从南门到图书馆")


async def test_a_shuttle_leads_to_the_way_to_it_and_other_days_are_a_click_away(rpc: Rpc) -> None:
    on, data = await shown(rpc, "next shuttle from the South Gate to the library")
    (start,) = data["items"][0]["start_navigation"]
    _, led_to, way = await clicked(rpc, on, "start_navigation", {"id": start["id"], "name": start["name"]})
    assert (led_to, way["items"][0]["time"]) == ("navigation-card", data["items"][0]["next_departure"])
    text, led_to, tomorrow = await clicked(rpc, on, "filter", {"value": button(data, "filter", "Tomorrow")})
    assert led_to == "update"
    assert tomorrow["items"][0]["eta_label"] == "tomorrow"
    assert "start_navigation" not in tomorrow["items"][0]
    assert "tomorrow at 06:45" not in text
    assert [b["label"] for b in tomorrow["filter"]] == ["Today", "✓ Tomorrow", "Weekend"]


async def test_departures_are_paged_in_place(rpc: Rpc) -> None:
    on, data = await shown(rpc, "下一班去图书馆的校车")
    text, led_to, later = await clicked(rpc, on, "next_page", {"cursor": button(data, "next_page", "下一页")})
    assert led_to == "update"
    assert text.startswith("更晚的班次：")
    assert min(item["next_departure"] for item in later["items"]) >= max(
        item["next_departure"] for item in data["items"]
    )
    _, _, again = await clicked(rpc, on, "previous_page", {"cursor": button(later, "previous_page", "上一页")})
    assert again == data


async def test_car_parks_are_filtered_in_place_and_lead_to_the_way_by_car(rpc: Rpc) -> None:
    on, every = await shown(rpc, "where can I park?")
    assert "P2" in ids(every)
    _, led_to, free = await clicked(rpc, on, "filter", {"value": button(every, "filter", "Free places")})
    assert (led_to, "P2" in ids(free)) == ("update", False)
    lot = next(item for item in free["items"] if item["id"] == "P4")
    (start,) = lot["start_navigation"]
    text, led_to, way = await clicked(
        rpc, on, "start_navigation", {"id": start["id"], "name": start["name"]}, metadata=LAKE
    )
    assert led_to == "navigation-card"
    assert [(stop["name"], stop.get("next_mode", "")) for stop in way["items"]] == [
        ("your place", "car"),
        ("North Gate Parking Deck", ""),
    ]
    assert "by car to the North Gate Parking Deck" in text


async def test_stops_are_paged_and_filtered_by_line(rpc: Rpc) -> None:
    on, first = await shown(rpc, "有哪些校车站点")
    _, _, rest = await clicked(rpc, on, "next_page", {"cursor": button(first, "next_page", "下一页")})
    assert len({*ids(first), *ids(rest)}) == 13
    _, led_to, line = await clicked(rpc, on, "filter", {"value": button(first, "filter", "南北线")})
    assert (led_to, set(ids(line))) == ("update", {"south-gate", "admin", "library", "hospital", "north-gate"})


@pytest.mark.parametrize(
    ("name", "context"),
    [
        *(("start_navigation", {}), ("start_navigation", {"id": "moon"}), ("start_navigation", {"id": 5})),
        *(("start_navigation", {"id": "moon>library"}), ("start_navigation", {"id": "library@25:99"})),
        *(("start_navigation", {"id": "x" * 101}), ("next_page", {"cursor": "10:40"}), ("filter", {})),
        *(("filter", {"value": '["zh","navigate",{"to":"P1"}]'}), ("open_dish", {"id": "d0101"})),
        *(("next_page", {"cursor": '["zh","plan_route",{"destination":"moon"}]'}),),
        *(("next_page", {"cursor": '["zh","plan_route",{"destination":"library","offset":99}]'}),),
    ],
)
async def test_a_context_that_makes_no_sense_is_answered_in_words(rpc: Rpc, name: str, context: dict[str, Any]) -> None:
    text, led_to, _ = await clicked(rpc, "route_card", name, context)
    assert (text[:8], led_to) == ("这个操作没有成功", "words")


@pytest.mark.parametrize(
    "questions",
    [
        (
            "怎么去图书馆",
            "从地铁站怎么到科技园 中午12点",
            "下一班去地铁站的校车",
            "停车场还有位置吗",
            "有哪些校车站点",
            "有哪些线路",
        ),
        ("how do I get to the library?", "next bus to the mall", "parking near the library", "which stops are there?"),
    ],
)
async def test_whatever_is_clicked_leads_on(rpc: Rpc, questions: tuple[str, ...]) -> None:
    found = await explore(rpc, questions, depth=3, each=1)
    for on, name, led_to in found:
        if name == "start_navigation" and on != "navigation-card":
            assert led_to == "navigation-card", on
        else:
            assert led_to == "update", (on, name)
    assert {on for on, _, _ in found} == set(CARD_TYPES)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
NAMES = st.sampled_from(["start_navigation", "next_page", "previous_page", "filter", "x"])


@given(NAMES, st.dictionaries(st.sampled_from(["id", "cursor", "value"]), JSON), st.sampled_from(CARD_TYPES))
@settings(max_examples=200, deadline=None)
def test_no_context_raises(name: str, context: dict[str, Any], on: str) -> None:
    step = act(Action(name, "s", on, context), Conversation("", True, Asker(location=(31.0, 121.0))))
    assert step is None or step.calls
