"""Our A2A extensions by URI: declared in cards, listed in headers, keys of metadata."""

from __future__ import annotations

from typing import Final

BASE: Final = "https://switchboard.example/a2a/ext/"
ACTIVITY: Final = BASE + "activity/v1"
CARDS: Final = BASE + "cards/v1"
CONTEXT: Final = BASE + "context/v1"
IDEMPOTENCY: Final = BASE + "idempotency/v1"
LEGACY_MARKER: Final = BASE + "legacy-envelope/v1"
NESTING: Final = BASE + "nesting/v1"

ANNOUNCED: Final = (CARDS, CONTEXT, IDEMPOTENCY, ACTIVITY, NESTING)
"""Those that a caller announces to an agent whose card declares them."""
