"""Cards in a ToolMessage's artifact: one derivation for the live stream and for a refresh."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ag_ui.core import ActivityMessage, ActivitySnapshotEvent, CustomEvent

from a2ui_schemas import load_catalogue
from supervisor.cards import artifact
from supervisor.cards.render import CardRenderer, RenderedCard

CATALOGUE = load_catalogue()


def built(cards: list[RenderedCard]) -> dict[str, Any]:
    return artifact.build([artifact.Issued(card, "canteen") for card in cards])


def dishes(bubble: str | None = "三道菜") -> RenderedCard:
    return CardRenderer(CATALOGUE).render("dish_cards", CATALOGUE.cards["dish_cards"].example, bubble_text=bubble)


def fallback() -> RenderedCard:
    return CardRenderer(CATALOGUE).render("nope", {}, bubble_text="三道菜")


@pytest.mark.parametrize("cards", [[dishes()], [dishes(), fallback()], [fallback()], []])
def test_the_live_events_and_the_messages_of_a_refresh_are_the_same_cards(cards: list[RenderedCard]) -> None:
    stored = json.loads(json.dumps(built(cards)))
    live = [e for e in artifact.surface_events("c1", built(cards)) if e["type"] == "ACTIVITY_SNAPSHOT"]
    again = artifact.activity_messages("c1", stored)
    assert len(live) == len(cards)
    assert [(e["messageId"], e["activityType"], e["content"]) for e in live] == [
        (message["id"], message["activityType"], message["content"]) for message in again
    ]


def test_events_and_messages_are_those_of_ag_ui() -> None:
    stored = built([dishes(), fallback()])
    for event in artifact.surface_events("c1", stored):
        model: Any = CustomEvent if event["type"] == "CUSTOM" else ActivitySnapshotEvent
        model.model_validate(event)
    for message in artifact.activity_messages("c1", stored):
        ActivityMessage.model_validate(message)


def test_the_only_card_of_a_call_is_named_after_the_call_several_also_after_their_surface() -> None:
    first, second = dishes(), dishes()
    assert [m["id"] for m in artifact.activity_messages("c1", built([first]))] == ["a2ui-surface-c1"]
    assert [m["id"] for m in artifact.activity_messages("c1", built([first, second]))] == [
        f"a2ui-surface-{first.surface_id}-c1",
        f"a2ui-surface-{second.surface_id}-c1",
    ]


def test_a_snapshot_replaces_and_tells_what_it_is() -> None:
    card = dishes()
    (event,) = artifact.surface_events("c1", built([card]))
    assert event["replace"] is True
    assert event["content"] == {
        "a2ui_operations": card.operations,
        "bubble_text": "三道菜",
        "card_type": "dish_cards",
        "card_category": "recommend",
    }


def test_a_card_without_bubble_text_has_no_null_in_its_content() -> None:
    (event,) = artifact.surface_events("c1", built([dishes(bubble=None)]))
    assert "bubble_text" not in event["content"]


def test_the_reason_of_a_fallback_follows_the_cards() -> None:
    events = artifact.surface_events("c1", built([fallback(), dishes()]))
    assert [event["type"] for event in events] == ["ACTIVITY_SNAPSHOT", "ACTIVITY_SNAPSHOT", "CUSTOM"]
    assert events[2] == {
        "type": "CUSTOM",
        "name": "card-fallback",
        "value": {"cardType": "nope", "reason": "unknown_type", "errors": []},
    }


def test_an_artifact_without_cards_gives_nothing() -> None:
    assert artifact.surface_events("c1", {}) == artifact.activity_messages("c1", {}) == []
