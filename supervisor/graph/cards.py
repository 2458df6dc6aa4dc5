"""Cards as the graph sees them: opaque artifacts that somebody else renders and reads (`supervisor/card_desk.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

from langchain_core.messages import BaseMessage, ToolMessage

from supervisor.dispatch.port import DispatchResult
from supervisor.graph.port import Surface

Json = dict[str, Any]


class Cards(Protocol):
    """Pure: no I/O."""

    def render(self, results: Sequence[DispatchResult], clicked: Surface | None = None) -> Json | None:
        """The artifact of the cards in some results; None when there is none. An answer to a click may update it."""
        ...

    def activities(self, call_id: str, artifact: Json) -> list[Json]:
        """The cards of an artifact as AG-UI activity messages."""
        ...

    def surfaces(self, call_id: str, artifact: Json) -> list[Surface]:
        """The surfaces of an artifact, with their owners."""
        ...


def artifact_of(message: BaseMessage) -> Json | None:
    """The artifact of a tool message."""
    found: Any = message.artifact if isinstance(message, ToolMessage) else None
    return cast("Json", found) if isinstance(found, dict) else None


def surfaces_of(messages: Sequence[BaseMessage], cards: Cards) -> dict[str, Surface]:
    """Every surface that was issued to a thread, by id."""
    found: dict[str, Surface] = {}
    for message in messages:
        artifact = artifact_of(message)
        if artifact is not None and isinstance(message, ToolMessage):
            found |= {surface.id: surface for surface in cards.surfaces(message.tool_call_id, artifact)}
    return found


def find_surface(messages: Sequence[BaseMessage], surface_id: str, cards: Cards) -> Surface | None:
    """One of them."""
    return surfaces_of(messages, cards).get(surface_id)
