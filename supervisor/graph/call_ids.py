"""Makes the ids of tool calls and answers unique in a thread: clients and the history tell things apart by them.

Some models count `call_0` anew in every answer, some servers give all answers one id. One object per run, shared by the
guard that changes the message and the reader that streams it, so both say the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage


class CallIds:
    """The ids that the thread has used before the present model call, and those that were `announced` to clients and
    are in no message: a process died before the model had ended."""

    def __init__(self, announced: Iterable[str] = ()) -> None:
        self._announced = frozenset(announced)
        self._used: set[str] = set(self._announced)
        self._answers: set[str] = set(self._announced)
        self._place = 0

    def note(self, messages: Sequence[BaseMessage]) -> None:
        """Called before a model call with the whole conversation."""
        calls = (call for m in messages if isinstance(m, AIMessage) for call in (*m.tool_calls, *m.invalid_tool_calls))
        self._used = {*self._announced, *(call["id"] for call in calls if call["id"])}
        self._answers = {*self._announced, *(message.id for message in messages if message.id)}
        self._place = len(messages)

    def answer(self, message_id: str) -> str:
        """The id of the present answer itself unless it is used; then one with the answer's place in the thread."""
        return f"{message_id}-{self._place}" if message_id in self._answers else message_id

    def unique(self, message_id: str | None, call_id: str) -> str:
        """The id of a call itself unless it is used; then one that is the same whenever the same answer is read."""
        if call_id not in self._used:
            return call_id
        return f"{call_id}-{hashlib.sha256(str(message_id).encode()).hexdigest()[:8]}"

    def made_unique(self, message: AIMessage) -> AIMessage:
        """The message with unique ids; the message itself when nothing is to be changed."""
        calls = (*message.tool_calls, *message.invalid_tool_calls)
        message_id = self.answer(message.id) if message.id else message.id
        if message_id == message.id and all(call["id"] not in self._used for call in calls):
            return message
        changed = {
            "id": message_id,
            "tool_calls": self._renamed(message_id, message.tool_calls),
            "invalid_tool_calls": self._renamed(message_id, message.invalid_tool_calls),
        }
        return message.model_copy(update=changed)

    def _renamed(self, message_id: str | None, calls: Sequence[Any]) -> list[Any]:
        return [{**call, "id": self.unique(message_id, call["id"])} if call["id"] else call for call in calls]
