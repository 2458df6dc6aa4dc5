"""The answer to a question of ours, from the words of a caller that sends no typed one: `answer_text` turned round."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contracts.interrupts import choices

Json = dict[str, Any]

_FIRST = re.compile(r"[\s:：,，.。!！;；]+")
_BETWEEN = re.compile(r"[,，、;；\n]+")
_YES = frozenset(
    ("approved", "approve", "yes", "y", "ok", "okay", "true", "好", "好的", "是", "可以", "同意", "批准", "确认")
)
_NO = frozenset(("rejected", "reject", "no", "n", "false", "deny", "denied", "不", "不行", "不同意", "否", "拒绝"))


def answer_of(payload: Mapping[str, Any], text: str, data: Json | None) -> Any:
    """The typed answer if there is one, else what the words stand for; the server checks it against the question."""
    if data is not None:
        return data
    words = text.strip()
    match payload.get("type"):
        case "select":
            return {"value": _choice(payload, words)}
        case "multiSelect":
            return {"values": [_choice(payload, part.strip()) for part in _BETWEEN.split(words) if part.strip()]}
        case "modal":
            return {"action": _choice(payload, words)}
        case "approval":
            return _approval(words)
        case "unlock":
            return {}
        case "input":
            return {"value": words}
        case _:
            return words


def _choice(payload: Mapping[str, Any], words: str) -> str:
    """The value that was named by itself or by its label."""
    for option in payload.get("options") or payload.get("actions") or ():
        if isinstance(option, dict) and words.casefold() == str(option.get("label", "")).casefold():
            return option["value"]
    return next((value for value in choices(payload) if value.casefold() == words.casefold()), words)


def _approval(words: str) -> Json:
    first, _, rest = _FIRST.sub(" ", words, count=1).partition(" ")
    known = first.casefold()
    # Neither yes nor no is no answer: nothing is approved by accident, and the caller is told what to send.
    approved = True if known in _YES else False if known in _NO else None
    return {"approved": approved, **({"reason": rest.strip()} if rest.strip() else {})}
