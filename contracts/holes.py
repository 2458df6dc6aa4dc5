"""The words of a check: every hole in one line that says what is wrong, what to change, and where. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from contracts.model import Agent, CatalogueCard, CatalogueView, Frontend, Supervisor

KINDS = ("channel", "list", "version", "catalogue", "components", "text")
"""The kinds of holes that a front end may admit in its contract."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A reason why a user would not see something an agent emits. `frontend` is set when it is up to a front end.

    `known` is the reason why the front end admits it.
    """

    kind: str
    problem: str
    fix: str
    frontend: str | None = None
    known: str | None = None

    def __str__(self) -> str:
        return f"{self.problem}; {self.fix}"


def unreachable(agent: Agent) -> Hole:
    return Hole("unreachable", f"its cards are unknown ({agent.down})", f"start it, or look at {agent.where}")


def unknown_type(agent: Agent, name: str, catalogue: CatalogueView) -> Hole:
    names = [name for card in catalogue.cards for name in (card.type, *card.aliases)]
    close = get_close_matches(name, names, 1, 0.75)
    meant = f" (did it mean {close[0]}?)" if close else ""
    add = f"add it to {catalogue.where} (`python -m contracts new-card {name}`) or take it out of {agent.where}"
    return Hole("unknown", f"is not in the catalogue{meant}", add)


def not_served(served: CatalogueView) -> Hole:
    fix = f"deploy the catalogue there before the agent ({served.where})"
    return Hole("served", "the running supervisor does not know it", fix)


def broken_type(card: CatalogueCard, problem: str, catalogue: CatalogueView) -> Hole:
    return Hole("broken", f"the supervisor refuses the card: {problem}", f"mend {catalogue.where}/{card.type}")


def other_version(agent: Agent, catalogue: CatalogueView) -> Hole:
    said, has = agent.catalogue_version, catalogue.version
    fix = f"rebuild the agent for version {has} and say so in {agent.where}"
    return Hole("version", f"is built for version {said} of the catalogue, which is at {has}", fix)


def unfitting_sample(agent: Agent, card: CatalogueCard, number: int, error: str, catalogue: CatalogueView) -> Hole:
    problem = f"data that the agent sends does not fit: {error}"
    schema = f"{catalogue.where}/{card.type}/data.schema.json"
    return Hole("data", problem, f"mend sample {number} in {agent.where} and the agent, or {schema}")


def no_channel(frontend: Frontend, supervisor: Supervisor) -> Hole:
    reads = " and ".join(f"`{channel}`" for channel in frontend.channels)
    problem = f"reads cards from {reads} only, but they are sent as `{supervisor.channel}`"
    return _of(frontend, "channel", problem, f"read that event, and add it to `channels` of {frontend.where}")


def not_listed(frontend: Frontend, card: CatalogueCard) -> Hole:
    problem = "is not in the front end's own list of card types"
    return _of(frontend, "list", problem, f"paint it and add {card.type} to `cardTypes` of {frontend.where}")


def other_a2ui(frontend: Frontend, supervisor: Supervisor) -> Hole:
    if frontend.a2ui_version is None:
        return _unsaid(frontend, "version", "which version of A2UI it speaks", "a2uiVersion")
    problem = f"speaks A2UI {frontend.a2ui_version}, but cards are {supervisor.a2ui_version}"
    return _of(frontend, "version", problem, f"take a renderer of {supervisor.a2ui_version}, then {frontend.where}")


def other_catalogue(frontend: Frontend, catalogue: CatalogueView) -> Hole:
    if frontend.catalog_id is None:
        return _unsaid(frontend, "catalogue", "which A2UI catalogue it has registered", "catalogId")
    problem = f"has registered the catalogue {frontend.catalog_id}, but cards name {catalogue.id}"
    return _of(frontend, "catalogue", problem, f"register that id, then change `catalogId` of {frontend.where}")


def lacks_components(frontend: Frontend, card: CatalogueCard) -> Hole:
    if frontend.components is None:
        return _unsaid(frontend, "components", "which components it can paint", "components")
    lacking = sorted((card.components or frozenset()) - frontend.components)
    problem = f"cannot paint {', '.join(lacking)}"
    return _of(frontend, "components", problem, f"register a renderer of it, then list it in {frontend.where}")


def no_text(frontend: Frontend, supervisor: Supervisor) -> Hole:
    reads = ", ".join(sorted(frontend.text_events))
    problem = f"reads answers from {reads} only, but they are sent as {supervisor.text_event}"
    return _of(frontend, "text", problem, f"read that event, and add it to `textEvents` of {frontend.where}")


def lines(found: Iterable[tuple[str, str, Hole]], most: int = 1000) -> list[str]:
    """One line per hole from (agent, card type, hole). A hole of several cards is said once; `most` of them by name."""
    grouped: dict[tuple[str, Hole], list[str]] = {}
    for agent, card_type, hole in found:
        types = grouped.setdefault((hole.frontend or agent, hole), [])
        if card_type not in types:
            types.append(card_type)
    return [_one_line(f"{who}: {_some(types, most)}: {hole}") for (who, hole), types in grouped.items()]


def _some(names: list[str], most: int) -> str:
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unsaid(frontend: Frontend, kind: str, what: str, key: str) -> Hole:
    return _of(frontend, kind, f"does not say {what}", f"add `{key}` to {frontend.where}")


def _of(frontend: Frontend, kind: str, problem: str, fix: str) -> Hole:
    return Hole(kind, problem, fix, frontend.name)
