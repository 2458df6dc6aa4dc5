"""What a host adds to the supervisor without changing it: tools, commands, shared state.

`switchboard serve` reads `EXTENSIONS=package.module:factory`; an application hands `Extensions` to `create_app`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool

from supervisor.runs.commands import CommandHandler


@dataclass(frozen=True, slots=True)
class Extensions:
    """`tools`: async LangChain tools beside ours; they may interrupt (`graph/hitl/helpers.py`), write custom events and
    run graphs of their own. `commands`: handlers of `/agui/command` by name. `shared_state`: keys of the graph's state
    that clients see, and may write through `RunAgentInput.state`.
    """

    tools: Sequence[BaseTool] = ()
    commands: Mapping[str, CommandHandler] = field(default_factory=dict[str, CommandHandler])
    shared_state: tuple[str, ...] = ()


def load_extensions(setting: str | None) -> Extensions:
    """What the factory in `package.module:factory` makes. Raises ValueError with what to write instead."""
    if not setting:
        return Extensions()
    module, _, name = setting.partition(":")
    try:
        made: Any = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"EXTENSIONS is {setting!r}: write `package.module:factory`. {error}") from error
    if not isinstance(made, Extensions):
        raise ValueError(f"EXTENSIONS: {setting} must return supervisor.extensions.Extensions.")
    return made
