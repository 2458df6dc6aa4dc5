"""How one exchange with an agent can fail, inside the dispatcher. Callers of the dispatcher see codes, never this."""

from __future__ import annotations

from typing import Literal

Retry = Literal["never", "idempotent", "safe"]


class CallFailed(Exception):
    """An exchange ended without an answer.

    `code` is the stable error of the leg, `rpc` the JSON-RPC error code if the agent sent one. `retry` says when
    the same message may be sent again: `safe` (nobody looked at it), `idempotent` (only if the agent recognises
    repeats) or `never`; `retry_after` are the seconds until then for which the agent asks. `lost` means that the task
    may go on without us, so that it can be asked for by its id.
    """

    def __init__(
        self,
        code: str,
        *,
        retry: Retry = "never",
        lost: bool = False,
        rpc: int | None = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.retry: Retry = retry
        self.lost = lost
        self.rpc = rpc
        self.retry_after = retry_after
