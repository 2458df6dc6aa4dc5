"""The calls that one tool makes to domain agents, until every agent has answered or given up.

Each call is a LangGraph task: its result survives a resume, so an agent is asked once. All agents are asked first; then
what they ask back goes to the user, in the order of the calls, and each answer to the same remote task.
Tells the stream what the agents do; decides nothing about retries, deadlines or transport (see `dispatch`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from langchain.tools import ToolRuntime
from langgraph.func import task

from supervisor.dispatch.port import AgentCall, Dispatcher, DispatchResult, Progress
from supervisor.events import internal as ev
from supervisor.graph.checkpoints import Stored
from supervisor.graph.context import RunContext
from supervisor.graph.hitl.agents import answer_text, question_of
from supervisor.graph.hitl.helpers import Cancelled, Origin, ask
from supervisor.graph.nested import NestedActivity

Writer = Callable[[Any], None]
LegTask = Callable[[AgentCall, ev.SubagentStarted, Writer], Awaitable[dict[str, Any]]]
CancelTask = Callable[[AgentCall], Awaitable[None]]

MAX_ROUNDS = 8
"""How often one agent may ask back about one question."""


def idempotency_key(thread_id: str, task_id: str, leg: int, round_: int = 0) -> str:
    """The same for every execution of one leg: tools run again on resume, and tool call ids repeat in a thread."""
    return hashlib.sha256(f"{thread_id}\n{task_id}\n{leg}\n{round_}".encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class LegTasks:
    """The LangGraph tasks of a dispatcher: `ask` one agent, `cancel` a task that waits for an answer nobody gives."""

    ask: LegTask
    cancel: CancelTask
    describe: Callable[[str], str]
    stored: Stored


def make_legs(dispatcher: Dispatcher, stored: Stored) -> LegTasks:
    """The tasks that go through `dispatcher`, which is asked once the checkpoint that keys hang on is `stored`."""

    @task(name="a2a_leg")
    async def a2a_leg(call: AgentCall, started: ev.SubagentStarted, writer: Writer) -> dict[str, Any]:
        writer(started)
        nested = NestedActivity(started.subagent_id)

        def progress(step: Progress) -> None:
            if step.kind != "activity":
                writer(ev.SubagentDelta(started.subagent_id, step.kind, step.text))
            for event in nested.events(step.activity) if step.activity else ():
                writer(event)

        return asdict(await dispatcher.call(call, progress))

    @task(name="a2a_cancel")
    async def a2a_cancel(call: AgentCall) -> None:
        await dispatcher.cancel(call)

    def describe(agent: str) -> str:
        return next((a.description for a in dispatcher.agents() if a.name == agent), "")

    return LegTasks(a2a_leg, a2a_cancel, describe, stored)


class Legs:
    """The legs of one tool call."""

    def __init__(self, tasks: LegTasks, runtime: ToolRuntime[RunContext, Any]) -> None:
        info = runtime.execution_info
        self._tasks = tasks
        self._context = runtime.context
        self._call_id = runtime.tool_call_id or ""
        self._task_id = (info.task_id if info else None) or self._call_id
        self._checkpoint_id = info.checkpoint_id if info else None
        self._writer: Writer = runtime.stream_writer

    async def ask(
        self, questions: Sequence[tuple[str, str]], data: dict[str, Any] | None = None
    ) -> list[DispatchResult]:
        """One result per (agent, query), in order. Interrupts when an agent asks the user something.

        `data` goes with every query.
        """
        if self._checkpoint_id:
            # After a crash before it is stored, another checkpoint would give other keys, and agents would act twice.
            await self._tasks.stored(self._context.thread_id, self._checkpoint_id)
        calls = [replace(self._call(leg, *asked), data=data) for leg, asked in enumerate(questions)]
        results = list(await asyncio.gather(*(self._run(leg, call) for leg, call in enumerate(calls))))
        for round_ in range(1, MAX_ROUNDS + 1):
            waiting = [leg for leg, result in enumerate(results) if result.status == "suspended"]
            if not waiting:
                break
            # `interrupt` matches answers by order, so nothing may run in parallel here.
            answers = [self._ask_user(leg, results[leg]) for leg in waiting]
            replies = zip(waiting, answers, strict=True)
            continued = await asyncio.gather(*(self._go_on(leg, results[leg], a, round_) for leg, a in replies))
            for leg, result in zip(waiting, continued, strict=True):
                results[leg] = result
        return results

    async def _run(self, leg: int, call: AgentCall) -> DispatchResult:
        subagent_id = self._subagent_id(leg)
        started = ev.SubagentStarted(subagent_id, call.agent, self._tasks.describe(call.agent), self._call_id)
        asked = False

        def write(event: Any) -> None:
            nonlocal asked
            asked = True
            self._writer(event)

        call = replace(call, seconds=self._context.seconds_left())
        result = DispatchResult(**await self._tasks.ask(call, started, write))
        # Here and not in the task: a result from the checkpoint must close what a dead process left open. A question
        # from there closes nothing: it may have its answer, and the agent be at work on that.
        if asked or result.status != "suspended":
            self._writer(ev.SubagentEnded(subagent_id, result.status, result.content, result.error))
        return result

    def _ask_user(self, leg: int, result: DispatchResult) -> Any:
        payload = question_of(result)
        answer = ask(payload, Origin(self._call_id, self._subagent_id(leg)))
        if isinstance(answer, Cancelled):
            return answer
        # Only an agent that speaks the payloads is known to understand a structured answer.
        return answer_text(payload, answer), answer if payload == result.data else None

    async def _go_on(self, leg: int, result: DispatchResult, answer: Any, round_: int) -> DispatchResult:
        call = self._call(leg, result.agent, "", round_)
        call = replace(call, task_id=result.task_id, context_id=result.context_id or call.context_id)
        if isinstance(answer, Cancelled):
            await self._tasks.cancel(call)
            return replace(result, status="cancelled", content="", data=None, error="cancelled")
        text, data = answer
        return await self._run(leg, replace(call, query=text, data=data))

    def _call(self, leg: int, agent: str, query: str, round_: int = 0) -> AgentCall:
        key = idempotency_key(self._context.thread_id, self._task_id, leg, round_)
        return AgentCall(agent, query, key, self._context.thread_id, self._context.user, via=self._context.via)

    def _subagent_id(self, leg: int) -> str:
        return f"sub_{idempotency_key(self._context.thread_id, self._task_id, leg)[:20]}"
