from __future__ import annotations

import logging
from pathlib import Path

import pytest

from agents.kit.serve import InASentence
from agents.kit.storage import StorageUnavailable, open_storage


async def test_a_database_that_is_not_there_is_told_without_its_password() -> None:
    storage = open_storage("postgresql://u:hunter2@127.0.0.1:1/x?sslmode=prefer", "agent")
    with pytest.raises(StorageUnavailable, match="ConnectionRefusedError") as told:
        await storage.open()
    assert "hunter2" not in str(told.value)
    await storage.close()


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "tasks.db").write_text("these are words" * 100)
    storage = open_storage(f"sqlite:{tmp_path / 'tasks.db'}", "agent")
    with pytest.raises(StorageUnavailable, match="DatabaseError"):
        await storage.open()
    await storage.close()


def test_a_folder_that_cannot_be_made_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be made"):
        open_storage(f"sqlite:{tmp_path / 'file' / 'tasks.db'}", "agent")


def test_libpqs_name_for_encryption_is_understood() -> None:
    storage = open_storage("postgres://h/db?sslmode=require", "agent")
    assert storage.engine is not None
    assert storage.engine.url.query == {"ssl": "require"}


def test_what_whoever_starts_an_agent_reads_is_a_sentence() -> None:
    trace = "Traceback (most recent call last):\n  File x\nagents.kit.storage.StorageUnavailable: DATABASE is away.\n"
    for said, shown in ((trace, "DATABASE is away."), ("Traceback: a bug", "Traceback: a bug")):
        record = logging.LogRecord("uvicorn.error", logging.ERROR, "f", 1, said, None, None)
        assert InASentence().filter(record)
        assert record.msg == shown
