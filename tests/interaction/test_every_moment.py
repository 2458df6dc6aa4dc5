"""A process that dies at any moment of a few things that users do: nobody can tell afterwards.

The moment is counted in writes and calls to agents; each test moves it on until the process survives.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.interaction.schedules.process import install, own_tasks
from tests.interaction.schedules.steps import Steps
from tests.interaction.schedules.world import Thread, World

requirement = pytest.mark.requirement

STRIDE = int(os.environ.get("MOMENT_STRIDE", "4"))
"""Moments from one try to the next; 1 takes a minute and leaves none out."""

Act = Callable[[Steps, Thread], Awaitable[None]]


async def _stop(steps: Steps, thread: Thread) -> None:
    await steps.say(thread, "agent heldpair say")
    await steps.cancel(thread)


async def _write(steps: Steps, thread: Thread) -> None:
    steps.writes = 1
    await steps.say(thread, "mark card say")


@requirement("SB-DUR-22")
@pytest.mark.parametrize(
    ("before", "act"),
    [
        pytest.param("askcard say", lambda steps, thread: steps.answer(thread), id="answer"),
        pytest.param(
            "askwants say", lambda steps, thread: steps.answer_and_say(thread, "card say"), id="answer and say"
        ),
        pytest.param("frontcard say", lambda steps, thread: steps.give(thread), id="result of the client"),
        pytest.param("frontcard say", lambda steps, thread: steps.say(thread, "card say"), id="go past a call"),
        pytest.param("card think", lambda steps, thread: steps.regenerate(thread), id="second try"),
        pytest.param("askcard say", lambda steps, thread: steps.edit(thread, "pair say"), id="edit under a question"),
        pytest.param("say", _stop, id="stop"),
        pytest.param("say", _write, id="shared state, of the client and then of a tool"),
    ],
)
async def test_nobody_can_tell_at_which_moment_a_process_died(
    before: str, act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    own_tasks(asyncio.get_running_loop())
    moment = 1
    while await _dies(before, act, moment, tmp_path / str(moment)):
        moment += STRIDE
    assert moment > 2 * STRIDE


async def _dies(before: str, act: Act, moment: int, folder: Path) -> bool:
    """Whether the process is dead `moment` writes and calls after something is done."""
    world = World("moments", folder)
    steps, thread = Steps(world), Thread("t")
    world.threads.append(thread)
    try:
        await world.open()
        await steps.say(thread, before)
        await world.settle()
        await world.check(thread)
        world.supervisor.life.fuse = moment
        await act(steps, thread)
        await world.settle()
        died = world.count["death"] > 0
        await world.finish()
        if any(map(steps.can_go_on, thread.tabs)):
            # Who was cut off comes back with the last id, and holds what the others hold.
            await steps.go_on(thread)
            await world.finish()
        await world.close()
    except BaseException:
        print(f"dead after {moment}", *world.log, sep="\n")
        raise
    return died
