"""The chat model setting that the supervisor and the agents share. Knows neither of them."""

from chat_models.language import is_chinese, match_score, mentions, terms
from chat_models.resolve import resolve_model
from chat_models.scripted import Policy, ScriptedChatModel, ToolSpec, Turn, script

__all__ = [
    "Policy",
    "ScriptedChatModel",
    "ToolSpec",
    "Turn",
    "is_chinese",
    "match_score",
    "mentions",
    "resolve_model",
    "script",
    "terms",
]
