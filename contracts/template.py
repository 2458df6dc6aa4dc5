"""Whether the components of a card's template make one tree that a renderer can paint. Pure, without A2UI's SDK.

The catalogue's own start-up gate sees more (properties, bindings, functions) but needs the SDK.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

Component = Mapping[str, Any]
CHILD_KEYS = ("child", "children", "trigger", "content", "tabs")


def template_problems(template: Any) -> list[str]:
    """What keeps a template from being painted, [] when nothing does."""
    parts = cast("list[Any]", template) if isinstance(template, list) else []
    if not parts or not all(_is_component(part) for part in parts):
        return ["the template is not a list of components, each with an `id` and a `component`"]
    ids = [str(part["id"]) for part in parts]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        return [f"the template has more than one component with the id {', '.join(twice)}"]
    if "root" not in ids:
        return ["the template has no component with the id root"]
    return list(_tree_problems({part["id"]: part for part in cast("list[Component]", parts)}))


def component_names(template: Sequence[Component]) -> frozenset[str]:
    """The A2UI components that a template is made of."""
    return frozenset(str(part["component"]) for part in template)


def _is_component(part: Any) -> bool:
    return isinstance(part, dict) and all(isinstance(part.get(key), str) for key in ("id", "component"))


def _tree_problems(parts: Mapping[str, Component]) -> Iterator[str]:
    reached: set[str] = set()
    path: list[str] = []
    todo: list[tuple[str, int]] = [("root", 0)]
    while todo:
        name, depth = todo.pop()
        del path[depth:]
        if name in path:
            yield f"the template goes round in a circle at {name}"
            return
        if name not in parts:
            yield f"{path[-1]} names the component {name}, which the template does not have"
            continue
        reached.add(name)
        path.append(name)
        todo += [(child, depth + 1) for child in _children(parts[name])]
    for name in sorted(parts.keys() - reached):
        yield f"no component shows {name}"


def _children(part: Component) -> Iterator[str]:
    for key in CHILD_KEYS:
        for value in cast("list[Any]", found) if isinstance(found := part.get(key), list) else [found]:
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                named = cast("Component", value)
                child = named.get("componentId", named.get("child"))
                if isinstance(child, str):
                    yield child
