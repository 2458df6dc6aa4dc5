"""Fills the agent's database from `data/`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agents.kit.database import insert_rows, load_csv

DATA = Path(__file__).parent / "data"


def seed(db: sqlite3.Connection) -> None:
    """Create the table and fill it."""
    db.execute("CREATE TABLE items (id TEXT PRIMARY KEY, name_zh TEXT, name_en TEXT, place_zh TEXT, place_en TEXT)")
    insert_rows(db, "items", load_csv(DATA / "items.csv"))
