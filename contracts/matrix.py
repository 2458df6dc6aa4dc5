"""Whether agents, catalogue and front ends fit together: a table agent x card type x front end. Pure, reads nothing.

A hole is a card that an agent may emit and a user would not see as that card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.load import Agent, Channel, Frontend, Supervisor


@dataclass(frozen=True, slots=True)
class CatalogueCard:
    """What the catalogue says about one card type: the A2UI components its template is made of."""

    type: str
    aliases: tuple[str, ...]
    components: frozenset[str]


@dataclass(frozen=True, slots=True)
class CatalogueView:
    """The part of the card catalogue that contracts are about."""

    id: str
    cards: tuple[CatalogueCard, ...]

    def card(self, name: str) -> CatalogueCard | None:
        """The card type with this name or alias."""
        return next((card for card in self.cards if name == card.type or name in card.aliases), None)


@dataclass(frozen=True, slots=True)
class Row:
    """One card type of one agent. `holes` maps a front end to the reasons why it does not show the card."""

    agent: str
    card_type: str
    missing: bool
    holes: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @property
    def ok(self) -> bool:
        """Every front end shows this card."""
        return not self.missing and not any(self.holes.values())


@dataclass(frozen=True, slots=True)
class Report:
    """The whole table. `unused` are types of the catalogue that nobody emits: worth a look, not a hole."""

    frontends: tuple[str, ...]
    rows: tuple[Row, ...]
    unused: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """There is no hole."""
        return all(row.ok for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The report for CI: `{ok, rows: [{agent, cardType, inCatalogue, frontends: {name: [reason]}}], unused}`."""
        return {
            "ok": self.ok,
            "rows": [
                {
                    "agent": row.agent,
                    "cardType": row.card_type,
                    "inCatalogue": not row.missing,
                    "frontends": {name: list(row.holes.get(name, ())) for name in self.frontends},
                }
                for row in self.rows
            ],
            "unused": list(self.unused),
        }


def compare(
    supervisor: Supervisor, agents: Sequence[Agent], frontends: Sequence[Frontend], catalogue: CatalogueView
) -> Report:
    """The table. The supervisor counts as an agent, because its fallback card must be shown everywhere too."""
    emitters = [Agent("supervisor", supervisor.card_types), *agents]
    rows = [
        _row(emitter.name, name, catalogue, frontends, supervisor.channel)
        for emitter in emitters
        for name in emitter.card_types
    ]
    emitted = {card.type for row in rows if (card := catalogue.card(row.card_type))}
    unused = tuple(card.type for card in catalogue.cards if card.type not in emitted)
    return Report(tuple(frontend.name for frontend in frontends), tuple(rows), unused)


def _row(agent: str, name: str, catalogue: CatalogueView, frontends: Sequence[Frontend], sent: Channel) -> Row:
    card = catalogue.card(name)
    if card is None:
        return Row(agent, name, missing=True)
    holes = {frontend.name: tuple(_reasons(card, frontend, catalogue, sent)) for frontend in frontends}
    return Row(agent, name, missing=False, holes=holes)


def _reasons(card: CatalogueCard, frontend: Frontend, catalogue: CatalogueView, sent: Channel) -> Iterator[str]:
    reads = frontend.channel
    if (reads.event, reads.activity_type) != (sent.event, sent.activity_type):
        yield f"listens to {reads.event} {reads.activity_type}, but cards are sent as {sent.event} {sent.activity_type}"
    if reads.a2ui_version != sent.a2ui_version:
        yield f"speaks A2UI {reads.a2ui_version}, not {sent.a2ui_version}"
    if frontend.catalog_id != catalogue.id:
        yield f"has the catalogue {frontend.catalog_id}, not {catalogue.id}"
    if frontend.card_types is not None and card.type not in frontend.card_types:
        yield "does not list this card type"
    for component in sorted(card.components - frontend.components):
        yield f"cannot paint {component}"
