from __future__ import annotations

import pytest

from supervisor.dispatch.port import AgentInfo, UserContext
from supervisor.dispatch.settings import DispatchSettings, parse_agents
from supervisor.dispatch.tokens.none import NoTokens
from supervisor.dispatch.tokens.static import StaticTokens

AGENT = AgentInfo("canteen", "", (), "http://canteen.test")


def test_agents_are_read_from_one_line() -> None:
    text = " canteen=http://127.0.0.1:8101 , transport = http://127.0.0.1:9900/a2a/domain-0?x=1,"
    assert parse_agents(text) == {
        "canteen": "http://127.0.0.1:8101",
        "transport": "http://127.0.0.1:9900/a2a/domain-0?x=1",
    }
    assert parse_agents("") == {}


@pytest.mark.parametrize("text", ["canteen", "=http://x", "canteen=", "a b=http://x", "a=http://x,a=http://y"])
def test_a_malformed_line_is_refused_with_the_part_that_is_wrong(text: str) -> None:
    with pytest.raises(ValueError, match=r"agents: "):
        parse_agents(text)


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in repr(DispatchSettings(agent_token="hunter2"))
    assert "hunter2" not in repr(UserContext("u", bearer_token="hunter2"))


async def test_the_shared_token_is_the_same_for_everyone() -> None:
    assert await StaticTokens("abc").bearer(AGENT, UserContext("u")) == "abc"


async def test_no_tokens_gives_none_even_to_a_user_with_one() -> None:
    assert await NoTokens().bearer(AGENT, UserContext("u", bearer_token="mine")) is None


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "密码"])
def test_a_token_that_cannot_be_a_header_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(ValueError) as refusal:
        StaticTokens(token)
    assert not token or token not in str(refusal.value)
