"""`python -m contracts check`: do agents, catalogue and front ends fit together? Exit 0 yes, 1 a hole, 2 unreadable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from contracts import sources
from contracts.load import ContractError, read_frontend, read_supervisor
from contracts.matrix import Report, Row, compare

app = typer.Typer(add_completion=False, no_args_is_help=True, help="What services promise each other.")


@app.callback()
def contracts() -> None:
    """Keep `check` a named command although it is the only one yet."""


@app.command()
def check(
    agent: Annotated[list[str] | None, typer.Option(help="Agent: contract file, agent-card file or base URL.")] = None,
    frontend: Annotated[list[Path] | None, typer.Option(help="Front-end contract file.")] = None,
    catalogue: Annotated[Path | None, typer.Option(help="Folder of the card catalogue.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print agent x card type x front end; exit 1 when a card would not be seen as itself."""
    try:
        report = compare(
            read_supervisor(),
            [sources.agent(source) for source in agent or sources.default_agents()],
            [read_frontend(path) for path in frontend or sources.default_frontends()],
            sources.catalogue(catalogue),
        )
    except ContractError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        _print(report)
    raise typer.Exit(0 if report.ok else 1)


def _print(report: Report) -> None:
    console = Console()
    table = Table("agent", "card type", "catalogue", *report.frontends)
    for row in report.rows:
        cells = (_cell(row, name) for name in report.frontends)
        table.add_row(escape(row.agent), escape(row.card_type), "[red]missing[/]" if row.missing else "ok", *cells)
    console.print(table)
    if report.unused:
        console.print(f"In the catalogue, emitted by nobody: {escape(', '.join(report.unused))}")


def _cell(row: Row, frontend: str) -> str:
    if row.missing:
        return "[red]-[/]"
    reasons = row.holes.get(frontend, ())
    return "[red]" + escape("; ".join(reasons)) + "[/]" if reasons else "ok"


if __name__ == "__main__":
    app()
