"""The target with everything in a fresh SQLite file: journal, runs, receipts and checkpoints."""

from __future__ import annotations

import switchboard_target
from fastapi import FastAPI


def create_app() -> FastAPI:
    """The app under test."""
    return switchboard_target.create_app(f"sqlite:{switchboard_target.fresh_folder('all')}/bench.db")
