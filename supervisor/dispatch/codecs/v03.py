"""A2A 0.3: `kind` everywhere, lower-case roles. No version header: a 1.0 server refuses 0.3 methods that carry one."""

from __future__ import annotations

from typing import Any

from supervisor.dispatch.codecs.base import Codec, Question

OUTPUT_MODES = ["text/plain", "application/json"]


def _send_params(question: Question) -> dict[str, Any]:
    message: dict[str, Any] = {
        "kind": "message",
        "messageId": question.message_id,
        "contextId": question.context_id,
        "role": "user",
        "parts": [
            {"kind": "text", "text": question.text},
            *([{"kind": "data", "data": question.data}] if question.data else []),
        ],
        "metadata": question.metadata,
    }
    if question.task_id:
        message["taskId"] = question.task_id
    return {"message": message, "configuration": {"acceptedOutputModes": OUTPUT_MODES, "blocking": True}}


def _get_params(task_id: str) -> dict[str, Any]:
    return {"id": task_id, "historyLength": 0}


V03 = Codec(
    version="0.3",
    send="message/send",
    stream="message/stream",
    get="tasks/get",
    cancel="tasks/cancel",
    subscribe="tasks/resubscribe",
    list=None,
    headers={},
    extensions_header="X-A2A-Extensions",
    send_params=_send_params,
    get_params=_get_params,
)
