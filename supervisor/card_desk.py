"""Joins what agents answered with the card renderer: the `Cards` port of the graph. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from supervisor.cards import artifact as artifacts
from supervisor.cards.render import CardRenderer
from supervisor.dispatch.port import DispatchResult
from supervisor.graph.port import Surface

Json = dict[str, Any]


class CardDesk:
    """Renders the cards of dispatch results into artifacts and reads artifacts back."""

    def __init__(self, renderer: CardRenderer) -> None:
        self._renderer = renderer

    def render(self, results: Sequence[DispatchResult], clicked: Surface | None = None) -> Json | None:
        cards = [card for result in results if result.card_type for card in self._cards(result, clicked)]
        return artifacts.build(cards) if cards else None

    def activities(self, call_id: str, artifact: Json) -> list[Json]:
        return artifacts.activity_messages(call_id, artifact)

    def surfaces(self, call_id: str, artifact: Json) -> list[Surface]:
        return [
            Surface(card["surface_id"], card["card_type"], card["agent"], artifacts.message_id(call_id, artifact, card))
            for card in artifact.get("cards", ())
            if card.get("agent")
        ]

    def _cards(self, result: DispatchResult, clicked: Surface | None) -> list[artifacts.Issued]:
        others = [replace(result, **more, card_update=False) for more in result.more_cards]
        return [self._card(result, clicked), *(self._card(other, None) for other in others)]

    def _card(self, result: DispatchResult, clicked: Surface | None) -> artifacts.Issued:
        updates = clicked is not None and result.card_update
        card = self._renderer.render(
            result.card_type,
            result.card_data,
            bubble_text=result.bubble_text or result.content,
            card_category=result.card_category,
            replaces=(clicked.id, clicked.card_type) if clicked is not None and updates else None,
        )
        in_place = clicked is not None and card.surface_id == clicked.id
        return artifacts.Issued(card, result.agent, clicked.message_id if clicked and in_place else None)
