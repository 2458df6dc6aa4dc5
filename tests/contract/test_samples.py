"""The samples in our agents' contracts hold every field that the agents send today."""

from __future__ import annotations

import pytest

from contracts.load import HERE, read_agent
from tests.contract.samples import QUESTIONS, collected, paths, reduced


@pytest.mark.requirement("SB-CONTRACT-09")
@pytest.mark.parametrize("name", QUESTIONS)
async def test_the_samples_of_an_agent_are_what_it_sends(name: str) -> None:
    contract = read_agent(HERE / "agents" / f"{name}.json")
    sent = await collected(name)
    assert set(sent) == set(contract.samples) == set(contract.card_types)
    for card_type, data in sent.items():
        told = {path for sample in contract.samples[card_type] for path in paths(sample)}
        new = {path for each in data for path in paths(each)} - told
        assert not new, f"{card_type}: run `python -m tests.contract.samples` and look at what changes: {sorted(new)}"


def test_samples_are_few_and_short_and_hold_every_path() -> None:
    rows = [{"items": [{"name": "a"}] * 9}, {"items": [{"name": "b", "price": "1"}, {"name": "c"}]}, {"items": []}]
    assert reduced(rows) == [{"items": [{"name": "b", "price": "1"}]}]
    assert reduced([{"x": 1}, {"x": "1"}]) == [{"x": 1}, {"x": "1"}]
