"""Hours, days and names in both languages."""

from __future__ import annotations

import pytest

from agents.canteen.hours import day_in, hour_in
from agents.canteen.names import canteen_in
from agents.canteen.tools import CanteenTools
from tests.unit.canteen.tables import CANTEENS, DISHES, STALLS
from tests.unit.canteen.talk import Talk


@pytest.mark.parametrize(
    ("question", "hour"),
    [
        ("18:30", 18),
        ("6 pm", 18),
        ("at 6:30 p.m.", 18),
        ("12 am", 0),
        ("12 pm", 12),
        ("下午六点", 18),
        ("晚上八点半", 20),
        ("中午十二点", 12),
        ("中午一点", 13),
        ("凌晨2点", 2),
        ("3点", 15),
        ("二十点", 20),
        ("7 o'clock", 7),
        ("早上", 8),
        ("at lunch", 12),
        ("tonight", 18),
        ("现在", None),
        ("人少一点的", None),
        ("一点都不挤", None),
        ("25点", None),
        ("第1食堂", None),
        ("15元", None),
        ("", None),
    ],
)
def test_hours_are_read_in_both_languages(question: str, hour: int | None) -> None:
    assert hour_in(question) == hour


@pytest.mark.parametrize(
    ("text", "canteen"),
    [
        ("第一食堂", "c1"),
        ("2食堂", "c2"),
        ("Canteen 3", "c3"),
        ("the second canteen", "c2"),
        ("东苑", "c4"),
        ("west court canteen", "c5"),
        ("清真食堂", "c6"),
        ("the faculty dining hall", "c7"),
        ("第十一食堂", "第十一食堂"),
        ("canteen 12", "canteen 12"),
        ("北苑食堂", "北苑食堂"),
        ("一食堂和二食堂", None),
        ("食堂", None),
        ("the canteen", None),
    ],
)
def test_canteens_are_known_by_what_people_call_them(text: str, canteen: str | None) -> None:
    assert canteen_in(text) == canteen


def test_every_canteen_stall_and_dish_is_known_by_its_name(tools: CanteenTools) -> None:
    for row in CANTEENS.values():
        assert (canteen_in(row["name_zh"]), canteen_in(row["name_en"])) == (row["id"], row["id"])
    for stall in STALLS.values():
        assert Talk(tools).ask(f"{stall['name_zh']}有什么菜").calls[0][1]["stall"] == stall["name_zh"]
        assert Talk(tools).ask(f"what is good at {stall['name_en']}").calls[0][1]["stall"] == stall["name_en"]
    for dish in DISHES:
        assert Talk(tools).ask(f"{dish['name_zh']}多少钱").calls[0][1]["query"] == dish["name_zh"]
        assert Talk(tools).ask(f"how much is the {dish['name_en']}").calls[0][1]["query"] == dish["name_en"]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("明天", "tomorrow"),
        ("明晚7点", "tomorrow"),
        ("tomorrow at noon", "tomorrow"),
        ("周六", "weekend"),
        ("at the weekend", "weekend"),
        ("on Sunday", "weekend"),
        ("星期三", "weekday"),
        ("on weekdays", "weekday"),
        ("今天", None),
        ("now", None),
    ],
)
def test_days_are_read_in_both_languages(question: str, day: str | None) -> None:
    assert day_in(question) == day
