"""Does a new catalogue only add to an old one? Within a major version of a card it must.

Data that an agent of yesterday sends must still be accepted, and clicks must still bring what such an agent reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, cast

from a2ui_schemas.loader import CardType, Catalogue

Json = dict[str, Any]

_LOWER_REFUSES = ("maxLength", "maxItems", "maximum", "maxProperties")
_HIGHER_REFUSES = ("minLength", "minItems", "minimum", "minProperties")


def breaking(old: Catalogue, new: Catalogue) -> Iterator[str]:
    """`card: what is no longer accepted`; nothing when agents written for `old` go on as they are."""
    for name in old.types:
        if new.card(name) is None:
            yield f"{name}: is gone"
    for card in old.cards.values():
        found = new.cards.get(card.type)
        if found is not None:
            yield from (f"{card.type}: {problem}" for problem in _card(card, found))


def _card(old: CardType, new: CardType) -> Iterator[str]:
    yield from _narrower(old.schema, new.schema, "data")
    for name, context in old.actions.items():
        if name not in new.actions:
            yield f"actions.{name}: is gone"
        else:
            # The other way round: whatever may come now must be what the agent was told to expect.
            yield from _narrower(new.actions[name], context, f"actions.{name}.context", growing=True)


def _narrower(wide: Json, narrow: Json, path: str, *, growing: bool = False) -> Iterator[str]:
    """What `wide` accepts and `narrow` refuses. With `growing`, fields that `narrow` does not know are fine."""
    kinds = _types(wide) - _types(narrow)
    if kinds:
        yield f"{path}: {', '.join(sorted(kinds))} may come, but is not taken"
    if "enum" in narrow and not set(wide.get("enum", [object()])) <= set(narrow["enum"]):
        yield f"{path}: only {narrow['enum']} is taken"
    if "pattern" in narrow and narrow["pattern"] != wide.get("pattern"):
        yield f"{path}: only {narrow['pattern']} is taken"
    for key in _LOWER_REFUSES:
        if narrow.get(key, inf) < wide.get(key, inf):
            yield f"{path}: {key} {wide.get(key, 'without limit')} may come, only {narrow[key]} is taken"
    for key in _HIGHER_REFUSES:
        if narrow.get(key, -inf) > wide.get(key, -inf):
            yield f"{path}: {key} {wide.get(key, 'without limit')} may come, only {narrow[key]} is taken"
    yield from _fields(wide, narrow, path, growing)
    if isinstance(narrow.get("items"), dict):
        yield from _narrower(cast("Json", wide.get("items") or {}), narrow["items"], f"{path}[]", growing=growing)


def _fields(wide: Json, narrow: Json, path: str, growing: bool) -> Iterator[str]:
    before, after = (cast("Json", schema.get("properties") or {}) for schema in (wide, narrow))
    for name in sorted(set(narrow.get("required", ())) - set(wide.get("required", ()))):
        yield f"{path}.{name}: may be absent, but is required"
    for name, schema in before.items():
        if name in after:
            yield from _narrower(schema, after[name], f"{path}.{name}", growing=growing)
            if not growing and "default" in schema and "default" not in after[name]:
                yield f"{path}.{name}: has no default any more"
        elif narrow.get("additionalProperties") is False and not growing:
            yield f"{path}.{name}: is gone"


def _types(schema: Json) -> set[str]:
    kinds = schema.get("type", ["array", "boolean", "null", "number", "object", "string"])
    names = {kinds} if isinstance(kinds, str) else set(cast("list[str]", kinds))
    return names | {"integer"} if "number" in names else names
