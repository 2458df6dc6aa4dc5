"""Time to render one 10-row card: alias, defaults, validation, operations. `python bench/cards.py`"""

from __future__ import annotations

import timeit

from a2ui_schemas import load_catalogue
from supervisor.cards.render import CardRenderer

ROWS = 10
CALLS = 1000


def main() -> None:
    """Prints the best of five series in milliseconds per card."""
    catalogue = load_catalogue()
    renderer = CardRenderer(catalogue)
    row = catalogue.cards["dish_cards"].example["items"][0]
    data = {"title": "x", "items": [{**row, "id": str(n)} for n in range(ROWS)]}
    best = min(timeit.repeat(lambda: renderer.render("dish_cards", data), number=CALLS, repeat=5))
    print(f"{best / CALLS * 1000:.3f} ms per {ROWS}-row card")


if __name__ == "__main__":
    main()
