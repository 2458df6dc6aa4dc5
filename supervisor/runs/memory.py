"""Run store of one process that forgets everything with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from supervisor.runs.port import A2A, OURS, Receipt, RunRecord, RunStatus, RunSummary, Thread


class MemoryRunStore:
    """Dictionaries, one process."""

    def __init__(self) -> None:
        self._threads: dict[str, RunRecord] = {}
        self._receipts: dict[str, dict[str, Receipt]] = {}
        self._runs: dict[str, RunRecord] = {}
        self._begun: dict[str, RunRecord] = {}
        self._status: dict[str, RunStatus] = {}
        self._last: dict[str, str] = {}

    async def thread(self, thread_id: str, receipts: Collection[str] = ()) -> Thread | None:
        first = self._threads.get(thread_id)
        if first is None:
            return None
        known = self._receipts[thread_id]
        found = {name: known[name] for name in receipts if name in known}
        return Thread(first.user_id, first.model, self._status[self._last[thread_id]], found)

    async def begin(self, run: RunRecord) -> None:
        self._threads.setdefault(run.thread_id, run)
        accepted = {name: Receipt(run.key, digest) for name, digest in run.receipts.items()}
        self._receipts.setdefault(run.thread_id, {}).update(accepted)
        self._runs[run.key] = run
        self._begun[run.key] = replace(run, turn=b"", receipts={})
        self._status[run.key] = "running"
        self._last[run.thread_id] = run.key

    async def stop(self, run_key: str) -> None:
        if run_key in self._runs:
            self._status[run_key] = "stopping"
            self._runs[run_key] = replace(self._runs[run_key], stopping=True)

    async def end(self, run_key: str, status: RunStatus, said: Collection[str] = ()) -> None:
        self._status[run_key] = status
        run = self._runs.pop(run_key, None)
        if run is not None:
            receipts = self._receipts[run.thread_id]
            receipts.update({name: Receipt(run_key, OURS) for name in said if name not in receipts})

    async def unfinished(self) -> list[RunRecord]:
        return list(self._runs.values())

    async def tasks(self, user_id: str, run_id: str | None = None) -> list[RunSummary]:
        return [
            RunSummary(run.key, run.thread_id, run.run_id, self._status[run.key])
            for run in sorted(self._begun.values(), key=lambda run: run.key)
            if run.thread_id.startswith(A2A) and run.user_id == user_id and run_id in (None, run.run_id)
        ]
