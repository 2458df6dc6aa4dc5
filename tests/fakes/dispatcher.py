"""A dispatcher without A2A: scripted results per agent, and a record of who was asked what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from supervisor.dispatch.port import AgentCall, AgentInfo, AgentSkill, DispatchResult, Progress

CANTEEN = AgentInfo(
    "canteen",
    "Campus canteens, dishes and crowding",
    (AgentSkill("dishes", "菜品推荐", "Recommend dishes", ("辣", "菜", "dish", "canteen", "吃"), ("推荐几道辣的菜",)),),
    "http://canteen.test",
    ("dish_cards",),
)
TRANSPORT = AgentInfo(
    "transport",
    "Shuttle lines and timetables",
    (AgentSkill("shuttle", "校车", "Next departures", ("shuttle", "校车", "bus"), ("when is the next shuttle?",)),),
    "http://transport.test",
)


class FakeDispatcher:
    """Answers every call with `answer(call)`, by default with a text that names the agent and the question."""

    version = 1

    def __init__(
        self, answer: Callable[[AgentCall], DispatchResult] | None = None, *, agents: Sequence[AgentInfo] = ()
    ):
        self._answer = answer or said
        self._agents = tuple(agents) or (CANTEEN, TRANSPORT)
        self.calls: list[AgentCall] = []
        self.cancelled: list[AgentCall] = []
        self.cancelled: list[AgentCall] = []

    def agents(self) -> Sequence[AgentInfo]:
        return self._agents

    def register(self, agent: AgentInfo) -> None:
        self._agents = (*self._agents, agent)
        self.version += 1

    async def call(self, call: AgentCall, on_progress: Callable[[Progress], None]) -> DispatchResult:
        self.calls.append(call)
        on_progress(Progress("status", f"{call.agent} works"))
        return self._answer(call)

    async def cancel(self, call: AgentCall) -> None:
        self.cancelled.append(call)

    def release(self) -> None:
        return None


def said(call: AgentCall, text: str | None = None) -> DispatchResult:
    """A completed answer."""
    return DispatchResult(call.agent, True, "completed", text or f"{call.agent}: {call.query}")


def failed(call: AgentCall, error: str) -> DispatchResult:
    """A failed answer."""
    status = "timed_out" if error == "timeout" else "failed"
    return replace(said(call), ok=False, status=status, content="", error=error)
