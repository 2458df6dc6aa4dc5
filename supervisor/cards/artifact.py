"""Cards in a ToolMessage's artifact, and what clients see of them: one derivation, live and on refresh.

Artifact: `{"cards": [{surface_id, card_type, card_category, bubble_text, operations, agent, message_id}], "fallbacks":
[{cardType, reason, errors}]}`. JSON only: it lives in the checkpoint. `content` of the ToolMessage never holds
operations. `agent` owns the surface; `message_id` is set where a card replaces the one of an earlier message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from supervisor.cards.render import RenderedCard

ACTIVITY_TYPE = "a2ui-surface"

Event = dict[str, Any]
Artifact = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Issued:
    """A card with its owner, and the activity message that it replaces, if any."""

    card: RenderedCard
    agent: str | None = None
    message_id: str | None = None


def build(issued: Sequence[Issued]) -> Artifact:
    """The artifact of one tool call."""
    fallbacks = [item.card.fallback for item in issued if item.card.fallback]
    return {
        "cards": [
            {
                "surface_id": item.card.surface_id,
                "card_type": item.card.card_type,
                "card_category": item.card.card_category,
                "bubble_text": item.card.bubble_text,
                "operations": item.card.operations,
                "agent": item.agent,
                "message_id": item.message_id,
            }
            for item in issued
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
    return [
        {
            "id": message_id(call_id, artifact, card),
            "role": "activity",
            "activityType": ACTIVITY_TYPE,
            "content": _content(card),
        }
        for card in artifact.get("cards", ())
    ]


def message_id(call_id: str, artifact: Artifact, card: dict[str, Any]) -> str:
    """The id of the activity message of one of the artifact's cards."""
    if card.get("message_id"):
        return card["message_id"]
    alone = len(artifact["cards"]) == 1
    return f"a2ui-surface-{call_id}" if alone else f"a2ui-surface-{card['surface_id']}-{call_id}"


def _content(card: dict[str, Any]) -> Event:
    content: Event = {"a2ui_operations": card["operations"], "card_type": card["card_type"]}
    for key in ("bubble_text", "card_category"):
        if card[key] is not None:
            content[key] = card[key]
    return content
