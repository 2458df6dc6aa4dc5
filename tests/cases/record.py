"""`python -m tests.cases.record [FAMILY ...]` writes the golden transcripts that have changed."""

from __future__ import annotations

import asyncio
import sys

from tests.cases import dialogues, families  # noqa: F401  (registers them)
from tests.cases.transcript import FAMILIES, Transcript, lines, load, store


async def record(names: list[str]) -> list[str]:
    """The families whose recording is new."""
    held = {transcript.family: transcript for transcript in load()}
    kept: list[Transcript] = []
    changed: list[str] = []
    for family in FAMILIES:
        fresh = held.get(family.name) if names and family.name not in names else await family.record()
        old = held.get(family.name)
        if fresh is None:
            continue
        # How a text is cut may differ from time to time; such a difference is not written.
        same = old is not None and lines(old) == lines(fresh)
        kept.append(old if same and old else fresh)
        if not same:
            changed.append(family.name)
    store(kept)
    return changed


if __name__ == "__main__":
    print("\n".join(asyncio.run(record(sys.argv[1:]))) or "nothing has changed")
