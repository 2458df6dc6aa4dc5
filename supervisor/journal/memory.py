"""Journal and run store of one process that lose everything with it: for tests, benchmarks and throwaway demos."""

from __future__ import annotations

from collections.abc import Sequence

from supervisor.journal.port import Record


class MemoryJournal:
    """Records in lists, one per thread."""

    def __init__(self) -> None:
        self._threads: dict[str, list[Record]] = {}

    async def append(self, thread_id: str, run_key: str, events: Sequence[bytes]) -> int:
        records = self._threads.setdefault(thread_id, [])
        first = len(records) + 1
        records.extend(Record(first + i, run_key, data) for i, data in enumerate(events))
        return first

    async def read(self, thread_id: str, after: int = 0, run_key: str | None = None) -> list[Record]:
        records = self._threads.get(thread_id, [])[max(after, 0) :]
        return records if run_key is None else [r for r in records if r.run_key == run_key]

    async def aclose(self) -> None:
        return None
