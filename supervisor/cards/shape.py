"""Brings card data into the shape its schema describes. Judges only what must not be copied; the validator the rest.

Fills declared defaults (so that no binding is ever undefined), drops nulls and fields the schema does not know (a newer
agent may send more), turns 3.0 into 3 where an integer is meant, and replaces lone surrogates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast

MAX_DEPTH = 32


class Unshapable(ValueError):
    """The data is nested deeper than any card, or holds a number that JSON has not. The text is safe to show."""


class TooLong(ValueError):
    """A list is longer than its schema allows; found before its items are copied. The text is safe to show."""


def shaped(schema: Mapping[str, Any], value: Any, depth: int = 0) -> Any:
    """A copy of `value` in the shape of `schema`. Raises Unshapable or TooLong."""
    if depth > MAX_DEPTH:
        raise Unshapable("the data is nested too deeply")
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(schema, value)
    if isinstance(value, dict) and "properties" in schema:
        return _object(schema["properties"], cast("dict[Any, Any]", value), depth)
    if isinstance(value, list) and "items" in schema:
        return _list(schema, cast("list[Any]", value), depth)
    return value


def _list(schema: Mapping[str, Any], value: list[Any], depth: int) -> list[Any]:
    allowed = schema.get("maxItems")
    if allowed is not None and len(value) > allowed:
        raise TooLong(f"a list of {len(value)} items, {allowed} are allowed")
    return [shaped(schema["items"], item, depth + 1) for item in value]


def _object(properties: Mapping[str, Any], value: dict[Any, Any], depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, schema in properties.items():
        given = value.get(key)
        if given is not None:
            result[key] = shaped(schema, given, depth + 1)
        elif "default" in schema:
            result[key] = deepcopy(schema["default"])
    return result


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _number(schema: Mapping[str, Any], value: float) -> Any:
    if not math.isfinite(value):
        raise Unshapable("a number is not finite")
    return int(value) if value.is_integer() and schema.get("type") == "integer" else value
