"""Every card type in Chromium: example, empty, 200 rows and nasty data, on a desk and on a phone, in light and dark.

`GALLERY=write` refreshes the pictures in `docs/cards`; fonts differ between machines, so nothing compares them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser

from a2ui_schemas import CardType
from tests.e2e.gallery import CATALOGUE, PAINTED, activity, empty, many, nasty, show
from tests.e2e.page_browser import IN_BROWSER
from tests.unit.cards.paint import texts
from tests.unit.cards.visible import Surface

pytestmark = IN_BROWSER

DOCS = Path(__file__).parents[2] / "docs"
CARDS = tuple(CATALOGUE.cards.values())
VARIANTS = {"example": lambda card: card.example, "empty": empty, "rows": many, "nasty": nasty}
WIDTHS = (360, 1200)
SCHEMES = ("light", "dark")
MAX_GALLERY_BYTES = 2_500_000


def ink(text: str) -> str:
    """What of a text leaves ink on the page: no spaces, and no mark of a value that is not known."""
    return re.sub(r"\s", "", re.sub(r"[★¥] ?–(?=\s|$)|^ → $", "", text))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.timeout(300)
async def test_every_card_paints_all_its_words_inside_its_box(
    browser: Browser, variant: str, width: int, scheme: str
) -> None:
    messages = [activity(card.type, VARIANTS[variant](card), n) for n, card in enumerate(CARDS)]
    page, complaints, _ = await show(
        browser, messages, viewport={"width": width, "height": 900}, color_scheme=scheme, locale="zh-CN"
    )
    for card, message in zip(CARDS, messages, strict=True):
        painted = await page.locator(f"[data-card-type='{card.type}']").evaluate(PAINTED)
        assert painted["width"] > width / 2, card.type
        assert painted["height"] > 40, card.type
        seen = ink(painted["words"])
        operations = message["content"]["a2ui_operations"]
        for text in Surface(operations).words if variant == "rows" else texts(operations):
            assert ink(text) in seen or text.startswith("data:"), (card.type, text)
        assert painted["outside"] == [], card.type
        assert painted["faint"] == [], card.type
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert complaints == []


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_gallery_has_a_picture_of_every_card(browser: Browser, scheme: str, tmp_path: Path) -> None:
    target = DOCS / "cards" if os.environ.get("GALLERY") == "write" else tmp_path
    target.mkdir(exist_ok=True)
    messages = [activity(card.type, card.example, n) for n, card in enumerate(CARDS)]
    page, _, _ = await show(browser, messages, viewport={"width": 460, "height": 900}, color_scheme=scheme)
    listed = (DOCS / "cards.md").read_text("utf-8")
    for card in CARDS:
        name = f"{card.type}-{scheme}.png"
        picture = await page.locator(f"[data-card-type='{card.type}']").screenshot(path=target / name)
        assert len(picture) > 1500, card.type
        assert f"](cards/{name})" in listed, f"list {name} in docs/cards.md"
        assert (DOCS / "cards" / name).is_file(), f"make {name}: GALLERY=write pytest {__file__}"
    assert sum(file.stat().st_size for file in (DOCS / "cards").iterdir()) < MAX_GALLERY_BYTES


async def test_the_gallery_has_no_picture_of_a_card_that_is_gone() -> None:
    known = {f"{card.type}-{scheme}.png" for card in CARDS for scheme in SCHEMES}
    assert {file.name for file in (DOCS / "cards").iterdir()} == known


async def test_a_card_that_is_not_there_would_be_noticed() -> None:
    """The reader of these tests must find the words of a card, else it would accept a blank page."""
    card: CardType = CATALOGUE.cards["dish_cards"]
    said = texts(activity(card.type, card.example)["content"]["a2ui_operations"])
    assert {"麻婆豆腐", "辣味推荐", "下一页"} <= set(said)
