"""What the flush window and the group commit do, alone: outbox, journal and feed of runs that say one long text.

    python bench/window.py [--rounds 5] [--tokens 200]

No graph and no HTTP, so the figures are those of our own buffering. Windows take turns within a round.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from supervisor.journal.database import Database
from supervisor.journal.sqlite import SqliteJournal
from supervisor.runs.feed import Feed
from supervisor.runs.outbox import Outbox

WINDOWS_MS = (0, 10, 30)
PACES_MS = (1, 5, 20)
"""Pause between two tokens: 1,000, 200 and 50 tokens a second."""
STREAMS = (1, 16)
WORD = "yesterday "


class CountingJournal(SqliteJournal):
    """Counts commits and the appends that they serve."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.commits = 0
        self.appends = 0

    async def append(self, thread_id: str, run_key: str, events: Sequence[bytes]) -> int:
        self.appends += 1
        return await super().append(thread_id, run_key, events)

    async def _commit(self, batch: Any) -> None:
        self.commits += 1
        await super()._commit(batch)


@dataclass(frozen=True)
class Figures:
    """Of one run, averaged over the runs that were made at once; first text is their median."""

    frames: float
    kilobytes: float
    commits: float
    appends: float
    first_ms: float
    last_ms: float
    cpu_ms: float


@dataclass
class Reader:
    """What one client sees."""

    frames: int = 0
    bytes: int = 0
    first: float = 0.0

    async def follow(self, feed: Feed) -> None:
        async for piece in feed.read(0, 60):
            if not self.first and b"TEXT_MESSAGE_CONTENT" in piece:
                self.first = time.perf_counter()
            self.frames += piece.count(b"\ndata: ")
            self.bytes += len(piece)


async def one_run(
    journal: CountingJournal, name: str, window: float, pace: float, tokens: int, phase: float
) -> tuple[Reader, float, float]:
    """(what was read, seconds to the first text, seconds from the last token to the end). Streams do not keep step."""
    await asyncio.sleep(phase * pace)
    feed, reader = Feed(), Reader()
    reading = asyncio.create_task(reader.follow(feed))
    outbox = Outbox(journal, feed, name, name, window)
    outbox.put([{"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"}])
    said = time.perf_counter()
    for _ in range(tokens):
        outbox.put([{"type": "TEXT_MESSAGE_CONTENT", "messageId": name, "delta": WORD}])
        await asyncio.sleep(pace)
    over = time.perf_counter()
    outbox.put([{"type": "TEXT_MESSAGE_END", "messageId": name}])
    await outbox.aclose()
    feed.close()
    await reading
    return reader, reader.first - said, time.perf_counter() - over


async def measure(folder: Path, window: float, pace: float, streams: int, tokens: int) -> Figures:
    """One cell, in a fresh file."""
    database = Database(folder / f"{time.monotonic_ns()}.db")
    journal = CountingJournal(database)
    cpu = time.process_time()
    runs = [one_run(journal, f"run-{n}", window / 1000, pace / 1000, tokens, n / streams) for n in range(streams)]
    done = await asyncio.gather(*runs)
    cpu = time.process_time() - cpu
    await journal.aclose()
    await database.aclose()
    return Figures(
        sum(reader.frames for reader, _, _ in done) / streams,
        sum(reader.bytes for reader, _, _ in done) / streams / 1000,
        journal.commits / streams,
        journal.appends / streams,
        median(first for _, first, _ in done) * 1000,
        median(last for _, _, last in done) * 1000,
        cpu * 1000 / streams,
    )


async def main() -> None:
    """Prints one row per cell; medians over rounds."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--tokens", type=int, default=200)
    chosen = options.parse_args()
    cells = [(pace, streams, window) for pace in PACES_MS for streams in STREAMS for window in WINDOWS_MS]
    found: dict[tuple[int, int, int], list[Figures]] = {cell: [] for cell in cells}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for number in range(chosen.rounds + 1):
            for pace, streams, window in cells:
                figures = await measure(Path(folder), window, pace, streams, chosen.tokens)
                if number:  # the first round warms up
                    found[pace, streams, window].append(figures)
            print(f"round {number} of {chosen.rounds}", file=sys.stderr)
    print("| token every | streams | window | frames | KB | appends | commits | first text | tail | CPU |")
    print("|---" * 10 + "|")
    for (pace, streams, window), rows in found.items():
        f = {name: median(getattr(row, name) for row in rows) for name in Figures.__annotations__}
        print(
            f"| {pace} ms | {streams} | {window} ms | {f['frames']:.0f} | {f['kilobytes']:.1f} | {f['appends']:.1f} "
            f"| {f['commits']:.1f} | {f['first_ms']:.1f} ms | {f['last_ms']:.1f} ms | {f['cpu_ms']:.1f} ms |"
        )


if __name__ == "__main__":
    asyncio.run(main())
