"""Cards in a ToolMessage's artifact, and what clients see of them: one derivation, live and on refresh.

Artifact: `{"cards": [{surface_id, card_type, card_category, bubble_text, operations}], "fallbacks": [{cardType, reason,
errors}]}`. JSON only: it lives in the checkpoint. `content` of the ToolMessage never holds operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from supervisor.cards.render import RenderedCard

ACTIVITY_TYPE = "a2ui-surface"

Event = dict[str, Any]
Artifact = dict[str, Any]


def build(cards: Sequence[RenderedCard]) -> Artifact:
    """The artifact of one tool call."""
    fallbacks = [card.fallback for card in cards if card.fallback]
    return {
        "cards": [
            {
                "surface_id": card.surface_id,
                "card_type": card.card_type,
                "card_category": card.card_category,
                "bubble_text": card.bubble_text,
                "operations": card.operations,
            }
            for card in cards
        ],
        "fallbacks": [{"cardType": f.card_type, "reason": f.reason, "errors": list(f.errors)} for f in fallbacks],
    }


def surface_events(call_id: str, artifact: Artifact) -> list[Event]:
    """ACTIVITY_SNAPSHOT per card, then CUSTOM card-fallback per card that could not be shown as itself."""
    snapshots: list[Event] = [
        {
            "type": "ACTIVITY_SNAPSHOT",
            "messageId": message["id"],
            "activityType": message["activityType"],
            "content": message["content"],
            "replace": True,
        }
        for message in activity_messages(call_id, artifact)
    ]
    return snapshots + [
        {"type": "CUSTOM", "name": "card-fallback", "value": fallback} for fallback in artifact.get("fallbacks", ())
    ]


def activity_messages(call_id: str, artifact: Artifact) -> list[Event]:
    """The same cards as AG-UI activity messages, for MESSAGES_SNAPSHOT."""
    cards = artifact.get("cards", ())
    return [
        {
            "id": _message_id(call_id, card["surface_id"], alone=len(cards) == 1),
            "role": "activity",
            "activityType": ACTIVITY_TYPE,
            "content": _content(card),
        }
        for card in cards
    ]


def _message_id(call_id: str, surface_id: str, *, alone: bool) -> str:
    return f"a2ui-surface-{call_id}" if alone else f"a2ui-surface-{surface_id}-{call_id}"


def _content(card: dict[str, Any]) -> Event:
    content: Event = {"a2ui_operations": card["operations"], "card_type": card["card_type"]}
    for key in ("bubble_text", "card_category"):
        if card[key] is not None:
            content[key] = card[key]
    return content
