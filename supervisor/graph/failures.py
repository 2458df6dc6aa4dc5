"""Which stable code an exception of the graph or of a model provider stands for. Its text is never passed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from langgraph.errors import GraphRecursionError, is_invalid_resume

from supervisor.errors import RunFailure

_STATUS = {401: "LLM_AUTH_FAILED", 403: "LLM_AUTH_FAILED", 429: "LLM_RATE_LIMITED"}
_BUSY = ("429", "rate_limit_exceeded", "rate_limit_error", "insufficient_quota")
_UNREACHABLE = ("APIConnectionError", "APITimeoutError", "ConnectError", "ConnectTimeout", "ReadTimeout", "ReadError")


def code_of(error: BaseException) -> str:
    """A code of `supervisor.errors`, AGENT_INTERNAL for what is not known."""
    for cause in _chain(error):
        if isinstance(cause, RunFailure):
            return cause.row.code
        if is_invalid_resume(cause):
            return "INVALID_RESUME"
        if isinstance(cause, GraphRecursionError):
            return "GRAPH_STEP_LIMIT"
        status: Any = getattr(cause, "status_code", None)
        if isinstance(status, int):
            return _STATUS.get(status, "LLM_UNREACHABLE" if status >= 500 else "AGENT_INTERNAL")
        if isinstance(cause, (ConnectionError, TimeoutError)) or type(cause).__name__ in _UNREACHABLE:
            return "LLM_UNREACHABLE"
        if type(cause).__name__ == "APIError":
            return _code_in_stream(getattr(cause, "body", None))
    return "AGENT_INTERNAL"


def _code_in_stream(body: object) -> str:
    """The OpenAI client's `APIError` without a status is an error object that came after HTTP 200."""
    error = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    named = (error.get("code"), error.get("type"))
    return "LLM_RATE_LIMITED" if any(str(name) in _BUSY for name in named) else "LLM_UNREACHABLE"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
