from __future__ import annotations

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI

from chat_models import ScriptedChatModel, resolve_model, script


def offline() -> BaseChatModel:
    return ScriptedChatModel(policy=script("offline"))


def made_here() -> BaseChatModel:
    return ScriptedChatModel(policy=script("made"))


def not_a_model() -> str:
    return "text"


async def test_offline_is_the_model_that_the_caller_embeds() -> None:
    assert (await resolve_model("offline", offline=offline).ainvoke("x")).text == "offline"


async def test_a_factory_is_named_by_module_and_attribute() -> None:
    model = resolve_model(f"{__name__}:made_here", offline=offline)
    assert (await model.ainvoke("x")).text == "made"


def test_a_provider_gets_the_base_url_and_a_key_that_a_local_server_ignores() -> None:
    model = resolve_model("openai:some-model", offline=offline, base_url="http://127.0.0.1:1/v1")
    assert isinstance(model, ChatOpenAI)
    assert model.model_name == "some-model"
    assert model.openai_api_base == "http://127.0.0.1:1/v1"
    assert model.stream_usage


@pytest.mark.parametrize("spec", ["gpt", "openai:", ":x", "no.such.module:factory", f"{__name__}:missing", "nobody:x"])
def test_a_wrong_setting_says_what_to_write(spec: str) -> None:
    with pytest.raises(ValueError, match="MODEL"):
        resolve_model(spec, offline=offline)


def test_a_factory_that_makes_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="not a LangChain chat model"):
        resolve_model(f"{__name__}:not_a_model", offline=offline)


def test_the_key_is_no_part_of_an_error() -> None:
    with pytest.raises(ValueError) as caught:
        resolve_model("nobody:x", offline=offline, api_key="sk-secret")
    assert "sk-secret" not in str(caught.value)
