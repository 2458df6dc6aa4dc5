from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from agents.canteen.seed import seed
from agents.canteen.tools import CanteenTools
from agents.kit.database import open_database
from tests.unit.agents_kit.harness import stopped


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    opened = open_database(seed)
    yield opened
    opened.close()


@pytest.fixture
def tools(db: sqlite3.Connection) -> CanteenTools:
    """On Tuesday 2026-12-01 at 12:10."""
    return CanteenTools(db, stopped("2026-12-01T12:10"))
