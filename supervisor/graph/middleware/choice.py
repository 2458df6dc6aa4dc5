"""Lets a thread use another chat model than the default one: the one that its first run named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel

from supervisor.graph.context import RunContext
from supervisor.graph.middleware.chain import Guard, ModelHandler


class ModelChoice(Guard):
    """A name that is no longer configured falls back to the default model: old threads go on."""

    def __init__(self, models: Mapping[str, BaseChatModel]) -> None:
        self._models = models

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        context: RunContext = request.runtime.context
        chosen = self._models.get(context.model) if context.model else None
        return await handler(request.override(model=chosen) if chosen is not None else request)
