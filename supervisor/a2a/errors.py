"""JSON-RPC errors of `/a2a`, and which of them a refusal of the run manager becomes. No exception's text gets out."""

from __future__ import annotations

from typing import Any

from supervisor.errors import Problem

PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_TASK, NOT_CANCELABLE, NO_PUSH, UNSUPPORTED, CONTENT_TYPE = -32001, -32002, -32003, -32004, -32005
NO_EXTENDED_CARD, VERSION = -32007, -32009

_REASONS = {
    NO_TASK: "TASK_NOT_FOUND",
    NOT_CANCELABLE: "TASK_NOT_CANCELABLE",
    NO_PUSH: "PUSH_NOTIFICATION_NOT_SUPPORTED",
    UNSUPPORTED: "UNSUPPORTED_OPERATION",
    CONTENT_TYPE: "CONTENT_TYPE_NOT_SUPPORTED",
    NO_EXTENDED_CARD: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    VERSION: "VERSION_NOT_SUPPORTED",
}
_OF_PROBLEM = {
    "invalid_input": INVALID_PARAMS,
    "invalid_action": INVALID_PARAMS,
    "message_too_large": INVALID_PARAMS,
    "no_message": UNSUPPORTED,
    "unsupported_content": CONTENT_TYPE,
    "interrupt_pending": UNSUPPORTED,
    "thread_busy": UNSUPPORTED,
    "thread_not_found": NO_TASK,
    "idempotency_key_reused": INVALID_PARAMS,
}


class RpcError(Exception):
    """A refusal of one request. `status` is the HTTP status, which is 200 for most errors of the protocol."""

    def __init__(self, code: int, message: str, *, reason: str | None = None, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason or _REASONS.get(code)
        self.status = status

    def body(self) -> dict[str, Any]:
        """The `error` member of the response."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.reason:
            info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "domain": "a2a-protocol.org"}
            error["data"] = [{**info, "reason": self.reason}]
        return error


def of_problem(problem: Problem) -> RpcError | None:
    """The error that a refusal of the run manager is here; None for one that is no matter of the protocol."""
    if problem.code == "INVALID_RESUME":
        code = INVALID_PARAMS if problem.extra.get("reason") == "bad_payload" else UNSUPPORTED
        return RpcError(code, problem.detail)
    code = _OF_PROBLEM.get(problem.code)
    if code is None:
        return None
    reused = problem.code == "idempotency_key_reused"
    reason = problem.code.upper() if reused or problem.code in ("thread_busy", "interrupt_pending") else None
    return RpcError(code, problem.detail, reason=reason, status=409 if reused else 200)
