from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from supervisor.dispatch.sse import SseParser

BODY = (
    '\ufeff: hi\r\ndata: {"a":"辣"}\r\n\r\nevent: x\nid: 7\ndata:{"b":\ndata: 2}\n\n:ping\r\rdata: 3\r\rdata: cut'
).encode()
PAYLOADS = ['{"a":"辣"}'.encode(), b'{"b":\n2}', b"3"]


@given(st.lists(st.integers(0, len(BODY)), max_size=12))
def test_payloads_do_not_depend_on_where_the_bytes_are_cut(cuts: list[int]) -> None:
    parser, found, places = SseParser(), [], [0, *sorted(cuts), len(BODY)]
    for start, end in pairwise(places):
        found += parser.feed(BODY[start:end])
    assert found == PAYLOADS


def test_bytes_one_by_one_give_the_same_payloads() -> None:
    parser = SseParser()
    assert [payload for byte in BODY for payload in parser.feed(bytes([byte]))] == PAYLOADS


def test_comments_blank_lines_and_empty_data_are_no_events() -> None:
    assert SseParser().feed(b": ping\n\n\n\ndata\n\ndata:\n\nevent: end\n\n") == []


def test_an_event_is_complete_only_with_its_blank_line() -> None:
    parser = SseParser()
    assert parser.feed(b"data: 1\n") == []
    assert parser.feed(b"\n") == [b"1"]
