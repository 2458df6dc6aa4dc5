"""What the agent says without a language model. Pure: a repeated step gives the same turn."""

from __future__ import annotations

from agents.kit.spec import Conversation
from chat_models import Turn


def answer_offline(conversation: Conversation) -> Turn:
    """Look the question up, then tell what was found."""
    found = conversation.result("find_items")
    if found is None and not conversation.results:
        return Turn(calls=[("find_items", {"query": conversation.question})])
    items = found.data["items"] if found else []
    if not items:
        return Turn("没有找到这样的物品。" if conversation.chinese else "Nothing like that was handed in.")
    first = items[0]
    if conversation.chinese:
        return Turn(f"找到 {len(items)} 件：{first['name_zh']}，在{first['place_zh']}领取。")
    return Turn(f"Found {len(items)}: {first['name_en']}, to be collected at {first['place_en']}.")
