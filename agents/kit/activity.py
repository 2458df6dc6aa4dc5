"""What the agent is doing, as status updates: a line for everybody, the tool calls for callers that asked for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a2a.helpers import new_text_part
from a2a.server.tasks import TaskUpdater
from a2a.types import TaskState

from agents.kit.turn import Done, Status
from contracts.extensions import ACTIVITY

EXTENSION_HEADERS = ("a2a-extensions", "x-a2a-extensions")


class Activity:
    """The status updates of one request. Without `wanted` they hold the lines alone."""

    def __init__(self, updater: TaskUpdater, *, wanted: bool) -> None:
        self._updater = updater
        self._wanted = wanted

    async def begins(self, status: Status) -> None:
        message = self._updater.new_agent_message([new_text_part(status.text)])
        told = {"type": "tool-start", "id": status.call, "name": status.tool}
        await self._updater.update_status(TaskState.TASK_STATE_WORKING, message, metadata=self._metadata(told))

    async def ends(self, done: Done) -> None:
        if self._wanted:
            told = {"type": "tool-end", "id": done.call, "ok": done.ok}
            await self._updater.update_status(TaskState.TASK_STATE_WORKING, metadata=self._metadata(told))

    def _metadata(self, told: Mapping[str, Any]) -> dict[str, Any] | None:
        return {ACTIVITY: dict(told)} if self._wanted else None


def wanted_by(headers: Mapping[str, str]) -> bool:
    """Whether a request asks for the activity extension; 0.3 has another name for the header."""
    asked = ",".join(headers.get(name, "") for name in EXTENSION_HEADERS)
    return ACTIVITY in {uri.strip() for uri in asked.split(",")}
