"""Card metadata of an agent to A2UI operations. Deterministic, no I/O; a card never vanishes.

alias -> shape -> validate -> bind. What cannot be shown as its own type becomes a `message-card` with the bubble text.
Agents send data only: no agent can bring a template, a component or an action.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast

import jsonschema_rs
import orjson

from a2ui_schemas.loader import CardType, Catalogue
from a2ui_schemas.operations import operations
from supervisor.cards.readable import reader, visible
from supervisor.cards.shape import TooLong, Unshapable, shaped

FALLBACK = "message-card"
MAX_BYTES = 256 * 1024
"""JSON bytes of one card's data."""
MAX_ERRORS = 5
MAX_BUBBLE = 4000
"""Characters of the bubble text, which is also the text of a fallback card."""
MAX_CATEGORY = 64

Reason = Literal["unknown_type", "invalid_data", "too_large"]


class CardEvents(Protocol):
    """Told of every card, for metrics."""

    def rendered(self, card_type: str) -> None: ...

    def fell_back(self, card_type: str, reason: Reason) -> None: ...


@dataclass(frozen=True, slots=True)
class Fallback:
    """Why a card is shown as a message: `errors` name paths and keywords of the schema, never values."""

    card_type: str
    reason: Reason
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedCard:
    """One surface. `card_type` is the type that is painted; `fallback` says why it is not the one the agent named."""

    surface_id: str
    card_type: str
    operations: list[dict[str, Any]]
    card_category: str | None = None
    bubble_text: str | None = None
    fallback: Fallback | None = None


@dataclass(frozen=True, slots=True)
class _Refused(Exception):
    reason: Reason
    errors: tuple[str, ...] = field(default=())


def new_suffix() -> str:
    """Eight hex digits that make a surface id unique."""
    return uuid.uuid4().hex[:8]


class CardRenderer:
    """Renders every card of a process. Validators are compiled once."""

    def __init__(
        self, catalogue: Catalogue, *, new_id: Callable[[], str] = new_suffix, events: CardEvents | None = None
    ) -> None:
        self._catalogue = catalogue
        self._new_id = new_id
        self._events = events
        self._validators = {card.type: jsonschema_rs.validator_for(card.schema) for card in catalogue.cards.values()}
        self._readers = {card.type: reader(card.template) for card in catalogue.cards.values()}

    def render(
        self,
        card_type: Any,
        card_data: Any,
        *,
        bubble_text: str | None = None,
        card_category: str | None = None,
        replaces: tuple[str, str] | None = None,
    ) -> RenderedCard:
        """The card, or its fallback. Never raises, whatever an agent sends.

        `replaces` is the (surface id, card type) of a surface that takes the new data if the card is of the same type.
        """
        name = card_type if isinstance(card_type, str) else ""
        category = _words(card_category, MAX_CATEGORY) or None
        bubble = _words(bubble_text, MAX_BUBBLE)
        try:
            card = self._catalogue.card(name)
            if card is None:
                raise _Refused("unknown_type")
            data = self._checked(card, _with_title(card, card_data, bubble))
        except _Refused as refused:
            return self._fallback(name, refused, bubble, category)
        if self._events:
            self._events.rendered(card.type)
        surface_id = replaces[0] if replaces and replaces[1] == card.type else None
        return self._surface(card, data, category or card.category, bubble, surface_id=surface_id)

    def _checked(self, card: CardType, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise _Refused("invalid_data", ("the card data is not an object",))
        try:
            value = shaped(card.schema, data)
            size = len(orjson.dumps(value))
        except TooLong as error:
            raise _Refused("too_large", (str(error),)) from None
        except Unshapable as error:
            raise _Refused("invalid_data", (str(error),)) from None
        except TypeError:
            raise _Refused("invalid_data", ("the card data is not JSON",)) from None
        if size > MAX_BYTES:
            raise _Refused("too_large", (f"{size} bytes, {MAX_BYTES} are allowed",))
        errors = [_public(error) for error, _ in zip(self._errors(card, value), range(MAX_ERRORS), strict=False)]
        if errors:
            raise _Refused("invalid_data", tuple(errors))
        if value.get("items") and "empty_text" in value:
            # Templates have no conditions: what stands for an empty list must not follow a full one.
            value["empty_text"] = ""
        if not self._readers[card.type](value):
            # Renderers wait for ever for a surface whose whole data model is empty, and blanks are no card either.
            raise _Refused("invalid_data", ("there is nothing to show",))
        return cast("dict[str, Any]", value)

    def _errors(self, card: CardType, value: Any) -> Any:
        validator = self._validators[card.type]
        return () if validator.is_valid(value) else validator.iter_errors(value)

    def _fallback(self, name: str, refused: _Refused, bubble: str, category: str | None) -> RenderedCard:
        shown = name[:60].encode("utf-8", "replace").decode() or "?"
        card = self._catalogue.cards[FALLBACK]
        data = shaped(card.schema, {"text": bubble or f"[{shown}]"})
        fallback = Fallback(shown, refused.reason, refused.errors)
        if self._events:
            # Names of unknown types come from outside; they must not become an unbounded label.
            self._events.fell_back(shown if self._catalogue.card(name) else "unknown", refused.reason)
        return self._surface(card, data, category or card.category, bubble, fallback)

    def _surface(
        self,
        card: CardType,
        data: dict[str, Any],
        category: str,
        bubble: str,
        fallback: Fallback | None = None,
        *,
        surface_id: str | None = None,
    ) -> RenderedCard:
        surface_id = surface_id or f"{card.type}-{self._new_id()}"
        painted = operations(card, self._catalogue.id, surface_id, data)
        return RenderedCard(surface_id, card.type, painted, category, bubble or None, fallback)


def _with_title(card: CardType, data: Any, bubble: str) -> Any:
    """A list without a title takes the bubble text, so that no card is headless."""
    if not isinstance(data, dict) or not bubble or "title" not in card.schema["properties"]:
        return data
    given = cast("dict[Any, Any]", data)
    if given.get("title") or card.type == FALLBACK:
        return given
    return {**given, "title": bubble[:80]}


def _words(value: Any, limit: int) -> str:
    return str(shaped({}, value[:limit])).strip() if isinstance(value, str) and visible(value[:limit]) else ""


def _public(error: Any) -> str:
    """`/items/0/name: required`. The message of the validator is left out: it quotes values."""
    path = "/".join(str(part)[:40] for part in error.instance_path)
    return f"/{path}: {str(error.schema_path[-1]) if error.schema_path else 'invalid'}"
