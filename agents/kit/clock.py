"""The campus clock: what time it is where the campus is. Not a scheduler, and not the time of the server."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]
"""Returns the current campus time, always with a time zone."""

DEFAULT_ZONE = "Asia/Shanghai"


def campus_clock(environ: Mapping[str, str] = os.environ) -> Clock:
    """The clock of `CAMPUS_TZ`, stopped at `CAMPUS_NOW` (an ISO date and time) for demos and tests.

    Raises ValueError for an unknown zone or a time that cannot be read.
    """
    name = environ.get("CAMPUS_TZ") or DEFAULT_ZONE
    try:
        zone = ZoneInfo(name)
    except Exception as error:
        raise ValueError(f"CAMPUS_TZ is {name!r}, which is not a time zone like {DEFAULT_ZONE!r}.") from error
    pinned = environ.get("CAMPUS_NOW")
    if not pinned:
        return lambda: datetime.now(zone)
    try:
        moment = datetime.fromisoformat(pinned)
    except ValueError as error:
        raise ValueError(f"CAMPUS_NOW is {pinned!r}; write it like 2026-12-01T10:30.") from error
    fixed = moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
    return lambda: fixed
