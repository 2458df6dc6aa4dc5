"""The chat model of supervisors that are killed: pure, so that a step done twice says the same, and not too fast."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from chat_models import ScriptedChatModel, ToolSpec, Turn
from supervisor.graph.results import rows, since_last_question

DELAY_MS = 2


def factory() -> ScriptedChatModel:
    """Names both agents' answers after it has asked both at once."""
    return ScriptedChatModel(policy=decide, delay_ms=DELAY_MS)


def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
    """What the last question asks for: both agents, then words made of their answers."""
    given = [m for m in since_last_question(messages) if isinstance(m, ToolMessage)]
    question = next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))
    if not given:
        calls = [{"agent": "canteen", "query": question}, {"agent": "transport", "query": "next shuttle"}]
        return Turn("我问一下。", [("orchestrate_parallel", {"calls": calls})], reasoning="食堂和校车都要问")
    answers = [row.get("text", row["status"]) for row in rows(given[-1].text)]
    return Turn("食堂说：{}；校车说：{}。祝你吃得好，一路顺风！".format(*answers))
