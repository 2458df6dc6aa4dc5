"""A headless renderer: A2UI's own message processor in its strict mode, and what a user would read on the surface.

Not a picture: it walks the component tree from `root` as a renderer does and resolves every binding.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from a2ui.core import (
    STRICT_VALIDATION,
    DataContext,
    MessageProcessor,
    MessageProcessorOptions,
)

from a2ui_schemas.components import build_catalog


@cache
def catalog() -> Any:
    """The model catalogue, built once per test session."""
    return build_catalog()


def texts(operations: Sequence[dict[str, Any]]) -> list[str]:
    """Everything a user reads, in order. Fails on a missing binding or anything the strict SDK refuses."""
    processor = MessageProcessor([catalog()], options=MessageProcessorOptions(validation_config=STRICT_VALIDATION))
    processor.process_messages(list(operations))
    (surface,) = processor.model.surfaces_map.values()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return list(_read(surface, "root", DataContext(surface)))


def _read(surface: Any, component_id: str, scope: Any) -> Iterator[str]:
    component = surface.components_model.get(component_id)
    properties = component.properties
    if component.type == "Text":
        yield scope.resolve_dynamic_value(properties["text"])
    if component.type == "Heatmap":
        yield from (str(cell["label"]) for cell in scope.resolve_dynamic_value(properties["cells"]))
        yield scope.resolve_dynamic_value(properties["legend"])
    for child in [properties["child"]] if "child" in properties else []:
        yield from _read(surface, child, scope)
    children = properties.get("children", [])
    if isinstance(children, dict):
        rows = scope.resolve_dynamic_value({"path": children["path"]})
        path = scope.resolve_path(children["path"])
        for index in range(len(rows)):
            yield from _read(surface, children["componentId"], DataContext(surface, f"{path}/{index}", index, scope))
    else:
        for child in children:
            yield from _read(surface, child, scope)
