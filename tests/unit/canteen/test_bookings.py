"""Meals are booked and the meal card is shown by clicks, over A2A in process. Tuesday 2026-12-01 11:30."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agents.canteen.agent import SPEC
from agents.kit.settings import AgentSettings
from tests.unit.agents_kit.cards import clicked, facts, shown
from tests.unit.agents_kit.harness import Rpc, running, text_of
from tests.unit.canteen.tables import table


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC, now="2026-12-01T11:30") as client:
        yield client


BOOKING = {"date": "2026-12-02", "time": "12:00", "people": 4, "diets": ["halal"], "note": "靠窗", "canteen": "c2"}


async def test_a_meal_is_booked_once_however_often_the_form_is_sent(rpc: Rpc) -> None:
    on, form = await shown(rpc, "帮我订餐")
    assert on == "form-card"
    sent = {"form_id": form["form_id"], "values": BOOKING}
    text, led_to, data = await clicked(rpc, on, "submit_form", sent)
    assert led_to == "message-card"
    assert facts(data) == {
        "订单号": "M0001",
        "食堂": "第二食堂",
        "时间": "12 月 2 日 12:00",
        "人数": "4",
        "忌口": "清真",
        "备注": "靠窗",
    }
    assert text == "订好了：第二食堂，12 月 2 日 12:00，4 人，订单号 M0001。"
    for values in (BOOKING, {**BOOKING, "people": 9}):
        text, led_to, again = await clicked(rpc, on, "submit_form", {**sent, "values": values})
        assert led_to == "message-card"
        assert facts(again) == facts(data)
        assert text.startswith("这张表单已经订过了")
    other, form = await shown(rpc, "book another meal")
    text, _, _ = await clicked(rpc, other, "submit_form", {"form_id": form["form_id"], "values": BOOKING})
    assert text == "Booked: Canteen Two, 2026-12-02 at 12:00, 4 people, booking M0002."


async def test_a_request_that_is_sent_again_with_its_key_books_once(rpc: Rpc) -> None:
    on, form = await shown(rpc, "订餐")
    sent = {"form_id": form["form_id"], "values": BOOKING}
    tasks = [
        await rpc.click("submit_form", sent, on=on, contextId="c", headers={"Idempotency-Key": "k"}) for _ in range(2)
    ]
    assert tasks[0] == tasks[1]
    assert "订好了" in text_of(tasks[1])


async def test_a_booking_outlives_the_process(tmp_path: Path) -> None:
    settings = AgentSettings(data_dir=tmp_path)
    async with running(SPEC, now="2026-12-01T11:30", settings=settings) as first:
        on, form = await shown(first, "帮我订餐")
        await clicked(first, on, "submit_form", {"form_id": form["form_id"], "values": BOOKING})
    async with running(SPEC, now="2026-12-01T11:40", settings=settings) as second:
        text, _, _ = await clicked(second, on, "submit_form", {"form_id": form["form_id"], "values": BOOKING})
    assert text.startswith("这张表单已经订过了")
    assert "M0001" in text


async def test_the_form_as_it_is_first_shown_can_be_booked_after_choosing_a_canteen(rpc: Rpc) -> None:
    on, form = await shown(rpc, "book a meal at canteen two")
    assert form["values"]["canteen"] == "c2"
    text, _, _ = await clicked(rpc, on, "submit_form", {"form_id": form["form_id"], "values": form["values"]})
    assert text == "Booked: Canteen Two, 2026-12-01 at 12:00, 2 people, booking M0001."


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"canteen": "c9"}, "choose a canteen"),
        ({"canteen": None}, "choose a canteen"),
        ({"date": "2026-11-30"}, "the date must be"),
        ({"date": "2026-12-16"}, "the date must be"),
        ({"date": "tomorrow"}, "the date must be"),
        ({"date": 5}, "the date must be"),
        ({"time": "03:00"}, "listed times"),
        ({"date": "2026-12-01", "time": "11:30"}, "30 minutes ahead"),
        ({"people": 0}, "1 to 20"),
        ({"people": 21}, "1 to 20"),
        ({"people": "4"}, "1 to 20"),
        ({"people": 2.5}, "1 to 20"),
        ({"people": True}, "1 to 20"),
        ({"diets": ["stones"]}, "listed diets"),
        ({"diets": "halal"}, "listed diets"),
        ({"diets": [5]}, "listed diets"),
        ({"note": "x" * 301}, "at most 300"),
        ({"note": ["x"]}, "at most 300"),
    ],
)
async def test_a_form_that_cannot_be_booked_says_what_to_correct(rpc: Rpc, changed: Any, reason: str) -> None:
    on, form = await shown(rpc, "book a meal")
    text, led_to, _ = await clicked(rpc, on, "submit_form", {"form_id": form["form_id"], "values": BOOKING | changed})
    assert led_to == "words"
    assert text.startswith("Not booked: ")
    assert reason in text
    text, _, _ = await clicked(rpc, on, "submit_form", {"form_id": form["form_id"], "values": BOOKING})
    assert text.startswith("Booked: ")


async def test_a_form_that_was_never_given_books_nothing(rpc: Rpc) -> None:
    text, led_to, _ = await clicked(rpc, "form-card", "submit_form", {"form_id": "meal-1:en", "values": BOOKING})
    assert (text[:24], led_to) == ("This form is out of date", "words")


PROOF = {"number": "20230121", "phone_end": "4821"}


async def test_the_meal_card_is_shown_to_whoever_proves_to_be_its_holder(rpc: Rpc) -> None:
    on, card = await shown(rpc, "我的饭卡余额")
    assert on == "identify-card"
    sent = {"token": card["token"], "confirmed": True, "values": PROOF}
    text, led_to, data = await clicked(rpc, on, "confirm_identity", sent)
    holder = table("meal_cards")[0]
    assert led_to == "message-card"
    assert facts(data)["余额"] == f"¥{holder['balance']}"
    assert facts(data)["持卡人"] == "李*华"
    assert holder["balance"] in text
    assert holder["number"] not in json.dumps(data)


async def test_a_wrong_proof_counts_and_the_sixth_is_too_late(rpc: Rpc) -> None:
    on, card = await shown(rpc, "what is the balance of my meal card?")
    for left in (4, 3, 2, 1):
        wrong = {"token": card["token"], "confirmed": True, "values": {**PROOF, "phone_end": "0000"}}
        text, led_to, _ = await clicked(rpc, on, "confirm_identity", wrong)
        assert (led_to, f"{left} tries are left" in text) == ("words", True)
    await clicked(rpc, on, "confirm_identity", {"token": card["token"], "confirmed": True})
    text, led_to, _ = await clicked(
        rpc, on, "confirm_identity", {"token": card["token"], "confirmed": True, "values": PROOF}
    )
    assert (led_to, text[:28]) == ("words", "This confirmation is out of ")


async def test_declining_shows_nothing(rpc: Rpc) -> None:
    on, card = await shown(rpc, "my meal card balance")
    text, led_to, _ = await clicked(rpc, on, "confirm_identity", {"token": card["token"], "confirmed": False})
    assert (text, led_to) == ("All right, the meal card stays closed.", "words")
