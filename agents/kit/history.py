"""What was said before, per A2A context, so that follow-up questions make sense. Only finished turns get here, so a
failed or cancelled one leaves no tool call without its result."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from langchain_core.messages import BaseMessage, HumanMessage

MOST_TURNS = 6


class History(Protocol):
    """Bounded: the last turns of each context."""

    async def messages(self, owner: str, context_id: str) -> list[BaseMessage]:
        """The messages of the remembered turns of a context, oldest first."""
        ...

    async def remember(self, owner: str, context_id: str, turn: Sequence[BaseMessage]) -> None:
        """Keep one finished turn: the question, the calls with their results, the answer."""
        ...


class MemoryHistory:
    """The contexts that were used last; gone with the process."""

    def __init__(self, max_contexts: int = 500, max_turns: int = MOST_TURNS) -> None:
        self._turns: OrderedDict[tuple[str, str], list[Sequence[BaseMessage]]] = OrderedDict()
        self._max_contexts = max_contexts
        self._max_turns = max_turns

    async def messages(self, owner: str, context_id: str) -> list[BaseMessage]:
        return [message for turn in self._turns.get((owner, context_id), ()) for message in turn]

    async def remember(self, owner: str, context_id: str, turn: Sequence[BaseMessage]) -> None:
        key = (owner, context_id)
        turns = self._turns.setdefault(key, [])
        turns.append(finished(turn))
        del turns[: -self._max_turns]
        self._turns.move_to_end(key)
        while len(self._turns) > self._max_contexts:
            self._turns.popitem(last=False)


def finished(turn: Sequence[BaseMessage]) -> tuple[BaseMessage, ...]:
    """The turn, if it is one."""
    if not turn or not isinstance(turn[0], HumanMessage):
        raise ValueError("A turn starts with the question.")
    return tuple(turn)
