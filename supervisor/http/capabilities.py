"""What a client says it can paint, read from `RunAgentInput.context`. Silence means that it paints everything.

Two spellings: A2UI's own JSON (`a2uiClientCapabilities`, `{"v0.9": {"supportedCatalogIds": [...]}}`, also with our
`cardTypes`), and CopilotKit's text, whose first `- <id>` lines name the catalogues.
"""

from __future__ import annotations

import re
from typing import Any, cast

import orjson

from supervisor.events.painter import Painter

Json = dict[str, Any]

_ID_LINE = re.compile(r"^\s*-\s+(\S+)", re.M)
_VERSIONS = ("v0.9", "v0.9.1")


def painter_of(body: Json) -> Painter | None:
    """The painter that the context describes; None when it says nothing about cards."""
    for entry in context_of(body):
        if not about_cards(entry):
            continue
        value = entry.get("value")
        found = _of_json(_parsed(value)) or _of_text(entry["description"], value)
        if found is not None:
            return found
    return None


def context_of(body: Json) -> list[Json]:
    """The entries of the context that are objects; clients send other things there too, which are ignored."""
    context = body.get("context")
    entries = cast("list[Any]", context) if isinstance(context, list) else []
    return [cast("Json", entry) for entry in entries if isinstance(entry, dict)]


def about_cards(entry: Json) -> bool:
    """Whether an entry of the context tells what a client can paint, which is no matter of the model's."""
    description = entry.get("description")
    return isinstance(description, str) and "a2ui" in description.lower()


def _parsed(value: Any) -> Json:
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return cast("Json", value) if isinstance(value, dict) else {}


def _of_json(value: Json) -> Painter | None:
    told = [value, *(v for v in (value.get(name) for name in _VERSIONS) if isinstance(v, dict))]
    catalogues = next((found for part in told if (found := _texts(part, "supportedCatalogIds")) is not None), None)
    types = next((found for part in told if (found := _texts(part, "cardTypes")) is not None), None)
    return Painter(catalogues, types) if catalogues is not None or types is not None else None


def _of_text(description: str, value: Any) -> Painter | None:
    if "catalog" not in description.lower() or "schema" in description.lower() or not isinstance(value, str):
        return None
    ids = frozenset(_ID_LINE.findall(value))
    return Painter(ids) if ids else None


def _texts(part: Json, name: str) -> frozenset[str] | None:
    value = part.get(name)
    if not isinstance(value, list):
        return None
    return frozenset(item for item in cast("list[Any]", value) if isinstance(item, str))
