"""What the agents of all peers say and ask; the first word of a question chooses. Tests expect the same of each."""

from __future__ import annotations

from typing import Any

PIECES = ("Spicy fish", " and tofu")
STATUS = "looking at the menu"
CARD: dict[str, Any] = {
    "card_template_id": "dish_cards",
    "card_data_model": {"items": [{"name": "fish", "spiciness": 3}]},
}
DATA: dict[str, Any] = {"seats": 12}
QUESTION = "Which day?"
PAYLOAD: dict[str, Any] = {"type": "select", "message": QUESTION, "options": ["mon", "tue"]}
SIGN_IN = "Please sign in."
FAILED = "The kitchen is closed."
REJECTED = "I know nothing of trains."
MESSAGE = "Good day."
SECRET = "secret=hunter2"


def heard(text: str, data: Any) -> str:
    """What an agent says once its question was answered."""
    return f"heard {text}, {data}"


def numbered(count: int) -> str:
    """What an agent says to `again`: the how-manieth question of its conversation this is."""
    return f"question {count}"
