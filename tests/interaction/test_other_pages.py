"""Front ends beside our own page: one that is served from a folder, and those that live on another origin."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from supervisor.http import page
from supervisor.settings import Settings
from tests.fakes.house import open_house

OURS = "http://localhost:5173"
ASKING = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,authorization"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>CopilotKit</title>", "utf-8")
    (tmp_path / "assets/index.js").write_text("1", "utf-8")
    return tmp_path


async def test_a_page_of_a_listed_origin_may_call_and_any_other_may_not() -> None:
    async with open_house(cors_origins=f"{OURS}, https://campus.example/") as house:
        allowed = await house.client.options("/agui", headers={"origin": OURS, **ASKING})
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == OURS
        assert allowed.headers["access-control-allow-headers"] == "content-type,authorization"
        refused = await house.client.options("/agui", headers={"origin": "https://evil.example", **ASKING})
        assert refused.status_code == 400
        assert "access-control-allow-origin" not in refused.headers
        problem = await house.client.post("/agui", content="{", headers={"origin": "https://campus.example"})
        assert problem.status_code == 400
        assert problem.headers["access-control-allow-origin"] == "https://campus.example"


async def test_without_the_setting_no_other_origin_may_call() -> None:
    async with open_house() as house:
        asked = await house.client.options("/agui", headers={"origin": OURS, **ASKING})
        assert asked.status_code == 405
        assert not [name for name in asked.headers if name.startswith("access-control")]


@pytest.mark.parametrize("wrong", ["*", "https://*.example", "localhost:5173", "https://a.example/app", "https://"])
def test_an_origin_that_is_none_stops_the_start_and_says_how_to_write_it(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"write `scheme://host`"):
        Settings(cors_origins=wrong).origins()


async def test_a_built_copilotkit_page_is_served_under_the_same_policy_as_ours(built: Path) -> None:
    async with open_house(copilotkit_dist=built) as house:
        index = await house.client.get("/copilotkit")
        assert index.text == "<title>CopilotKit</title>"
        assert index.headers["content-security-policy"].startswith("default-src 'self'")
        assert (await house.client.get("/copilotkit/assets/index.js")).text == "1"


async def test_without_a_built_page_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "COPILOTKIT", tmp_path)
    async with open_house() as house:
        assert (await house.client.get("/copilotkit")).status_code == 404


async def test_the_page_built_in_the_source_tree_is_found(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "COPILOTKIT", built)
    async with open_house() as house:
        assert (await house.client.get("/copilotkit")).status_code == 200


def test_a_folder_without_a_page_is_refused_with_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="run `make web-copilotkit`"):
        Settings(copilotkit_dist=tmp_path)
