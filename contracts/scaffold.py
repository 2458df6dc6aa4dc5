"""Makes the folder of a new card type, and a test of it, so that the catalogue's gate passes at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from contracts import sources
from contracts.load import read_json, shown
from contracts.model import CatalogueView, ContractError

NAME = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
MAX_NAME = 64
SCHEMA_ID = "https://switchboard.example/cards/{}/v{}.json"

Files = dict[str, Any]


def new_card(name: str, like: str | None, catalogue: Path | None, tests: Path | None) -> list[str]:
    """Write the files and return their paths. Raises ContractError, and then has written nothing."""
    folder = catalogue or _own_catalogue()
    view = sources.catalogue(folder)
    like = _check_name(name, view) or like
    files = _copied(name, like, folder, view) if like else _plain(name)
    tests = tests or folder.resolve().parent / "tests" / "unit" / "a2ui_schemas"
    test = tests / f"test_{re.sub('[-@]', '_', name)}.py"
    if test.exists():
        raise ContractError(f"{shown(test)} exists already; name another folder with --tests")
    target = folder / name
    target.mkdir()
    for file, content in files.items():
        (target / file).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")
    tests.mkdir(parents=True, exist_ok=True)
    test.write_text(TEST.format(name=name), "utf-8")
    return [shown(target / file) for file in files] + [shown(test)]


def _own_catalogue() -> Path:
    folder = sources.installed_catalogue()
    if "site-packages" in folder.parts:
        raise ContractError("name the catalogue's folder in your working copy with --catalogue")
    return folder


def _check_name(name: str, view: CatalogueView) -> str | None:
    """The major before, when `name` is a new major (`menu_cards@2`)."""
    base, at, major = name.partition("@")
    if not NAME.fullmatch(base) or len(name) > MAX_NAME or (at and not re.fullmatch("[1-9][0-9]?", major)):
        rule = f"lower-case words joined by _ or -, at most {MAX_NAME} characters, e.g. menu_cards"
        raise ContractError(f"{name!r} is no name of a card type: write {rule}")
    card = view.card(name)
    if card is not None:
        said = f"is already an alias of {card.type}" if name in card.aliases else "exists already"
        raise ContractError(f"{name} {said}: change {view.where}/{card.type}, or choose another name")
    if at:
        return _major_before(base, int(major), view)
    spelt = next((c.type for c in view.cards if c.type.replace("-", "_") == name.replace("-", "_")), None)
    if spelt:
        raise ContractError(f"{name} differs from {spelt} by its spelling only: make it an alias there")
    return None


def _major_before(base: str, major: int, view: CatalogueView) -> str:
    if not any(card.type == base for card in view.cards):
        raise ContractError(f"there is no {base} of which {base}@{major} could be a new major: make {base} first")
    latest = next(number for number in range(99, 0, -1) if view.card(f"{base}@{number}"))
    if major != latest + 1:
        raise ContractError(f"the next major of {base} is {base}@{latest + 1}")
    return f"{base}@{latest}"


def _copied(name: str, like: str, folder: Path, view: CatalogueView) -> Files:
    card = view.card(like)
    if card is None:
        known = ", ".join(card.type for card in view.cards)
        raise ContractError(f"--from {like}: no such type in {view.where}; it has {known}")
    if card.problems:
        raise ContractError(f"--from {like}: mend it first: {card.problems[0]}")
    source = folder / card.type
    meta = read_json(source / "card.json")
    data_schema = read_json(source / "data.schema.json")
    template = str(meta.get("template", "template.json"))
    base, _, major = name.partition("@")
    return {
        "card.json": {**meta, "type": name, "version": f"{major or 1}.0", "aliases": []},
        "data.schema.json": {**data_schema, "$id": SCHEMA_ID.format(base, major or 1)},
        template: read_json(source / template),
        "example.json": read_json(source / "example.json"),
    }


def _plain(name: str) -> Files:
    """A titled list of two columns: the smallest card with everything that is easily forgotten."""
    words = {"type": "string", "maxLength": 200, "default": ""}
    row = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 200}, "detail": words},
    }
    return {
        "card.json": {
            "type": name,
            "version": "1.0",
            "aliases": [],
            "category": "list",
            "actions": [],
        },
        "data.schema.json": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": SCHEMA_ID.format(name, 1),
            "type": "object",
            "additionalProperties": False,
            "required": ["items"],
            "properties": {
                "title": words,
                "empty_text": words,
                "items": {"type": "array", "maxItems": 500, "items": row},
            },
        },
        "template.json": [
            {"id": "root", "component": "Card", "child": "body"},
            {"id": "body", "component": "Column", "children": ["title", "list", "empty"]},
            {"id": "title", "component": "Text", "text": {"path": "/title"}, "variant": "h3"},
            {"id": "list", "component": "Column", "children": {"componentId": "row", "path": "/items"}},
            {"id": "row", "component": "Row", "align": "center", "children": ["name", "detail"]},
            {"id": "name", "component": "Text", "weight": 2, "text": {"path": "name"}, "variant": "h5"},
            {"id": "detail", "component": "Text", "weight": 1, "text": {"path": "detail"}, "variant": "caption"},
            {"id": "empty", "component": "Text", "text": {"path": "/empty_text"}, "variant": "body"},
        ],
        "example.json": {
            "title": "标题 Title",
            "items": [{"name": "名称 Name", "detail": "详情 Detail"}],
            "empty_text": "",
        },
    }


TEST = '''"""The card type {name}: what the catalogue's gate says of it, and data as agents send them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from a2ui_schemas import load_catalogue
from a2ui_schemas.gate import FALLBACK, check
from a2ui_schemas.operations import operations

CATALOGUE = load_catalogue()
CARD = CATALOGUE.cards["{name}"]


def test_the_gate_accepts_it() -> None:
    check(replace(CATALOGUE, cards={{card.type: card for card in (CARD, CATALOGUE.cards[FALLBACK])}}))


def test_its_example_paints_one_surface_that_is_not_empty() -> None:
    create, update, data = operations(CARD, CATALOGUE.id, "{name}-1", CARD.example)
    assert create["createSurface"]["surfaceId"] == update["updateComponents"]["surfaceId"] == "{name}-1"
    assert any(data["updateDataModel"]["value"].values())


@pytest.mark.parametrize("field", CARD.schema["required"])
def test_data_without_a_required_field_are_refused(field: str) -> None:
    data = {{key: value for key, value in CARD.example.items() if key != field}}
    assert not Draft202012Validator(CARD.schema).is_valid(data)
'''
