"""A report as people and machines read it: a table with one line per hole, JSON, and JUnit XML."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from contracts.holes import Hole
from contracts.matrix import Report, Row

LOG_WIDTH = 200
"""Columns of the table where there is no terminal; it takes no more than it needs."""


def to_json(report: Report) -> dict[str, Any]:
    """`{ok, holes: [line], known: [line], rows: [{agent, cardType, inCatalogue, holes, frontends}], unused, notes}`."""
    return {
        "ok": report.ok,
        "holes": report.open,
        "known": report.known,
        "rows": [
            {
                "agent": row.agent,
                "cardType": row.card_type,
                "inCatalogue": row.in_catalogue,
                "holes": [_hole_json(hole) for hole in row.of(None)],
                "frontends": {name: [_hole_json(hole) for hole in row.of(name)] for name in report.frontends},
            }
            for row in report.rows
        ],
        "unused": list(report.unused),
        "notes": list(report.notes),
    }


def _hole_json(hole: Hole) -> dict[str, Any]:
    found: dict[str, Any] = {"hole": hole.kind, "problem": hole.problem, "fix": hole.fix}
    return found if hole.known is None else {**found, "known": hole.known}


def to_junit(report: Report) -> bytes:
    """One test case per card type of an agent for the catalogue, and one per front end. Known holes are skipped."""
    cases = [(row, name) for row in report.rows for name in (None, *report.frontends)]
    suite = ElementTree.Element("testsuite", name="contracts", tests=str(len(cases)))
    counts = {"failures": 0, "skipped": 0}
    for row, frontend in cases:
        name = f"{row.card_type} in {frontend or 'the catalogue'}"
        case = ElementTree.SubElement(suite, "testcase", classname=f"contracts.{row.agent}", name=name)
        found = row.of(frontend)
        failing = [hole for hole in found if hole.known is None]
        if failing:
            counts["failures"] += 1
            text = "\n".join(map(str, failing))
            ElementTree.SubElement(case, "failure", message=failing[0].problem).text = text
        elif found:
            counts["skipped"] += 1
            ElementTree.SubElement(case, "skipped", message=f"{found[0].problem}: {found[0].known}")
    suite.attrib.update({key: str(count) for key, count in counts.items()})
    root = ElementTree.Element("testsuites")
    root.append(suite)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def console() -> Console:
    """Where the table goes. A log has no width of its own, and nothing in it should be cut."""
    found = Console()
    return found if found.is_terminal else Console(width=max(found.width, LOG_WIDTH))


def print_table(report: Report, out: Console) -> None:
    """The table, then one line per hole, admitted hole and note."""
    table = Table(Column("agent", no_wrap=True), Column("card type", no_wrap=True), "catalogue", *report.frontends)
    for row in report.rows:
        cells = (_cell(row, name) for name in report.frontends)
        table.add_row(escape(row.agent), escape(row.card_type), _cell(row, None), *cells)
    out.print(table)
    for title, found in (("Holes", report.open), ("Known holes", report.known), ("Worth a look", _looks(report))):
        if found:
            out.print(title, style="bold")
        for line in found:
            # Never wrapped: a log is read by machines, too.
            out.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def _looks(report: Report) -> list[str]:
    unused = [f"in the catalogue, emitted by nobody: {', '.join(report.unused)}"] if report.unused else []
    return unused + list(report.notes)


def _cell(row: Row, frontend: str | None) -> str:
    if frontend is not None and not row.in_catalogue:
        return "[red]-[/]"
    found = row.of(frontend)
    if any(hole.known is None for hole in found):
        return "[red]hole[/]" if row.in_catalogue else "[red]missing[/]"
    return "[yellow]known[/]" if found else "ok"
