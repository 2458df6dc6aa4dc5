"""The `MODEL` setting, the same for the supervisor and for every agent, turned into a LangChain chat model."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

OFFLINE = "offline"
MAX_RETRIES = 1


def resolve_model(
    spec: str, *, offline: Callable[[], BaseChatModel], base_url: str | None = None, api_key: str | None = None
) -> BaseChatModel:
    """The model that `spec` names.

    `offline`: the embedded model; `package.module:factory`: what that callable returns; `provider:name`: LangChain's
    `init_chat_model`, at `base_url` if given. Raises ValueError that says what to write.
    """
    if spec == OFFLINE:
        return offline()
    left, separator, right = spec.partition(":")
    if not separator or not left or not right:
        raise ValueError(f"MODEL is {spec!r}: write `offline`, `provider:name` or `package.module:factory`.")
    if "." in left:
        return _from_factory(spec, left, right)
    return _from_provider(spec, left, base_url, api_key)


def _from_factory(spec: str, module: str, name: str) -> BaseChatModel:
    try:
        factory: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"MODEL is {spec!r}, but {module!r} has no importable {name!r}.") from error
    model = factory()
    if not isinstance(model, BaseChatModel):
        raise ValueError(
            f"MODEL is {spec!r}, but {name!r} returned {type(model).__name__}, not a LangChain chat model."
        )
    return model


def _from_provider(spec: str, provider: str, base_url: str | None, api_key: str | None) -> BaseChatModel:
    options: dict[str, Any] = {}
    if base_url:
        options["base_url"] = base_url
        # An own endpoint often wants no key, but the client refuses to start without one.
        options["api_key"] = api_key or "not-needed"
    elif api_key:
        options["api_key"] = api_key
    if provider == "openai":
        options["stream_usage"] = True
        # The client waits in silence between tries, up to a minute if the provider says so. One retry outlives a blip;
        # after that the user is told, and may try again.
        options["max_retries"] = MAX_RETRIES
    try:
        return init_chat_model(spec, **options)
    except ImportError as error:
        raise ValueError(f"MODEL is {spec!r}: install the LangChain package of {provider!r}.") from error
    except Exception as error:
        raise ValueError(f"MODEL is {spec!r}, which could not be set up; check the name and the API key.") from error
