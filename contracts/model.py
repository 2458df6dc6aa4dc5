"""What a check compares: agents, the supervisor, front ends and the catalogue, as far as they depend on each other.

`where` of each is the file or address to name when something has to change there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


class ContractError(ValueError):
    """A contract cannot be used; the text names the file and the place in it."""


@dataclass(frozen=True, slots=True)
class Channel:
    """An AG-UI event that carries cards: as finished A2UI operations, or as data that the front end has to lay out.

    `activity_type` None is any. `card_types` None is every card.
    """

    event: str
    activity_type: str | None
    carries: str
    card_types: frozenset[str] | None = None

    def takes(self, sent: Channel) -> bool:
        """Whether what is sent on `sent` is read here."""
        same = (self.event, self.carries) == (sent.event, sent.carries)
        return same and self.activity_type in (None, sent.activity_type)

    def __str__(self) -> str:
        return " ".join(part for part in (self.event, self.activity_type, self.carries) if part)


@dataclass(frozen=True, slots=True)
class Agent:
    """The card types that one agent may emit, with samples of the data. `down` says why it could not be asked."""

    name: str
    card_types: tuple[str, ...]
    where: str = ""
    catalogue_version: str | None = None
    samples: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Sequence[Any]])
    down: str | None = None


@dataclass(frozen=True, slots=True)
class Supervisor:
    """How cards and answers are sent, and the card types that the supervisor shows of its own accord."""

    card_types: tuple[str, ...]
    channel: Channel
    a2ui_version: str
    text_event: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class KnownHole:
    """A hole that a front end admits, with the reason; of some card types, or of all of them."""

    kind: str
    card_types: frozenset[str] | None
    why: str

    def covers(self, kind: str, card_type: str) -> bool:
        """Whether this is the hole that was found."""
        return self.kind == kind and (self.card_types is None or card_type in self.card_types)


@dataclass(frozen=True, slots=True)
class Frontend:
    """What one front end reads and paints. None is what its contract does not say."""

    name: str
    channels: tuple[Channel, ...]
    text_events: frozenset[str]
    a2ui_version: str | None
    catalog_id: str | None
    components: frozenset[str] | None
    known: tuple[KnownHole, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class CatalogueCard:
    """One card type. `components` are what its template is made of; None of it or of `schema` is unknown.

    `problems` are lines that say why a supervisor would not start with it.
    """

    type: str
    aliases: tuple[str, ...] = ()
    components: frozenset[str] | None = None
    schema: Json | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogueView:
    """The part of the card catalogue that contracts are about."""

    id: str
    version: str
    cards: tuple[CatalogueCard, ...]
    where: str = ""

    def card(self, name: str) -> CatalogueCard | None:
        """The card type with this name or alias. `dish_cards@2` is the second major of `dish_cards`."""
        base, _, major = name.partition("@")
        owner = self._named(base)
        later = f"{owner.type}@{major}" if owner and major not in ("", "1") else None
        return self._named(name) or (self._named(later) if later else owner if major == "1" else None)

    def _named(self, name: str) -> CatalogueCard | None:
        return next((card for card in self.cards if name == card.type or name in card.aliases), None)
