"""A third agent from the template, with a card type of its own, appears in the page; `supervisor/` is not touched."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.async_api import Page, expect

from supervisor.commands.new_agent import new_agent
from tests.contract.test_new_agent import working_copy
from tests.e2e.page_browser import ANSWER_MS, IN_BROWSER, SHOTS, ask
from tests.e2e.processes import clean_environment, free_port, running

pytestmark = IN_BROWSER


async def test_a_new_agent_with_a_new_card_type_appears_in_the_page(page: Page, tmp_path: Path) -> None:
    folder = working_copy(tmp_path / "copy", "agents", "a2ui_schemas", "contracts", "chat_models")
    agent_port, port = free_port(), free_port()
    new_agent("lostproperty", agent_port, "lost_items", folder)
    # The copy comes first on the path: agents, catalogue and contracts are the team's, the supervisor is ours.
    shared = {"PYTHONPATH": str(folder), "HOST": "127.0.0.1"}
    supervised = {
        **shared,
        "PORT": str(port),
        "DATABASE": "memory",
        "AGENTS": f"lostproperty=http://127.0.0.1:{agent_port}",
    }
    agent = [sys.executable, "-m", "agents.lostproperty", "--port", str(agent_port)]
    supervisor = [sys.executable, "-m", "supervisor.cli", "serve"]
    with (
        running(agent, tmp_path / "agent.log", cwd=folder, env=clean_environment(**shared)) as third,
        running(supervisor, tmp_path / "log", cwd=tmp_path, env=clean_environment(**supervised)) as server,
    ):
        third.until_ok(f"http://127.0.0.1:{agent_port}/healthz")
        server.until_ok(f"http://127.0.0.1:{port}/readyz")
        await page.goto(f"http://127.0.0.1:{port}/")
        await ask(page, "I lost my umbrella")
        card = page.locator('[data-card-type="lost_items"]')
        await expect(card.get_by_text("black umbrella")).to_be_visible(timeout=ANSWER_MS)
        await expect(card.get_by_text("the library desk")).to_be_visible()
        SHOTS.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=SHOTS / "new-agent.png")
