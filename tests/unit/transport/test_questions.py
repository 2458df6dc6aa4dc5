"""Tuesday 2026-12-01 10:30 unless a test says otherwise; every expected time is read off the timetable by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.transport import places
from agents.transport.agent import SPEC
from agents.transport.question import stop_roles, time_in
from tests.unit.agents_kit.cards import checked
from tests.unit.agents_kit.harness import Rpc, running, text_of


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC) as client:
        yield client


async def asked(rpc: Rpc, question: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    task = await rpc.send(question, **fields)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    return text_of(task), task.get("metadata", {})


def items(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    return metadata["card_data_model"]["items"]


async def test_the_next_shuttle_to_the_library_in_english(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "when is the next shuttle to the library?")
    assert "Line 2 North-South Line" in text
    assert "leaves the South Gate at 10:35 (in 5 min) and reaches the Library at 10:41" in text
    assert metadata["card_template_id"] == "shuttle_cards"
    first = items(metadata)[0]
    assert (first["name"], first["from"], first["to"]) == ("Line 2 North-South Line", "South Gate", "Library")
    assert (first["next_departure"], first["eta_label"], first["eta_minutes"]) == ("10:35", "in 5 min", 5)
    loop = next(item for item in items(metadata) if item["name"] == "Line 1 Library Loop")
    assert (loop["next_departure"], loop["following_label"]) == ("10:40", "11:00 · 11:20 · 11:40")


async def test_the_next_shuttle_to_the_library_in_chinese(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "下一班去图书馆的校车几点")
    assert "2号线 南北线" in text
    assert "今天 10:35（5 分钟后）从南门发车，10:41 到图书馆" in text
    assert items(metadata)[0]["eta_label"] == "5 分钟后"
    assert "Library" not in json.dumps(metadata, ensure_ascii=False)


async def test_after_the_last_shuttle_the_answer_is_the_first_one_tomorrow() -> None:
    async with running(SPEC, now="2026-12-01T22:45") as late:
        text, metadata = await asked(late, "when is the next shuttle to the library?")
        chinese, _ = await asked(late, "下一班去图书馆的校车几点")
    assert text.startswith("There are no more departures today.")
    assert "leaves the South Gate tomorrow at 07:00 and reaches the Library at 07:07" in text
    assert chinese.startswith("今天没有更多班次了。")
    assert "明天 07:00 从南门发车" in chinese
    assert items(metadata)[0]["eta_label"] == "tomorrow"
    assert "eta_minutes" not in items(metadata)[0]


async def test_the_weekend_has_its_own_timetable() -> None:
    async with running(SPEC, now="2026-12-05T10:31") as saturday:
        text, _ = await asked(saturday, "next bus to the library")
    assert "Line 1 Library Loop: it leaves the South Gate at 11:00 (in 29 min)" in text


async def test_a_line_without_weekend_service_runs_again_on_monday(rpc: Rpc) -> None:
    text, _ = await asked(rpc, "周六去科技园的校车")
    assert text.startswith("周六（12月5日）没有班次了。")
    assert "周一（12月7日） 07:30 从东区宿舍发车" in text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("从北门到南门的末班车是几点", "末班车是 2号线 南北线，21:05 从北门发车，21:19 到"),
        ("first bus to the science park tomorrow", "Line 4 Science Park Line: it leaves the East Dormitories at 07:30"),
        ("下午5点半从主楼去地铁站的班车", "今天 17:36（7 小时 6 分钟后）从主教学楼发车，17:45 到地铁站"),
        ("bus from the metro station to the west dorms at 8pm", "leaves the Metro Station at 20:00"),
        ("周末去商场的校车", "6号线 周末购物线，周六（12月5日） 09:00 从西区宿舍发车"),
        ("怎么坐校车去图书馆", "2号线 南北线，今天 10:35"),
        ("图书馆到北门的公交", "今天 10:41（11 分钟后）从图书馆发车，10:49 到北门"),
        ("明早8点去图书馆的校车", "明天 08:00 从南门发车，08:07 到图书馆"),
        ("when does the night line leave?", "Line 5 Night Line: it leaves the Library at 21:45"),
    ],
)
async def test_stops_lines_days_and_times_are_read_from_the_question(rpc: Rpc, question: str, expected: str) -> None:
    text, metadata = await asked(rpc, question)
    assert expected in text
    assert metadata["card_template_id"] == "shuttle_cards"


async def test_a_time_of_day_that_is_over_means_tomorrow(rpc: Rpc) -> None:
    text, _ = await asked(rpc, "bus to the library at 8am")
    assert "leaves the South Gate tomorrow at 08:00" in text


async def test_one_gets_on_within_a_short_walk_of_where_one_is(rpc: Rpc) -> None:
    here = {"currentLocation": {"lat": 31.0277, "lng": 121.43755}, "locationPermission": "granted"}
    _, metadata = await asked(rpc, "next shuttle to the South Gate", metadata=here)
    starts = {(item["from"], item["next_departure"]) for item in items(metadata)}
    assert starts == {("Lakeside Square", "10:43"), ("Library", "10:47"), ("Campus Hospital", "10:54")}


async def test_a_follow_up_changes_only_what_it_names(rpc: Rpc) -> None:
    await asked(rpc, "下午5点半从主楼去地铁站的班车", contextId="c")
    saturday, _ = await asked(rpc, "那周六呢", contextId="c")
    assert "周六（12月5日） 17:51 从主教学楼发车，18:00 到地铁站" in saturday
    from_gate, _ = await asked(rpc, "从南门呢", contextId="c")
    assert "从南门发车，18:00 到地铁站" in from_gate


async def test_a_ride_that_needs_a_change_is_said_to_be_missing(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "bus from the mall to the hospital")
    assert "No direct shuttle runs from the Wanxiang Mall to the Campus Hospital" in text
    assert items(metadata) == []
    assert metadata["card_data_model"]["empty_text"]


async def test_all_lines_are_listed_with_their_days(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "which shuttle lines are there?")
    assert "Line 4 Science Park Line (Mon–Fri)" in text
    assert "Line 6 Weekend Shopping Line (Sat–Sun)" in text
    assert len({item["name"] for item in items(metadata)}) == 6


async def test_lines_can_be_asked_by_a_stop(rpc: Rpc) -> None:
    text, _ = await asked(rpc, "有哪些校车线路经过体育馆")
    assert (
        text
        == "经过体育馆的校车线路有 3 条：1号线 图书馆环线（每天）、4号线 科技园线（周一至周五）、5号线 夜班线（每天）。"
    )


async def test_the_stops_of_a_line_are_named_in_order(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "1号线经过哪些站")
    assert "南门 → 主教学楼 → 图书馆 → 体育馆 → 东区宿舍 → 南门" in text
    assert "首班 07:00，末班 21:30" in text
    assert len(items(metadata)) == 1


async def test_parking_near_a_place_names_the_nearest_car_park_with_free_places(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "图书馆附近哪里可以停车")
    assert "离图书馆最近、有空位的停车场是体育馆停车场（空位 38/90" in text
    assert "图书馆地下车库（已满" in text
    assert metadata["card_template_id"] == "parking_cards"
    assert metadata["card_category"] == "parking"
    first, nearest = items(metadata)[1], items(metadata)[0]
    assert (nearest["name"], nearest["occupancy"], nearest["occupancy_label"]) == ("图书馆地下车库", 1, "已满")
    assert "start_navigation" not in nearest
    assert (first["name"], first["free"], first["start_navigation"][0]["id"]) == ("体育馆停车场", 38, "P3")


async def test_parking_depends_on_the_hour(rpc: Rpc) -> None:
    text, _ = await asked(rpc, "where can I park near the sports centre at 6pm?")
    assert "Today at 18:00" in text
    assert "the Library Underground Garage (20 of 120 free" in text
    assert "the Sports Centre Car Park (full" in text


async def test_free_only_leaves_full_car_parks_out(rpc: Rpc) -> None:
    _, metadata = await asked(rpc, "现在哪里还有空余停车位")
    labels = [item["name"] for item in items(metadata)]
    assert "图书馆地下车库" not in labels
    assert labels[0] == "北门停车楼"


async def test_a_shuttle_and_a_car_park_in_one_question_are_both_answered(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "下一班去图书馆的校车几点？南门还有停车位吗？")
    assert "10:35" in text
    assert "南门停车场（空位 12/180" in text
    assert metadata["card_template_id"] == "shuttle_cards"


async def test_the_science_park_is_no_place_to_park(rpc: Rpc) -> None:
    text, _ = await asked(rpc, "next bus to the science park")
    assert "car park" not in text


@pytest.mark.parametrize("question", ["hello", "你好", "推荐几道辣的菜"])
async def test_another_question_gets_to_know_what_the_agent_can_do(rpc: Rpc, question: str) -> None:
    text, metadata = await asked(rpc, question)
    assert "shuttle" in text or "校车" in text
    assert "card_template_id" not in metadata


@pytest.mark.parametrize(
    "question",
    [
        "when is the next shuttle to the library?",
        "从北门到南门的末班车",
        "which shuttle lines are there?",
        "3号线的站点",
        "停车位",
        "停车场还有位置吗",
        "怎么去图书馆",
        "how do I get to the science park from the metro station at noon?",
        "有哪些校车站点",
        "which stops are there?",
        "bus from the mall to the hospital",
    ],
)
async def test_every_card_fits_the_shared_catalogue(rpc: Rpc, question: str) -> None:
    _, metadata = await asked(rpc, question)
    assert metadata["card_template_id"] in SPEC.card_types
    checked(metadata)


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("to the library from the south gate", ("south-gate", "library")),
        ("South Gate to Library", ("south-gate", "library")),
        ("在图书馆坐校车去北门", ("library", "north-gate")),
        ("图书馆到北门", ("library", "north-gate")),
        ("从南门出发", ("south-gate", None)),
        ("library shuttle", (None, "library")),
        ("no stop at all", (None, None)),
    ],
)
def test_the_words_around_a_stop_say_whether_one_starts_or_ends_there(
    question: str, roles: tuple[str | None, str | None]
) -> None:
    assert stop_roles(question, places.mentions(question, places.stops())) == roles


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("17:05", "17:05"),
        ("5:05 pm", "17:05"),
        ("下午五点", "17:00"),
        ("晚上9点一刻", "21:15"),
        ("早上6点", "06:00"),
        ("中午12点", "12:00"),
        ("十二点半", "12:30"),
        ("3点", "15:00"),
        ("at 9", "09:00"),
        ("after 8pm", "20:00"),
        ("9 o'clock", "09:00"),
        ("12 am", "00:00"),
        ("in the evening", "18:00"),
        ("25:99", None),
        ("to the library", None),
    ],
)
def test_times_are_read_in_both_languages(question: str, time: str | None) -> None:
    assert time_in(question) == time


def test_a_line_is_not_mistaken_for_the_stop_in_its_name() -> None:
    found = places.mentions("the Library Loop and the library", (*places.stops(), *places.lines()))
    assert [mention.place.id for mention in found] == ["L1", "library"]
