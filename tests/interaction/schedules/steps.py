"""The steps of a schedule. Each does one thing that a user, a network or an operator does, and knows what must come of
it; when the last step did not wait, more than one answer may be right."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from tests.fakes.agui import run_input
from tests.interaction.schedules.process import Cut
from tests.interaction.schedules.tab import Tab, frames
from tests.interaction.schedules.words import BEFORE, FRONT, LAST, follows, read
from tests.interaction.schedules.world import Expected, Run, Thread, World

Step = Callable[["Steps", Thread], Awaitable[None]]
When = Callable[["Steps", Thread], bool]


class Steps:
    """The hands of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.rng
        self.writes = 0.1
        """How often a request writes shared state."""

    # What a client sends.

    def _body(self, thread: Thread, **more: Any) -> Any:
        state = {"state": {"plan": self.world.name("plan")}} if self.rng.random() < self.writes else {}
        return run_input(None, thread=thread.id, run=self.world.name("r"), tools=[FRONT], **{**state, **more})

    def _question(self, words: str | None = None) -> dict[str, Any]:
        if words is None:
            several = [self.rng.choice(BEFORE) for _ in range(self.rng.choice((0, 1, 1, 2)))]
            words = " ".join([*several, self.rng.choice(LAST)])
        text = f"{self.world.name('q')} {words}"
        parts = [{"type": "text", "text": text}, _PICTURE] if self.rng.random() < 0.1 else text
        return {"id": self.world.name("u"), "role": "user", "content": parts}

    def _entries(self, thread: Thread) -> list[dict[str, Any]]:
        return [self._entry(q, resolved=self.rng.random() < 0.75) for q in thread.open]

    def _entry(self, question: Any, *, resolved: bool) -> dict[str, Any]:
        if not resolved:
            return {"interruptId": question["id"], "status": "cancelled"}
        options = question["metadata"].get("options")
        value = self.rng.choice(options) if options else self.world.name("a")
        self.world.said.add(value)
        return {"interruptId": question["id"], "status": "resolved", "payload": {"value": value}}

    def _outputs(self, calls: list[str]) -> list[dict[str, Any]]:
        return [{"id": self.world.name("o"), "role": "tool", "toolCallId": c, "content": f"shown {c}"} for c in calls]

    def _tab(self, thread: Thread) -> Tab:
        """A tab that is up to date, if there is one: people write where they see the conversation."""
        current = [tab for tab in thread.tabs if tab.up_to(thread.last_seq) and not tab.cut and not tab.reading]
        return self.rng.choice(current or [tab for tab in thread.tabs if not tab.reading] or thread.tabs)

    # How it gets there.

    async def post(self, body: Any) -> httpx.Response:
        """The response. A client whose request broke off sends it again."""
        try:
            return await self.world.supervisor.post("/agui", body)
        except Cut:
            await self.world.rise()
            return await self.world.supervisor.post("/agui", body)

    async def refused(self, body: Any, *codes: str) -> Any:
        """The problem of a request that must be refused."""
        response = await self.post(body)
        return await self._problem(response, *codes)

    async def _problem(self, response: httpx.Response, *codes: str) -> Any:
        await response.aread()
        assert response.status_code in (409, 422), f"{response.status_code} instead of {codes}: {response.text[:300]}"
        problem = response.json()
        got = problem["code"] if problem["code"] != "INVALID_RESUME" else problem["reason"]
        assert got in codes, f"{problem} instead of {codes}"
        self.world.note(f"  {got}")
        return problem

    async def _follow(self, tab: Tab, response: httpx.Response) -> None:
        if tab.reading:
            await tab.leave()
        tab.follow(response, leave_after=self.rng.randint(1, 9) if self.rng.random() < 0.2 else None)

    async def start(self, thread: Thread, body: Any, expected: Expected, turn: int) -> None:
        """A request that must start a run."""
        tab = self._tab(thread)
        self.world.note(f"  {tab.name} posts {_brief(body)} -> {expected}")
        response = await self.post(body)
        assert response.status_code == 200, (await response.aread()).decode()
        await self._accepted(thread, tab, body, expected, turn, response)

    async def _accepted(
        self, thread: Thread, tab: Tab, body: Any, expected: Expected, turn: int, response: httpx.Response
    ) -> None:
        thread.runs.append(Run(body, expected))
        thread.turn = turn
        rewrites = "command" in body["forwardedProps"]
        for message in body["messages"]:
            if message["role"] == "tool":
                tab.held.give(message)
            elif not rewrites:
                tab.held.say(message)
        await self._follow(tab, response)

    def _asks(self, thread: Thread, message: dict[str, Any]) -> tuple[Expected, int]:
        """Take note of a question, and say how its run must end."""
        thread.script = read(_text(message))
        self.world.asked[thread.script.tag] += 1
        outcome, opened, pends, turn = thread.script.rest(0)
        return (outcome, opened, pends), turn

    # What users do.

    async def say(self, thread: Thread, words: str | None = None) -> None:
        message = self._question(words)
        thread.users.append(message)
        await self.start(thread, self._body(thread, messages=[message]), *self._asks(thread, message))

    async def say_twice_at_once(self, thread: Thread) -> None:
        message = self._question()
        thread.users.append(message)
        expected, turn = self._asks(thread, message)
        await self._race(thread, [self._body(thread, messages=[message]) for _ in "12"], [(expected, turn)] * 2)

    async def say_under_a_question(self, thread: Thread) -> None:
        problem = await self.refused(self._body(thread, messages=[self._question()]), "interrupt_pending")
        assert problem["interrupts"] == thread.open

    async def say_while_it_runs(self, thread: Thread) -> None:
        problem = await self.refused(self._body(thread, messages=[self._question()]), "thread_busy")
        assert problem["runId"] == thread.runs[-1].body["runId"]

    async def say_into_the_unknown(self, thread: Thread) -> None:
        """The run may be over or not."""
        message = self._question()
        body = self._body(thread, messages=[message])
        response = await self.post(body)
        if response.status_code != 200:
            await self._problem(response, "thread_busy", "interrupt_pending")
            return
        self.world.note("  accepted")
        thread.users.append(message)
        await self._accepted(thread, self._tab(thread), body, *self._asks(thread, message), response)

    async def answer(self, thread: Thread) -> None:
        entries = self._entries(thread)
        some = self.rng.sample(thread.pending, self.rng.randint(0, len(thread.pending)))
        outputs = self._outputs(some)
        self.rng.shuffle(entries)
        body = self._body(thread, messages=outputs, resume=entries)
        await self.start(thread, body, *self._after(thread, entries, some))

    async def answer_and_say(self, thread: Thread, words: str | None = None) -> None:
        message = self._question(words)
        thread.users.append(message)
        body = self._body(thread, messages=[message], resume=self._entries(thread))
        await self.start(thread, body, *self._asks(thread, message))

    async def answer_twice_at_once(self, thread: Thread) -> None:
        entries = [self._entries(thread)] * 2 if self.rng.random() < 0.5 else [self._entries(thread) for _ in "12"]
        bodies = [self._body(thread, resume=e) for e in entries]
        await self._race(thread, bodies, [self._after(thread, e, []) for e in entries])

    async def answer_badly(self, thread: Thread) -> None:
        first, *others = self._entries(thread)
        bad = {**first, "status": "resolved", "payload": {"value": 7}}
        cases = [([bad, *others], "bad_payload"), ([{**first, "interruptId": "nobody"}, *others], "unknown_id")]
        cases += [([first, first, *others], "duplicate_id")]
        if others:
            cases.append(([first], "interrupt_pending"))
        entries, code = self.rng.choice(cases)
        problem = await self.refused(self._body(thread, resume=entries), code)
        assert problem["interrupts"] == thread.open

    async def answer_another_way(self, thread: Thread) -> None:
        """An old question, with another answer."""
        old = [e for run in thread.runs for e in run.body.get("resume", ())]
        entry = {"interruptId": self.rng.choice(old)["interruptId"], "status": "resolved", "payload": {"value": "x"}}
        await self.refused(self._body(thread, resume=[entry]), "stale")

    async def give(self, thread: Thread) -> None:
        some = self.rng.sample(thread.pending, self.rng.randint(1, len(thread.pending)))
        body = self._body(thread, messages=self._outputs(some))
        await self.start(thread, body, *self._after(thread, [], some))

    async def give_what_nobody_waits_for(self, thread: Thread) -> None:
        await self.refused(self._body(thread, messages=self._outputs(["call_nobody"])), "no_message")

    def _after(self, thread: Thread, entries: list[Any], given: list[str]) -> tuple[Expected, int]:
        """How the run that takes these answers and results must end."""
        messages = {q["id"]: q["message"] for q in thread.open}
        more = sum(follows(messages[e["interruptId"]], resolved=e["status"] == "resolved") for e in entries)
        left = len(set(thread.pending) - set(given))
        if more or left:
            return ("interrupt" if more else "waiting", more, left), thread.turn
        outcome, opened, pends, turn = thread.script.rest(thread.turn + 1)
        return (outcome, opened, pends), turn

    async def edit(self, thread: Thread, words: str | None = None) -> None:
        target, message = thread.users[-1], self._question(words)
        if self.rng.random() < 0.3:
            message["id"] = target["id"]
        thread.users[-1] = message
        props = {"command": "edit-last", "targetMessageId": target["id"]}
        body = self._body(thread, messages=[message], forwardedProps=props)
        await self.start(thread, body, *self._asks(thread, message))

    async def edit_another(self, thread: Thread) -> None:
        target = thread.users[-2]["id"] if len(thread.users) > 1 else "nobody"
        props = {"command": "edit-last", "targetMessageId": target}
        await self.refused(self._body(thread, messages=[self._question()], forwardedProps=props), "not_last_message")

    async def regenerate(self, thread: Thread) -> None:
        body = self._body(thread, forwardedProps={"command": "regenerate"})
        await self.start(thread, body, *self._asks(thread, thread.users[-1]))

    async def repeat(self, thread: Thread) -> None:
        """What was accepted is sent again, and gives the run that it gave."""
        index = self.rng.randrange(max(0, len(thread.runs) - 4), len(thread.runs))
        run = thread.runs[index]
        if "forwardedProps" in run.body and run.body["forwardedProps"].get("command") != "regenerate":
            newest = {m["id"]: m["content"] for r in thread.runs for m in r.body["messages"]}
            if any(newest[m["id"]] != m["content"] for m in run.body["messages"]):
                return
        body = {**run.body, "runId": run.body["runId"] if _regenerates(run.body) else self.world.name("r")}
        self.world.note(f"  again {_brief(body)}")
        response = await self.post(body)
        assert response.status_code == 200, (await response.aread()).decode()
        seen = _Collected(response)
        if not self.world.busy(thread):
            try:
                await self.world.supervisor.or_cut(seen.whole())
            except Cut:
                return
            self.world.read_journal(thread)
            mine = [r.seq for r in thread.run_records()[index]]
            assert [f.seq for f in seen.frames] == mine, f"{[f.seq for f in seen.frames]} instead of {mine}"
        await seen.leave()
        for found in seen.frames:
            thread.witness(found.seq or 0, found.raw)

    async def contradict(self, thread: Thread) -> None:
        """A known id with other words."""
        message = {**self.rng.choice(thread.users), "content": "other words"}
        await self.refused(self._body(thread, messages=[message]), "message_conflict")

    async def cancel(self, thread: Thread) -> None:
        known = thread.runs[-1].expected
        try:
            response = await self.world.supervisor.post("/agui/command", {"threadId": thread.id, "command": "cancel"})
        except Cut:
            thread.runs[-1].may_be_stopped = True
            await self.world.rise()
            return
        await response.aread()
        self.world.note(f"  {response.text}")
        assert response.status_code == 200, response.text
        if response.json()["status"] == "accepted":
            thread.runs[-1].expected = ("cancelled", 0, 0)
        else:
            assert response.json()["reason"] in ("already_finished", "already_stopping"), response.text
            assert known == thread.runs[-1].expected

    # What networks do.

    async def leave(self, thread: Thread) -> None:
        await self.rng.choice(thread.tabs).leave()

    async def go_on(self, thread: Thread) -> None:
        """Come back with the id of the last frame."""
        tab = self.rng.choice([t for t in thread.tabs if self.can_go_on(t)])
        self.world.note(f"  {tab.name} after {tab.cursor}")
        try:
            body = run_input(None, thread=thread.id)
            response = await self.world.supervisor.post("/agui", body, last_event_id=str(tab.cursor))
        except Cut:
            await self.world.rise()
            return
        assert response.status_code == 200, (await response.aread()).decode()
        tab.held.outcome = None
        await self._follow(tab, response)

    def can_go_on(self, tab: Tab) -> bool:
        """Whether a tab knows where its stream broke off."""
        return tab.cut and not tab.reading and not tab.gap and tab.cursor > 0

    async def refresh(self, thread: Thread) -> None:
        tab = self.rng.choice(thread.tabs)
        self.world.note(f"  {tab.name}")
        await tab.leave()
        idle = not self.world.busy(thread)
        try:
            body = run_input(None, thread=thread.id, run=self.world.name("c"))
            response = await self.world.supervisor.post("/agui/connect", body)
        except Cut:
            await self.world.rise()
            return
        assert response.status_code == 200, (await response.aread()).decode()
        tab.refresh(response, leave_after=self.rng.randint(1, 9) if self.rng.random() < 0.1 else None)
        if idle:
            await tab.idle()
            self.world.read_journal(thread)
            tab.caught_up(thread.last_seq)

    async def replay(self, thread: Thread) -> None:
        """The journal over HTTP, from anywhere."""
        after = self.rng.randint(0, thread.last_seq)
        response = await self.world.supervisor.get(f"/agui/threads/{thread.id}/events?after={after}")
        got = [f async for f in frames(response)]
        assert [f.seq for f in got] == list(range(after + 1, thread.last_seq + 1))
        for found in got:
            thread.witness(found.seq or 0, found.raw)

    # What operators do, and what happens to them.

    async def let_go(self, thread: Thread) -> None:
        self.world.gates.open(f"{thread.script.tag}.")

    async def restart(self, _: Thread) -> None:
        await self.world.restart()

    async def kill(self, _: Thread) -> None:
        await self.world.rise()

    async def _race(self, thread: Thread, bodies: list[Any], expected: list[tuple[Expected, int]]) -> None:
        """Two requests at once: one starts a run; the other gets the same run, or is told that there is one."""
        responses = await asyncio.gather(*(self.world.supervisor.post("/agui", body) for body in bodies))
        codes = [r.status_code for r in responses]
        self.world.note(f"  {[_brief(b) for b in bodies]} -> {codes}")
        assert 200 in codes, codes
        winner = codes.index(200)
        tab = self._tab(thread)
        other = responses[1 - winner]
        if codes[1 - winner] == 200:
            await other.aclose()
        else:
            await self._problem(other, "thread_busy", "stale")
        self.world.read_journal(thread)
        await self._accepted(thread, tab, bodies[winner], *expected[winner], responses[winner])


_PICTURE = {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}}


class _Collected:
    """Frames of a stream that is read beside the tabs."""

    def __init__(self, response: httpx.Response) -> None:
        self.frames: list[Any] = []
        self._response = response

    async def whole(self) -> None:
        self.frames += [f async for f in frames(self._response)]

    async def leave(self) -> None:
        await self._response.aclose()


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]


def _regenerates(body: Any) -> bool:
    return body["forwardedProps"].get("command") == "regenerate"


def _brief(body: Any) -> str:
    said = [_text(m) if m["role"] == "user" else f"output {m['toolCallId']}" for m in body["messages"]]
    answers = [f"{e['interruptId'][:6]} {e['status']} {e.get('payload', '')}" for e in body.get("resume", ())]
    return f"{body['runId']} {body['forwardedProps'].get('command', '')} {said} {answers}"
