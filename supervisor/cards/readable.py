"""Whether a surface would show anything to read: a card of blanks is no card. Pure.

Goes by the names of the fields that a template shows, wherever they stand in the data; ids and URLs are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, cast

_EXPRESSION = re.compile(r"\$\{\s*([^(){}]+?)\s*\}")
_NOT_READ = frozenset(
    ["id", "component", "action", "checks", "child", "children", "url", "value", "values", "cols", "rows", "mode"]
)
_ROWS: Final = {
    "Heatmap": ("label", "detail"),
    "RouteMap": ("name", "time", "detail", "next_label"),
    "Form": ("label",),
}
"""What components that are given whole rows show of each."""
_UNKNOWN = "–"
"""Stands for a price or a rating that is not known; pages leave it out."""


def visible(text: str) -> bool:
    """Whether a person sees any character of this."""
    return any(character.isprintable() and not character.isspace() for character in text)


def reader(template: Sequence[dict[str, Any]]) -> Callable[[Any], bool]:
    """Says of data whether the template shows any words of them."""
    fields = {
        name: _ROWS.get(part["component"], ())
        for part in template
        for key in part.keys() - _NOT_READ
        for name in _names(part[key])
    }
    return lambda data: _reads(fields, data)


def _names(value: Any) -> Iterator[str]:
    """The fields that a property is bound to."""
    if not isinstance(value, dict):
        return
    binding = cast("dict[str, Any]", value)
    if isinstance(binding.get("path"), str):
        yield binding["path"].rpartition("/")[2]
    elif isinstance(binding.get("args"), dict):
        for path in _EXPRESSION.findall(str(binding["args"].get("value", ""))):
            yield path.rpartition("/")[2]


def _reads(fields: dict[str, tuple[str, ...]], data: Any) -> bool:
    if isinstance(data, list):
        return any(_reads(fields, item) for item in cast("list[Any]", data))
    if not isinstance(data, dict):
        return False
    return any(
        _shows(value, fields[key]) if key in fields else _reads(fields, value)
        for key, value in cast("dict[str, Any]", data).items()
    )


def _shows(value: Any, inside: tuple[str, ...]) -> bool:
    """Whether a bound value has words; of rows only the fields `inside` are shown."""
    if isinstance(value, str):
        return value != _UNKNOWN and visible(value)
    if isinstance(value, list):
        return any(_shows(item, inside) for item in cast("list[Any]", value))
    if isinstance(value, dict):
        return any(_shows(cast("dict[str, Any]", value).get(key), ()) for key in inside)
    return isinstance(value, (int, float)) and not isinstance(value, bool)
