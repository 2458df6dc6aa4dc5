"""The real agents behind the real supervisor: what they ask reaches the user, and the answer reaches them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.cases.case import checked, of_type
from tests.fakes.agui import run_input, text_of
from tests.fakes.campus import campus
from tests.fakes.house import House

Json = dict[str, Any]


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with campus() as opened:
        yield opened


async def play(house: House, body: Json) -> tuple[list[Json], Json | None]:
    """The events of a run, and the payload of its one question if it ends with one."""
    found = checked(await house.post("/agui", body), resumed="resume" in body)
    outcome = found[-1]["outcome"]
    if outcome["type"] != "interrupt":
        return found, None
    (question,) = outcome["interrupts"]
    return found, {**question["metadata"], "interruptId": question["id"]}


async def ask(house: House, question: str) -> tuple[list[Json], Json | None]:
    return await play(house, run_input(question, message=uuid.uuid4().hex, run=uuid.uuid4().hex))


async def answer(house: House, question: Json | None, **payload: Any) -> tuple[list[Json], Json | None]:
    assert question is not None
    resume = [{"interruptId": question["interruptId"], "status": "resolved", "payload": payload}]
    return await play(house, run_input(None, run=uuid.uuid4().hex, resume=resume))


def cards(found: list[Json]) -> list[str]:
    """The types of the cards that were shown."""
    return [
        shown["content"]["card_type"]
        for shown in of_type(found, "ACTIVITY_SNAPSHOT")
        if "card_type" in shown["content"]
    ]


@pytest.mark.requirement("SB-KIT-15")
@pytest.mark.parametrize("question", ["订二食堂的午餐", "book lunch at canteen two"])
async def test_a_meal_is_booked_by_two_answers(house: House, question: str) -> None:
    _, when = await ask(house, question)
    assert when is not None
    _, sure = await answer(house, when, value=when["options"][0]["value"])
    assert sure is not None
    assert sure["type"] == "approval"
    found, more = await answer(house, sure, approved=True)
    assert more is None
    assert "M0001" in text_of(found)
    assert cards(found) == ["message-card"]


async def test_a_rejected_approval_books_nothing(house: House) -> None:
    _, when = await ask(house, "订二食堂的午餐")
    assert when is not None
    _, sure = await answer(house, when, value=when["options"][0]["value"])
    found, _ = await answer(house, sure, approved=False, reason="太早")
    assert "没有预订" in text_of(found)
    assert cards(found) == []


@pytest.mark.requirement("SB-KIT-16")
@pytest.mark.parametrize("question", ["去校门口怎么走", "route to the gate"])
async def test_the_gate_is_chosen(house: House, question: str) -> None:
    _, which = await ask(house, question)
    assert which is not None
    found, _ = await answer(house, which, value="north-gate")
    assert cards(found) == ["route_card"]


async def test_a_declined_question_leaves_a_thread_that_goes_on(house: House) -> None:
    _, when = await ask(house, "订二食堂的午餐")
    assert when is not None
    resume = [{"interruptId": when["interruptId"], "status": "cancelled"}]
    _, question = await play(house, run_input(None, run=uuid.uuid4().hex, resume=resume))
    assert question is None
    found, _ = await ask(house, "推荐几道辣的菜")
    assert cards(found) == ["dish_cards"]
