"""The embedded database of an agent: campus data, filled anew at every start, and `kept`, what users have stored."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def open_database(
    seed: Callable[[sqlite3.Connection], None], data_dir: Path | None = None, name: str = "agent"
) -> sqlite3.Connection:
    """A database that `seed` has filled: the file `<data_dir>/<name>.db`, replaced if present, or in memory.

    The schema `kept` is a file of its own, `<name>-kept.db`, which is never replaced: what is stored there lasts.
    Rows are `sqlite3.Row`. The connection may be used from any thread, one at a time.
    """
    target = kept = ":memory:"
    if data_dir is not None:
        data_dir.mkdir(parents=True, exist_ok=True)
        path = data_dir / f"{name}.db"
        for stale in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            stale.unlink(missing_ok=True)
        target, kept = str(path), str(data_dir / f"{name}-kept.db")
    db = sqlite3.connect(target, check_same_thread=False)
    try:
        db.row_factory = sqlite3.Row
        db.execute("ATTACH DATABASE ? AS kept", (kept,))
        seed(db)
        db.commit()
    except BaseException:
        db.close()
        raise
    return db


def load_json(path: Path) -> Any:
    """What a UTF-8 JSON file of an agent's `data/` holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def load_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a UTF-8 CSV file with a header line."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def insert_rows(db: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the keys of the first one. `table` and the keys come from the agent's own code."""
    if not rows:
        return
    columns = list(rows[0])
    marks = ", ".join(f":{column}" for column in columns)
    db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)


def fetch(db: sqlite3.Connection, sql: str, *values: Any) -> list[dict[str, Any]]:
    """The rows of a query as plain dicts."""
    return [dict(row) for row in db.execute(sql, values)]
