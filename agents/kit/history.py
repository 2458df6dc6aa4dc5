"""What was said before, per A2A context, so that follow-up questions make sense. Bounded, and gone after a restart."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage


class History:
    """The last `max_turns` finished turns of the `max_contexts` contexts used last. Unfinished turns never get here,
    so a failed or cancelled one leaves no tool call without its result."""

    def __init__(self, max_contexts: int = 500, max_turns: int = 6) -> None:
        self._turns: OrderedDict[tuple[str, str], list[Sequence[BaseMessage]]] = OrderedDict()
        self._max_contexts = max_contexts
        self._max_turns = max_turns

    def messages(self, owner: str, context_id: str) -> list[BaseMessage]:
        """The messages of the remembered turns of a context, oldest first."""
        return [message for turn in self._turns.get((owner, context_id), ()) for message in turn]

    def remember(self, owner: str, context_id: str, turn: Sequence[BaseMessage]) -> None:
        """Keep one finished turn: the question, the calls with their results, the answer."""
        if not turn or not isinstance(turn[0], HumanMessage):
            raise ValueError("A turn starts with the question.")
        key = (owner, context_id)
        turns = self._turns.setdefault(key, [])
        turns.append(tuple(turn))
        del turns[: -self._max_turns]
        self._turns.move_to_end(key)
        while len(self._turns) > self._max_contexts:
            self._turns.popitem(last=False)
