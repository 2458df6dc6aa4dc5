"""The target with its journal alone in a fresh SQLite file, runs and checkpoints in memory: what the journal costs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import switchboard_target
from fastapi import FastAPI

from supervisor import app
from supervisor.journal.sqlite import SqliteJournal

FOLDER = tempfile.TemporaryDirectory(prefix="bench-")


def create_app() -> FastAPI:
    """The app under test."""
    app.MemoryJournal = lambda: SqliteJournal(Path(FOLDER.name) / "journal.db")  # type: ignore[assignment,misc]
    return switchboard_target.create_app("memory")
