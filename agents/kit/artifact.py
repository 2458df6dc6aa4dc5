"""The answer's text as one artifact: streamed in small pieces, otherwise whole, since a task keeps every piece."""

from __future__ import annotations

import time

from a2a.helpers import new_text_part
from a2a.server.tasks import TaskUpdater

ANSWER = "answer"
FLUSH_CHARS = 24
FLUSH_SECONDS = 0.05


class TextArtifact:
    """`begun`: the task has the beginning of the artifact from before a question to the user."""

    def __init__(self, updater: TaskUpdater, *, streaming: bool, begun: bool = False) -> None:
        self._updater = updater
        self._streaming = streaming
        self._held = ""
        self._sent = begun
        self._flushed_at = 0.0

    async def write(self, text: str) -> None:
        self._held += text
        due = len(self._held) >= FLUSH_CHARS or time.monotonic() - self._flushed_at >= FLUSH_SECONDS
        # The last piece has to carry `last_chunk`, so one character is always held back.
        if self._streaming and due and len(self._held) > 1:
            ready, self._held = self._held[:-1], self._held[-1]
            await self._send(ready, last=False)

    async def pause(self) -> None:
        """Send what is held; the artifact goes on after the user's answer."""
        if self._held:
            ready, self._held = self._held, ""
            await self._send(ready, last=False)

    async def close(self) -> None:
        await self._send(self._held, last=True)

    async def _send(self, text: str, *, last: bool) -> None:
        await self._updater.add_artifact(
            [new_text_part(text)], artifact_id=ANSWER, name=ANSWER, append=self._sent, last_chunk=last
        )
        self._sent = True
        self._flushed_at = time.monotonic()
