"""The list of the kit's ids is whole: what binds an agent has a sentence here, and what does not has a reason."""

from __future__ import annotations

from tests.interop.tck_ids import BOUND, MUSTS, NOT_BOUND

IDS = [line.split(" | ")[0] for line in BOUND.strip().splitlines()]
DEMANDED = MUSTS.split()
REASONS = dict(line.split(" | ") for line in NOT_BOUND.strip().splitlines())


def excused(id_: str) -> list[str]:
    return [prefix for prefix in REASONS if id_ == prefix or (prefix.endswith("-") and id_.startswith(prefix))]


def test_every_demand_of_the_kit_binds_an_agent_or_is_excused_for_one_reason() -> None:
    odd = {id_: (id_ in IDS, excused(id_)) for id_ in DEMANDED if (id_ in IDS) + len(excused(id_)) != 1}
    assert odd == {}


def test_every_excuse_excuses_something_of_the_kit() -> None:
    shoulds = {"AUTH-INTASK-005"}
    assert [prefix for prefix in REASONS if not any(prefix in excused(id_) for id_ in {*DEMANDED, *shoulds})] == []
