"""Both real AG-UI clients play the golden transcripts and hold, at the end, what a refresh would give them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.cases.transcript import Exchange, Transcript, load
from tests.e2e.replay import MODERN, OLD, Held, comparable, replay, step

pytestmark = pytest.mark.e2e
requirement = pytest.mark.requirement

HELD = load()
PLAYS = [
    pytest.param(client, transcript, id=f"{transcript.family}-{client}")
    for transcript in HELD
    for client, peer in ((MODERN, "modern"), (OLD, "old"))
    if transcript.peer in ("any", peer)
]
every_play = pytest.mark.parametrize(("client", "transcript"), PLAYS)


@cache
def played(client: str) -> dict[str, list[Held]]:
    """All transcripts of this client, by family, in one process."""
    transcripts = [param.values[1] for param in PLAYS if param.values[0] == client]
    steps = [[step(e.path, e.stream, e.body) for e in t.streams] for t in transcripts]
    return dict(zip((t.family for t in transcripts), replay(client, steps), strict=True))


@every_play
@requirement("SB-GOLD-04")
def test_a_client_takes_every_stream_without_a_complaint(client: str, transcript: Transcript) -> None:
    for held, exchange in zip(played(client)[transcript.family], transcript.streams, strict=True):
        last = exchange.events[-1]
        failed = {"message": last["message"], "code": last["code"]} if last["type"] == "RUN_ERROR" else None
        assert held["error"] == failed
        assert held["outcome"] == (None if failed else last["outcome"]["type"])
        assert held["warnings"] == []


@every_play
@requirement("SB-GOLD-05", "SB-STREAM-15")
def test_a_client_that_saw_the_conversation_holds_what_a_refresh_gives(client: str, transcript: Transcript) -> None:
    *runs, refreshed = played(client)[transcript.family]
    snapshot = _messages(transcript.exchanges[-1])
    live = _last_run(transcript, runs)
    if "error" in transcript.family:
        live = {**live, "messages": _without_broken(transcript, live["messages"])}
    assert [comparable(m) for m in refreshed["messages"]] == [comparable(m) for m in snapshot]
    assert [comparable(m) for m in live["messages"]] == [comparable(m) for m in snapshot]
    assert (
        live["pending"]
        == refreshed["pending"]
        == transcript.exchanges[-1].events[-1].get("outcome", {}).get("interrupts", [])
    )


def _messages(exchange: Exchange) -> list[dict[str, Any]]:
    return next(e["messages"] for e in exchange.events if e["type"] == "MESSAGES_SNAPSHOT")


def _last_run(transcript: Transcript, held: list[Held]) -> Held:
    """What the client that saw all runs holds; refreshes are clients of their own."""
    runs = [h for h, e in zip(held, transcript.streams[:-1], strict=True) if e.path == "/agui"]
    return runs[-1]


def _without_broken(transcript: Transcript, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A client keeps what a failed run had said so far; the server does not."""
    broken = {
        event["messageId"]
        for exchange in transcript.streams
        if exchange.events[-1]["type"] == "RUN_ERROR"
        for event in exchange.events
        if event["type"] == "TEXT_MESSAGE_START"
    }
    return [message for message in messages if message["id"] not in broken]
