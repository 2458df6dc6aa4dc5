"""`python -m a2ui_schemas check` runs the start-up gate; `... export` writes catalog.json from `components.py`.

`... compare OLD_FOLDER [NEW_FOLDER]` says what agents written for an older catalogue would stumble over.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from a2ui_schemas.compatible import breaking
from a2ui_schemas.loader import HERE, Catalogue, CatalogueError, load_catalogue


def export() -> str:
    """The text of catalog.json."""
    from a2ui_schemas.components import build_catalog

    return json.dumps(build_catalog().to_json(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def compare(old: Catalogue, new: Catalogue) -> int:
    """Prints every breaking change; 1 when there is one."""
    problems = list(breaking(old, new))
    print("\n".join(problems) or "only additions: agents of the old catalogue go on as they are")
    return 1 if problems else 0


def main(arguments: list[str]) -> int:
    """The exit code: 0 fine, 1 problems, 2 wrong arguments."""
    if arguments == ["export"]:
        (HERE / "catalog.json").write_text(export(), "utf-8")
        return 0
    try:
        if arguments[:1] == ["compare"] and len(arguments) in (2, 3):
            return compare(*(load_catalogue(Path(folder)) for folder in [*arguments[1:], HERE][:2]))
        if arguments != ["check"]:
            print("usage: python -m a2ui_schemas check | export | compare OLD_FOLDER [NEW_FOLDER]", file=sys.stderr)
            return 2
        from a2ui_schemas.gate import check

        catalogue = load_catalogue()
        check(catalogue)
    except CatalogueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(catalogue.cards)} card types are sound: {', '.join(catalogue.cards)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
