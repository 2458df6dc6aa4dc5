"""What an agent is: the one object that an agent's package hands to the kit. Knows nothing about A2A, HTTP or a graph.

    SPEC = AgentSpec(name="transport", ..., seed=seed, mcp_server=build_server, answer_offline=policy, build_card=card)
    if __name__ == "__main__":
        serve.run(SPEC)

The kit opens a database, lets `seed` fill it, hands it to `mcp_server`, and runs a graph whose model (real or offline)
calls the tools of that server. It streams a `status` line per tool call and the answer's text, then attaches the card.
A click in a card is answered without a model: `act` names the tool calls, and text and card are made as for a question.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp.server import MCPServer

from agents.kit.clock import Clock
from chat_models import Turn


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill on the agent card. The supervisor routes by `tags` and `examples`: give both languages."""

    id: str
    name: str
    description: str
    tags: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, as the request's metadata says. Advisory, never authorisation. `location` is (latitude, longitude)."""

    user_id: str = ""
    name: str | None = None
    locale: str | None = None
    location: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one MCP tool call gave: `data` is its structured content ({} if it failed), `text` what a model reads."""

    name: str
    arguments: Mapping[str, Any]
    ok: bool
    data: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation as an agent's own code sees it.

    `results` are those of the current question in the order of the calls, empty before the first; `earlier` are the
    questions before this one (oldest first) and `earlier_results` what the tools gave then, for follow-up questions.
    `chinese`: whether to answer in Chinese.
    """

    question: str
    chinese: bool
    asker: Asker = field(default_factory=Asker)
    results: tuple[ToolResult, ...] = ()
    earlier: tuple[str, ...] = ()
    earlier_results: tuple[ToolResult, ...] = ()

    def result(self, *names: str) -> ToolResult | None:
        """The last successful result of any of these tools for the current question."""
        return next((r for r in reversed(self.results) if r.ok and r.name in names), None)


@dataclass(frozen=True, slots=True)
class Card:
    """The card of an answer. `data` has the shape of its card type in `a2ui_schemas`; ids and money are strings."""

    type: str
    data: Mapping[str, Any]
    category: str | None = None
    bubble_text: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A click in a card of this agent. `context` is what came with it; nobody vouches for it, so check every value."""

    name: str
    surface_id: str
    card_type: str
    context: Mapping[str, Any]

    def text(self, key: str, most: int = 100) -> str | None:
        """The context's value if it is a text with 1 to `most` characters."""
        value = self.context.get(key)
        return value if isinstance(value, str) and 0 < len(value) <= most else None


@dataclass(frozen=True, slots=True)
class Step:
    """What an action leads to: tool calls that are answered like those of a question, or without any a `text`.

    `update`: a card of the clicked type replaces the clicked one. `chinese` is the language if the context says it.
    """

    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    text: str = ""
    update: bool = False
    chinese: bool | None = None


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent. All functions are called in the event loop and must not block.

    `seed(db)` creates the tables and fills them from the package's `data/`; `db` is new and empty. What users
    store goes to tables of the schema `kept`, which may be there already.
    `mcp_server(db, clock)` makes the server whose tools the graph calls: async functions with typed arguments that
    return `dict[str, Any]` or a TypedDict (a bare `dict` gives no structured content).
    `answer_offline(conversation)` is the offline model: a `Turn` with `calls` first, then one with the answer's `text`,
    computed from `conversation.results`. It must be pure.
    `build_card(conversation, answer)` chooses the card from the tools' results, whichever model wrote the answer.
    `status(tool, arguments, chinese)` is the line shown while that tool runs, e.g. "正在查时刻表…".
    `card_types` is what `build_card` may return; it is declared on the agent card.
    `act(action, conversation)` is what a click leads to, None for one that makes no sense. It must be pure.
    `action_tools` are called for clicks only: no model is offered them, and no history remembers them.
    `system_prompt` instructs a real model; the kit adds the time, the asker's place and language.
    """

    name: str
    description: str
    version: str
    skills: tuple[Skill, ...]
    card_types: tuple[str, ...]
    system_prompt: str
    seed: Callable[[sqlite3.Connection], None]
    mcp_server: Callable[[sqlite3.Connection, Clock], MCPServer[Any]]
    answer_offline: Callable[[Conversation], Turn]
    build_card: Callable[[Conversation, str], Card | None]
    status: Callable[[str, Mapping[str, Any], bool], str]
    act: Callable[[Action, Conversation], Step | None] | None = None
    action_tools: tuple[str, ...] = ()
    default_port: int = 8100
