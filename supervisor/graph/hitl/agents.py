"""What a suspended agent asks, as one of the six payloads, and the user's answer as the agent gets it back."""

from __future__ import annotations

from typing import Any, cast

from contracts.interrupts import payload_error
from supervisor.dispatch.port import DispatchResult

Json = dict[str, Any]


def question_of(result: DispatchResult) -> Json:
    """The agent's own payload if its data is one, else a free text; a request to sign in becomes `unlock`."""
    data = cast("Json", result.data) if isinstance(result.data, dict) else None
    if data is not None and payload_error(data) is None:
        return data
    message = result.content.strip() or f"{result.agent} needs an answer to go on."
    if result.error == "a2a_state_auth_required":
        link = data.get("url") if data else None
        return {"type": "unlock", "message": message, "key": link if isinstance(link, str) and link else result.agent}
    return {"type": "input", "message": message}


def answer_text(payload: Json, answer: Json) -> str:
    """The answer in words, for agents that read text only; the structured answer travels beside it."""
    kind = payload["type"]
    if kind == "multiSelect":
        return ", ".join(answer["values"])
    if kind == "approval":
        said = "approved" if answer["approved"] else "rejected"
        return f"{said}: {answer['reason']}" if answer.get("reason") else said
    if kind == "unlock":
        return "unlocked"
    return answer["action"] if kind == "modal" else answer["value"]
