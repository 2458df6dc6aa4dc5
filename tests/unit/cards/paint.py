"""A headless renderer: A2UI's own message processor in its strict mode, and what a user would read on the surface.

Not a picture: it walks the component tree from `root` as a renderer does and resolves every binding.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from a2ui.core import (
    STRICT_VALIDATION,
    DataContext,
    MessageProcessor,
    MessageProcessorOptions,
)

from a2ui_schemas.components import build_catalog

Operations = Sequence[dict[str, Any]]

_ROWS = {"Heatmap": ("cells", ("label", "detail")), "RouteMap": ("stops", ("name", "time", "detail", "next_label"))}


class Click(NamedTuple):
    """An action that a user can raise, with its context as it is at this place of the surface."""

    component_id: str
    name: str
    context: dict[str, Any]


@cache
def catalog() -> Any:
    """The model catalogue, built once per test session."""
    return build_catalog()


def texts(operations: Operations) -> list[str]:
    """Everything a user reads, in order. Fails on a missing binding or anything the strict SDK refuses."""
    return [text for properties, kind, scope in _components(operations) for text in _words(properties, kind, scope)]


def clicks(operations: Operations) -> list[Click]:
    """Everything a user can set off, in order."""
    found: list[Click] = []
    for properties, _, scope in _components(operations):
        event = (properties.get("action") or {}).get("event")
        enabled = all(scope.resolve_dynamic_value(check["condition"]) for check in properties.get("checks") or ())
        if event and enabled:
            context = {key: scope.resolve_dynamic_value(value) for key, value in event["context"].items()}
            found.append(Click(properties["id"], event["name"], context))
    return found


def _components(operations: Operations) -> Iterator[tuple[dict[str, Any], str, Any]]:
    processor = MessageProcessor([catalog()], options=MessageProcessorOptions(validation_config=STRICT_VALIDATION))
    processor.process_messages(list(operations))
    (surface,) = processor.model.surfaces_map.values()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield from _walk(surface, "root", DataContext(surface))


def _walk(surface: Any, component_id: str, scope: Any) -> Iterator[tuple[dict[str, Any], str, Any]]:
    component = surface.components_model.get(component_id)
    properties = component.properties
    yield {"id": component_id, **properties}, component.type, scope
    for child in [properties["child"]] if "child" in properties else []:
        yield from _walk(surface, child, scope)
    children = properties.get("children", [])
    if isinstance(children, dict):
        rows = scope.resolve_dynamic_value({"path": children["path"]})
        path = scope.resolve_path(children["path"])
        for index in range(len(rows)):
            yield from _walk(surface, children["componentId"], DataContext(surface, f"{path}/{index}", index, scope))
    else:
        for child in children:
            yield from _walk(surface, child, scope)


def _words(properties: dict[str, Any], kind: str, scope: Any) -> Iterator[str]:
    for key in ("text", "label", "legend", "url", "description"):
        if key in properties:
            yield scope.resolve_dynamic_value(properties[key])
    if kind in _ROWS:
        name, fields = _ROWS[kind]
        rows = scope.resolve_dynamic_value(properties[name])
        axes = [scope.resolve_dynamic_value(properties[key]) for key in ("rowLabels", "colLabels") if key in properties]
        if axes and len(axes[0]) * len(axes[1]) == len(rows):
            # A table: its axes say what the cells are.
            yield from (*axes[0], *axes[1])
            fields = ("detail",)
        for row in rows:
            yield from (str(row[field]) for field in fields if row.get(field))
    if kind == "Form":
        yield from (str(field["label"]) for field in scope.resolve_dynamic_value(properties["fields"]))
