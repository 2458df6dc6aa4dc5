"""The conformance kit of an agent's storage: tasks, keys, leases and parked turns, the same in every database."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from a2a.server.cluster.version import TaskVersion
from a2a.server.models import TaskEventModel
from a2a.types import ListTasksRequest, Message, Part, Role, Task, TaskState
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from sqlalchemy import select

from agents.kit.history import MOST_TURNS
from agents.kit.housekeeping import Housekeeping
from agents.kit.idempotency import Claim, IdempotencyKeys, KeyReused
from agents.kit.ledger import KeyEntry, ParkedTurn
from agents.kit.storage import TOLD_SECONDS, Storage, open_storage
from agents.kit.tasks import RESTARTED, UNSURE, acting_for
from tests.ports.postgres import fresh_database

OWNER = "alice"
LATER = 1e12
EVERY = ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.e2e)]
LASTING = EVERY[1:]
Opener = Callable[[], Awaitable[Storage]]


@pytest.fixture
async def opener(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens the same storage as another process would, or another replica; memory is a new one each time."""
    database = {"memory": "memory", "sqlite": f"sqlite:{tmp_path / 'tasks.db'}"}.get(request.param)
    if database is None:
        database = await fresh_database(request.getfixturevalue("postgres"), uuid.uuid4().hex)
    opened: list[Storage] = []

    async def open_one() -> Storage:
        storage = open_storage(database, "Some-agent", lease_seconds=30)
        await storage.open()
        opened.append(storage)
        return storage

    yield open_one
    for storage in opened:
        await storage.close()


def task(task_id: str = "t", state: int = TaskState.TASK_STATE_WORKING, context_id: str = "c") -> Task:
    made = Task(id=task_id, context_id=context_id)
    made.status.state = state
    made.status.timestamp.GetCurrentTime()
    return made


async def save(storage: Storage, saved: Task, owner: str = OWNER) -> None:
    context = acting_for(owner)
    before = await storage.tasks.get(saved.id, context)
    version = before.version if before else TaskVersion.MISSING
    await storage.tasks.save(saved, event=saved, prev=None, prev_version=version, context=context)


async def state_of(storage: Storage, task_id: str = "t") -> int:
    stored = await storage.tasks.get(task_id, acting_for(OWNER))
    assert stored is not None
    return stored.task.status.state


async def failure_of(storage: Storage, task_id: str) -> str:
    """What is said about a task that has failed."""
    assert await state_of(storage, task_id) == TaskState.TASK_STATE_FAILED
    stored = await storage.tasks.get(task_id, acting_for(OWNER))
    return stored.task.status.message.parts[0].text if stored else ""


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_task_comes_back_to_its_owner_and_to_nobody_else(opener: Opener) -> None:
    storage = await opener()
    kept = task(context_id="thread-" + "长" * 100)
    kept.history.append(Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text="汤\x00🌶️")]))
    await save(storage, kept)
    stored = await storage.tasks.get("t", acting_for(OWNER))
    assert stored is not None
    assert stored.task == kept
    assert await storage.tasks.get("t", acting_for("bob")) is None


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_context_lists_its_own_tasks(opener: Opener) -> None:
    storage = await opener()
    for name in ("t1", "t2"):
        await save(storage, task(name))
    await save(storage, task("t3", context_id="other"))
    found = await storage.tasks.list(ListTasksRequest(context_id="c"), acting_for(OWNER))
    assert {one.id for one in found.tasks} == {"t1", "t2"}
    assert not (await storage.tasks.list(ListTasksRequest(context_id="c"), acting_for("bob"))).tasks


@pytest.mark.requirement("SB-KIT-06")
@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_many_writers_at_once_never_find_the_database_locked(opener: Opener) -> None:
    first = await opener()
    storages = [first] if isinstance(first.engine, type(None)) else [first, await opener()]

    async def work(number: int) -> None:
        storage, name = storages[number % len(storages)], f"t{number}"
        await storage.ledger.claim(OWNER, name, KeyEntry("f", name), LATER)
        await save(storage, task(name, TaskState.TASK_STATE_SUBMITTED))
        await save(storage, task(name))
        await storage.ledger.park(ParkedTurn(name, OWNER, 1, "{}", LATER))
        await save(storage, task(name, TaskState.TASK_STATE_INPUT_REQUIRED))

    await asyncio.gather(*(work(number) for number in range(40)))
    for number in range(40):
        assert await state_of(first, f"t{number}") == TaskState.TASK_STATE_INPUT_REQUIRED
    assert all(not storage.leases.held for storage in storages)


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_key_belongs_to_the_first_request_until_it_is_freed(opener: Opener) -> None:
    ledger = (await opener()).ledger
    first = await ledger.claim(OWNER, "k", KeyEntry("f", "t1", 2), LATER)
    assert first == await ledger.claim(OWNER, "k", KeyEntry("g", "t2"), LATER) == KeyEntry("f", "t1", 2)
    assert await ledger.entry(OWNER, "k") == first
    assert await ledger.entry("bob", "k") is None
    assert (await ledger.claim("bob", "k", KeyEntry("g", "t2"), LATER)).task_id == "t2"
    await ledger.forget(OWNER, "k", "another task")
    assert (await ledger.claim(OWNER, "k", KeyEntry("g", "t3"), LATER)).task_id == "t1"
    await ledger.forget(OWNER, "k", "t1")
    assert (await ledger.claim(OWNER, "k", KeyEntry("g", "t3"), LATER)).task_id == "t3"


@pytest.mark.requirement("SB-KIT-05")
@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_keys_expire(opener: Opener) -> None:
    storage = await opener()
    await storage.ledger.claim(OWNER, "old", KeyEntry("f", "t1"), 100)
    await storage.ledger.claim(OWNER, "young", KeyEntry("f", "t2"), 300)
    await storage.sweep(200)
    assert (await storage.ledger.claim(OWNER, "old", KeyEntry("g", "t9"), LATER)).task_id == "t9"
    assert (await storage.ledger.claim(OWNER, "young", KeyEntry("g", "t9"), LATER)).task_id == "t2"


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_parked_turn_is_replaced_by_the_next_one_and_found_when_its_time_is_over(opener: Opener) -> None:
    ledger = (await opener()).ledger
    await ledger.park(ParkedTurn("t", OWNER, 1, '{"first": "汤"}', 100))
    second = ParkedTurn("t", OWNER, 2, '{"second": true}', 200)
    await ledger.park(second)
    assert await ledger.parked("t") == second
    assert await ledger.overdue(150) == []
    assert await ledger.overdue(200) == [second]
    await ledger.unpark("t")
    assert await ledger.parked("t") is None


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_question_that_nobody_answers_in_time_fails_its_task(opener: Opener) -> None:
    storage = await opener()
    await save(storage, task(state=TaskState.TASK_STATE_INPUT_REQUIRED))
    await storage.ledger.park(ParkedTurn("t", OWNER, 1, "{}", 100))
    keeper = Housekeeping(storage, lambda _: True)
    await keeper.beat(99)
    assert await state_of(storage) == TaskState.TASK_STATE_INPUT_REQUIRED
    await keeper.beat(100)
    assert await state_of(storage) == TaskState.TASK_STATE_FAILED
    assert await storage.ledger.parked("t") is None


def turn(number: int) -> list[BaseMessage]:
    call = {"name": "look", "args": {"word": "汤"}, "id": f"c{number}", "type": "tool_call"}
    return [
        HumanMessage(f"question {number}", additional_kwargs={"asker": {"location": [1, 2]}}),
        AIMessage("", tool_calls=[call]),
        ToolMessage("found", tool_call_id=f"c{number}", artifact={"rows": [1, 2.5, None]}, status="success"),
        AIMessage("answer"),
    ]


@pytest.mark.requirement("SB-KIT-31")
@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_the_last_turns_of_a_conversation_come_back_as_they_were(opener: Opener) -> None:
    history = (await opener()).history
    assert await history.messages(OWNER, "c") == []
    for number in range(MOST_TURNS + 2):
        await history.remember(OWNER, "c", turn(number))
    assert await history.messages(OWNER, "c") == [m for number in range(2, MOST_TURNS + 2) for m in turn(number)]
    assert await history.messages("bob", "c") == await history.messages(OWNER, "d") == []
    with pytest.raises(ValueError, match="starts with the question"):
        await history.remember(OWNER, "c", turn(1)[1:])


@pytest.mark.requirement("SB-KIT-31")
@pytest.mark.parametrize("opener", LASTING, indirect=True)
async def test_a_conversation_is_known_after_a_restart_and_forgotten_in_the_end(opener: Opener) -> None:
    await (await opener()).history.remember(OWNER, "c", turn(1))
    storage = await opener()
    assert await storage.history.messages(OWNER, "c") == turn(1)
    for days, known in ((6, True), (8, False)):
        await storage.sweep(time.time() + days * 86_400)
        assert bool(await storage.history.messages(OWNER, "c")) is known


def asked(text: str) -> Message:
    return Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[Part(text=text)])


async def claimed(storage: Storage, text: str = "q") -> Claim:
    async def lookup(task_id: str) -> Task | None:
        stored = await storage.tasks.get(task_id, acting_for(OWNER))
        return stored and stored.task

    return await IdempotencyKeys(storage.ledger, storage.leases).claim(OWNER, "k", asked(text), lookup)


@pytest.mark.requirement("SB-KIT-01")
@pytest.mark.parametrize("opener", LASTING, indirect=True)
async def test_a_key_gives_its_task_after_a_restart_and_on_another_replica(opener: Opener) -> None:
    first = await opener()
    claim = await claimed(first)
    await save(first, task(claim.task_id, TaskState.TASK_STATE_COMPLETED))
    assert await claimed(await opener()) == Claim(claim.task_id, new=False)
    with pytest.raises(KeyReused):
        await claimed(await opener(), "something else")


@pytest.mark.requirement("SB-KIT-02")
@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_of_many_requests_with_one_key_one_makes_the_task_and_the_others_wait_for_it(opener: Opener) -> None:
    storage = await opener()

    async def request() -> bool:
        claim = await claimed(storage)
        if claim.new:
            await asyncio.sleep(0)
            await save(storage, task(claim.task_id))
        return claim.new

    assert sorted(await asyncio.gather(*(request() for _ in range(8)))) == [False] * 7 + [True]


@pytest.mark.requirement("SB-KIT-03")
@pytest.mark.parametrize("opener", ["sqlite"], indirect=True)
async def test_a_claim_whose_process_died_before_its_task_is_taken_up_by_the_next_process(opener: Opener) -> None:
    first = await claimed(await opener())
    again = await claimed(await opener())
    assert first.new
    assert again == first


@pytest.mark.requirement("SB-KIT-03")
@pytest.mark.e2e
@pytest.mark.parametrize("opener", ["postgres"], indirect=True)
async def test_a_claim_of_a_silent_replica_is_taken_up_when_its_lease_is_over(opener: Opener) -> None:
    first, second = await opener(), await opener()
    claim = await claimed(first)
    assert not await second.leases.take(claim.task_id, OWNER)
    assert await second.leases.take(claim.task_id, OWNER, time.time() + 31)


@pytest.mark.requirement("SB-KIT-04")
@pytest.mark.parametrize("opener", ["sqlite"], indirect=True)
async def test_what_a_dead_process_was_working_on_has_failed_and_what_waits_still_waits(opener: Opener) -> None:
    first = await opener()
    await save(first, task("t"))
    await save(first, task("answered"))
    await save(first, task("waiting", TaskState.TASK_STATE_INPUT_REQUIRED))
    for name in ("answered", "waiting"):
        await first.ledger.park(ParkedTurn(name, OWNER, 1, "{}", LATER))
    second = await opener()
    assert await failure_of(second, "t") == RESTARTED
    assert await failure_of(second, "answered") == UNSURE
    assert await state_of(second, "waiting") == TaskState.TASK_STATE_INPUT_REQUIRED
    assert await second.ledger.parked("answered") is None
    assert await second.ledger.parked("waiting") is not None


@pytest.mark.requirement("SB-KIT-04")
@pytest.mark.e2e
@pytest.mark.parametrize("opener", ["postgres"], indirect=True)
async def test_a_task_fails_only_when_nobody_prolongs_its_lease(opener: Opener) -> None:
    worker, other = await opener(), await opener()
    await save(worker, task())
    now = time.time()
    await Housekeeping(worker, lambda _: True).beat(now + 20)
    await Housekeeping(other, lambda _: True).beat(now + 40)
    assert await state_of(other) == TaskState.TASK_STATE_WORKING
    await Housekeeping(other, lambda _: True).beat(now + 51)
    assert await failure_of(other, "t") == RESTARTED


@pytest.mark.e2e
@pytest.mark.parametrize("opener", ["postgres"], indirect=True)
async def test_what_was_told_about_ended_tasks_is_forgotten_and_the_tasks_are_not(opener: Opener) -> None:
    storage = await opener()
    assert storage.events is not None
    for name, state in (("ended", TaskState.TASK_STATE_COMPLETED), ("t", TaskState.TASK_STATE_WORKING)):
        await save(storage, task(name))
        await save(storage, task(name, state))
    for later, told in ((0, 2), (TOLD_SECONDS + 60, 0)):
        await storage.sweep(time.time() + later)
        assert len(await events_of(storage, "ended")) == told
        assert len(await events_of(storage, "t")) == 2
    assert await state_of(storage, "ended") == TaskState.TASK_STATE_COMPLETED


async def events_of(storage: Storage, task_id: str) -> list[Any]:
    """What other replicas can still hear about a task."""
    assert storage.engine is not None
    async with storage.engine.begin() as connection:
        return list(await connection.execute(select(TaskEventModel.seq).where(TaskEventModel.task_id == task_id)))


@pytest.mark.e2e
@pytest.mark.parametrize("opener", ["postgres"], indirect=True)
async def test_agents_share_a_database_without_sharing_tasks(opener: Opener) -> None:
    storage = await opener()
    await save(storage, task())
    assert storage.engine is not None
    other = open_storage(storage.engine.url.render_as_string(False).replace("+asyncpg", ""), "another")
    await asyncio.gather(other.open(), opener())
    assert await other.tasks.get("t", acting_for(OWNER)) is None
    await other.close()


@pytest.mark.parametrize("opener", EVERY, indirect=True)
async def test_a_task_that_is_in_nobodys_hands_is_left_to_the_sweep(opener: Opener) -> None:
    storage = await opener()
    await save(storage, task())
    keeper = Housekeeping(storage, lambda _: False)
    await keeper.beat()
    assert storage.leases.held == {"t": OWNER}
    await keeper.beat()
    assert not storage.leases.held
    await asyncio.wait_for(storage.leases.idle(), 10)
