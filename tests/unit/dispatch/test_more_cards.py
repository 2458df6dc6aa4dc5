"""Answers with several cards: all are read, what is no card is left out, the first stays the one of the metadata."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.extensions import CARDS
from supervisor.dispatch.outcome import MAX_CARDS, of_reply
from supervisor.dispatch.port import DispatchResult
from supervisor.dispatch.reply import Reading


def one(kind: Any, data: Any = None) -> dict[str, Any]:
    return {"card_template_id": kind, "card_data_model": data or {"items": []}}


def result(listed: Any) -> DispatchResult:
    metadata = {**one("dish_cards"), CARDS: listed}
    task = {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}, "metadata": metadata}
    reading = Reading()
    reading.apply({"task": task})
    return of_reply("inner", reading.reply())


@pytest.mark.requirement("SB-NEST-03")
def test_every_card_of_an_answer_is_read() -> None:
    found = result({"cards": [one("dish_cards"), one("shuttle_cards", {"title": "x"}) | {"bubble_text": "b"}]})
    assert found.card_type == "dish_cards"
    assert found.more_cards == [
        {"card_type": "shuttle_cards", "card_data": {"title": "x"}, "card_category": None, "bubble_text": "b"}
    ]


@pytest.mark.parametrize(
    "listed", [None, [], "cards", {"cards": "many"}, {"cards": [one("dish_cards"), 7, {}, one(3)]}]
)
def test_what_is_no_card_is_left_out(listed: Any) -> None:
    assert result(listed).more_cards == []


def test_the_number_of_cards_is_bounded() -> None:
    assert len(result({"cards": [one("dish_cards")] * 50}).more_cards) == MAX_CARDS - 1
