"""The actions of a card: what its template raises, held against what its card.json declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from a2ui_schemas.loader import CardType

Json = dict[str, Any]


def raised(template: list[Json]) -> Iterator[tuple[str, Json]]:
    """Component id and event (`{name, context}`) of everything a user can set off."""
    for component in template:
        event = cast("Json", component.get("action") or {}).get("event")
        if isinstance(event, dict):
            yield component["id"], cast("Json", event)


def problems(card: CardType) -> Iterator[str]:
    """`file: component.action: what is wrong`; an action that is refused at run time would be a dead button."""
    for name, context in card.actions.items():
        try:
            Draft202012Validator.check_schema(context)
        except SchemaError as error:
            yield f"card.json: actions.{name}.context: {error.json_path}: {error.message}"
    for component in card.template:
        if "functionCall" in (component.get("action") or {}):
            yield f"template.json: {component['id']}.action: calls a function in the browser; cards raise events only"
    events = list(raised(card.template))
    for component_id, event in events:
        where = f"template.json: {component_id}.action: {event['name']}"
        if event["name"] not in card.actions:
            yield f"{where}: is not among the actions of card.json ({', '.join(card.actions) or 'none'})"
        else:
            yield from _context_problems(where, event, card.actions[event["name"]])
    for name in sorted(set(card.actions) - {event["name"] for _, event in events}):
        yield f"card.json: actions.{name}: no component of template.json raises it"


def _context_problems(where: str, event: Json, schema: Json) -> Iterator[str]:
    sent = cast("Json", event.get("context") or {})
    for key in sorted(set(schema.get("required", ())) - set(sent)):
        yield f"{where}: context.{key}: is required by card.json, but the component does not send it"
    if schema.get("additionalProperties") is False:
        for key in sorted(set(sent) - set(cast("Json", schema.get("properties") or {}))):
            yield f"{where}: context.{key}: is not in the context schema of card.json"
