"""Gates by name, at which the model and the agents of a schedule wait until they are let go."""

from __future__ import annotations

import asyncio
from collections import Counter


class Gates:
    """A gate is shut until it is opened, and open for good from then on: what is done again does not wait again."""

    def __init__(self) -> None:
        self._gates: dict[str, asyncio.Event] = {}
        self._waiting: Counter[str] = Counter()
        self._arrivals: list[asyncio.Future[None]] = []

    async def wait(self, name: str) -> None:
        """Returns once the gate is open."""
        gate = self._gates.setdefault(name, asyncio.Event())
        if gate.is_set():
            return
        self._waiting[name] += 1
        for arrival in self._arrivals:
            if not arrival.done():
                arrival.set_result(None)
        self._arrivals.clear()
        try:
            await gate.wait()
        finally:
            self._waiting[name] -= 1

    def holds(self, prefix: str) -> bool:
        """Whether somebody waits at a shut gate with this prefix."""
        return bool(self._shut(prefix))

    def open(self, prefix: str) -> None:
        """Lets everybody go who waits at a gate with this prefix."""
        for gate in self._shut(prefix):
            gate.set()

    def _shut(self, prefix: str) -> list[asyncio.Event]:
        waited = (self._gates[name] for name, count in self._waiting.items() if count and name.startswith(prefix))
        return [gate for gate in waited if not gate.is_set()]

    def arrival(self) -> asyncio.Future[None]:
        """Done when the next one comes to a shut gate."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals.append(future)
        return future
