"""The binding lint: every path in a template must exist in valid data of its card. The SDK does not check that.

Knows list scopes (`/x` starts at the root, `x` at the current item), array templates and `${}` in formatString. A bound
field must be required or have a default, else a user reads "undefined"; it must also be of the kind that the component
paints. Expects a template that the SDK accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

Json = dict[str, Any]

_EXPRESSION = re.compile(r"(?<!\\)\$\{\s*([^(){}]+?)\s*\}")
_CHILD_KEYS = ("child", "children", "trigger", "content")
_ROWS = {
    ("Heatmap", "cells"): ("label",),
    ("RouteMap", "stops"): ("name",),
    ("Form", "fields"): ("name", "label", "kind"),
}
"""Properties that are bound to an array, and what every item of it must have."""


def lint(template: list[Json], schema: Json) -> list[str]:
    """Problems as `component.property: path: what is wrong`, [] when every binding resolves."""
    return list(dict.fromkeys(_Lint(template, schema).visit("root", None)))


class _Lint:
    def __init__(self, template: list[Json], schema: Json) -> None:
        self._components = {component["id"]: component for component in template}
        self._schema = schema
        self._seen: set[tuple[str, int]] = set()

    def visit(self, component_id: str, scope: Json | None) -> Iterator[str]:
        """Problems of a component and its children; `scope` is the schema of the current list item."""
        component = self._components.get(component_id)
        if component is None or (component_id, id(scope)) in self._seen:
            return
        self._seen.add((component_id, id(scope)))
        for key, value in component.items():
            where = f"{component_id}.{key}"
            if key in ("id", "component"):
                continue
            if isinstance(value, dict) and {"componentId", "path"} <= set(value):
                yield from self._list(where, cast("Json", value), scope)
            elif key in _CHILD_KEYS or key == "tabs":
                for child in _children(value):
                    yield from self.visit(child, scope)
            else:
                yield from self._values(where, value, scope)
                yield from self._misfits(component["component"], key, where, value, scope)

    def _misfits(self, kind: str, key: str, where: str, value: Any, scope: Json | None) -> Iterator[str]:
        for path in _paths(cast("Json", value)) if isinstance(value, dict) else ():
            found, problem = self._resolve(path, scope)
            misfit = "" if problem else _misfit(kind, key, found, path == value.get("path"))
            if misfit:
                yield f"{where}: {path}: {misfit}"

    def _list(self, where: str, template: Json, scope: Json | None) -> Iterator[str]:
        found, problem = self._resolve(template["path"], scope)
        if problem:
            yield f"{where}: {template['path']}: {problem}"
        elif found.get("type") != "array":
            yield f"{where}: {template['path']}: is not an array in the data schema"
        else:
            yield from self.visit(template["componentId"], found.get("items") or {})

    def _values(self, where: str, node: Any, scope: Json | None) -> Iterator[str]:
        if isinstance(node, list):
            for index, item in enumerate(cast("list[Any]", node)):
                yield from self._values(f"{where}[{index}]", item, scope)
        elif isinstance(node, dict):
            mapping = cast("Json", node)
            for path in _paths(mapping):
                _, problem = self._resolve(path, scope)
                if problem:
                    yield f"{where}: {path}: {problem}"
            for key, value in mapping.items():
                yield from self._values(f"{where}.{key}", value, scope)

    def _resolve(self, path: str, scope: Json | None) -> tuple[Json, str]:
        if path.startswith("/"):
            return _step_through(self._schema, path, "is not in the data schema")
        if scope is None:
            return {}, "is relative, but outside a list"
        return _step_through(scope, path, "is not in the schema of the list's items")


def _misfit(kind: str, key: str, schema: Json, direct: bool) -> str:
    shape = schema.get("type")
    if (kind, key) in _ROWS:
        if shape != "array":
            return "is not an array in the data schema"
        always = cast("Json", schema.get("items") or {}).get("required", ())
        lacking = [field for field in _ROWS[kind, key] if field not in always]
        return f"its items may lack {', '.join(lacking)}: require it" if lacking else ""
    if kind == "Text" and (shape in ("array", "object") or (direct and shape != "string")):
        return f"is {shape}, not a string" + ("" if shape in ("array", "object") else ": put it into a formatString")
    if key == "url" and (shape != "string" or re.search(schema.get("pattern", ""), "javascript:alert(1)")):
        return "may be any address: give it a pattern that lets only http(s) and data images through"
    return ""


def _paths(mapping: Json) -> Iterator[str]:
    if set(mapping) == {"path"} and isinstance(mapping["path"], str):
        yield mapping["path"]
    if mapping.get("call") == "formatString" and isinstance(mapping.get("args"), dict):
        yield from _EXPRESSION.findall(str(cast("Json", mapping["args"]).get("value", "")))


def _children(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    found: list[str] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else []:
        child = cast("Json", item).get("child") if isinstance(item, dict) else item
        if isinstance(child, str):
            found.append(child)
    return found


def _step_through(schema: Json, path: str, unknown: str) -> tuple[Json, str]:
    """The schema at `path` and what is wrong with it; `unknown` is said of a path that leads nowhere."""
    current = schema
    always = True
    for segment in (part.replace("~1", "/").replace("~0", "~") for part in path.split("/") if part):
        if current.get("type") == "array":
            found: Any = current.get("items") if segment.isdecimal() else None
            always = False
        else:
            found = cast("Json", current.get("properties") or {}).get(segment)
            always = always and (segment in current.get("required", ()) or "default" in (found or {}))
        if not isinstance(found, dict):
            return {}, unknown
        current = cast("Json", found)
    return current, "" if always else "may be absent: require it or give it a default"
