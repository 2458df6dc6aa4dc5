"""Where the parts of a check come from: files of this package, a catalogue folder, or a running agent's card."""

from __future__ import annotations

import importlib.util
import json
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from contracts.load import HERE, Agent, ContractError, agent_of_card, read_agent, read_json
from contracts.matrix import CatalogueCard, CatalogueView

AGENT_CARD = "/.well-known/agent-card.json"
TIMEOUT = 10.0
"""Seconds to wait for an agent card."""


def default_agents() -> list[str]:
    """The agent contracts of this package."""
    return [str(path) for path in sorted((HERE / "agents").glob("*.json"))]


def default_frontends() -> list[Path]:
    """The front-end contracts of this package."""
    return sorted((HERE / "frontends").glob("*.json"))


def agent(source: str) -> Agent:
    """An agent by contract file, agent-card file, or base URL of a running agent. Raises ContractError."""
    if not source.startswith(("http://", "https://")):
        return read_agent(Path(source))
    url = source if source.endswith(".json") else source.rstrip("/") + AGENT_CARD
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            card = json.load(response)
    except OSError as error:
        raise ContractError(f"{url}: no answer ({error})") from error
    except ValueError as error:
        raise ContractError(f"{url}: not JSON ({error})") from error
    if not isinstance(card, dict):
        raise ContractError(f"{url}: not an agent card")
    return agent_of_card(cast("dict[str, Any]", card), url)


def catalogue(directory: Path | None = None) -> CatalogueView:
    """The card catalogue in `directory`, by default the installed `a2ui_schemas`. Raises ContractError."""
    folder = directory or _installed()
    document = cast("dict[str, Any]", read_json(folder / "catalog.json"))
    cards = [_card(path.parent) for path in sorted(folder.glob("*/card.json"))]
    if not cards:
        raise ContractError(f"{folder}: no card types (folders with a card.json)")
    if not isinstance(document.get("catalogId"), str):
        raise ContractError(f"{folder / 'catalog.json'}: has no catalogId")
    return CatalogueView(document["catalogId"], tuple(cards))


def _card(folder: Path) -> CatalogueCard:
    meta = cast("dict[str, Any]", read_json(folder / "card.json"))
    template = cast("Sequence[dict[str, Any]]", read_json(folder / str(meta.get("template", "template.json"))))
    components = frozenset(str(component.get("component")) for component in template)
    return CatalogueCard(str(meta.get("type")), tuple(meta.get("aliases") or ()), components)


def _installed() -> Path:
    # Found, not imported: a check of another team's catalogue must not run code of ours.
    spec = importlib.util.find_spec("a2ui_schemas")
    if spec is None or spec.origin is None:
        raise ContractError("a2ui_schemas is not installed; name a folder with --catalogue")
    return Path(spec.origin).parent
