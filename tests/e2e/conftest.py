"""Fixtures of the end-to-end tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.page_browser import chromium, new_page
from tests.e2e.page_server import Server, serving
from tests.e2e.processes import free_port


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium_process() -> AsyncIterator[Browser]:
    """One Chromium for all tests: it takes longer to start than most of them need."""
    async with chromium() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium_process: Browser) -> AsyncIterator[Browser]:
    """The shared Chromium without anybody else's pages. Its tests are marked with `IN_BROWSER`."""
    yield chromium_process
    for context in chromium_process.contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page that must not complain. The AG-UI client and the browser log what a server refused; that is no fault."""
    opened, complaints = await new_page(browser)
    yield opened
    known = ("Agent execution failed", "status of 4", "ERR_")
    assert [words for words in complaints if not any(part in words for part in known)] == []


@pytest.fixture(scope="session")
def page_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A supervisor with a scripted model for all tests of the page."""
    with serving(tmp_path_factory.mktemp("page"), free_port()) as started:
        yield started


@pytest.fixture
def server(page_server: Server) -> Server:
    """`page_server` with its gate closed."""
    page_server.gate.unlink(missing_ok=True)
    return page_server
