"""The Journal port: the ordered record of every AG-UI event of a thread. Append before send, replay after a cursor.

Sequences are per thread, start at 1 and have no gaps. A record is durable when `append` returns, so that no client ever
sees a frame that a restart would lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Record:
    """One event. `data` is its JSON, exactly the bytes that were sent; `run_key` names the run inside the server."""

    seq: int
    run_key: str
    data: bytes


class Journal(Protocol):
    """Shared by all runs of a process; safe for concurrent appends to different threads."""

    async def append(self, thread_id: str, run_key: str, events: Sequence[bytes]) -> int:
        """Store events in order and return the sequence of the first one."""
        ...

    async def read(self, thread_id: str, after: int = 0, run_key: str | None = None) -> list[Record]:
        """Records with a sequence greater than `after`, of one run or of all, in order."""
        ...

    async def aclose(self) -> None:
        """Finish what was appended and release the resources."""
        ...
