"""Fixtures of the interop matrix: the peers once for all tests, and the two kinds of A2A servers that we have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.interop.processes import Peer, peers


@pytest.fixture(scope="session")
def frozen_peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Peer]]:
    with peers(tmp_path_factory.mktemp("peers")) as started:
        yield started


@pytest.fixture(params=["agent", "supervisor"])
def system(request: pytest.FixtureRequest) -> str:
    """Both of our A2A servers have to do what the official kit demands: that of the agents' kit, and the supervisor."""
    return request.param
