"""A2A 1.0 (ProtoJSON): the contract. `A2A-Version` goes with every call, and only with calls of this codec."""

from __future__ import annotations

from typing import Any

from supervisor.dispatch.codecs.base import Codec, Question

OUTPUT_MODES = ["text/plain", "application/json"]


def _send_params(question: Question) -> dict[str, Any]:
    message: dict[str, Any] = {
        "messageId": question.message_id,
        "contextId": question.context_id,
        "role": "ROLE_USER",
        "parts": [{"text": question.text}, *([{"data": question.data}] if question.data else [])],
        "metadata": question.metadata,
    }
    if question.task_id:
        message["taskId"] = question.task_id
    return {"message": message, "configuration": {"acceptedOutputModes": OUTPUT_MODES}}


def _get_params(task_id: str) -> dict[str, Any]:
    return {"id": task_id, "historyLength": 0}


V10 = Codec(
    version="1.0",
    send="SendMessage",
    stream="SendStreamingMessage",
    get="GetTask",
    cancel="CancelTask",
    subscribe="SubscribeToTask",
    list="ListTasks",
    headers={"A2A-Version": "1.0"},
    extensions_header="A2A-Extensions",
    send_params=_send_params,
    get_params=_get_params,
)
