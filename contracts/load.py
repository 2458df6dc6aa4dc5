"""Reads contract files and the schemas beside them. Knows nothing about whether they fit together: see `matrix.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from contracts.extensions import CARDS
from contracts.model import Agent, Channel, ContractError, Frontend, Json, KnownHole, Supervisor

HERE = Path(__file__).parent


def schema(name: str) -> dict[str, Any]:
    """The schema `<name>.schema.json` of this package, e.g. `custom-events`. Raises ContractError."""
    return dict(_read(HERE / f"{name}.schema.json"))


@cache
def validator(name: str) -> Draft202012Validator:
    """A validator of the schema `<name>.schema.json`, compiled once. Raises ContractError."""
    resources = [Resource.from_contents(_read(path)) for path in sorted(HERE.rglob("*.schema.json"))]
    registry: Registry[Any] = Registry().with_resources([(str(r.id()), r) for r in resources])
    return Draft202012Validator(schema(name), registry=registry)


def read_agent(path: Path) -> Agent:
    """An agent's contract, or its A2A agent card. Raises ContractError."""
    found = _read(path)
    if "capabilities" in found:
        return agent_of_card(found, shown(path))
    contract = checked(found, "agent", path)
    if isinstance(contract.get("samples"), str):
        beside = path.parent / contract["samples"]
        contract = checked({**contract, "samples": _read(beside)}, "agent", beside)
    return _agent(contract, shown(path))


def agent_of_card(card: Json, where: str) -> Agent:
    """What an A2A agent card declares in the extension for cards. Raises ContractError."""
    capabilities = cast("Json", card.get("capabilities") or {})
    for extension in cast("list[Json]", capabilities.get("extensions") or []):
        if extension.get("uri") == CARDS:
            declared = {"agent": card.get("name"), **cast("Json", extension.get("params") or {})}
            known = {key: declared[key] for key in ("agent", "cardTypes", "catalogueVersion") if key in declared}
            return _agent(checked(known, "agent", where), where)
    raise ContractError(f"{where}: the agent card does not declare the extension {CARDS}")


def read_supervisor(path: Path = HERE / "supervisor.json") -> Supervisor:
    """What the supervisor promises. Raises ContractError."""
    found = checked(_read(path), "supervisor", path)
    return Supervisor(
        tuple(found["cardTypes"]), _channel(found["channel"]), found["a2uiVersion"], found["textEvent"], shown(path)
    )


def read_frontend(path: Path) -> Frontend:
    """A front end's contract. Raises ContractError."""
    found = checked(_read(path), "frontend", path)
    return Frontend(
        name=found["frontend"],
        channels=tuple(_channel(channel) for channel in found["channels"]),
        text_events=frozenset(found["textEvents"]),
        a2ui_version=found.get("a2uiVersion"),
        catalog_id=found.get("catalogId"),
        components=_names(found, "components"),
        known=tuple(KnownHole(h["hole"], _names(h, "cardTypes"), h["why"]) for h in found.get("knownHoles", ())),
        where=shown(path),
    )


def read_json(path: Path) -> Any:
    """The JSON in a file. Raises ContractError."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ContractError(f"{shown(path)}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise ContractError(f"{shown(path)}: not JSON ({error})") from error


def checked(found: Json, name: str, where: Path | str) -> Json:
    """`found` if it fits the schema `name`. Raises ContractError."""
    errors = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(found)]
    if errors:
        raise ContractError("\n".join(f"{shown(where)}: {error}" for error in errors))
    return found


def shown(path: Path | str) -> str:
    """A path as a reader knows it: from the working directory if it is below."""
    if isinstance(path, str):
        return path
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _read(path: Path) -> Json:
    found = read_json(path)
    if not isinstance(found, dict):
        raise ContractError(f"{shown(path)}: not a JSON object")
    return cast("Json", found)


def _agent(found: Json, where: str) -> Agent:
    samples: Mapping[str, list[Any]] = found.get("samples", {})
    return Agent(found["agent"], tuple(found["cardTypes"]), where, found.get("catalogueVersion"), samples)


def _channel(found: Json) -> Channel:
    return Channel(found["event"], found.get("activityType"), found["carries"], _names(found, "cardTypes"))


def _names(found: Json, key: str) -> frozenset[str] | None:
    return frozenset(found[key]) if key in found else None
