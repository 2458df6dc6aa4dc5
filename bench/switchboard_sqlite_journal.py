"""The target with its journal alone in a fresh SQLite file, runs and checkpoints in memory: what the journal costs."""

from __future__ import annotations

import switchboard_target
from fastapi import FastAPI

from supervisor import app
from supervisor.journal.database import Database
from supervisor.journal.sqlite import SqliteJournal


def create_app() -> FastAPI:
    """The app under test."""
    path = switchboard_target.fresh_folder("journal") / "journal.db"
    app.MemoryJournal = lambda: SqliteJournal(Database(path))  # type: ignore[assignment,misc]
    return switchboard_target.create_app("memory")
