"""Cards of changed data, and operations that no supervisor of ours sends, on the real page: no surface is ever blank.

Sixty of the results of `tests/contract/mutations.py` and a dozen broken operations are painted at once.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from a2ui_schemas import load_catalogue
from supervisor.cards import artifact
from supervisor.cards.render import CardRenderer
from tests.contract.mutations import BUBBLE, CATALOGUE, SCRIPT, mutant
from tests.e2e.page_browser import ANSWER_MS, IN_BROWSER, shoot
from tests.e2e.page_stub import ADDRESS, StubServer, restored

pytestmark = IN_BROWSER
SAMPLES = 60

# The words of an element with those of the shadow roots below it, as far as it takes up room.
READ = """
cards => {
  const words = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    if (["STYLE", "SCRIPT"].includes(node.nodeName)) return "";
    const inside = node.nodeName === "SLOT" ? node.assignedNodes() : (node.shadowRoot ?? node).childNodes;
    return [...inside].map(words).join(" ");
  };
  return cards.map(card => card.getBoundingClientRect().height < 10 ? "" : words(card).replace(/\\s+/g, " ").trim());
}
"""


def changed_cards(folder: Path) -> list[dict[str, Any]]:
    """Activity messages of data that were changed at run time, as the supervisor makes them."""
    found: list[dict[str, Any]] = []
    for seed in range(3, 3 + 4 * SAMPLES, 4):
        (folder / str(seed)).mkdir()
        world = mutant(seed, folder / str(seed))
        renderer = CardRenderer(load_catalogue(world.catalogue))
        data = next(data for (_, name), data in sorted(world.data.items()) if name == world.target)
        found += message(f"s{seed}", renderer, world.target, data)
    return found


def message(call_id: str, renderer: CardRenderer, name: str, data: Any) -> list[dict[str, Any]]:
    card = renderer.render(name, data, bubble_text=BUBBLE)
    return artifact.activity_messages(call_id, artifact.build([artifact.Issued(card)]))


def _drop(index: int) -> Callable[[list[Any]], Any]:
    return lambda operations: operations.pop(index)


def _components(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[list[Any]], Any]:
    return lambda operations: change(operations[1]["updateComponents"]["components"])


BREAKS: dict[str, Callable[[list[Any]], Any]] = {
    "no surface": _drop(0),
    "no components": _drop(1),
    "nothing at all": lambda operations: operations.clear(),
    "unknown catalogue": lambda operations: operations[0]["createSurface"].update(catalogId="https://x/y.json"),
    "no root": _components(lambda parts: parts[0].update(id="top")),
    "unknown component": _components(lambda parts: parts[2].update(component="Chart")),
    "older version": lambda operations: operations.__setitem__(0, {"beginRendering": {"surfaceId": "s"}}),
    "not a list": lambda operations: operations.__setitem__(1, "updateComponents"),
}


def broken_cards() -> list[dict[str, Any]]:
    """The example of a card with operations that a renderer cannot paint."""
    found: list[dict[str, Any]] = []
    for name, change in BREAKS.items():
        (whole,) = message(f"b-{name.replace(' ', '-')}", CardRenderer(CATALOGUE), "dish_cards", example())
        broken = copy.deepcopy(whole)
        change(broken["content"]["a2ui_operations"])
        found.append(broken)
    return found


def example() -> dict[str, Any]:
    return CATALOGUE.cards["dish_cards"].example


async def painted(page: Page, messages: list[dict[str, Any]]) -> list[str]:
    """What is read on every card of a restored conversation."""
    await StubServer(connects=[restored([{"id": "u", "role": "user", "content": "?"}, *messages])]).install(page)
    await page.goto(ADDRESS)
    cards = page.get_by_test_id("card")
    await expect(cards).to_have_count(len(messages), timeout=ANSWER_MS)
    await page.wait_for_function("document.fonts.ready")
    for card in await cards.all():
        await card.scroll_into_view_if_needed()
    return await cards.evaluate_all(READ)


@pytest.mark.requirement("SB-BLANK-01")
async def test_sixty_cards_of_changed_data_all_have_words(page: Page, tmp_path: Path) -> None:
    messages = changed_cards(tmp_path)
    assert len(messages) == SAMPLES
    read = dict(zip((message["id"] for message in messages), await painted(page, messages), strict=True))
    assert [name for name, words in read.items() if not words] == []
    fallen = [message["id"] for message in messages if message["content"]["card_type"] == "message-card"]
    assert len(fallen) > SAMPLES // 3
    assert [name for name in fallen if BUBBLE not in read[name]] == []
    await shoot(page, "changed-cards")


# Whatever would run or lead out of the page, in every shadow root.
DANGEROUS = """
() => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const runs = e => e.matches("script, iframe, object, [onerror], [onload]");
  const goal = e => e.getAttribute("href") ?? e.getAttribute("src") ?? "";
  const leads = e => /^\\s*(javascript|vbscript|data:text)/i.test(goal(e));
  return all(document.querySelector(".transcript")).filter(e => runs(e) || leads(e)).map(e => e.outerHTML);
}
"""
MARKUP = (SCRIPT, "[x](javascript:alert(1)) <script>document.title='pwned'</script>")


def mark_up(value: Any, words: str, fits: Callable[[], bool]) -> None:
    """Put words into every field of card data, in place, wherever they still fit."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if isinstance(inner, (dict, list)):
            mark_up(inner, words, fits)
        elif isinstance(inner, str):
            value[key] = words
            if not fits():
                value[key] = inner


@pytest.mark.requirement("SB-BLANK-01")
async def test_markup_and_links_in_every_field_of_every_card_are_words_on_the_page(page: Page) -> None:
    renderer, messages = CardRenderer(CATALOGUE), list[dict[str, Any]]()
    for number, words in enumerate(MARKUP):
        for name, card in CATALOGUE.cards.items():
            data = copy.deepcopy(card.example)
            mark_up(data, words, lambda name=name, data=data: renderer.render(name, data).fallback is None)
            messages += message(f"m{number}-{name}", renderer, name, data)
    read = await painted(page, messages)
    assert [m["id"] for m, words in zip(messages, read, strict=True) if "pwned" not in words] == []
    assert await page.evaluate(DANGEROUS) == []
    assert "pwned" not in await page.title()


async def test_operations_that_cannot_be_painted_are_shown_as_their_words(page: Page) -> None:
    messages = broken_cards()
    words = await painted(page, messages)
    assert {name: BUBBLE in read for name, read in zip(BREAKS, words, strict=True)} == dict.fromkeys(BREAKS, True)
