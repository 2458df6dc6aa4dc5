"""What every run in a journal keeps, whatever happened to its process, its readers and its user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from supervisor.journal.port import Record
from tests.fakes.agui import TERMINAL

Event = dict[str, Any]

_PAIRS = {
    "TEXT_MESSAGE": ("START", "CONTENT", "END", "messageId"),
    "REASONING_MESSAGE": ("START", "CONTENT", "END", "messageId"),
    "REASONING": ("START", "-", "END", "messageId"),
    "TOOL_CALL": ("START", "ARGS", "END", "toolCallId"),
}


def runs_of(records: Sequence[Record], first: int = 1) -> Iterator[tuple[str, list[Record]]]:
    """(run key, records) of every run, in order: without a gap, a repeat, or a run that another one interrupts."""
    assert [r.seq for r in records] == list(range(first, first + len(records))), "the journal has a gap or a repeat"
    runs = [(key, list(found)) for key, found in groupby(records, key=lambda r: r.run_key)]
    assert len(runs) == len({key for key, _ in runs}), "two runs are mixed in the journal"
    yield from runs


def check_run(events: Sequence[Event], *, ended: bool) -> None:
    """RUN_STARTED first and once; one terminal event, last, if it has ended; everything closed that was opened."""
    kinds = [event["type"] for event in events]
    assert kinds[:1] == ["RUN_STARTED"], kinds
    assert kinds.count("RUN_STARTED") == 1, kinds
    assert [kind for kind in kinds if kind in TERMINAL] == (kinds[-1:] if ended else []), kinds
    left = _left_open(events)
    assert not (ended and left), f"left open: {left}"


def check_results(events: Sequence[Event]) -> None:
    """One result per call, and each under an id of its own."""
    results = [(e["toolCallId"], e["messageId"]) for e in events if e["type"] == "TOOL_CALL_RESULT"]
    assert len({message_id for _, message_id in results}) == len(results), f"a result came twice: {results}"


def _left_open(events: Sequence[Event]) -> set[tuple[str, str]]:
    is_open: set[tuple[str, str]] = set()
    agents: set[str] = set()
    for event in events:
        kind = event["type"]
        for family, (start, within, end, name) in _PAIRS.items():
            item = (family, event.get(name, ""))
            if kind == f"{family}_{start}":
                assert item not in is_open, f"opened twice: {event}"
                is_open.add(item)
            elif kind in (f"{family}_{within}", f"{family}_{end}"):
                assert item in is_open, f"not open: {event}"
                if kind == f"{family}_{end}":
                    is_open.remove(item)
        if kind.startswith("SUBAGENT_"):
            _agent(event, agents)
    return is_open | {("SUBAGENT", agent) for agent in agents}


def _agent(event: Event, is_open: set[str]) -> None:
    agent = event["subagentRunId"]
    if event["type"] == "SUBAGENT_STARTED":
        assert agent not in is_open, f"opened twice: {event}"
        is_open.add(agent)
    else:
        assert agent in is_open, f"not open: {event}"
        is_open.remove(agent)
