"""Between LangChain messages and the `Conversation` that an agent's own code sees. Pure functions, no model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agents.kit.spec import Asker, Conversation, ToolResult
from chat_models import is_chinese

_ASKER, _CHINESE = "asker", "chinese"


def question_message(question: str, asker: Asker, *, chinese: bool | None = None) -> HumanMessage:
    """The question as the graph stores it, with who asks beside the text where no provider sends it on.

    `chinese` is the language to answer in where the words do not tell it.
    """
    language = {} if chinese is None else {_CHINESE: chinese}
    return HumanMessage(question, additional_kwargs={_ASKER: asdict(asker), **language})


def conversation_of(messages: Sequence[BaseMessage]) -> Conversation:
    """What is being asked, what the tools gave for it, and what came before."""
    last = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    asked = messages[last] if last >= 0 else HumanMessage("")
    asker = _asker(asked.additional_kwargs.get(_ASKER, {}))
    return Conversation(
        question=asked.text,
        chinese=asked.additional_kwargs.get(_CHINESE, answers_in_chinese(asked.text, asker)),
        asker=asker,
        results=tool_results(messages[last + 1 :]),
        earlier=tuple(m.text for m in messages[: max(last, 0)] if isinstance(m, HumanMessage)),
        earlier_results=tool_results(messages[: max(last, 0)]),
    )


def _asker(stored: Mapping[str, Any]) -> Asker:
    """JSON has no tuples, and a turn that waited comes back from there."""
    asker = Asker(**stored)
    return replace(asker, location=(asker.location[0], asker.location[1])) if asker.location else asker


def answers_in_chinese(question: str, asker: Asker) -> bool:
    """Chinese if the question has a Chinese character, English if it has a Latin letter, else by the asker's locale."""
    if is_chinese(question):
        return True
    if any("a" <= character <= "z" for character in question.lower()):
        return False
    return (asker.locale or "zh").lower().startswith("zh")


def tool_results(messages: Sequence[BaseMessage]) -> tuple[ToolResult, ...]:
    """The results in the order in which the calls were made; calls without a result are left out."""
    given = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    found: list[ToolResult] = []
    for message in messages:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            result = given.get(call["id"] or "")
            if result is not None:
                found.append(_result(call["name"], call["args"], result))
    return tuple(found)


def _result(name: str, arguments: Mapping[str, Any], message: ToolMessage) -> ToolResult:
    ok = message.status != "error" and isinstance(message.artifact, Mapping)
    data = cast("Mapping[str, Any]", message.artifact) if ok else {}
    return ToolResult(name, arguments, ok, data, message.text)


def asker_of(metadata: Mapping[str, Any]) -> Asker:
    """Who asks, by the metadata of an A2A message: snake_case or camelCase, `user_context` also as a JSON text."""
    user = _mapping(metadata.get("user_context") or metadata.get("userContext"))
    location = _mapping(metadata.get("currentLocation") or user.get("location"))
    denied = metadata.get("locationPermission") in ("denied", "prompt", False)
    return Asker(
        user_id=_text(user.get("user_id") or user.get("userId")) or "",
        name=_text(user.get("name")),
        locale=_text(user.get("locale")),
        location=None if denied else _point(location),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _point(location: Mapping[str, Any]) -> tuple[float, float] | None:
    lat, lng = location.get("lat"), location.get("lng")
    if isinstance(lat, int | float) and isinstance(lng, int | float) and abs(lat) <= 90 and abs(lng) <= 180:
        return float(lat), float(lng)
    return None
