"""A2A tasks over the run manager: a task is the runs that share its id, its context is a thread of the user's.

Keeps nothing: who owns what, what was accepted, what happened are the run store's and the journal's, so that tasks
survive the process as runs do.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import orjson

from supervisor.a2a.answers import answer_of
from supervisor.a2a.errors import INVALID_PARAMS, NO_TASK, NOT_CANCELABLE, UNSUPPORTED, RpcError
from supervisor.a2a.message import Asked
from supervisor.a2a.story import ORIGIN, WAITING, Piece, Status, Story, question_id
from supervisor.dispatch.port import UserContext
from supervisor.errors import ERRORS, Problem
from supervisor.events.encode import read_frame
from supervisor.events.subagents import SubagentMode
from supervisor.graph.port import UserMessage
from supervisor.runs.commands import Rejected
from supervisor.runs.manager import RunManager, began_at
from supervisor.runs.port import A2A, RunSummary
from supervisor.runs.request import Answer, TurnRequest, UserAction, digest, key_receipt

Json = dict[str, Any]
Frames = AsyncIterator[bytes]

MAIN = "0"
"""The lane of a context that holds its conversation; a task that comes while that is busy has a lane of its own."""
KEY_REUSED = "This idempotency key was used for another request. Use a new key."
_IDS = uuid.uuid5(uuid.NAMESPACE_URL, "https://switchboard.example/a2a/task-id")
_LOOK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and how: `key` is the Idempotency-Key, `activity` whether inner activity is asked for."""

    user: UserContext
    key: str | None = None
    activity: bool = False


@dataclass(frozen=True, slots=True)
class Nesting:
    """Who this supervisor is in a chain of them, and how many may stand before it."""

    me: str
    limit: int

    def refusal(self, via: Sequence[str]) -> str | None:
        """Why a question is not taken that came through these supervisors."""
        if self.me in via:
            return "This question has been here before: the agents ask each other in a circle."
        if len(via) >= self.limit:
            return f"This question came through {len(via)} supervisors, and {self.limit} is the limit."
        return None


@dataclass(frozen=True, slots=True)
class Told:
    """A task up to now, and the frames that go on with it."""

    story: Story
    frames: Frames


class Desk:
    """All tasks of one process. Raises RpcError, and `Problem` for what the run manager refuses."""

    def __init__(self, runs: RunManager, nesting: Nesting, mode: SubagentMode) -> None:
        self._runs = runs
        self._nesting = nesting
        self._mode: SubagentMode = mode
        self._moved = asyncio.Condition()
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def send(self, asked: Asked, caller: Caller) -> Told:
        """Start the task of a message, or go on with the one that it answers."""
        refused = self._nesting.refusal(asked.via)
        if not asked.content and not asked.action:
            refused = "The message says nothing. Say what is wanted."
        if refused is not None:
            context = asked.context_id or str(uuid.uuid4())
            return Told(Story(asked.task_id or str(uuid.uuid4()), context, refused=refused), _nothing())
        if caller.key is None:
            return await self._send(asked, caller)
        name = (caller.user.user_id, caller.key)
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        # Two requests with one key must not both find that the key is new.
        async with lock:
            return await self._send(asked, caller)

    async def story(self, task_id: str, caller: Caller) -> Story:
        """A task as it stands."""
        return (await self._told(await self._found(task_id, caller), caller))[0]

    async def subscribe(self, task_id: str, caller: Caller) -> Told:
        """A task as it stands, and what comes from now on."""
        runs = await self._found(task_id, caller)
        story, seq = await self._told(runs, caller)
        if story.final and story.state not in WAITING:
            raise RpcError(UNSUPPORTED, "The task has ended; there is nothing to subscribe to.")
        return Told(story, self._to_the_end(story, caller, runs[-1], seq))

    async def _to_the_end(self, story: Story, caller: Caller, run: RunSummary, seq: int) -> Frames:
        """What happens to a task after a sequence, over all its runs; nothing while it waits for an answer."""
        while True:
            async for piece in self._runs.replay(run.thread_id, run.key, seq):
                yield piece
            if story.state not in WAITING:
                return
            while (latest := (await self._found(story.id, caller))[-1]).key == run.key:
                if self._runs.draining:
                    return
                yield b""
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS), self._moved:
                        await self._moved.wait()
            run, seq = latest, 0
            story.began(began_at(run.key))

    async def cancel(self, task_id: str, caller: Caller) -> Story:
        """Stop a task, or refuse the question for which it waits."""
        thread_id = (await self._found(task_id, caller))[0].thread_id
        if await self._runs.settled(thread_id):
            last = (await self._found(task_id, caller))[-1]
            if last.status != "interrupt":
                raise RpcError(NOT_CANCELABLE, "The task has ended.")
            await self._decline(thread_id, task_id, caller)
            return await self.story(task_id, caller)
        run = self._runs.active(thread_id)
        if run is None or run.record.run_id != task_id:
            raise RpcError(NOT_CANCELABLE, "The task has ended.")
        with suppress(Rejected):
            await self._runs.cancel(thread_id)
        await run.wait()
        return await self.story(task_id, caller)

    async def all(self, caller: Caller, context_id: str | None) -> list[tuple[str, list[RunSummary]]]:
        """(key, runs) of the caller's tasks, what began last first; keys sort like that."""
        tasks: dict[str, list[RunSummary]] = {}
        for run in await self._runs.tasks(caller.user.user_id):
            if context_id in (None, context_of(run.thread_id)):
                tasks.setdefault(run.run_id, []).append(run)
        return sorted(((runs[-1].key, runs) for runs in tasks.values()), key=lambda task: task[0], reverse=True)

    async def told(self, runs: Sequence[RunSummary], caller: Caller) -> Story:
        """The task of these runs as it stands."""
        return (await self._told(runs, caller))[0]

    async def follow(self, told: Told) -> AsyncGenerator[Sequence[Piece | Status]]:
        """What happens to a task until it ends, waits, or its process does; an empty sequence now and then."""
        async for piece in told.frames:
            steps: list[Piece | Status] = []
            for event in _events(piece):
                steps += told.story.apply(event)
            yield steps

    async def _send(self, asked: Asked, caller: Caller) -> Told:
        if asked.task_id is not None:
            return await self._go_on(asked, asked.task_id, caller)
        task_id = _derived(caller.user.user_id, caller.key) if caller.key else str(uuid.uuid4())
        known = await self._runs.tasks(caller.user.user_id, task_id) if caller.key else []
        context_id = asked.context_id or (_derived(task_id, "context") if caller.key else str(uuid.uuid4()))
        request = self._request(asked, caller, task_id, thread_of(caller.user, context_id))
        if known:
            request = replace(request, thread_id=known[0].thread_id)
            if asked.context_id not in (None, context_of(known[0].thread_id)):
                raise RpcError(INVALID_PARAMS, KEY_REUSED, reason="IDEMPOTENCY_KEY_REUSED", status=409)
        request = await self._as_click(request, asked)
        story = Story(task_id, context_of(request.thread_id), mode=self._mode, activity=caller.activity)
        try:
            return await self._begun(story, request)
        except Problem as problem:
            if problem.code not in ("thread_busy", "interrupt_pending") or known or request.action is not None:
                raise
        # The conversation is busy with another task: this one works beside it, without what is being said there.
        aside = thread_of(caller.user, context_id, lane=task_id)
        return await self._begun(story, replace(request, thread_id=aside))

    async def _begun(self, story: Story, request: TurnRequest) -> Told:
        """The run of a request; its time is the same for everybody who reads of it."""
        frames = await self._submit(request)
        run = self._runs.active(request.thread_id)
        if run is not None and run.record.run_id == story.id:
            story.began(began_at(run.record.key))
        elif runs := await self._runs.tasks(request.user.user_id, story.id):
            story.began(began_at(runs[-1].key))
        return Told(story, frames)

    async def _submit(self, request: TurnRequest) -> Frames:
        """Also wakes the subscriptions of tasks that wait."""
        frames = await self._runs.submit(request)
        async with self._moved:
            self._moved.notify_all()
        return frames

    async def _go_on(self, asked: Asked, task_id: str, caller: Caller) -> Told:
        runs = await self._found(task_id, caller)
        thread_id = runs[0].thread_id
        if asked.context_id not in (None, context_of(thread_id)):
            raise RpcError(INVALID_PARAMS, "`contextId` is not that of the task.")
        request = self._request(asked, caller, task_id, thread_id)
        receipt = await self._runs.accepted(thread_id, key_receipt(caller.key)) if caller.key else None
        if receipt is not None:
            if request.once is None or receipt.digest != request.once[1]:
                raise RpcError(INVALID_PARAMS, KEY_REUSED, reason="IDEMPOTENCY_KEY_REUSED", status=409)
            # Sent again; what the answer was for is known, and the next question is another one.
            before = [run for run in runs if run.key < receipt.run_key]
        else:
            if not await self._runs.settled(thread_id):
                raise RpcError(UNSUPPORTED, "The task is working. Wait until it asks something, or cancel it.")
            before = runs = await self._found(task_id, caller)
            if runs[-1].status != "interrupt":
                raise RpcError(UNSUPPORTED, "The task has ended. Start a new one in its context.")
            request = await self._as_answer(request, asked)
        story, _ = await self._told(before, caller)
        return await self._begun(story, request)

    def _request(self, asked: Asked, caller: Caller, task_id: str, thread_id: str) -> TurnRequest:
        said = digest([asked.content, asked.action, asked.context_id, asked.task_id])
        return TurnRequest(
            thread_id,
            task_id,
            caller.user,
            messages=() if asked.task_id else (UserMessage(question_id(task_id), asked.content),),
            once=(caller.key, said) if caller.key else None,
            via=asked.via,
            origin={ORIGIN: {"messageId": asked.message_id, "text": asked.text}},
        )

    async def _as_answer(self, request: TurnRequest, asked: Asked) -> TurnRequest:
        """The request as the answer to the first open question; the others follow, one a round."""
        view = await self._runs.view(request.thread_id)
        question = next((q for q in view.questions if q.frontend_call is None), None)
        if question is None:
            raise RpcError(UNSUPPORTED, "The task waits for nothing that could be answered here.")
        payload = answer_of(question.wire["metadata"], asked.text, asked.data)
        return replace(request, answers=(Answer(question.id, cancelled=False, payload=payload),), partial=True)

    async def _as_click(self, request: TurnRequest, asked: Asked) -> TurnRequest:
        """The request as a click in the latest card of that type that this context was given, if there is one."""
        if asked.action is None:
            return request
        surfaces = list((await self._runs.view(request.thread_id)).surfaces.values())
        named = asked.action.get("cardType")
        surface = next((s for s in reversed(surfaces) if s.card_type == named), None)
        name, context = asked.action.get("name"), asked.action.get("context")
        if surface is None or not isinstance(name, str) or not isinstance(context, dict):
            return request
        action = UserAction(name, surface.id, None, context, request.once[0] if request.once else asked.message_id)
        return replace(request, messages=(), action=action)

    async def _decline(self, thread_id: str, task_id: str, caller: Caller) -> None:
        frames = await self._submit(TurnRequest(thread_id, task_id, caller.user, declines=True))
        async for _ in frames:
            pass

    async def _found(self, task_id: str, caller: Caller) -> list[RunSummary]:
        runs = await self._runs.tasks(caller.user.user_id, task_id)
        if not runs:
            raise RpcError(NO_TASK, "There is no such task.")
        return runs

    async def _told(self, runs: Sequence[RunSummary], caller: Caller) -> tuple[Story, int]:
        """The story of these runs, and the sequence of its last event."""
        first = runs[0]
        story = Story(first.run_id, context_of(first.thread_id), mode=self._mode)
        seq = 0
        for run in runs:
            story.began(began_at(run.key))
            for at, event in await self._runs.past(run):
                seq = at
                list(story.apply(event))
        if runs[-1].status == "error" and not story.final:
            # Its end could not be recorded.
            list(story.apply({"type": "RUN_ERROR", "message": ERRORS["AGENT_INTERNAL"].message}))
        story.activity = caller.activity
        return story, seq


def thread_of(user: UserContext, context_id: str, lane: str = MAIN) -> str:
    """The thread of a context. Users have contexts of their own, whatever they are called."""
    return f"{A2A}{hashlib.sha256(user.user_id.encode()).hexdigest()[:16]}:{lane}:{context_id}"


def context_of(thread_id: str) -> str:
    """The context of a thread of ours."""
    return thread_id.split(":", 3)[3]


def _derived(owner: str, name: str) -> str:
    """An id that is the same for a request that is sent again."""
    return str(uuid.uuid5(_IDS, orjson.dumps([owner, name]).decode()))


def _events(piece: bytes) -> list[Json]:
    """The events of some frames. One that is in no journal says that the process ends, not the run."""
    blocks = piece.split(b"\n\n")[:-1]
    return [read_frame(block) for block in blocks if block.startswith(b"id: ")]


async def _nothing() -> Frames:
    return
    yield b""
