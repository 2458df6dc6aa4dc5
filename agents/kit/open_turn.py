"""A turn that waits for the user's answer, and its text for the ledger. Says nothing about A2A."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage, messages_from_dict, messages_to_dict

from agents.kit.asking import Ask, ask_in


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """`messages` begin with the question; calls that ask have no result yet. The first of `asks` is being asked.

    `answers` are those so far, by call; `text` is what was said before.
    """

    messages: Sequence[BaseMessage]
    asks: Sequence[Ask]
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Any])
    text: str = ""

    def call(self) -> ToolCall:
        """The call that asks."""
        calls = [call for m in self.messages if isinstance(m, AIMessage) for call in m.tool_calls]
        return next(call for call in calls if call["id"] == self.asks[0].call_id)

    def with_argument(self, name: str, value: Any) -> OpenTurn:
        """The turn as if the model had called with this value, so that later questions know it."""
        return replace(self, messages=[self._changed(message, name, value) for message in self.messages])

    def _changed(self, message: BaseMessage, name: str, value: Any) -> BaseMessage:
        if not isinstance(message, AIMessage):
            return message
        calls = [
            {**call, "args": {**call["args"], name: value}} if call["id"] == self.asks[0].call_id else call
            for call in message.tool_calls
        ]
        return message.model_copy(update={"tool_calls": calls})

    def dumps(self) -> str:
        return json.dumps(
            {
                "messages": messages_to_dict(self.messages),
                "asks": [asdict(ask) for ask in self.asks],
                "answers": self.answers,
                "text": self.text,
            }
        )


def open_turn(state: str) -> OpenTurn:
    """The turn of a text from `dumps`."""
    read = json.loads(state)
    asks = [Ask(**ask) for ask in read["asks"]]
    return OpenTurn(messages_from_dict(read["messages"]), asks, read["answers"], read["text"])


def asking(messages: Sequence[BaseMessage], text: str = "") -> OpenTurn | None:
    """The turn as it has to wait, once every call of its last step has given something and one of them asks."""
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    results = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    calls = [call["id"] or "" for call in (last.tool_calls if last is not None else ())]
    if not calls or not results.keys() >= set(calls):
        return None
    found = [ask for call in calls if (ask := ask_in(call, results[call].artifact)) is not None]
    asked = {ask.call_id for ask in found}
    kept = [m for m in messages if not (isinstance(m, ToolMessage) and m.tool_call_id in asked)]
    return OpenTurn(kept, found, {}, text) if found else None
