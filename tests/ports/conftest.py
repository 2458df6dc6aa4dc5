"""Fixtures of the conformance kits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ports.postgres import postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL server of this session's own: `postgresql://...`."""
    with postgres_server(tmp_path_factory.mktemp("postgres")) as url:
        yield url
