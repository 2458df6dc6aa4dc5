"""What a person sees of a surface, read from its operations alone: fast, without A2UI's SDK, and unforgiving.

Knows exactly the components and functions that our templates use, and fails on any other. `paint.py` is the slow and
exact reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Json = dict[str, Any]

# The pages leave out what a template writes around a price, a rating or a way that is not known.
_UNKNOWN = re.compile(r"[★¥] ?–(?=\s|$)|^ → $")
_EXPRESSION = re.compile(r"\$\{([^}]+)\}")


class Surface:
    """The surface that three operations make. `words` and `urls` are in the order of the page."""

    def __init__(self, operations: Sequence[Json]) -> None:
        components: list[Json] = operations[1]["updateComponents"]["components"]
        self.data: Json = operations[2]["updateDataModel"]["value"]
        self.urls: list[str] = []
        self._components = {component["id"]: component for component in components}
        self.words = [word for word in map(_shown, self._read("root", self.data)) if word]

    def _read(self, component_id: str, scope: Any) -> Iterator[Any]:
        component = self._components[component_id]
        yield from _READ[component["component"]](self, component, scope)
        for child in [component["child"]] if "child" in component else []:
            yield from self._read(child, scope)
        children = component.get("children", [])
        if isinstance(children, dict):
            for row in self.value({"path": children["path"]}, scope):
                yield from self._read(children["componentId"], row)
        else:
            for child in children:
                yield from self._read(child, scope)

    def value(self, dynamic: Any, scope: Any) -> Any:
        """A property as it is at this place. A binding without data is an error."""
        if not isinstance(dynamic, dict):
            return dynamic
        if set(dynamic) == {"path"}:
            return self._at(dynamic["path"], scope)
        assert dynamic["call"] == "formatString", dynamic
        return _EXPRESSION.sub(lambda found: str(self._at(found[1].strip(), scope)), dynamic["args"]["value"])

    def _at(self, path: str, scope: Any) -> Any:
        found = self.data if path.startswith("/") else scope
        for segment in filter(None, path.split("/")):
            found = found[segment]
        return found


def _text(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    yield surface.value(part["text"], scope)


def _image(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    surface.urls.append(surface.value(part["url"], scope))
    return iter(())


def _heatmap(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    for cell in surface.value(part["cells"], scope):
        yield cell.get("label", "")
    yield surface.value(part.get("legend", ""), scope)


def _route(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    for stop in surface.value(part["stops"], scope):
        yield stop["name"]


def _meter(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    yield surface.value(part["label"], scope)


def _form(surface: Surface, part: Json, scope: Any) -> Iterator[Any]:
    for field in surface.value(part["fields"], scope):
        yield field["label"]
    yield surface.value(part["label"], scope)


def _nothing(*_: Any) -> Iterator[Any]:
    return iter(())


_READ: dict[str, Callable[[Surface, Json, Any], Iterator[Any]]] = {
    **dict.fromkeys(("Card", "Column", "Row", "Button", "Divider"), _nothing),
    "Text": _text,
    "Image": _image,
    "Heatmap": _heatmap,
    "RouteMap": _route,
    "Meter": _meter,
    "Form": _form,
}


def _shown(value: Any) -> str:
    """What is left of a text when a person looks at it: no blanks, no characters without a shape."""
    text = _UNKNOWN.sub("", str(value))
    return text.strip() if any(character.isprintable() and not character.isspace() for character in text) else ""
