"""Which stable code an exception of the graph or of a model provider stands for. Its text is never passed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langgraph.errors import GraphRecursionError

from supervisor.errors import RunFailure

_STATUS = {401: "LLM_AUTH_FAILED", 403: "LLM_AUTH_FAILED", 429: "LLM_RATE_LIMITED"}
_UNREACHABLE = ("APIConnectionError", "APITimeoutError", "ConnectError", "ConnectTimeout", "ReadTimeout", "ReadError")


def code_of(error: BaseException) -> str:
    """A code of `supervisor.errors`, AGENT_INTERNAL for what is not known."""
    for cause in _chain(error):
        if isinstance(cause, RunFailure):
            return cause.row.code
        if isinstance(cause, GraphRecursionError):
            return "GRAPH_STEP_LIMIT"
        status: Any = getattr(cause, "status_code", None)
        if isinstance(status, int):
            return _STATUS.get(status, "LLM_UNREACHABLE" if status >= 500 else "AGENT_INTERNAL")
        if isinstance(cause, (ConnectionError, TimeoutError)) or type(cause).__name__ in _UNREACHABLE:
            return "LLM_UNREACHABLE"
    return "AGENT_INTERNAL"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
