"""Fields of a JSON body, read with clear refusals: 422 invalid_input that names the field and what it must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from supervisor.errors import Problem

MAX_ID_CHARS = 200

T = TypeVar("T")
Json = dict[str, Any]


def required_id(body: Json, name: str, where: str = "") -> str:
    """A non-empty string id. Raises 422 invalid_input."""
    value = body.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_ID_CHARS:
        raise invalid(f"`{where}{name}` must be a non-empty string of at most {MAX_ID_CHARS} characters.")
    return scalar_text(value, f"{where}{name}")


def invalid(detail: str) -> Problem:
    """422 invalid_input."""
    return Problem(422, "invalid_input", detail)


def scalar_text(value: str, where: str) -> str:
    """The text, if it is valid Unicode."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise invalid(f"`{where}` holds a lone surrogate, which is no valid text.") from None
    return value


def each(body: Json, name: str, read: Callable[[Json, str], T]) -> tuple[T, ...]:
    """What `read(entry, where)` makes of every object in an optional array."""
    return tuple(read(entry, f"{name}[{index}].") for index, entry in enumerate(list_of(body, name)))


def list_of(body: Json, name: str, *, required: bool = False) -> list[Json]:
    """An array of objects."""
    value = body.get(name)
    if value is None and not required:
        return []
    if not isinstance(value, list):
        raise invalid(f"`{name}` must be an array.")
    for index, item in enumerate(cast("list[Any]", value)):
        if not isinstance(item, dict):
            raise invalid(f"`{name}[{index}]` must be an object.")
    return cast("list[Json]", value)


def object_of(body: Json, name: str) -> Json:
    """An object, {} for anything else: clients send null and other values where they have nothing to say."""
    value = body.get(name)
    return cast("Json", value) if isinstance(value, dict) else {}
