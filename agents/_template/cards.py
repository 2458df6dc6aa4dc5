"""From what the tools gave to the data of a card, as `a2ui_schemas/<type>/data.schema.json` says."""

from __future__ import annotations

from agents.kit.spec import Card, Conversation

CARD_TYPES = ("list-card",)


def build_card(conversation: Conversation, answer: str) -> Card | None:
    """The things that were found; none without a search."""
    found = conversation.result("find_items")
    if found is None:
        return None
    language = "zh" if conversation.chinese else "en"
    rows = [{"name": item[f"name_{language}"], "detail": item[f"place_{language}"]} for item in found.data["items"]]
    title, empty = ("失物", "没有找到") if conversation.chinese else ("Lost property", "Nothing found")
    return Card(CARD_TYPES[0], {"title": title, "items": rows, "empty_text": empty}, "list", answer)
