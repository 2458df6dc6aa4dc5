"""Cases of cards: whatever an agent sends reaches the user, as its card or in words, and again after a refresh."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from a2ui.utils.validation import validate_payload

from a2ui_schemas import load_catalogue
from a2ui_schemas.loader import HERE
from chat_models import Turn
from supervisor.cards.render import MAX_BYTES
from tests.cases.case import Case, checked, of_type
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import run_input, text_of
from tests.fakes.house import House
from tests.unit.cards.paint import catalog, texts
from tests.unit.cards.visible import Surface

requirement = pytest.mark.requirement
Event = dict[str, Any]

CATALOGUE = load_catalogue()
ASK = Turn(calls=[("call_domain_agent", {"agent": "canteen", "query": "辣"})])
BUBBLE = "为你推荐 3 道辣菜"
KNOWN = (
    *("dish_cards", "stall_cards", "canteen_cards", "canteen_detail_card", "stall_detail_card", "review_cards"),
    *("canteen_heatmap", "canteen_menu", "canteen_recommend"),
)
ROWS = {"items": [{"name": "麻婆豆腐", "price": 12.5}]}


async def shown(case: Case, house: House, card_type: Any, data: Any, number: int = 1) -> tuple[list[Event], Event]:
    """The events of a turn in which the canteen answers with a card, and the one surface among them."""
    case.canteen.replies.append(Reply("三道菜", metadata=card(card_type, data, bubble=BUBBLE)))
    found = checked(await house.post("/agui", run_input("辣菜", message=f"u{number}", run=f"r{number}")))
    (activity,) = of_type(found, "ACTIVITY_SNAPSHOT")
    assert activity["activityType"] == "a2ui-surface"
    validate_payload([catalog()], operations(activity))
    return found, activity


def operations(activity: Event) -> list[Event]:
    return activity["content"]["a2ui_operations"]


def fallbacks(found: list[Event]) -> list[Event]:
    return [event["value"] for event in of_type(found, "CUSTOM") if event["name"] == "card-fallback"]


@requirement("CARD-01")
@pytest.mark.parametrize("card_type", KNOWN)
async def test_card_01_every_type_that_an_agent_may_send_is_painted(card_type: str) -> None:
    case = Case(ASK, "看卡片", ASK, "看卡片")
    async with case.open() as house:
        found, activity = await shown(case, house, card_type, CATALOGUE.cards[card_type].example)
        assert activity["content"]["card_type"] == card_type
        assert fallbacks(found) == []
        _, plain = await shown(case, house, card_type, ROWS, 2)
        read = texts(operations(plain))
        assert "麻婆豆腐" in read or BUBBLE in read


@requirement("CARD-01")
async def test_card_01_a_type_that_nobody_knows_is_shown_as_its_words_and_counted() -> None:
    """The case wants no snapshot at all; here the words come as a message card, so that a refresh has them too."""
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        found, activity = await shown(case, house, "totally_new_card", ROWS)
        assert activity["content"]["card_type"] == "message-card"
        assert BUBBLE in texts(operations(activity))
        assert fallbacks(found) == [{"cardType": "totally_new_card", "reason": "unknown_type", "errors": []}]
        metrics = (await house.client.get("/metrics")).text
        (line,) = (line for line in metrics.splitlines() if line.startswith("cards_fallback_total{"))
        assert 'reason="unknown_type"' in line
        assert line.endswith(" 1.0")


@requirement("CARD-02")
async def test_card_02_a_refresh_after_a_restart_gives_exactly_the_surfaces_that_were_painted(tmp_path: Path) -> None:
    case = Case(ASK, "看卡片", tmp_path=tmp_path)
    async with case.open() as house:
        _, live = await shown(case, house, "dish_cards", {"items": [{"name": "水煮鱼"}]})
    async with case.open() as house:
        messages = await house.snapshot()
    roles = [message["role"] for message in messages]
    (again,) = (message for message in messages if message["role"] == "activity")
    assert (again["id"], again["content"]) == (live["messageId"], live["content"])
    caller = next(index for index, message in enumerate(messages) if message.get("toolCalls"))
    assert caller < roles.index("activity") < len(roles) - 1
    assert len(case.canteen.sends) == 1


@requirement("CARD-04")
async def test_card_04_every_surface_names_the_catalogue_whose_components_it_uses() -> None:
    document = json.loads((HERE / "catalog.json").read_text("utf-8"))
    assert "a2ui.org" not in document["catalogId"], "two incompatible basic ids circulate; ours is our own"
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        _, activity = await shown(case, house, "dish_cards", ROWS)
    create, update, _ = operations(activity)
    assert create["version"] == update["version"] == "v0.9"
    assert create["createSurface"]["catalogId"] == document["catalogId"] == catalog().catalog_id
    used = {part["component"] for part in update["updateComponents"]["components"]}
    assert used <= document["components"].keys()


@requirement("CARD-06")
@pytest.mark.parametrize("card_type", ["list-card", "heatmap-card", "form-card", "navigation-card"])
async def test_card_06_surface_then_components_then_data_and_a_new_surface_for_every_card(card_type: str) -> None:
    case = Case(ASK, "看卡片", ASK, "看卡片")
    example = CATALOGUE.cards[card_type].example
    async with case.open() as house:
        activities = [(await shown(case, house, card_type, example, number))[1] for number in (1, 2)]
    surfaces: list[str] = []
    for activity in activities:
        create, update, data = operations(activity)
        surface = create["createSurface"]["surfaceId"]
        assert update["updateComponents"]["surfaceId"] == data["updateDataModel"]["surfaceId"] == surface
        assert "root" in [part["id"] for part in update["updateComponents"]["components"]]
        surfaces.append(surface)
    assert len(set(surfaces)) == 2


HOSTILE: dict[str, Any] = {
    "the data are a string": "items",
    "items null": {"items": None},
    "item without name": {"items": [{"price": "9"}]},
    "price NaN": {"items": [{"name": "水煮鱼", "price": "NaN"}]},
    "script as image": {"items": [{"name": "水煮鱼", "image_url": "javascript:alert(1)"}]},
    "markup in a name": {"items": [{"name": "<img onerror=x>"}]},
    "more than a card may hold": {"items": [{"name": "x" * 1000}] * 400},
    "more rows than a card may have": {"items": [{"name": "x"}] * 5000},
    "prototype": {"items": [{"name": "水煮鱼", "__proto__": {"x": 1}}], "__proto__": {"y": 1}},
}


@requirement("CARD-08", "SB-BLANK-01")
@pytest.mark.parametrize("what", HOSTILE)
async def test_card_08_malformed_and_hostile_data_never_fail_the_run_and_never_reach_the_page(what: str) -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        found, activity = await shown(case, house, "dish_cards", HOSTILE[what])
        assert text_of(found) == "看卡片"
        assert found[-1]["outcome"]["type"] == "success"
        surface = Surface(operations(activity))
        assert surface.words
        assert not any("script" in url for url in surface.urls)
        wire = json.dumps(activity, ensure_ascii=False)
        assert "__proto__" not in wire
        assert len(wire.encode()) < MAX_BYTES


@requirement("CARD-08")
async def test_card_08_five_megabytes_are_not_read_and_the_run_goes_on() -> None:
    case = Case(ASK, "今天不行")
    case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", {"items": [{"name": "x" * 1000}] * 5000})))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("辣菜")))
        assert text_of(found) == "今天不行"
        assert found[-1]["outcome"]["type"] == "success"
        assert of_type(found, "ACTIVITY_SNAPSHOT") == []
        assert len(json.dumps(found)) < MAX_BYTES
