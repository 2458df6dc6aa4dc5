"""Whole conversations over A2A, in process. Tuesday 2026-12-01 11:30 unless a test says otherwise."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.canteen.agent import SPEC
from tests.unit.agents_kit.harness import Rpc, message, running, text_of
from tests.unit.canteen.tables import Row, dishes, spiciness

ENGLISH = (
    *("spicy dishes at canteen two", "which canteen is least crowded?", "stalls in canteen one"),
    *("when does canteen two open?", "tell me about Yuwei Fish House", "details of the Mapo tofu", "today's menu"),
    *("reviews of the Sichuan boiled fish", "what should I eat?", "how do I get to canteen two?"),
    *("I want to book a meal", "what is the balance of my meal card?"),
)


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC, now="2026-12-01T11:30") as client:
        yield client


async def asked(rpc: Rpc, question: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    task = await rpc.send(question, **fields)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    return text_of(task), task.get("metadata", {})


def items(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    return metadata["card_data_model"]["items"]


def hot(dish: Row) -> bool:
    return spiciness(dish) >= 2


async def test_spicy_dishes_then_cheaper_ones(rpc: Rpc) -> None:
    text, metadata = await asked(rpc, "推荐几道辣的菜", contextId="c")
    best = dishes("lunch", hot)[:8]
    assert all(dish["name_zh"] in text for dish in best[:3])
    assert metadata["card_template_id"] == "dish_cards"
    assert metadata["card_category"] == "recommend"
    assert metadata["bubble_text"] == text
    assert [item["id"] for item in items(metadata)] == [dish["id"] for dish in best]
    assert all(item["spiciness"] >= 2 for item in items(metadata))

    text, metadata = await asked(rpc, "还有更便宜的吗", contextId="c")
    cheapest = dishes("lunch", hot, "price")[:8]
    assert [item["id"] for item in items(metadata)] == [dish["id"] for dish in cheapest]
    prices = [float(item["price"]) for item in items(metadata)]
    assert prices == sorted(prices)
    assert all(item["spiciness"] >= 2 for item in items(metadata))
    assert cheapest[0]["name_zh"] in text


async def test_another_conversation_knows_nothing_of_the_first(rpc: Rpc) -> None:
    await asked(rpc, "推荐几道辣的菜", contextId="c")
    _, metadata = await asked(rpc, "还有更便宜的吗", contextId="d")
    assert [item["id"] for item in items(metadata)] == [dish["id"] for dish in dishes("lunch", order="price")[:8]]


async def test_the_answer_is_streamed_after_a_line_about_the_search(rpc: Rpc) -> None:
    events = await rpc.stream("SendStreamingMessage", {"message": message("recommend some spicy dishes")})
    states = [e["statusUpdate"]["status"] for e in events if "statusUpdate" in e]
    lines = [s["message"]["parts"][0]["text"] for s in states if s["state"] == "TASK_STATE_WORKING" and "message" in s]
    assert lines == ["Looking through the menus…"]
    pieces = [p["text"] for e in events if "artifactUpdate" in e for p in e["artifactUpdate"]["artifact"]["parts"]]
    assert len(pieces) > 1
    assert dishes("lunch", hot)[0]["name_en"] in "".join(pieces)
    assert states[-1]["state"] == "TASK_STATE_COMPLETED"
    ended = [e["statusUpdate"] for e in events if "statusUpdate" in e][-1]
    assert ended["metadata"]["card_template_id"] == "dish_cards"


def shown_in(value: Any) -> Any:
    """What a reader sees: all but the tickets that buttons send back."""
    if isinstance(value, dict):
        return {key: shown_in(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shown_in(inner) for inner in value]
    return None if isinstance(value, str) and value.startswith('["en",') else value


async def test_an_english_answer_has_no_chinese_in_it(rpc: Rpc) -> None:
    for question in ENGLISH:
        text, metadata = await asked(rpc, question)
        shown = text + json.dumps(shown_in(metadata), ensure_ascii=False)
        assert not [c for c in shown if "一" <= c <= "鿿"], question
