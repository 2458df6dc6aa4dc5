"""Makes tool call ids unique in a thread. Some models count `call_0` anew in every answer; clients and history cannot.

One object per run, shared by the guard that changes the message and the reader that streams it, so both say the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage


class CallIds:
    """The ids that the thread has used before the present model call."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def note(self, messages: Iterable[BaseMessage]) -> None:
        """Called before a model call with the whole conversation."""
        calls = (call for m in messages if isinstance(m, AIMessage) for call in (*m.tool_calls, *m.invalid_tool_calls))
        self._used = {call["id"] for call in calls if call["id"]}

    def unique(self, message_id: str | None, call_id: str) -> str:
        """The id itself unless it is used; then one that is the same whenever the same message is read."""
        if call_id not in self._used:
            return call_id
        return f"{call_id}-{hashlib.sha256(str(message_id).encode()).hexdigest()[:8]}"

    def made_unique(self, message: AIMessage) -> AIMessage:
        """The message with unique ids; the message itself when nothing is to be changed."""
        if all(call["id"] not in self._used for call in (*message.tool_calls, *message.invalid_tool_calls)):
            return message
        changed = {
            "tool_calls": self._renamed(message.id, message.tool_calls),
            "invalid_tool_calls": self._renamed(message.id, message.invalid_tool_calls),
        }
        return message.model_copy(update=changed)

    def _renamed(self, message_id: str | None, calls: Sequence[Any]) -> list[Any]:
        return [{**call, "id": self.unique(message_id, call["id"])} if call["id"] else call for call in calls]
