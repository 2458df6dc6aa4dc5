"""Reads the card folders. Standard library only, so that agents and contract checks can use it without A2UI's SDK.

A folder is one major version of a card type: `dish_cards` is the first, `dish_cards@2` the second; both are rendered.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

HERE = Path(__file__).parent
CATALOGUE_VERSION = "1"

Json = dict[str, Any]


class CatalogueError(ValueError):
    """The catalogue cannot be used; the text lists every problem with file, component and path."""


@dataclass(frozen=True, slots=True)
class CardType:
    """One card type. `template` is a list of A2UI components with the root id `root`; `schema` is its data model.

    `actions` are what a user may raise on it: the name, and the JSON Schema of the context that comes with it.
    """

    type: str
    version: str
    aliases: tuple[str, ...]
    category: str
    actions: Mapping[str, Json]
    schema: Json
    template: list[Json]
    example: Json
    folder: Path

    @property
    def components(self) -> tuple[str, ...]:
        """The A2UI components that the template is made of, sorted."""
        return tuple(sorted({str(part.get("component")) for part in self.template}))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All card types. `id` is the A2UI catalogue id of every surface; `digest` changes with any file."""

    id: str
    version: str
    digest: str
    cards: Mapping[str, CardType]
    aliases: Mapping[str, str]

    @property
    def types(self) -> tuple[str, ...]:
        """Every name an agent may use: types and aliases, sorted."""
        return tuple(sorted({*self.cards, *self.aliases}))

    def card(self, name: str) -> CardType | None:
        """The card type with this name or alias. `dish_cards@2` is the second major of `dish_cards`."""
        exact = self.cards.get(self.aliases.get(name, name))
        base, at, major = name.partition("@")
        if exact or not at:
            return exact
        return self.cards.get(self.aliases.get(base, base) + ("" if major == "1" else f"@{major}"))

    def to_json(self) -> Json:
        """What GET /catalogue answers."""
        return {
            "catalogId": self.id,
            "version": self.version,
            "digest": self.digest,
            "cards": [
                {
                    "type": card.type,
                    "version": card.version,
                    "aliases": list(card.aliases),
                    "category": card.category,
                    "actions": [{"name": name, "context": context} for name, context in card.actions.items()],
                    "components": list(card.components),
                    "dataSchema": card.schema,
                }
                for card in self.cards.values()
            ],
        }


def load_catalogue(directory: Path = HERE) -> Catalogue:
    """The catalogue in `directory`. Raises CatalogueError when a file is missing, not JSON, or a name is used twice."""
    problems: list[str] = []
    digest = hashlib.sha256()
    cards: dict[str, CardType] = {}
    aliases: dict[str, str] = {}
    for folder in sorted(path.parent for path in directory.glob("*/card.json")):
        card = _read(folder, digest, problems)
        if card is None:
            continue
        for name in (card.type, *card.aliases):
            if name in cards or name in aliases:
                problems.append(f"{folder.name}/card.json: the name {name!r} is already used by another card type")
        cards[card.type] = card
        aliases.update(dict.fromkeys(card.aliases, card.type))
    catalog = _json(directory / "catalog.json", digest, problems)
    if not cards:
        problems.append(f"{directory}: no card types (folders with a card.json)")
    if catalog and not isinstance(catalog.get("catalogId"), str):
        problems.append("catalog.json: catalogId missing or not a string")
    if problems:
        raise CatalogueError("\n".join(problems))
    return Catalogue(catalog["catalogId"], CATALOGUE_VERSION, digest.hexdigest()[:16], cards, aliases)


def _read(folder: Path, digest: Any, problems: list[str]) -> CardType | None:
    before = len(problems)
    card = _json(folder / "card.json", digest, problems)
    schema = _json(folder / "data.schema.json", digest, problems)
    example = _json(folder / "example.json", digest, problems)
    template = _json(folder / str(card.get("template", "template.json")), digest, problems, kind=list)
    problems += [f"{folder.name}/card.json: {problem}" for problem in _meta_problems(card, folder.name)]
    if not all(isinstance(component, dict) for component in template):
        problems.append(f"{folder.name}/template.json: holds something that is not a component")
    if len(problems) > before:
        return None
    return CardType(
        type=card["type"],
        version=card["version"],
        aliases=tuple(card.get("aliases", ())),
        category=card["category"],
        actions={action["name"]: action["context"] for action in card.get("actions", ())},
        schema=schema,
        template=template,
        example=example,
        folder=folder,
    )


def _meta_problems(card: Json, folder: str) -> Iterator[str]:
    if not card:
        return
    for key in ("type", "version", "category"):
        if not isinstance(card.get(key), str):
            yield f"{key} is missing or not a string"
    names: Any = card.get("aliases", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in cast("list[Any]", names)):
        yield "aliases is not a list of strings"
    yield from _action_problems(card.get("actions", []))
    if isinstance(card.get("type"), str) and card["type"] != folder:
        yield f"type is {card['type']!r} but the folder is {folder!r}"
    major = folder.partition("@")[2] or "1"
    if isinstance(card.get("version"), str) and not re.fullmatch(rf"{re.escape(major)}\.\d+", card["version"]):
        yield f"version is {card['version']!r}, not {major}.N; a breaking change is a folder of its own, like `name@2`"


def _action_problems(actions: Any) -> Iterator[str]:
    if not isinstance(actions, list):
        yield 'actions is not a list of {"name", "context"}'
        return
    seen: set[str] = set()
    for index, action in enumerate(cast("list[Any]", actions)):
        if not isinstance(action, dict) or not isinstance(action.get("name"), str):
            yield f"actions[{index}]: has no name"
        elif not isinstance(action.get("context"), dict):
            yield f"actions[{index}]: {action['name']}: context, the JSON Schema of what comes with it, is missing"
        elif action["name"] in seen:
            yield f"actions[{index}]: {action['name']}: is there twice"
        else:
            seen.add(action["name"])


def _json(path: Path, digest: Any, problems: list[str], kind: type[Any] = dict) -> Any:
    """The file's content; after a problem, which is added to `problems`, an empty `kind`."""
    name = f"{path.parent.name}/{path.name}"
    try:
        data = path.read_bytes()
        digest.update(data)
        content = json.loads(data)
    except OSError:
        problems.append(f"{name}: missing")
    except ValueError as error:
        problems.append(f"{name}: not JSON ({error})")
    else:
        if isinstance(content, kind) and content:
            return content
        problems.append(f"{name}: not a JSON {'array' if kind is list else 'object'} with something in it")
    return kind()
