"""The table of one turn from a result of the harness: events, bytes, first text, CPU.

    python bench/turn.py RESULT.json

Times are medians over rounds; a ratio is the median of those to `G` in the same round: a busy machine moves it less.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

G = "floor-graph@BENCH_GC=freeze"
NAMES = {
    "floor": "floor (Starlette, pre-serialised)",
    G: "G: LangGraph's loop, one frame per chunk",
    "none": "**switchboard**, no journal",
    "memory": "**switchboard**, memory",
    "sqlite-journal": "**switchboard**, journal in SQLite",
    "sqlite": "**switchboard**, everything in SQLite",
    "agui-langgraph": "ag-ui-langgraph",
}


def main() -> None:
    """Prints one table per workload."""
    data = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    checks = {(c["workload"], c["peer"]): c for c in data["checks"]}
    plan = sorted({c["concurrency"] for c in data["cells"]})
    for load in dict.fromkeys(c["workload"] for c in data["cells"]):
        cells = [c for c in data["cells"] if c["workload"] == load]
        streams = [f"first text p50, {n} stream{'s' * (n > 1)}" for n in plan]
        columns = ["events", "KB", *streams, f"CPU/run, {plan[-1]} streams"]
        print(f"\n| {load}, {data['meta']['rounds']} rounds | {' | '.join(columns)} |")
        print("|---" * (len(columns) + 1) + "|")
        present = {c["peer"] for c in cells}
        for peer in [*(p for p in NAMES if p in present), *sorted(present - set(NAMES))]:
            times = [both(cells, peer, n, "ttft_p50_ms") for n in plan]
            cost = both(cells, peer, plan[-1], "cpu_ms_per_run")
            check = checks[load, peer]
            size = f"{check['events']} | {check['bytes'] / 1000:.1f}"
            print(f"| {NAMES.get(peer, peer)} | {size} | {' | '.join(times)} | {cost} |")


def both(cells: list[dict[str, Any]], peer: str, streams: int, field: str) -> str:
    """Milliseconds, and the ratio to G."""
    rounds: dict[int, dict[str, float]] = {}
    for cell in cells:
        if cell["concurrency"] == streams and cell.get(field):
            rounds.setdefault(cell["round"], {})[cell["peer"]] = cell[field]
    values = [row[peer] for row in rounds.values() if peer in row]
    ratios = [row[peer] / row[G] for row in rounds.values() if peer in row and G in row]
    if not values:
        return "-"
    return f"{median(values):.1f} ms" + (f" ({median(ratios):.2f})" if ratios else "")


if __name__ == "__main__":
    main()
