"""Every way a request or a run can fail, one row per code: who acts, whether a retry helps, and what a client is told.

The texts are written here and nowhere else, so that no exception or provider text can reach a client.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Actor = Literal["user", "client", "operator", "provider"]


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One stable code. `status` is the HTTP status where the failure happens before a stream opens."""

    code: str
    status: int
    json_rpc: int
    retryable: bool
    who_acts: Actor
    message: str


_ROWS = (
    ErrorRow("GRAPH_STEP_LIMIT", 500, -32603, False, "user", "The question took too many steps. Ask for less."),
    ErrorRow("LLM_AUTH_FAILED", 502, -32603, False, "operator", "The language model refused our credentials."),
    ErrorRow("LLM_RATE_LIMITED", 429, -32603, True, "user", "The language model is busy. Try again in a moment."),
    ErrorRow("LLM_UNREACHABLE", 502, -32603, True, "operator", "The language model cannot be reached. Try again."),
    ErrorRow("LLM_TRUNCATED", 502, -32603, True, "user", "The answer broke off before it was complete. Try again."),
    ErrorRow("UPSTREAM_UNREACHABLE", 502, -32603, True, "operator", "A domain agent cannot be reached."),
    ErrorRow("UPSTREAM_TIMEOUT", 504, -32603, True, "operator", "A domain agent did not answer in time."),
    ErrorRow("AGENT_UNAVAILABLE", 503, -32603, True, "operator", "No domain agent can answer this now."),
    ErrorRow("INVALID_RESUME", 409, -32602, False, "client", "The answer does not fit an open question."),
    ErrorRow("CANCELLED", 409, -32603, True, "user", "The run was stopped."),
    ErrorRow("SHUTTING_DOWN", 503, -32603, True, "client", "The server is restarting. Reconnect in a moment."),
    ErrorRow("AGENT_INTERNAL", 500, -32603, True, "operator", "Something went wrong on our side. Try again."),
)

ERRORS: dict[str, ErrorRow] = {row.code: row for row in _ROWS}


class RunFailure(Exception):
    """A run ends with this code. The text a client sees is the table's."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.row = ERRORS.get(code, ERRORS["AGENT_INTERNAL"])


@dataclass
class Problem(Exception):
    """A request refused before a stream opens; rendered as RFC 9457 `application/problem+json`.

    `code` is stable, `detail` says what to do, `extra` holds further members (never echoes of the input).
    """

    status: int
    code: str
    detail: str
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.detail}"
