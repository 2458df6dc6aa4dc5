"""Golden transcripts: what clients send and what they get, recorded from the app in process, with ids that stay.

One `<family>.sse` holds the streams of one conversation, each after a comment `: exchange N`; `index.json` says what
was sent for each. Ids are counted instead of random, so that a recording that differs says that the stream has changed.
How a text is cut into pieces is no promise: neighbouring pieces are joined before two recordings are compared.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.cases.case import Case, Event
from tests.fakes.agui import Frame, parse, run_input
from tests.fakes.house import House

FOLDER = Path(__file__).parents[2] / "contracts" / "transcripts"
DELTAS = ("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT")

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_IDS = re.compile(
    rf"(?P<message>lc_run--{_UUID}|{_UUID}|action-[0-9a-f]{{32}})"
    r"|(?P<call>call_[0-9a-f]{12}_\d+|call-[0-9a-f]{12}\b)"
    r"|(?P<sub>sub_[0-9a-f]{20})"
    r"|(?P<interrupt>\b[0-9a-f]{32}\b)"
    r"|(?P<surface>(?:(?<=cards-)|(?<=card-))[0-9a-f]{8}\b)"
    r'|(?P<correlation>(?<="correlationId":")[0-9a-f]{12})'
)
_TOKENS = re.compile(r'"inputTokens":\d+,"outputTokens":(\d+),"totalTokens":\d+')
"""What was given depends on the date in the prompt."""
_EXCHANGE = re.compile(rb"^: exchange \d+\n\n", re.M)


@dataclass(frozen=True)
class Exchange:
    """One request. `answer` is the body of an answer that is no stream, else `stream` holds the frames."""

    path: str
    body: Any
    status: int = 0
    answer: Any = None
    stream: bytes = b""

    @property
    def frames(self) -> list[Frame]:
        return parse(self.stream)

    @property
    def events(self) -> list[Event]:
        return [frame.event for frame in self.frames]


@dataclass(frozen=True)
class Transcript:
    """One conversation. `peer`: which clients get these streams, `modern`, `old` (no protocol version) or `any`."""

    family: str
    shows: str
    peer: str
    exchanges: tuple[Exchange, ...]

    @property
    def streams(self) -> list[Exchange]:
        """The exchanges that were answered with a stream."""
        return [exchange for exchange in self.exchanges if exchange.stream]


class Recorder:
    """Plays a client. Every request is kept, in the order in which they were sent."""

    def __init__(self, peer: str) -> None:
        self._old = peer == "old"
        self._sent: list[Exchange] = []
        self._house: House | None = None
        self.messages = 0

    @asynccontextmanager
    async def open(self, case: Case, **more: Any) -> AsyncIterator[House]:
        """The supervisor of `case`, which later requests go to."""
        async with case.open(heartbeat_seconds=3600, **more) as house:
            self._house = house
            yield house

    def ask(self, question: Any = None, **more: Any) -> asyncio.Task[Exchange]:
        """Start a run: with a new message, unless `question` is None."""
        if question is not None:
            self.messages += 1
        run = sum(exchange.path == "/agui" for exchange in self._sent) + 1
        body = run_input(question, run=f"run-{run}", message=f"question-{self.messages}", **more)
        return self._send("/agui", body)

    def resume(self, *entries: Any, **more: Any) -> asyncio.Task[Exchange]:
        """Start a run that answers open questions."""
        return self.ask(resume=list(entries), **more)

    def again(self, number: int) -> asyncio.Task[Exchange]:
        """Send a request once more."""
        return self._send(self._sent[number].path, dict(self._sent[number].body))

    def connect(self) -> asyncio.Task[Exchange]:
        """Refresh."""
        return self._send("/agui/connect", run_input(None, run="refresh"))

    def cancel(self) -> asyncio.Task[Exchange]:
        """Stop the run."""
        return self._send("/agui/command", {"threadId": "t", "command": "cancel"})

    def transcript(self, family: str, shows: str, peer: str) -> Transcript:
        """What was recorded, under counted ids."""
        whole = Transcript(family, shows, peer, tuple(self._sent))
        return read(*_named(*written(whole)))

    def _send(self, path: str, body: Any) -> asyncio.Task[Exchange]:
        if self._old:
            body.pop("protocolVersion", None)
        place = len(self._sent)
        self._sent.append(Exchange(path, body))

        async def exchange() -> Exchange:
            assert self._house is not None
            response = await self._house.post(path, body)
            streamed = response.headers["content-type"].startswith("text/event-stream")
            answer = {} if streamed else {"answer": response.json()}
            stream = response.content if streamed else b""
            self._sent[place] = Exchange(path, body, response.status_code, stream=stream, **answer)
            return self._sent[place]

        return asyncio.create_task(exchange())


def written(transcript: Transcript) -> tuple[str, bytes]:
    """The entry of the index and the file of streams."""
    rows = [{k: v for k, v in asdict(e).items() if k != "stream" and v is not None} for e in transcript.exchanges]
    entry = {"family": transcript.family, "shows": transcript.shows, "peer": transcript.peer, "exchanges": rows}
    parts = [b": exchange %d\n\n%b" % (n, e.stream) for n, e in enumerate(transcript.exchanges, 1)]
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")), b"".join(parts)


def read(entry: str, streams: bytes) -> Transcript:
    """The opposite of `written`."""
    fields = json.loads(entry)
    bodies = _EXCHANGE.split(streams)[1:]
    assert len(bodies) == len(fields["exchanges"]), f"{fields['family']}.sse does not fit the index"
    exchanges = [Exchange(**row, stream=body) for row, body in zip(fields.pop("exchanges"), bodies, strict=True)]
    return Transcript(**fields, exchanges=tuple(exchanges))


def load() -> list[Transcript]:
    """All recordings in the repository."""
    index = FOLDER / "index.json"
    entries = json.loads(index.read_text("utf-8")) if index.exists() else []
    return [read(json.dumps(entry), (FOLDER / f"{entry['family']}.sse").read_bytes()) for entry in entries]


def store(transcripts: Sequence[Transcript]) -> None:
    """Write the folder anew."""
    for old in FOLDER.glob("*.sse"):
        old.unlink()
    entries: list[Any] = []
    for transcript in transcripts:
        entry, streams = written(transcript)
        entries.append(json.loads(entry))
        (FOLDER / f"{transcript.family}.sse").write_bytes(streams)
    (FOLDER / "index.json").write_text(_index(entries), "utf-8")


def _index(entries: Sequence[Any]) -> str:
    """JSON with a line per exchange, which people can read and diff."""
    blocks: list[str] = []
    for entry in entries:
        head = json.dumps({k: v for k, v in entry.items() if k != "exchanges"}, ensure_ascii=False)
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in entry["exchanges"])
        blocks.append(f'  {head[:-1]}, "exchanges": [\n    {rows}\n  ]}}')
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def lines(transcript: Transcript) -> list[str]:
    """The transcript in a form in which two recordings of the same stream are equal."""
    found = [f"{transcript.family} ({transcript.peer}): {transcript.shows}"]
    for exchange in transcript.exchanges:
        found.append(f"POST {exchange.path} {_json(exchange.body)}")
        found.append(f"{exchange.status} {_json(exchange.answer) if exchange.answer is not None else ''}")
        numbers = [frame.seq for frame in exchange.frames if frame.seq is not None]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
        found += [f"{'#' if numbered else '-'} {_json(event)}" for numbered, event in _joined(exchange.frames)]
    return found


def _joined(frames: Sequence[Frame]) -> Iterator[tuple[bool, Event]]:
    last: tuple[bool, Event] | None = None
    for frame in frames:
        event = frame.event
        if last and event["type"] in DELTAS and {**event, "delta": ""} == {**last[1], "delta": ""}:
            last[1]["delta"] += event["delta"]
            continue
        if last:
            yield last
        last = (frame.seq is not None, event)
    if last:
        yield last


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _named(entry: str, streams: bytes) -> tuple[str, bytes]:
    """Every random id replaced by its kind and the order of its first appearance in the streams."""
    counted: dict[str, dict[str, str]] = {}

    def name(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        known = counted.setdefault(kind, {})
        return known.setdefault(match[0], f"{kind}-{len(known) + 1}")

    text = _TOKENS.sub(
        lambda m: f'"inputTokens":100,"outputTokens":{m[1]},"totalTokens":{100 + int(m[1])}', streams.decode()
    )
    named = _IDS.sub(name, text)
    return _IDS.sub(name, entry), named.encode()


Play = Callable[[Recorder], Awaitable[None]]


@dataclass(frozen=True)
class Family:
    """One kind of event and the conversation that shows it."""

    name: str
    shows: str
    peer: str
    play: Play

    async def record(self) -> Transcript:
        """Play it."""
        recorder = Recorder(self.peer)
        await self.play(recorder)
        return recorder.transcript(self.name, self.shows, self.peer)


FAMILIES: list[Family] = []


def family(shows: str, peer: str = "any") -> Callable[[Play], Play]:
    """Registers a conversation under the name of its function."""

    def register(play: Play) -> Play:
        FAMILIES.append(Family(play.__name__.replace("_", "-"), shows, peer, play))
        return play

    return register
