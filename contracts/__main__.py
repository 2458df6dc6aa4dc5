"""`python -m contracts check`: do agents, catalogue and front ends fit together? Exit 0 yes, 1 a hole, 2 unreadable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from contracts import report as output
from contracts import scaffold, sources
from contracts.load import read_frontend
from contracts.matrix import Report, compare
from contracts.model import ContractError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="What services promise each other.")

Catalogue = Annotated[Path | None, typer.Option(help="Folder of the card catalogue; default: a2ui_schemas.")]


@app.command()
def check(
    agent: Annotated[
        list[str] | None, typer.Option(help="Agent: contract file, agent-card file or base URL. Repeatable.")
    ] = None,
    frontend: Annotated[list[Path] | None, typer.Option(help="Front-end contract file. Repeatable.")] = None,
    catalogue: Catalogue = None,
    supervisor: Annotated[
        str | None, typer.Option(help="Supervisor: base URL of a running one (its catalogue and agents), or a file.")
    ] = None,
    strict: Annotated[bool, typer.Option(help="Fail on holes that front ends admit, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Also write a JUnit XML report to this file.")] = None,
) -> None:
    """Print agent x card type x front end; exit 1 when a card would not be seen as itself."""
    try:
        report = _report(agent, frontend, catalogue, supervisor)
    except ContractError as error:
        _fail(error)
    if strict:
        report = report.strict()
    if junit is not None:
        junit.write_bytes(output.to_junit(report))
    if as_json:
        typer.echo(json.dumps(output.to_json(report), ensure_ascii=False, indent=2))
    else:
        output.print_table(report, output.console())
    raise typer.Exit(0 if report.ok else 1)


@app.command()
def new_card(
    name: Annotated[str, typer.Argument(help="Name of the card type, e.g. menu_cards.")],
    like: Annotated[str | None, typer.Option("--from", help="Type whose schema and template to start from.")] = None,
    catalogue: Catalogue = None,
    tests: Annotated[
        Path | None, typer.Option(help="Folder of its test; default: tests/unit/a2ui_schemas beside the catalogue.")
    ] = None,
) -> None:
    """Make the folder of a card type: schema, template, example and card.json, with a test that passes."""
    try:
        made = scaffold.new_card(name, like, catalogue, tests)
    except ContractError as error:
        _fail(error)
    for path in made:
        typer.echo(path)
    typer.echo(
        f"Next: change these to what {name} shows and run `python -m a2ui_schemas check`; then list {name} in the"
    )
    typer.echo("agent's card types and in contracts/agents/<agent>.json, and run `python -m contracts check`.")


def _report(
    agents: list[str] | None, frontends: list[Path] | None, folder: Path | None, supervisor: str | None
) -> Report:
    live = supervisor if supervisor is not None and sources.is_url(supervisor) else None
    if live is not None and not agents:
        compared = sources.live_agents(live)
    else:
        compared = [sources.agent(source) for source in agents or sources.default_agents()]
    pages = [read_frontend(path) for path in frontends or sources.default_frontends()]
    served = sources.live_catalogue(live) if live is not None else None
    catalogue = served if served is not None and folder is None else sources.catalogue(folder)
    return compare(sources.supervisor(supervisor), compared, pages, catalogue, served)


def _fail(error: ContractError) -> NoReturn:
    typer.echo(str(error), err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
