"""Fixtures of the interop matrix: the peers once for all tests, a dispatcher for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.interop.processes import Peer, peers


@pytest.fixture(scope="session")
def frozen_peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Peer]]:
    with peers(tmp_path_factory.mktemp("peers")) as started:
        yield started
