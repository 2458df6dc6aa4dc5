"""Fixtures of the conformance kits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ports.postgres import postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL server of this session's own: `postgresql://...`."""
    with postgres_server() as url:
        yield url
