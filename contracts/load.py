"""Reads contract files and the schemas beside them. Knows nothing about whether they fit together: see `matrix.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

HERE = Path(__file__).parent
CARDS_EXTENSION = "https://switchboard.example/a2a/ext/cards/v1"

Json = Mapping[str, Any]


class ContractError(ValueError):
    """A contract file cannot be used; the text names the file and the place in it."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Where A2UI operations travel: an AG-UI event type and its `activityType`, in one A2UI version."""

    event: str
    activity_type: str
    a2ui_version: str


@dataclass(frozen=True, slots=True)
class Agent:
    """The card types that one agent may emit."""

    name: str
    card_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Supervisor:
    """The channel of every card, and the card types that the supervisor shows of its own accord."""

    card_types: tuple[str, ...]
    channel: Channel


@dataclass(frozen=True, slots=True)
class Frontend:
    """What one front end paints. `card_types` is None unless it has a list of card types of its own."""

    name: str
    channel: Channel
    catalog_id: str
    components: frozenset[str]
    card_types: frozenset[str] | None


def schema(name: str) -> dict[str, Any]:
    """The schema `<name>.schema.json` of this package, e.g. `custom-events`. Raises ContractError."""
    return dict(_read(HERE / f"{name}.schema.json"))


@cache
def validator(name: str) -> Draft202012Validator:
    """A validator of the schema `<name>.schema.json`, compiled once. Raises ContractError."""
    resources = [Resource.from_contents(_read(path)) for path in sorted(HERE.glob("*.schema.json"))]
    registry: Registry[Any] = Registry().with_resources([(str(r.id()), r) for r in resources])
    return Draft202012Validator(schema(name), registry=registry)


def read_agent(path: Path) -> Agent:
    """An agent's contract, or its A2A agent card. Raises ContractError."""
    found = _read(path)
    return agent_of_card(found, str(path)) if "capabilities" in found else _agent(_checked(found, "agent", path))


def agent_of_card(card: Json, where: str) -> Agent:
    """What an A2A agent card declares in the extension for cards. Raises ContractError."""
    capabilities = cast("Json", card.get("capabilities") or {})
    for extension in cast("list[Json]", capabilities.get("extensions") or []):
        if extension.get("uri") == CARDS_EXTENSION:
            types = cast("Json", extension.get("params") or {}).get("cardTypes")
            declared = {"agent": card.get("name"), "cardTypes": types}
            return _agent(_checked(declared, "agent", where))
    raise ContractError(f"{where}: the agent card does not declare the extension {CARDS_EXTENSION}")


def read_supervisor(path: Path = HERE / "supervisor.json") -> Supervisor:
    """What the supervisor promises. Raises ContractError."""
    found = _checked(_read(path), "supervisor", path)
    return Supervisor(tuple(found["cardTypes"]), _channel(found))


def read_frontend(path: Path) -> Frontend:
    """A front end's contract. Raises ContractError."""
    found = _checked(_read(path), "frontend", path)
    types = found.get("cardTypes")
    return Frontend(
        name=found["frontend"],
        channel=_channel(found),
        catalog_id=found["catalogId"],
        components=frozenset(found["components"]),
        card_types=None if types is None else frozenset(types),
    )


def read_json(path: Path) -> Any:
    """The JSON in a file. Raises ContractError."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ContractError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ContractError(f"{path}: not JSON ({error})") from error


def _read(path: Path) -> Json:
    found = read_json(path)
    if not isinstance(found, dict):
        raise ContractError(f"{path}: not a JSON object")
    return cast("Json", found)


def _checked(found: Json, name: str, where: Path | str) -> Json:
    errors = [f"{where}: {error.json_path}: {error.message}" for error in validator(name).iter_errors(found)]
    if errors:
        raise ContractError("\n".join(errors))
    return found


def _agent(found: Json) -> Agent:
    return Agent(found["agent"], tuple(found["cardTypes"]))


def _channel(found: Json) -> Channel:
    return Channel(found["channel"]["event"], found["channel"]["activityType"], found["a2uiVersion"])
