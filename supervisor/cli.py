"""The `switchboard` command: parses arguments, says in words what went wrong.

Every command imports what it needs itself: `contracts` works where only the extra of that name is installed.
"""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(no_args_is_help=True, add_completion=False, help="A multi-agent supervisor over A2A and AG-UI.")
console = Console()

Url = Annotated[str, typer.Option(help="Address of a running supervisor.", envvar="SWITCHBOARD_URL")]
LOCAL = "http://127.0.0.1:8000"


@app.command()
def demo(port: Annotated[int, typer.Option(help="Port of the supervisor; agents take free ones.")] = 8000) -> None:
    """Start the agents and the supervisor, print the URL, stop all on Ctrl-C."""
    from supervisor.commands.demo import Demo, DemoFailed

    try:
        Demo(port).run()
    except DemoFailed as error:
        _fail(str(error))


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (PORT).")] = None,
) -> None:
    """Serve the supervisor; every setting is an environment variable (see docs/settings.md)."""
    from pydantic import ValidationError

    from supervisor.commands.serve import serve as run
    from supervisor.settings import Settings

    given = {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    try:
        run(Settings(**given))  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        _fail("\n".join(f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in error.errors()))
    except ValueError as error:
        _fail(str(error))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What to ask, in Chinese or English.")],
    url: Url = LOCAL,
    thread: Annotated[str | None, typer.Option(help="Go on in this thread.")] = None,
) -> None:
    """Ask a running supervisor and stream the answer."""
    from supervisor.commands.ask import AskFailed
    from supervisor.commands.ask import ask as run

    try:
        run(question, url, console, thread)
    except AskFailed as error:
        _fail(str(error))


@app.command()
def agents(url: Url = LOCAL) -> None:
    """Show which agents a running supervisor sees, and what is wrong with them."""
    import httpx

    try:
        rows = httpx.get(f"{url.rstrip('/')}/agents", timeout=10, trust_env=False).json()["agents"]
    except (httpx.HTTPError, ValueError, KeyError):
        _fail(f"No supervisor answers at {url}. Start one with `make demo`.")
    table = Table("agent", "state", "cards", "url")
    for row in rows:
        state = "[green]healthy[/green]" if row["healthy"] else f"[red]{row.get('error', 'unhealthy')}[/red]"
        if row.get("circuit", "closed") != "closed":
            state += ", [yellow]fails and is left alone for a moment[/yellow]"
        table.add_row(row["name"], state, ", ".join(row["cardTypes"]), row["url"])
    console.print(table)


@app.command("new-agent")
def new_agent(
    name: Annotated[str, typer.Argument(help="Lower-case letters and digits, e.g. library.")],
    port: Annotated[int, typer.Option(help="The port it listens on by default.", min=1, max=65535)],
    card: Annotated[str | None, typer.Option(help="Make a card type of its own too, e.g. book_cards.")] = None,
    root: Annotated[str, typer.Option(help="The working copy to write to.")] = ".",
) -> None:
    """Make a new domain agent from the template: it runs and passes its tests at once."""
    from pathlib import Path

    from supervisor.commands.new_agent import NewAgentFailed
    from supervisor.commands.new_agent import new_agent as make

    try:
        written = make(name, port, card, Path(root).resolve())
    except NewAgentFailed as error:
        _fail(str(error))
    console.print("\n".join(written), highlight=False)
    console.print(
        f"Run it: python -m agents.{name}; test it: make test ARGS=tests/unit/{name}; `make demo` starts it too."
    )


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
def contracts(arguments: Annotated[list[str] | None, typer.Argument(metavar="check|new-card ...")] = None) -> None:
    """Whether agents, catalogue and front ends fit together: the same as `python -m contracts`."""
    from supervisor.commands.contracts import run

    run(arguments or [])


def _fail(text: str) -> NoReturn:
    Console(stderr=True).print(f"[red]{text}[/red]", highlight=False)
    raise typer.Exit(1)


def main() -> None:
    """Entry point of the `switchboard` script."""
    app()


if __name__ == "__main__":
    main()
