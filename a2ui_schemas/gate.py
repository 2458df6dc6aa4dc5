"""The start-up gate: a supervisor with a broken card does not start. Also a CI check (`python -m a2ui_schemas check`).

Validates every template with its example by A2UI's strict SDK, lints bindings and actions, checks example and schema.
Too slow for requests (tens of ms per card); requests check only the data (`supervisor/cards`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from a2ui.utils.validation import validate_payload
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from a2ui_schemas import actions
from a2ui_schemas.components import CATALOG_ID, build_catalog
from a2ui_schemas.lint import lint
from a2ui_schemas.loader import CardType, Catalogue, CatalogueError
from a2ui_schemas.operations import operations

FALLBACK = "message-card"


def check(catalogue: Catalogue) -> None:
    """Raises CatalogueError that names file, component and path of every problem."""
    catalog = build_catalog()
    problems: list[str] = []
    if catalogue.id != CATALOG_ID:
        problems.append(f"catalog.json: catalogId is {catalogue.id!r}; run `python -m a2ui_schemas export`")
    if FALLBACK not in catalogue.cards:
        problems.append(f"{FALLBACK}: missing, but every card that cannot be shown becomes one")
    for card in catalogue.cards.values():
        problems += [f"{card.type}/{problem}" for problem in _problems(card, catalog)]
    if problems:
        raise CatalogueError("\n".join(problems))


def _problems(card: CardType, catalog: Any) -> Iterator[str]:
    try:
        Draft202012Validator.check_schema(card.schema)
    except SchemaError as error:
        yield f"data.schema.json: {error.json_path}: {error.message}"
        return
    for error in Draft202012Validator(card.schema).iter_errors(card.example):
        yield f"example.json: {error.json_path}: {error.message}"
    broken = list(_sdk_problems(card, catalog))
    for problem in broken or lint(card.template, card.schema):
        yield f"template.json: {problem}"
    if not broken:
        yield from actions.problems(card)


def _sdk_problems(card: CardType, catalog: Any) -> Iterator[str]:
    """What A2UI's own SDK says. The lint reads only templates that pass it."""
    try:
        validate_payload([catalog], operations(card, CATALOG_ID, f"{card.type}-gate", card.example))
    except Exception as error:
        details: list[Any] = getattr(error, "details", None) or []
        for detail in details or [error]:
            path = getattr(detail, "path", "")
            yield f"{path + ': ' if path else ''}{getattr(detail, 'message', detail)}"
