"""Clients that say what they can paint: a card they cannot show becomes words, live and on refresh."""

from __future__ import annotations

import json
from typing import Any

import pytest

from a2ui_schemas import load_catalogue
from chat_models import Turn
from tests.cases.case import Case, checked, of_type
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import parse, run_input, text_of
from tests.fakes.house import House

OURS = load_catalogue().id
ASK = Turn(calls=[("call_domain_agent", {"agent": "canteen", "query": "辣"})])
DISHES = {"items": [{"name": "水煮鱼"}]}

requirement = pytest.mark.requirement


def says(value: Any, description: str = "a2uiClientCapabilities") -> dict[str, Any]:
    return {"context": [{"description": description, "value": value if isinstance(value, str) else json.dumps(value)}]}


COPILOT = "A2UI catalog capabilities: available catalogs"
PAINTS = [
    {},
    {"context": []},
    {"context": "nonsense"},
    says("你好", "today's weather"),
    says({"v0.9": {"supportedCatalogIds": ["https://other.example", OURS]}}),
    says({"supportedCatalogIds": [OURS], "cardTypes": ["dish_cards"]}),
    says(f"Available catalogs:\n- {OURS}\nUse them well.", COPILOT),
    says("not json", "a2ui"),
]
PAINTS_NOT = [
    says({"v0.9": {"supportedCatalogIds": ["https://other.example"]}}),
    says({"supportedCatalogIds": []}),
    says({"cardTypes": ["shuttle_cards"]}),
    says("Available catalogs:\n- https://other.example/basic.json", COPILOT),
]


async def ask(case: Case, house: House, **more: Any) -> list[dict[str, Any]]:
    case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES)))
    return checked(await house.post("/agui", run_input("辣", **more)))


@requirement("SB-CARD-03")
@pytest.mark.parametrize("context", PAINTS)
async def test_a_client_that_paints_our_catalogue_or_says_nothing_gets_the_card(context: dict[str, Any]) -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        found = await ask(case, house, **context)
        assert len(of_type(found, "ACTIVITY_SNAPSHOT")) == 1


@requirement("SB-CARD-03")
@pytest.mark.parametrize("context", PAINTS_NOT)
async def test_a_client_that_cannot_paint_a_card_reads_it_and_is_told(context: dict[str, Any]) -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        found = await ask(case, house, **context)
        assert not of_type(found, "ACTIVITY_SNAPSHOT")
        assert text_of(found).startswith("三道菜")
        (told,) = [e["value"] for e in of_type(found, "CUSTOM") if e["name"] == "card-fallback"]
        assert told == {"cardType": "dish_cards", "reason": "frontend", "errors": []}
        connected = checked(await house.post("/agui/connect", run_input(None, run="c", **context)))
        held = next(e["messages"] for e in connected if e["type"] == "MESSAGES_SNAPSHOT")
        assert [m["role"] for m in held] == ["user", "assistant", "tool", "assistant", "assistant"]
        assert held[3]["id"] in {e.get("messageId") for e in found}
        other = await house.snapshot()
        assert [m["role"] for m in other] == ["user", "assistant", "tool", "activity", "assistant"]


@requirement("SB-CARD-03")
async def test_a_cursor_never_falls_between_the_words_of_one_card() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES)))
        body = run_input("辣", **says({"supportedCatalogIds": []}))
        whole = parse((await house.post("/agui", body)).content)
        numbered = [f.seq for f in whole if f.seq is not None]
        assert numbered == list(range(1, len(numbered) + 1))
        for frame in whole:
            if frame.seq is not None and frame.seq < numbered[-1]:
                rest = await house.post("/agui", body, last_event_id=str(frame.seq))
                place = whole.index(frame) + 1
                assert rest.content == b"".join(f.raw for f in whole[place:])
