"""One task, told by the AG-UI events of its runs: a fold over what the journal holds. Pure; there is no other state.

States are spelt as in A2A 0.3 (`input-required`). A task goes on over the runs that answer its questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from contracts.extensions import ACTIVITY, CARDS
from supervisor.a2a.told import activity_of
from supervisor.events.painter import SURFACE
from supervisor.events.subagents import SubagentMode

Json = dict[str, Any]

ENDED = ("completed", "failed", "canceled", "rejected")
WAITING = ("input-required", "auth-required")
ORIGIN = "a2a"
"""Key in the metadata of RUN_STARTED under which the message that began the run is kept: its id and its text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the answer."""

    artifact_id: str
    text: str
    append: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Where the task stands. `data` is the payload of a question."""

    state: str
    text: str = ""
    data: Json | None = None
    metadata: Json | None = None

    @property
    def final(self) -> bool:
        """Nothing more comes without a new message."""
        return self.state in ENDED or self.state in WAITING


def question_id(task_id: str) -> str:
    """The id of the user message with which a task begins."""
    return f"{task_id}-q"


class Story:
    """`at` is when the last run of the task began. `activity`: the caller wants to know what goes on inside."""

    def __init__(
        self,
        task_id: str,
        context_id: str,
        *,
        mode: SubagentMode = "both",
        activity: bool = False,
        refused: str | None = None,
    ) -> None:
        self.id = task_id
        self.context_id = context_id
        self.at: str | None = None
        self.asked: list[tuple[str, str]] = []
        self._state = "submitted" if refused is None else "rejected"
        self._words = refused or ""
        self._payload: Json | None = None
        self._texts: dict[str, str] = {}
        self._cards: dict[str, Json] = {}
        self._calls: set[str] = set()
        self._mode: SubagentMode = mode
        self.activity = activity

    @property
    def state(self) -> str:
        """As in A2A 0.3."""
        return self._state

    @property
    def final(self) -> bool:
        """Nothing more comes without a new message."""
        return self.status().final

    def began(self, at: datetime) -> None:
        """A run of the task was begun, its first or one that has an answer to go on with."""
        self._state, self._words, self._payload = "submitted", "", None
        self.at = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def status(self) -> Status:
        """Where the task stands, as the last event of a stream says it."""
        metadata = self.metadata() if self._state in (*ENDED, *WAITING) else None
        return Status(self._state, self._words, self._payload, metadata or None)

    def answer(self) -> Sequence[tuple[str, str]]:
        """(id, text) of every message of the answer."""
        return [(key, text) for key, text in self._texts.items() if text]

    def metadata(self) -> Json:
        """The cards: the first one as our own agents write theirs, and all of them where there are several."""
        cards = list(self._cards.values())
        if not cards:
            return {}
        return {**cards[0], **({CARDS: {"cards": cards}} if len(cards) > 1 else {})}

    def apply(self, event: Json) -> Iterator[Piece | Status]:
        """Takes the next event, and says what of it a caller is told. Must be read to its end."""
        match event["type"]:
            case "RUN_STARTED":
                yield from self._started(event)
            case "TEXT_MESSAGE_CONTENT":
                yield self._said(event["messageId"], event["delta"])
            case "TOOL_CALL_START":
                self._calls.add(event["toolCallId"])
            case "ACTIVITY_SNAPSHOT":
                self._shown(event["messageId"], event["activityType"], event["content"])
            case "MESSAGES_SNAPSHOT":
                yield from self._restated(event["messages"])
            case "RUN_FINISHED":
                yield self._finished(event.get("outcome") or {"type": "success"})
            case "RUN_ERROR":
                yield self._end("failed", event["message"])
            case _:
                pass
        if self.activity and (raw := activity_of(event, self._mode)) is not None:
            yield Status("working", metadata={ACTIVITY: raw})

    def _started(self, event: Json) -> Iterator[Status]:
        origin: Json = (event.get("metadata") or {}).get(ORIGIN) or {}
        if origin:
            self.asked.append((origin["messageId"], origin["text"]))
        self._state, self._words, self._payload = "working", "", None
        yield Status("working")

    def _said(self, message_id: str, text: str) -> Piece:
        known = message_id in self._texts
        self._texts[message_id] = self._texts.get(message_id, "") + text
        return Piece(message_id, text, known)

    def _shown(self, message_id: str, kind: str, content: Json) -> None:
        if kind != SURFACE:
            return
        operations = (op.get("updateDataModel") for op in content["a2ui_operations"])
        data = next((op["value"] for op in operations if op and op.get("path") == "/"), None)
        names = {"card_category": content.get("card_category"), "bubble_text": content.get("bubble_text")}
        card: Json = {"card_template_id": content["card_type"], "card_data_model": data}
        card |= {key: value for key, value in names.items() if value is not None}
        # A card under an id of an earlier call has new data for the one that was clicked.
        if self._calls and not any(message_id.endswith(call) for call in self._calls):
            card["card_update"] = True
        self._cards[message_id] = card

    def _restated(self, messages: Sequence[Json]) -> Iterator[Piece]:
        """The thread as it is, after a crash or a stop: what was said and is not in it was never said."""
        begins = next((i for i, m in enumerate(messages) if m["id"] == question_id(self.id)), None)
        if begins is None:
            begins = next((i for i, m in enumerate(messages) if m["id"] in self._texts), len(messages))
        mine = messages[begins:]
        held = {m["id"]: m["content"] for m in mine if m["role"] == "assistant" and isinstance(m.get("content"), str)}
        for message_id in [*self._texts, *(found for found in held if found not in self._texts)]:
            text = held.get(message_id, "")
            if self._texts.get(message_id) != text:
                self._texts[message_id] = text
                yield Piece(message_id, text, append=False)
        for message in mine:
            if message["role"] == "activity":
                self._shown(message["id"], message["activityType"], message["content"])

    def _finished(self, outcome: Json) -> Status:
        if outcome["type"] != "interrupt":
            return self._end("canceled" if outcome["type"] == "cancelled" else "completed", "")
        first: Json = outcome["interrupts"][0]
        payload: Json = first.get("metadata") or {}
        self._payload = payload
        return self._end("auth-required" if payload.get("type") == "unlock" else "input-required", _words(first))

    def _end(self, state: str, words: str) -> Status:
        self._state, self._words = state, words
        return self.status()


def _words(interrupt: Json) -> str:
    body = (interrupt.get("metadata") or {}).get("body")
    found = [part for part in (interrupt.get("message"), body) if isinstance(part, str) and part]
    return "\n\n".join(found) or "An answer is needed to go on."
