"""Fixtures of the end-to-end tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.e2e.page_browser import chromium


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A Chromium of its own for every test."""
    async with chromium() as opened:
        yield opened
