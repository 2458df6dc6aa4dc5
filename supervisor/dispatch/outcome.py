"""From an agent's reply to the outcome of a leg. Pure."""

from __future__ import annotations

from typing import Any

from contracts.extensions import CARDS
from supervisor.dispatch.port import DispatchResult, LegStatus
from supervisor.dispatch.reply import INTERRUPTED, AgentReply, as_dict, as_list

MAX_CARDS = 12
"""Cards that are taken of one answer."""

_STATUS: dict[str, LegStatus] = {"timeout": "timed_out", "cancelled": "cancelled", "a2a_state_canceled": "cancelled"}


def failure(agent: str, code: str, **known: Any) -> DispatchResult:
    """A leg that ended with `code`."""
    return DispatchResult(agent=agent, ok=False, status=_STATUS.get(code, "failed"), error=code, **known)


def of_reply(agent: str, reply: AgentReply) -> DispatchResult:
    """What the graph gets of a reply.

    `content` is the answer, the question of an interrupted task, or the agent's own words about its failure. An
    agent that completes with neither text nor card nor data has not answered: `bad_response`.
    """
    known: dict[str, Any] = {
        "content": reply.text,
        "data": _data(reply),
        "trace_id": _text(reply.metadata.get("trace_id")),
        "task_id": reply.task_id,
        "context_id": reply.context_id,
    }
    if reply.state in INTERRUPTED:
        return DispatchResult(agent=agent, ok=False, status="suspended", error=reply.error, **known)
    if reply.error:
        return failure(agent, reply.error, **known)
    card = _card(reply)
    known["content"] = reply.text or card.get("bubble_text") or ""
    if not known["content"] and known["data"] is None and not card.get("card_type"):
        return failure(agent, "bad_response", **known)
    return DispatchResult(agent=agent, ok=True, status="completed", **known, **card)


def _card(reply: AgentReply) -> dict[str, Any]:
    meta = reply.metadata
    # A supervisor may show several; the keys of the first are those of the metadata itself.
    listed = [as_dict(card) for card in as_list(as_dict(meta.get(CARDS)).get("cards"))][1:MAX_CARDS]
    more = [fields for card in listed if (fields := _card_fields(card))["card_type"]]
    return {**_card_fields(meta), "card_update": meta.get("card_update") is True, "more_cards": more}


def _card_fields(meta: dict[str, Any]) -> dict[str, Any]:
    data = meta.get("card_data_model")
    return {
        "card_type": _text(meta.get("card_template_id")),
        "card_data": meta.get("card_data") if data is None else data,
        "card_category": _text(meta.get("card_category")),
        "bubble_text": _text(meta.get("bubble_text")),
    }


def _data(reply: AgentReply) -> Any:
    """None, the one structured part, or a list of several."""
    return reply.data[0] if len(reply.data) == 1 else list(reply.data) or None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
