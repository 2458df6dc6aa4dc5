"""The golden transcripts: the app still gives these streams, and every one of them keeps the rules of AG-UI 1.0."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

import pytest
from ag_ui_validate.pytest_plugin import assert_valid_agui

from tests.cases import dialogues, families  # noqa: F401  (registers them)
from tests.cases.case import Event, assert_known_shapes, of_type
from tests.cases.transcript import FAMILIES, Exchange, Family, Transcript, lines, load
from tests.fakes.agui import TERMINAL, assert_well_formed, parse

requirement = pytest.mark.requirement

HELD = load()
STREAMS = [
    pytest.param(transcript, exchange, id=f"{transcript.family}-{n}")
    for transcript in HELD
    for n, exchange in enumerate(transcript.exchanges, 1)
    if exchange.stream
]
every_stream = pytest.mark.parametrize(("transcript", "exchange"), STREAMS)
every_transcript = pytest.mark.parametrize("transcript", HELD, ids=[transcript.family for transcript in HELD])


@requirement("SB-GOLD-01")
@pytest.mark.parametrize("family", FAMILIES, ids=[family.name for family in FAMILIES])
async def test_the_app_gives_the_recorded_streams(family: Family) -> None:
    held = next((transcript for transcript in HELD if transcript.family == family.name), None)
    assert held, "record it: python -m tests.cases.record"
    fresh = lines(await family.record())
    diff = "\n".join(unified_diff(lines(held), fresh, "recorded", "now", lineterm="", n=1))
    if diff:
        pytest.fail(f"The stream has changed. If that is meant: python -m tests.cases.record\n{diff}", pytrace=False)


def test_every_recording_has_a_conversation_that_makes_it() -> None:
    assert [transcript.family for transcript in HELD] == [family.name for family in FAMILIES]


@every_stream
@requirement("AGUI-SHAPE-01", "SB-GOLD-02")
def test_every_event_has_a_shape_of_the_protocol(transcript: Transcript, exchange: Exchange) -> None:
    assert_known_shapes(exchange.events)
    answers = "resume" in exchange.body or exchange.path == "/agui/connect"
    assert_valid_agui(exchange.events, severity_overrides={"AGUI207": "off"} if answers else None)


@every_stream
@requirement("AGUI-LIFECYCLE-01", "AGUI-LIFECYCLE-02", "AGUI-LIFECYCLE-04", "AGUI-LIFECYCLE-05")
def test_a_stream_is_one_run_from_its_start_to_one_end(transcript: Transcript, exchange: Exchange) -> None:
    assert_well_formed(exchange.events)
    assert exchange.events[0]["protocolVersion"] == "1.0"


@every_stream
@requirement("AGUI-LIFECYCLE-03")
def test_a_stream_carries_the_ids_that_were_asked_for(transcript: Transcript, exchange: Exchange) -> None:
    joined = exchange.path == "/agui/connect" and any(frame.seq for frame in exchange.frames)
    for event in of_type(exchange.events, "RUN_STARTED", "RUN_FINISHED"):
        assert event["threadId"] == exchange.body["threadId"]
        assert joined or event["runId"] == exchange.body["runId"]


@every_stream
@requirement("AGUI-LIFECYCLE-08", "AGUI-LIFECYCLE-07")
def test_an_outcome_is_one_of_three_and_says_no_more_than_it_may(transcript: Transcript, exchange: Exchange) -> None:
    last = exchange.events[-1]
    if last["type"] == "RUN_FINISHED":
        allowed = {"success": {"pendingToolCallIds"}, "interrupt": {"interrupts"}, "cancelled": set[str]()}
        assert set(last["outcome"]) - {"type"} <= allowed[last["outcome"]["type"]]
        assert last["outcome"]["type"] != "cancelled" or "result" not in last


@every_stream
@requirement("AGUI-TOOL-02", "AGUI-TOOL-03")
def test_a_call_is_announced_once_and_answered_at_most_once(transcript: Transcript, exchange: Exchange) -> None:
    started = [e["toolCallId"] for e in of_type(exchange.events, "TOOL_CALL_START")]
    results = of_type(exchange.events, "TOOL_CALL_RESULT")
    assert len(started) == len(set(started))
    assert len(results) == len({e["toolCallId"] for e in results}) == len({e["messageId"] for e in results})
    assert {e["toolCallId"] for e in results} <= set(started) | _announced_before(transcript, exchange)


@every_stream
@requirement("AGUI-TOOL-04")
def test_a_call_names_the_message_that_carries_it(transcript: Transcript, exchange: Exchange) -> None:
    carried = {c["id"]: message["id"] for message in _snapshot(transcript.exchanges[-1]) for c in _calls(message)}
    for event in of_type(exchange.events, "TOOL_CALL_START"):
        assert event["parentMessageId"] == carried.get(event["toolCallId"], event["parentMessageId"])


@every_stream
@requirement("AGUI-SUBAGENT-01", "AGUI-SUBAGENT-02")
def test_an_invocation_is_announced_once_and_ended_once(transcript: Transcript, exchange: Exchange) -> None:
    running: set[str] = set()
    over: set[str] = set()
    for event in exchange.events:
        named = event.get("subagentRunId")
        if event["type"] == "SUBAGENT_STARTED":
            assert named not in running | over
            running.add(event["subagentRunId"])
        elif event["type"] in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR"):
            running.remove(event["subagentRunId"])
            over.add(event["subagentRunId"])
        elif named is not None:
            assert named in running
    # Whoever reads on after the restart gets the end of it.
    assert not running or exchange.events[-1].get("code") == "SHUTTING_DOWN"


@every_stream
@requirement("AGUI-PASS-01", "AGUI-PASS-02")
def test_what_a_custom_event_says_of_an_agent_a_standard_event_says_too(
    transcript: Transcript, exchange: Exchange
) -> None:
    assert not of_type(exchange.events, "RAW")
    mirrored = {"subagent-start": "SUBAGENT_STARTED", "subagent-end": "SUBAGENT_"}
    for name, kind in mirrored.items():
        told = [e["value"]["subagentId"] for e in of_type(exchange.events, "CUSTOM") if e["name"] == name]
        standard = [
            e["subagentRunId"]
            for e in exchange.events
            if e["type"].startswith(kind) and (kind != "SUBAGENT_" or e["type"] != "SUBAGENT_STARTED")
        ]
        assert told == standard


@every_stream
@requirement("AGUI-ACTIVITY-01")
def test_an_activity_is_an_object_with_an_id_that_no_message_has(transcript: Transcript, exchange: Exchange) -> None:
    others = {e["messageId"] for e in of_type(exchange.events, "TEXT_MESSAGE_START", "TOOL_CALL_RESULT")}
    for event in of_type(exchange.events, "ACTIVITY_SNAPSHOT"):
        assert isinstance(event["content"], dict)
        assert event["messageId"] not in others
    known = {e["messageId"] for e in of_type(exchange.events, "ACTIVITY_SNAPSHOT")}
    assert {e["messageId"] for e in of_type(exchange.events, "ACTIVITY_DELTA")} <= known


@every_stream
@requirement("AGUI-USAGE-01")
def test_usage_adds_up(transcript: Transcript, exchange: Exchange) -> None:
    rows = [row for event in of_type(exchange.events, *TERMINAL) for row in event.get("usage", ())]
    assert all(row["totalTokens"] == row["inputTokens"] + row["outputTokens"] for row in rows)
    assert len(rows) == len({(row.get("provider"), row.get("model")) for row in rows})


@every_transcript
@requirement("SB-GOLD-03")
def test_a_transcript_ends_with_a_refresh_that_holds_the_ids_that_were_streamed(transcript: Transcript) -> None:
    last = transcript.exchanges[-1]
    assert last.path == "/agui/connect"
    held = [message["id"] for message in _snapshot(last)]
    assert len(held) == len(set(held))
    assert set(_streamed(transcript)) <= set(held) | _dropped(transcript)


@every_transcript
def test_the_frames_of_a_thread_are_numbered_without_gaps(transcript: Transcript) -> None:
    last = 0
    for exchange in transcript.exchanges:
        numbers = [frame.seq for frame in exchange.frames if frame.seq is not None]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
        if numbers and exchange.path == "/agui":
            # A replay begins with a number that was there before.
            assert numbers[0] <= last + 1
            last = max(last, numbers[-1])


@every_transcript
def test_a_recording_holds_no_random_id(transcript: Transcript) -> None:
    text = "\n".join(lines(transcript))
    assert "lc_run" not in text
    assert "sub_" not in text


@every_stream
@requirement("AGUI-SSE-01")
def test_a_stream_is_nothing_but_frames_of_one_json_line(transcript: Transcript, exchange: Exchange) -> None:
    assert b"".join(frame.raw for frame in parse(exchange.stream)) == exchange.stream


def _snapshot(exchange: Exchange) -> list[Event]:
    return next(e["messages"] for e in exchange.events if e["type"] == "MESSAGES_SNAPSHOT")


def _streamed(transcript: Transcript) -> Iterator[str]:
    """Ids of messages that runs finished, in order. A failed run keeps nothing of its half message."""
    for exchange in transcript.streams:
        if exchange.path == "/agui" and exchange.events[-1]["type"] == "RUN_FINISHED":
            kinds = ("TEXT_MESSAGE_START", "TOOL_CALL_RESULT", "ACTIVITY_SNAPSHOT")
            yield from (e["messageId"] for e in of_type(exchange.events, *kinds))


def _dropped(transcript: Transcript) -> set[str]:
    """What an edit or a second try took out of the conversation."""
    gone: set[str] = set()
    held: set[str] = set()
    for exchange in transcript.streams:
        for event in exchange.events:
            if event["type"] == "MESSAGES_SNAPSHOT" and exchange.path == "/agui":
                gone |= held - {message["id"] for message in event["messages"]}
            elif "messageId" in event:
                held.add(event["messageId"])
    return gone


def _announced_before(transcript: Transcript, exchange: Exchange) -> set[str]:
    """Calls that earlier runs have announced, or that the exchange restates in a snapshot."""
    earlier = transcript.exchanges[: transcript.exchanges.index(exchange)]
    started = {e["toolCallId"] for x in earlier for e in of_type(x.events, "TOOL_CALL_START")}
    restated = [m for e in of_type(exchange.events, "MESSAGES_SNAPSHOT") for m in e["messages"]]
    return started | {c["id"] for message in restated for c in _calls(message)}


def _calls(message: Event) -> list[Event]:
    return message.get("toolCalls", [])
