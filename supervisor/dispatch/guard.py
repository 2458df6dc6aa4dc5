"""Protection of one agent and of ourselves: a circuit breaker and a limit of calls in flight. No timers, no tasks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from supervisor.dispatch.port import Circuit


class CircuitBreaker:
    """Opens after `failures` failures in a row; after `seconds` it lets one probe through, whose outcome decides.

    Every `allow()` that answers True is followed by exactly one of `succeeded`, `failed` or `abandoned`.
    """

    def __init__(self, failures: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> Circuit:
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._clock() - self._opened_at >= self._seconds else "open"

    def allow(self) -> bool:
        """May a call be made now? In the half-open state only one at a time may."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._probing:
            return False
        self._probing = True
        return True

    def succeeded(self) -> None:
        self._failures, self._opened_at, self._probing = 0, None, False

    def failed(self) -> None:
        self._failures += 1
        self._probing = False
        if self._opened_at is not None or self._failures >= self._limit:
            self._opened_at = self._clock()

    def abandoned(self) -> None:
        """The call said nothing about the agent (it was cancelled, or never sent)."""
        self._probing = False


class AgentGuard:
    """The breaker and the slots of one agent. `in_flight` counts the slots that are taken."""

    def __init__(self, breaker: CircuitBreaker, max_in_flight: int) -> None:
        self.breaker = breaker
        self.in_flight = 0
        self._slots = asyncio.Semaphore(max_in_flight)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """One call's place; waits until there is one."""
        async with self._slots:
            self.in_flight += 1
            try:
                yield
            finally:
                self.in_flight -= 1
