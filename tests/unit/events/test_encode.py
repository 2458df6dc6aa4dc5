"""Frames: LF only, one JSON line, nothing that JSON cannot hold."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from supervisor.events.encode import encode, frame, merge_deltas

JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=20,
)


@given(JSONISH)
def test_any_value_becomes_one_line_of_json(value: Any) -> None:
    data = encode({"type": "CUSTOM", "name": "x", "value": value})
    assert b"\n" not in data
    assert b"\r" not in data
    json.loads(data)


def test_lone_surrogates_become_replacement_characters_and_pairs_are_joined() -> None:
    text = json.loads(encode({"a": "x\ud83d\ude00y", "b": "\udc00"}))
    assert text == {"a": "x😀y", "b": "\ufffd"}


def test_a_frame_has_an_id_line_and_a_data_line() -> None:
    assert frame(7, b'{"a":1}') == b'id: 7\ndata: {"a":1}\n\n'


def test_neighbouring_deltas_of_one_message_are_joined_and_others_are_not() -> None:
    def delta(message: str, text: str) -> dict[str, Any]:
        return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text}

    events = [delta("a", "1"), delta("a", "2"), delta("b", "3"), {"type": "X"}, delta("b", "4")]
    merged = merge_deltas(events)
    assert [e.get("delta") for e in merged] == ["12", "3", None, "4"]
    assert events[0]["delta"] == "1"
