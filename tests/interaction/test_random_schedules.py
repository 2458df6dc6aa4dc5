"""Random schedules of users, networks and crashes against the whole supervisor: what must hold always, holds.

Eight seeds make 2,000 steps; `SCHEDULE_SEED=any SCHEDULE_STEPS=250 pytest tests/interaction/test_random_schedules.py`
plays another. A failure prints the seed and what was done up to it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.interaction.schedules.process import install, own_tasks
from tests.interaction.schedules.steps import Step, Steps, When
from tests.interaction.schedules.world import Thread, World

STEPS = int(os.environ.get("SCHEDULE_STEPS", "250"))
SEEDS = [os.environ["SCHEDULE_SEED"]] if "SCHEDULE_SEED" in os.environ else [f"s{n}" for n in range(8)]
THREADS = 3
RUNS = 12
"""A thread that has had so many runs is left for a new one, so that looking at a thread stays cheap."""
PATIENCE = 0.8
"""How often a step is followed by waiting until nothing moves."""
DANGER = 0.1
"""How often the process dies somewhere in a step that allows it."""
SECONDS = 100
"""A step that waits for what never comes must fail with its log, not with the process."""


def _quiet(steps: Steps, thread: Thread) -> bool:
    return not steps.world.busy(thread)


def _free(steps: Steps, thread: Thread) -> bool:
    return _quiet(steps, thread) and not thread.open


def _asking(steps: Steps, thread: Thread) -> bool:
    return _quiet(steps, thread) and bool(thread.open)


def _waiting(steps: Steps, thread: Thread) -> bool:
    return _free(steps, thread) and bool(thread.pending)


def _told(steps: Steps, thread: Thread) -> bool:
    return _quiet(steps, thread) and bool(thread.users)


def _settled(steps: Steps, thread: Thread) -> bool:
    return _free(steps, thread) and bool(thread.users)


def _running(steps: Steps, thread: Thread) -> bool:
    return steps.world.busy(thread)


def _answered(steps: Steps, thread: Thread) -> bool:
    return _quiet(steps, thread) and any(run.body.get("resume") for run in thread.runs)


def _lost(steps: Steps, thread: Thread) -> bool:
    return any(steps.can_go_on(tab) for tab in thread.tabs)


def _known(_: Steps, thread: Thread) -> bool:
    return bool(thread.runs)


CALM: Sequence[tuple[int, When, Step]] = (
    (12, _free, Steps.say),
    (3, _free, Steps.say_twice_at_once),
    (3, _asking, Steps.say_under_a_question),
    (3, _running, Steps.say_while_it_runs),
    (10, _asking, Steps.answer),
    (4, _asking, Steps.answer_and_say),
    (4, _asking, Steps.answer_twice_at_once),
    (4, _asking, Steps.answer_badly),
    (2, _answered, Steps.answer_another_way),
    (8, _waiting, Steps.give),
    (1, _settled, Steps.give_what_nobody_waits_for),
    (3, _told, Steps.edit),
    (1, _told, Steps.edit_another),
    (3, _told, Steps.regenerate),
    (4, _known, Steps.repeat),
    (1, _told, Steps.contradict),
    (3, _running, Steps.cancel),
    (1, _told, Steps.cancel),
    (2, _known, Steps.leave),
    (6, _lost, Steps.go_on),
    (4, _known, Steps.refresh),
    (1, _told, Steps.replay),
    (12, _running, Steps.let_go),
    (1, _known, Steps.restart),
    (1, _known, Steps.kill),
)
DEADLY = (Steps.say, Steps.answer, Steps.answer_and_say, Steps.give, Steps.edit, Steps.regenerate, Steps.repeat)
"""Steps during which the process may die. Everything that is sent here may be sent again."""
HASTY: Sequence[tuple[int, When, Step]] = (
    (5, _known, Steps.cancel),
    (3, _known, Steps.say_into_the_unknown),
    (3, _known, Steps.refresh),
    (2, _known, Steps.leave),
    (1, _known, Steps.restart),
    (3, _known, Steps.kill),
)
"""For threads of which nobody knows whether their run is over."""


async def _play(world: World, count: int) -> None:
    steps = Steps(world)
    hasty: Thread | None = None
    for number in range(count):
        while len(world.threads) < THREADS:
            world.threads.append(Thread(world.name("t")))
        thread = hasty or world.rng.choice(world.threads)
        table = HASTY if hasty else CALM
        fitting = [(weight, step) for weight, when, step in table if when(steps, thread)]
        (step,) = world.rng.choices([s for _, s in fitting], [w for w, _ in fitting])
        world.note(f"{number} {thread.id} {step.__name__}")
        if step in DEADLY and world.rng.random() < DANGER:
            world.light_the_fuse()
        await step(steps, thread)
        world.count[step.__name__] += 1
        hasty = thread if thread.runs and world.rng.random() > PATIENCE else None
        if hasty is None:
            await world.settle()
            for other in world.threads:
                await world.check(other)
        if len(thread.runs) > RUNS and hasty is None and _free(steps, thread):
            world.threads.remove(thread)


@pytest.mark.requirement("SB-ANY-01")
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_random_schedule_loses_nothing_and_doubles_nothing(
    seed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    own_tasks(asyncio.get_running_loop())
    world = World(seed, tmp_path)
    try:
        async with asyncio.timeout(SECONDS):
            await world.open()
            await _play(world, STEPS)
            await world.finish()
            await world.restart()
            await world.finish()
            await world.close()
        print(world.count)
    except BaseException:
        print(f"SCHEDULE_SEED={seed}", *world.log[-80:], sep="\n")
        raise
