"""ListTasks: the caller's tasks in pages, what began last first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from supervisor.a2a.desk import Caller, Desk
from supervisor.a2a.errors import INVALID_PARAMS, RpcError
from supervisor.a2a.message import history_length
from supervisor.a2a.spelling import Spelling
from supervisor.a2a.story import Story
from supervisor.dispatch.reply import plain_state
from supervisor.runs.port import RunSummary

Json = dict[str, Any]

DEFAULT_PAGE, MAX_PAGE = 50, 100
# Names of runs begin with the time in as many digits.
_STAMP = 16


async def tasks_page(desk: Desk, caller: Caller, spelling: Spelling, params: Json) -> Json:
    """One page. Raises RpcError for params that are none."""
    size, token, state = _size(params), params.get("pageToken") or "", _state(params)
    context_id, history = params.get("contextId") or None, history_length(params)
    if not isinstance(token, str) or not _is_key(token) or not isinstance(context_id, (str, type(None))):
        raise RpcError(INVALID_PARAMS, "`pageToken` must be one that a page named, `contextId` a string.")
    found: Sequence[tuple[str, list[RunSummary]]] = await desk.all(caller, context_id)
    told: dict[str, Story] = {}
    if state is not None:
        told = {key: await desk.told(runs, caller) for key, runs in found}
        found = [(key, runs) for key, runs in found if told[key].state == state]
    rest = [(key, runs) for key, runs in found if not token or key < token]
    page = [(key, told.get(key) or await desk.told(runs, caller)) for key, runs in rest[:size]]
    shown = params.get("includeArtifacts") is True
    return {
        "tasks": [spelling.task(story, history=history, artifacts=shown) for _, story in page],
        "nextPageToken": page[-1][0] if len(rest) > size else "",
        "pageSize": size,
        "totalSize": len(found),
    }


def _size(params: Json) -> int:
    size = params.get("pageSize")
    if size is None:
        return DEFAULT_PAGE
    if not isinstance(size, int) or not 1 <= size <= MAX_PAGE:
        raise RpcError(INVALID_PARAMS, f"`pageSize` must be a whole number from 1 to {MAX_PAGE}.")
    return size


def _is_key(token: str) -> bool:
    """True for what may be the name of a run, or none."""
    return not token or (len(token) >= _STAMP and set(token[:_STAMP]) <= set("0123456789abcdef"))


def _state(params: Json) -> str | None:
    state = params.get("status")
    if state in (None, "", "TASK_STATE_UNSPECIFIED"):
        return None
    if not isinstance(state, str) or not state.startswith("TASK_STATE_"):
        raise RpcError(INVALID_PARAMS, "`status` must be a TASK_STATE_ of A2A 1.0.")
    return plain_state(state)
