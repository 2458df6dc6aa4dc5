"""The target with everything in a fresh SQLite file: journal, runs, receipts and checkpoints."""

from __future__ import annotations

import tempfile

import switchboard_target
from fastapi import FastAPI

FOLDER = tempfile.TemporaryDirectory(prefix="bench-")


def create_app() -> FastAPI:
    """The app under test."""
    return switchboard_target.create_app(f"sqlite:{FOLDER.name}/bench.db")
