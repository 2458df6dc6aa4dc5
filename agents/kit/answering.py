"""Between a question's payload and the words around it: how it reads as text, and what a message answers to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from a2a.types import Message
from google.protobuf.json_format import MessageToDict

from contracts.interrupts import answer_error, answer_schema

Json = dict[str, Any]

_YES = "yes y ok okay sure approve approved confirm confirmed agree 是 是的 好 好的 可以 同意 确认 批准 行 对"
_NO = "no n reject rejected decline declined deny cancel 不 不要 不用 不行 不同意 否 取消 拒绝 算了"
YES, NO = frozenset(_YES.split(" ")), frozenset(_NO.split(" "))
_UNUSABLE = ("没有看懂这个回答。", "That answer does not fit. ")


def question_text(payload: Mapping[str, Any]) -> str:
    """The question in words, with its choices, for callers that show no form."""
    asked = payload.get("message") or f"{payload['title']}: {payload['body']}"
    labels = [label for _, label in _options(payload)]
    return f"{asked} ({' / '.join(labels)})" if labels else str(asked)


def asked_again(payload: Mapping[str, Any], chinese: bool) -> Json:
    """The same question after an answer that does not answer it."""
    place = "body" if payload["type"] == "modal" else "message"
    return {**payload, place: _UNUSABLE[0 if chinese else 1] + str(payload[place])}


def answer_in(message: Message, payload: Mapping[str, Any]) -> Json | None:
    """The typed answer of a message: its data part, else what its text means. None for what is no answer."""
    for part in message.parts:
        if part.HasField("data"):
            data: Any = MessageToDict(part.data)
            return _fitting(data, payload)
    text = "\n".join(part.text for part in message.parts if part.HasField("text")).strip()
    return _fitting(_meant(text, payload), payload) if text or payload["type"] == "unlock" else None


def _fitting(answer: Any, payload: Mapping[str, Any]) -> Json | None:
    fits = isinstance(answer, dict) and answer_error(answer_schema(payload), answer) is None
    return cast("Json", answer) if fits else None


def _meant(text: str, payload: Mapping[str, Any]) -> Json | None:
    match payload["type"]:
        case "input":
            return {"value": text}
        case "select":
            return {"value": _chosen(text, payload)}
        case "modal":
            return {"action": _chosen(text, payload)}
        case "multiSelect":
            parts = [part.strip() for part in text.replace("、", ",").replace("，", ",").split(",")]
            return {"values": [_chosen(part, payload) for part in parts if part]}
        case "approval":
            return _approval(text)
        case _:
            return {}


def _chosen(text: str, payload: Mapping[str, Any]) -> str | None:
    """The value of the option that is named by value, label or number."""
    options = _options(payload)
    wanted = text.strip().rstrip("。.!！").lower()
    for value, label in options:
        if wanted in (value.lower(), label.lower()):
            return value
    return options[int(wanted) - 1][0] if wanted.isdecimal() and 0 < int(wanted) <= len(options) else None


def _approval(text: str) -> Json | None:
    word, _, reason = text.replace("：", ":").partition(":")
    said = word.strip().rstrip("。.!！").lower()
    if said not in YES | NO:
        return None
    return {"approved": said in YES, **({"reason": reason.strip()} if reason.strip() else {})}


def _options(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Value and label of every choice."""
    listed: Sequence[Any] = payload.get("options") or payload.get("actions") or ()
    return [
        (option, option) if isinstance(option, str) else (option["value"], option.get("label") or option["value"])
        for option in listed
    ]
