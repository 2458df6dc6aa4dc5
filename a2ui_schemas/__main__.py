"""`python -m a2ui_schemas check` runs the start-up gate; `... export` writes catalog.json from `components.py`."""

from __future__ import annotations

import json
import sys

from a2ui_schemas.loader import HERE, CatalogueError, load_catalogue


def export() -> str:
    """The text of catalog.json."""
    from a2ui_schemas.components import build_catalog

    return json.dumps(build_catalog().to_json(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """The exit code: 0 fine, 1 problems, 2 wrong arguments."""
    if arguments == ["export"]:
        (HERE / "catalog.json").write_text(export(), "utf-8")
        return 0
    if arguments != ["check"]:
        print("usage: python -m a2ui_schemas check|export", file=sys.stderr)
        return 2
    from a2ui_schemas.gate import check

    try:
        catalogue = load_catalogue()
        check(catalogue)
    except CatalogueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(catalogue.cards)} card types are sound: {', '.join(catalogue.cards)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
