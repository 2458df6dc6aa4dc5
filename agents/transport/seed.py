"""Fills the transport database from `data/`: every trip of the timetable as one row."""

from __future__ import annotations

import sqlite3

from agents.kit.database import insert_rows, load_csv, load_json
from agents.transport.places import DATA

_SCHEMA = """
CREATE TABLE stops (id TEXT PRIMARY KEY, name_zh TEXT NOT NULL, name_en TEXT NOT NULL,
  lat REAL NOT NULL, lng REAL NOT NULL);
CREATE TABLE lines (id TEXT PRIMARY KEY, number INTEGER NOT NULL, name_zh TEXT NOT NULL, name_en TEXT NOT NULL);
CREATE TABLE line_stops (line TEXT NOT NULL REFERENCES lines, direction INTEGER NOT NULL, seq INTEGER NOT NULL,
  stop TEXT NOT NULL REFERENCES stops, minutes INTEGER NOT NULL, PRIMARY KEY (line, direction, seq));
CREATE TABLE trips (line TEXT NOT NULL REFERENCES lines, direction INTEGER NOT NULL, days TEXT NOT NULL,
  departs INTEGER NOT NULL, PRIMARY KEY (line, direction, days, departs));
CREATE TABLE parking (id TEXT PRIMARY KEY, name_zh TEXT NOT NULL, name_en TEXT NOT NULL,
  stop TEXT NOT NULL REFERENCES stops,
  lat REAL NOT NULL, lng REAL NOT NULL, capacity INTEGER NOT NULL, price_zh TEXT NOT NULL, price_en TEXT NOT NULL);
CREATE TABLE parking_hours (lot TEXT NOT NULL REFERENCES parking, days TEXT NOT NULL, hour INTEGER NOT NULL,
  free INTEGER NOT NULL, PRIMARY KEY (lot, days, hour));
"""


def seed(db: sqlite3.Connection) -> None:
    """Create the tables and fill them."""
    db.executescript(_SCHEMA)
    for table in ("stops", "lines"):
        rows = load_csv(DATA / f"{table}.csv")
        insert_rows(db, table, [{key: value for key, value in row.items() if key != "aliases"} for row in rows])
    insert_rows(db, "line_stops", load_csv(DATA / "line_stops.csv"))
    for rule in load_csv(DATA / "timetable.csv"):
        key = {name: rule[name] for name in ("line", "direction", "days")}
        trips = range(minutes(rule["first"]), minutes(rule["last"]) + 1, int(rule["every"]))
        insert_rows(db, "trips", [{**key, "departs": departs} for departs in trips])
    for lot in load_json(DATA / "parking.json"):
        free = lot.pop("free")
        insert_rows(db, "parking", [lot])
        hours = [(days, hour, count) for days, counts in free.items() for hour, count in enumerate(counts)]
        insert_rows(
            db, "parking_hours", [{"lot": lot["id"], "days": d, "hour": h, "free": count} for d, h, count in hours]
        )


def minutes(clock: str) -> int:
    """Minutes since midnight of "HH:MM"."""
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


def clock_text(minute: int) -> str:
    """ "HH:MM" of minutes since midnight."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"
