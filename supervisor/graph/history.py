"""A thread's checkpoint as AG-UI messages: the same ids, order and cards that were streamed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from supervisor.events.internal import REASONING_SUFFIX
from supervisor.graph.attachments import said
from supervisor.graph.cards import Cards, artifact_of
from supervisor.graph.pairs import as_they_came

Message = dict[str, Any]


def agui_messages(messages: Sequence[BaseMessage], cards_: Cards) -> list[Message]:
    """User, assistant and tool messages; the cards of a step come after all its tool messages, as clients hold them.

    A card that replaces an earlier one stands where that stood.
    """
    found: list[Message] = []
    cards: list[Message] = []
    for message in as_they_came(messages):
        if isinstance(message, ToolMessage):
            found.append(_tool(message))
            artifact = artifact_of(message)
            for card in cards_.activities(message.tool_call_id, artifact) if artifact else ():
                if not any(_replaced(held, card) for held in (*found, *cards)):
                    cards.append(card)
            continue
        found += cards
        cards = []
        if isinstance(message, HumanMessage):
            found.append({"id": message.id, "role": "user", "content": said(message)})
        elif isinstance(message, AIMessage) and (message.text or message.tool_calls):
            found += _reasoning(message)
            found.append(_assistant(message))
    return found + cards


def _replaced(held: Message, card: Message) -> bool:
    """Whether `card` is a new state of `held`, which it then becomes."""
    if held["id"] != card["id"]:
        return False
    held.update(card)
    return True


def _assistant(message: AIMessage) -> Message:
    entry: Message = {"id": message.id, "role": "assistant"}
    if message.text:
        entry["content"] = message.text
    if message.tool_calls:
        entry["toolCalls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    return entry


def _reasoning(message: AIMessage) -> list[Message]:
    """What the model was seen to think, with the id under which it was streamed."""
    text = _thought(message)
    return [{"id": f"{message.id}{REASONING_SUFFIX}", "role": "reasoning", "content": text}] if text else []


def _thought(message: AIMessage) -> str:
    text = message.additional_kwargs.get("reasoning_content")
    blocks: list[Any] = cast("list[Any]", message.content) if isinstance(message.content, list) else []
    parts = [block for block in blocks if isinstance(block, dict) and block.get("type") == "reasoning"]
    return (text if isinstance(text, str) else "") + "".join(str(part.get("reasoning") or "") for part in parts)


def _tool(message: ToolMessage) -> Message:
    return {"id": message.id, "role": "tool", "content": message.text, "toolCallId": message.tool_call_id}
