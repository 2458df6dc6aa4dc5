"""Run store of one process that forgets everything with it."""

from __future__ import annotations

from collections.abc import Mapping

from supervisor.runs.port import Receipt, RunRecord, RunStatus


class MemoryRunStore:
    """Dictionaries, one process."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        self._receipts: dict[str, dict[str, Receipt]] = {}
        self._status: dict[str, RunStatus] = {}

    async def owner(self, thread_id: str) -> str | None:
        return self._owners.get(thread_id)

    async def receipts(self, thread_id: str) -> Mapping[str, Receipt]:
        return self._receipts.get(thread_id, {})

    async def begin(self, run: RunRecord) -> None:
        self._owners.setdefault(run.thread_id, run.user_id)
        receipts = self._receipts.setdefault(run.thread_id, {})
        receipts.update({message: Receipt(run.key, digest) for message, digest in run.digests.items()})
        self._status[run.key] = "running"

    async def end(self, run_key: str, status: RunStatus) -> None:
        self._status[run_key] = status

    async def aclose(self) -> None:
        return None
