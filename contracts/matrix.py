"""Whether agents, catalogue and front ends fit together: a table agent x card type x front end. Pure, reads nothing.

A hole is something that an agent may emit and a user would not see as what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jsonschema import Draft202012Validator

from contracts import holes
from contracts.holes import Hole
from contracts.model import Agent, CatalogueCard, CatalogueView, Frontend, Supervisor

TEXT = "(text)"
"""The row of the answer's words, which a front end can miss as well."""
NOBODY = "(nobody)"
"""Stands for the agent of a broken card type that no agent emits: the supervisor does not start with it either."""
UNKNOWN = "(cards)"
"""The row of an agent that could not be asked."""
MAX_ERRORS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One card type of one agent and what is wrong with it. `in_catalogue` is False for a type nobody knows."""

    agent: str
    card_type: str
    in_catalogue: bool
    holes: tuple[Hole, ...]

    def of(self, frontend: str | None) -> tuple[Hole, ...]:
        """The holes that are up to one front end, or to none of them."""
        return tuple(hole for hole in self.holes if hole.frontend == frontend)


@dataclass(frozen=True, slots=True)
class Report:
    """The whole table. `unused` are types that nobody emits, `notes` other things worth a look: neither is a hole."""

    frontends: tuple[str, ...]
    rows: tuple[Row, ...]
    unused: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """There is no hole but those that a front end admits."""
        return not self.open

    @property
    def open(self) -> list[str]:
        """One line per hole that nobody admits."""
        return holes.lines((r.agent, r.card_type, h) for r in self.rows for h in r.holes if h.known is None)

    @property
    def known(self) -> list[str]:
        """One line per admitted hole, with the front end's reason."""
        found = ((r.agent, r.card_type, h) for r in self.rows for h in r.holes if h.known is not None)
        admitted = ((agent, card_type, replace(h, fix=f"known: {h.known}")) for agent, card_type, h in found)
        return holes.lines(admitted, most=3)

    def strict(self) -> Report:
        """The same report with every known hole an open one."""
        rows = (replace(row, holes=tuple(replace(hole, known=None) for hole in row.holes)) for row in self.rows)
        return replace(self, rows=tuple(rows))


def compare(
    supervisor: Supervisor,
    agents: Sequence[Agent],
    frontends: Sequence[Frontend],
    catalogue: CatalogueView,
    served: CatalogueView | None = None,
) -> Report:
    """The table. `served` is the catalogue of a running supervisor that has to know every emitted type as well.

    The supervisor counts as an agent, because its fallback card must be shown everywhere too.
    """
    emitters = [Agent("supervisor", supervisor.card_types, supervisor.where), *agents]
    rows = [_text_row(supervisor, frontends)]
    for agent in emitters:
        rows += (_with_served(row, served) for row in _agent_rows(agent, supervisor, frontends, catalogue))
    emitted = {card.type for row in rows if (card := catalogue.card(row.card_type))}
    unused = [card for card in catalogue.cards if card.type not in emitted]
    rows += [Row(NOBODY, card.type, True, tuple(_broken(card, catalogue))) for card in unused if card.problems]
    admitted = tuple(_admitted(row, frontends) for row in rows)
    names = tuple(frontend.name for frontend in frontends)
    return Report(names, admitted, tuple(card.type for card in unused), tuple(_outdated(admitted, frontends)))


def _text_row(supervisor: Supervisor, frontends: Sequence[Frontend]) -> Row:
    deaf = (f for f in frontends if supervisor.text_event not in f.text_events)
    return Row("supervisor", TEXT, True, tuple(holes.no_text(frontend, supervisor) for frontend in deaf))


def _agent_rows(
    agent: Agent, supervisor: Supervisor, frontends: Sequence[Frontend], catalogue: CatalogueView
) -> Iterator[Row]:
    if agent.down is not None:
        yield Row(agent.name, UNKNOWN, True, (holes.unreachable(agent),))
    for name in agent.card_types:
        card = catalogue.card(name)
        if card is None:
            yield Row(agent.name, name, False, (holes.unknown_type(agent, name, catalogue),))
            continue
        found = [*_broken(card, catalogue), *_agent_holes(agent, name, card, catalogue)]
        for frontend in frontends:
            found += _frontend_holes(card, frontend, catalogue, supervisor)
        yield Row(agent.name, name, True, tuple(found))


def _with_served(row: Row, served: CatalogueView | None) -> Row:
    if served is None or not row.in_catalogue or row.card_type == UNKNOWN or served.card(row.card_type):
        return row
    return replace(row, holes=(*row.holes, holes.not_served(served)))


def _broken(card: CatalogueCard, catalogue: CatalogueView) -> Iterator[Hole]:
    return (holes.broken_type(card, problem, catalogue) for problem in card.problems)


def _agent_holes(agent: Agent, name: str, card: CatalogueCard, catalogue: CatalogueView) -> Iterator[Hole]:
    if agent.catalogue_version not in (None, catalogue.version):
        yield holes.other_version(agent, catalogue)
    if card.schema is None or card.problems:
        return
    check = Draft202012Validator(card.schema)
    for number, data in enumerate(agent.samples.get(name, ()), 1):
        for error, _ in zip(check.iter_errors(data), range(MAX_ERRORS), strict=False):
            said = f"{error.json_path}: {error.message[:160]}"
            yield holes.unfitting_sample(agent, card, number, said, catalogue)


def _frontend_holes(
    card: CatalogueCard, frontend: Frontend, catalogue: CatalogueView, supervisor: Supervisor
) -> Iterator[Hole]:
    reading = [channel for channel in frontend.channels if channel.takes(supervisor.channel)]
    if not reading:
        yield holes.no_channel(frontend, supervisor)
    elif all(channel.card_types is not None and card.type not in channel.card_types for channel in reading):
        yield holes.not_listed(frontend, card)
    if frontend.a2ui_version != supervisor.a2ui_version:
        yield holes.other_a2ui(frontend, supervisor)
    if frontend.catalog_id != catalogue.id:
        yield holes.other_catalogue(frontend, catalogue)
    if frontend.components is None or (card.components or frozenset()) - frontend.components:
        yield holes.lacks_components(frontend, card)


def _admitted(row: Row, frontends: Sequence[Frontend]) -> Row:
    """The row with the reasons of the holes that front ends admit."""
    known = {frontend.name: frontend.known for frontend in frontends}
    found: list[Hole] = []
    for hole in row.holes:
        entries = (entry for entry in known.get(hole.frontend or "", ()) if entry.covers(hole.kind, row.card_type))
        entry = next(entries, None)
        found.append(replace(hole, known=entry.why) if entry else hole)
    return replace(row, holes=tuple(found))


def _outdated(rows: Sequence[Row], frontends: Sequence[Frontend]) -> Iterator[str]:
    """Admitted holes that are none any more: they would hide the next one."""
    compared = {row.card_type for row in rows}
    for frontend in frontends:
        for entry in frontend.known:
            if entry.card_types is not None and not entry.card_types & compared:
                continue
            if not any(entry.covers(hole.kind, row.card_type) for row in rows for hole in row.of(frontend.name)):
                yield f"{frontend.name}: the known hole `{entry.kind}` is closed; take it out of {frontend.where}"
