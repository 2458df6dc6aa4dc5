"""Ask a running supervisor from a terminal: text as it comes, a line per sub-agent, cards as tables."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any, cast

import httpx
from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

Event = dict[str, Any]


class AskFailed(Exception):
    """There is no answer; the text says why and what to do."""


def ask(question: str, url: str, console: Console, thread_id: str | None = None) -> None:
    """Stream one turn to `console`. Raises AskFailed."""
    body = {
        "threadId": thread_id or str(uuid.uuid4()),
        "runId": str(uuid.uuid4()),
        "messages": [{"id": str(uuid.uuid4()), "role": "user", "content": question}],
        "tools": [],
        "context": [],
        "state": {},
        "forwardedProps": {},
        "protocolVersion": "1.0",
    }
    printer = Printer(console)
    try:
        for event in _events(f"{url.rstrip('/')}/agui", body):
            printer.show(event)
    except httpx.HTTPError as error:
        raise AskFailed(f"No supervisor answers at {url}. Start one with `make demo`.") from error
    if not printer.ended:
        raise AskFailed("The stream ended before the answer was complete. Ask again.")


def _events(url: str, body: Event) -> Iterator[Event]:
    with httpx.stream("POST", url, json=body, timeout=None, trust_env=False) as response:
        if response.status_code != 200:
            problem = json.loads(response.read() or b"{}")
            raise AskFailed(str(problem.get("detail") or f"HTTP {response.status_code}"))
        for line in response.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line[6:])


class Printer:
    """Shows AG-UI events; `ended` after the terminal one."""

    def __init__(self, console: Console) -> None:
        self.ended = False
        self._console = console
        self._names: dict[str, str] = {}
        self._show: dict[str, Callable[[Event], None]] = {
            "TEXT_MESSAGE_CONTENT": lambda e: console.print(e["delta"], end="", markup=False, highlight=False),
            "TEXT_MESSAGE_END": lambda _: console.print(),
            "SUBAGENT_STARTED": self._started,
            "SUBAGENT_FINISHED": lambda e: self._ended(e, "[green]done[/green]"),
            "SUBAGENT_ERROR": lambda e: self._ended(e, f"[red]{escape(e['message'])}[/red]"),
            "ACTIVITY_SNAPSHOT": self._card,
            "RUN_FINISHED": self._finished,
            "RUN_ERROR": self._failed,
        }

    def show(self, event: Event) -> None:
        """One event; types that say nothing to a reader are passed over."""
        self._show.get(event["type"], lambda _: None)(event)

    def _started(self, event: Event) -> None:
        self._names[event["subagentRunId"]] = event["name"]
        self._console.print(f"[dim]→ {escape(event['name'])} …[/dim]")

    def _ended(self, event: Event, how: str) -> None:
        self._console.print(f"[dim]← {escape(self._names.get(event['subagentRunId'], '?'))}[/dim] {how}")

    def _finished(self, _: Event) -> None:
        self.ended = True

    def _failed(self, event: Event) -> None:
        self.ended = True
        raise AskFailed(event["message"])

    def _card(self, event: Event) -> None:
        for operation in event["content"]["a2ui_operations"]:
            if "updateDataModel" in operation:
                self._console.print(card_view(operation["updateDataModel"].get("value") or {}))


def card_view(data: Event) -> Panel:
    """A card's data model: its words, and its rows as a table."""
    words = [str(data[key]) for key in ("subtitle", "text", "empty_text") if data.get(key)]
    rows = [item for key in ("items", "cells") for item in cast("list[Any]", data.get(key) or []) if item]
    parts: list[Text | Table] = [Text("\n".join(words))] if words else []
    if rows:
        parts.append(_table(rows))
    return Panel(Group(*parts), title=escape(str(data.get("title") or "")), title_align="left")


def _table(rows: list[Event]) -> Table:
    table = Table(box=None, pad_edge=False)
    columns = [key for key in dict.fromkeys(k for row in rows for k in row) if _useful(key, rows)]
    for column in columns:
        table.add_column(column.removesuffix("_label"))
    for row in rows:
        table.add_row(*(escape(_cell(row.get(column))) for column in columns))
    return table


def _useful(key: str, rows: list[Event]) -> bool:
    labelled = f"{key.split('_')[0]}_label"
    if key == "id" or key.endswith("_url") or (key != labelled and any(labelled in row for row in rows)):
        return False
    return any(_cell(row.get(key)) for row in rows)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " · ".join(str(item) for item in cast("list[Any]", value))
    return "" if value is None else str(value)
