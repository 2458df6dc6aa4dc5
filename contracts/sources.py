"""Where the parts of a check come from: files of this package, a catalogue folder, running agents and supervisors."""

from __future__ import annotations

import importlib.util
import json
import re
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from contracts.load import HERE, agent_of_card, checked, read_agent, read_json, read_supervisor, shown
from contracts.model import Agent, CatalogueCard, CatalogueView, ContractError, Json, Supervisor
from contracts.template import component_names, template_problems

AGENT_CARD = "/.well-known/agent-card.json"
TIMEOUT = 10.0
"""Seconds to wait for an answer."""


def default_agents() -> list[str]:
    """The agent contracts of this package."""
    return [str(path) for path in sorted((HERE / "agents").glob("*.json"))]


def default_frontends() -> list[Path]:
    """The front-end contracts of this package."""
    return sorted((HERE / "frontends").glob("*.json"))


def is_url(source: str) -> bool:
    """Whether a source is asked over HTTP, not read from a file."""
    return source.startswith(("http://", "https://"))


def agent(source: str) -> Agent:
    """An agent by contract file, agent-card file, or base URL of a running agent. Raises ContractError."""
    if not is_url(source):
        return read_agent(Path(source))
    url = source if source.endswith(".json") else source.rstrip("/") + AGENT_CARD
    return agent_of_card(_fetched(url), url)


def supervisor(source: str | None) -> Supervisor:
    """What a supervisor promises, by contract file. One that runs promises what this package says."""
    return read_supervisor() if source is None or is_url(source) else read_supervisor(Path(source))


def live_agents(url: str) -> list[Agent]:
    """The agents that a running supervisor sees, as its GET /agents tells them. Raises ContractError."""
    where = url.rstrip("/") + "/agents"
    rows = cast("list[Json]", _fetched(where).get("agents") or [])
    return [_live_agent(row, where) for row in rows]


def live_catalogue(url: str) -> CatalogueView:
    """The catalogue that a running supervisor renders, as its GET /catalogue tells it. Raises ContractError."""
    where = url.rstrip("/") + "/catalogue"
    found = checked(_fetched(where), "catalogue", where)
    cards = [
        CatalogueCard(
            type=card["type"],
            aliases=tuple(card.get("aliases", ())),
            components=frozenset(card["components"]) if "components" in card else None,
            schema=card.get("dataSchema"),
        )
        for card in found["cards"]
    ]
    return CatalogueView(found["catalogId"], found["version"], tuple(cards), where)


def catalogue(directory: Path | None = None) -> CatalogueView:
    """The card catalogue in `directory`, by default the installed `a2ui_schemas`. Raises ContractError."""
    folder = directory or installed_catalogue()
    document = read_json(folder / "catalog.json")
    identity = cast("Json", document).get("catalogId") if isinstance(document, dict) else None
    if not isinstance(identity, str):
        raise ContractError(f"{shown(folder / 'catalog.json')}: has no catalogId")
    cards = [_card(path.parent) for path in sorted(folder.glob("*/card.json"))]
    if not cards:
        raise ContractError(f"{shown(folder)}: no card types (folders with a card.json)")
    return CatalogueView(identity, version_of(identity), tuple(_without_clashes(cards)), shown(folder))


def version_of(catalog_id: str) -> str:
    """The major version in a catalogue's id: `1` of `.../campus/v1/catalog.json`, empty without one."""
    found = re.search(r"/v(\d+)/", catalog_id)
    return found[1] if found else ""


def installed_catalogue() -> Path:
    """The folder of `a2ui_schemas`. Raises ContractError."""
    # Found, not imported: a check of another team's catalogue must not run code of ours.
    spec = importlib.util.find_spec("a2ui_schemas")
    if spec is None or spec.origin is None:
        raise ContractError("a2ui_schemas is not installed; name a folder with --catalogue")
    return Path(spec.origin).parent


def _live_agent(row: Json, where: str) -> Agent:
    name = str(row.get("name"))
    if row.get("healthy") is not True:
        return Agent(name, (), where, down=str(row.get("error") or "it is not healthy"))
    types = tuple(str(card_type) for card_type in cast("list[Any]", row.get("cardTypes") or []))
    version = row.get("catalogueVersion")
    return Agent(name, types, where, version if isinstance(version, str) else None)


def _fetched(url: str) -> Json:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            found = json.load(response)
    except OSError as error:
        raise ContractError(f"{url}: no answer ({error})") from error
    except ValueError as error:
        raise ContractError(f"{url}: not JSON ({error})") from error
    if not isinstance(found, dict):
        raise ContractError(f"{url}: not a JSON object")
    return cast("Json", found)


def _card(folder: Path) -> CatalogueCard:
    """One card type. What is wrong with its files are its problems: the other types can still be compared."""
    try:
        meta = read_json(folder / "card.json")
        if not isinstance(meta, dict):
            raise ContractError("card.json: not a JSON object")
        found = cast("dict[str, Any]", meta)
        template = read_json(folder / str(found.get("template", "template.json")))
        data_schema = read_json(folder / "data.schema.json")
        example = read_json(folder / "example.json")
    except ContractError as error:
        return CatalogueCard(folder.name, problems=(str(error),))
    problems = [*_meta_problems(found, folder.name), *template_problems(template)]
    problems += _data_problems(data_schema, example)
    aliases = found.get("aliases")
    return CatalogueCard(
        type=folder.name,
        aliases=tuple(str(alias) for alias in cast("list[Any]", aliases)) if isinstance(aliases, list) else (),
        components=None if problems else component_names(template),
        schema=None if problems else data_schema,
        problems=tuple(problems),
    )


def _meta_problems(meta: Json, folder: str) -> list[str]:
    if meta.get("type") == folder:
        return []
    return [f"card.json: the type is {meta.get('type')!r}, but its folder is {folder!r}"]


def _data_problems(data_schema: Any, example: Any) -> list[str]:
    problem = _schema_problem(json.dumps(data_schema))
    if problem:
        return [problem]
    error = next(Draft202012Validator(data_schema).iter_errors(example), None)
    return [f"example.json: {error.json_path}: {error.message[:160]}"] if error else []


@cache
def _schema_problem(text: str) -> str:
    """What is wrong with a schema, given as JSON. By far the slowest part of a check, hence remembered."""
    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError as error:
        return f"data.schema.json: {error.json_path}: {error.message[:160]}"
    return ""


def _without_clashes(cards: list[CatalogueCard]) -> list[CatalogueCard]:
    """The same cards; one that takes a name of an earlier one has that as a problem."""
    owners: dict[str, str] = {}
    result: list[CatalogueCard] = []
    for card in cards:
        taken = [name for name in (card.type, *card.aliases) if owners.setdefault(name, card.type) != card.type]
        said = tuple(f"card.json: the name {name!r} belongs to {owners[name]}" for name in taken)
        result.append(
            CatalogueCard(card.type, card.aliases, card.components, card.schema, card.problems + said) if said else card
        )
    return result
