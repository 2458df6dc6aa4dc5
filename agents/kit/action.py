"""The click in an A2A message: a data part `{"userAction": {...}}`, as `contracts/a2a-user-action.schema.json` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from a2a.types import Message
from google.protobuf.json_format import MessageToDict

from agents.kit.spec import Action

MOST_CHARS = 200
_KEYS = ("name", "surfaceId", "cardType")


class BadAction(ValueError):
    """There is a click in the message, but not as the contract has it; the text says what is wrong."""


def action_in(message: Message) -> Action | None:
    """The click that the message is, None for a question. Raises BadAction."""
    for part in message.parts:
        data: Any = MessageToDict(part.data) if part.HasField("data") else None
        if isinstance(data, dict) and "userAction" in data:
            return _action(cast("dict[str, Any]", data)["userAction"])
    return None


def _action(sent: Any) -> Action:
    if not isinstance(sent, Mapping):
        raise BadAction("userAction is no object")
    given = cast("Mapping[str, Any]", sent)
    for key in _KEYS:
        if not isinstance(given.get(key), str) or not 0 < len(given[key]) <= MOST_CHARS:
            raise BadAction(f"userAction.{key} is no text of 1 to {MOST_CHARS} characters")
    context = given.get("context")
    if not isinstance(context, Mapping):
        raise BadAction("userAction.context is no object")
    return Action(given["name"], given["surfaceId"], given["cardType"], _whole(context))


def _whole(value: Any) -> Any:
    """Integral numbers as integers: on the wire every number is a double."""
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in cast("list[Any]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value
