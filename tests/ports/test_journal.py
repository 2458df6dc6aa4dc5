"""The conformance kit of the Journal port: every backend passes the same tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from supervisor.journal.database import Database
from supervisor.journal.memory import MemoryJournal
from supervisor.journal.port import Journal, Record
from supervisor.journal.sqlite import SqliteJournal


@pytest.fixture(params=["memory", "sqlite"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    if request.param == "memory":
        yield MemoryJournal()
        return
    async with sqlite_journal(tmp_path) as made:
        yield made


@asynccontextmanager
async def sqlite_journal(folder: Path) -> AsyncIterator[SqliteJournal]:
    """A journal in a file, which is closed at the end."""
    database = Database(folder / "journal.db")
    journal = SqliteJournal(database)
    yield journal
    await journal.aclose()
    await database.aclose()


@pytest.mark.requirement("SB-JRN-08")
async def test_sequences_start_at_one_and_have_no_gaps(journal: Journal) -> None:
    assert await journal.append("t", "r", [b"1", b"2"]) == 1
    assert await journal.append("t", "r", [b"3"]) == 3
    assert await journal.read("t") == [Record(1, "r", b"1"), Record(2, "r", b"2"), Record(3, "r", b"3")]


async def test_threads_have_sequences_of_their_own(journal: Journal) -> None:
    await journal.append("a", "r1", [b"x"])
    assert await journal.append("b", "r2", [b"y"]) == 1


async def test_reading_starts_after_the_cursor_and_keeps_to_one_run(journal: Journal) -> None:
    await journal.append("t", "r1", [b"1", b"2"])
    await journal.append("t", "r2", [b"3", b"4"])
    assert [r.seq for r in await journal.read("t", after=1)] == [2, 3, 4]
    assert [r.data for r in await journal.read("t", after=1, run_key="r1")] == [b"2"]
    assert await journal.read("t", after=4) == []


async def test_bytes_come_back_as_they_were(journal: Journal) -> None:
    data = '{"delta":"麻婆豆腐🌶️\\u2028"}'.encode()
    await journal.append("t", "r", [data])
    assert (await journal.read("t"))[0].data == data


async def test_concurrent_appends_to_many_threads_lose_nothing(journal: Journal) -> None:
    async def fill(thread: str) -> None:
        for n in range(20):
            await journal.append(thread, "r", [b"%d" % n])

    await asyncio.gather(*(fill(f"t{i}") for i in range(10)))
    for i in range(10):
        records = await journal.read(f"t{i}")
        assert [r.seq for r in records] == list(range(1, 21))
        assert [int(r.data) for r in records] == list(range(20))


async def test_an_unknown_thread_is_empty(journal: Journal) -> None:
    assert await journal.read("nobody") == []


@pytest.mark.requirement("SB-JRN-08")
async def test_a_new_process_continues_the_sequence(tmp_path: Path) -> None:
    async with sqlite_journal(tmp_path) as first:
        await first.append("t", "r1", [b"1", b"2"])
    async with sqlite_journal(tmp_path) as second:
        assert await second.append("t", "r2", [b"3"]) == 3
        assert [r.data for r in await second.read("t")] == [b"1", b"2", b"3"]


@pytest.mark.requirement("SB-JRN-09")
async def test_a_failed_commit_reaches_the_one_who_appended(tmp_path: Path) -> None:
    async with sqlite_journal(tmp_path) as journal:
        with pytest.raises(Exception, match="NOT NULL"):
            await journal.append("t", None, [b"1"])  # type: ignore[arg-type]
        assert await journal.append("t", "r", [b"1"]) == 1
