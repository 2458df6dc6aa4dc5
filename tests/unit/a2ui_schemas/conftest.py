"""A copy of the catalogue to break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from a2ui_schemas.loader import HERE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The catalogue's files without its code."""
    target = tmp_path / "cards"
    shutil.copytree(HERE, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return target
