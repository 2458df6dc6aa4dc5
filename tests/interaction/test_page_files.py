"""The chat page is whole: whatever its HTML loads is served, and nothing of it comes from elsewhere."""

from __future__ import annotations

import re

from tests.fakes.house import open_house


async def test_every_file_that_the_page_loads_is_served() -> None:
    async with open_house() as house:
        page = await house.client.get("/")
        assert page.status_code == 200
        files = re.findall(r'(?:src|href)="(\./[^"]+)"', page.text)
        assert {name.rpartition(".")[2] for name in files} == {"js", "css"}
        for name in files:
            loaded = await house.client.get(name.removeprefix("."))
            assert (loaded.status_code, len(loaded.content) > 1000) == (200, True), name
