"""The real `switchboard serve` behind the chat page, with a scripted model and host tools that ask."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Page, expect

from tests.e2e.page_browser import ANSWER_MS, ask, card
from tests.e2e.processes import ROOT, Running, clean_environment, running

WHOLE = "The first half, the second half."
FIRST_HALF = "The first half,"


@dataclass(frozen=True)
class Server:
    """A supervisor whose model holds its breath at `|` until `gate` exists."""

    port: int
    gate: Path
    process: Running

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(folder: Path, port: int) -> Generator[Server]:
    """A supervisor whose database, log and gate are in `folder`; started again, it goes on with them."""
    settings = {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "DATABASE": f"sqlite:{folder / 'page.db'}",
        "AGENTS": "",
        "MODEL": "tests.fakes.page_models:factory",
        "EXTENSIONS": "tests.fakes.page_models:extensions",
        "PAGE_GATE": str(folder / "gate"),
        "DRAIN_SECONDS": "0.2",
    }
    command = [sys.executable, "-m", "supervisor.cli", "serve"]
    with running(command, folder / "log", cwd=ROOT, env=clean_environment(**settings)) as process:
        server = Server(port, folder / "gate", process)
        process.until_ok(f"{server.url}/readyz")
        yield server


async def heard(page: Page, words: str) -> None:
    """The run has gone on and the model repeats what its tools were told."""
    await expect(page.get_by_test_id("message-assistant").last).to_have_text(
        re.compile(f"^Heard: .*{re.escape(words)}")
    )
    await expect(page.get_by_test_id("send")).to_be_enabled()
    await expect(page.get_by_test_id("question")).to_have_count(0)


async def fill(page: Page) -> None:
    """Answer `ask input`."""
    await card(page, "How many people?").get_by_role("textbox").fill("4")
    await page.keyboard.press("Enter")


async def holding(page: Page) -> None:
    """The first half of the answer is there, the model waits."""
    await ask(page, "hold")
    await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)


async def whole(page: Page) -> None:
    """The answer to `hold` stands once and the run has ended."""
    await expect(page.get_by_test_id("message-assistant")).to_have_text([WHOLE], timeout=ANSWER_MS)
    await expect(page.get_by_test_id("message-user")).to_have_text(["hold"])
    await expect(page.get_by_test_id("send")).to_be_visible()
    await expect(page.get_by_test_id("error")).to_have_count(0)
