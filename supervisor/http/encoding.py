"""Which encoding of the stream a request gets: the standard one, or named events on `profile=named` in `Accept`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from starlette.requests import Request

from supervisor.events.named import NamedEncoder
from supervisor.events.subagents import SubagentMode
from supervisor.http.sse import MEDIA_TYPE, EventStream

_RANGE = re.compile(r'(?:"[^"]*"|[^,])+')
_PARAMETER = re.compile(r'(?:"[^"]*"|[^;])+')


def event_stream(request: Request, source: AsyncIterator[bytes], subagents: SubagentMode) -> EventStream:
    """The response that writes the frames of `source` in the encoding that `request` asks for."""
    if not wants_named(",".join(request.headers.getlist("accept"))):
        return EventStream(source)
    return EventStream(_named(source, NamedEncoder(subagents)), f"{MEDIA_TYPE}; profile=named")


def wants_named(accept: str) -> bool:
    """Whether named events are acceptable and no plain `text/event-stream` is liked better."""
    named, plain = 0.0, 0.0
    for media_range in _RANGE.findall(accept):
        kind, *parameters = [*_PARAMETER.findall(media_range), ""]
        if kind.strip().lower() != "text/event-stream":
            continue
        given = dict(map(_parameter, parameters))
        if "named" in given.get("profile", "").lower().split():
            named = max(named, _quality(given))
        elif "profile" not in given:
            plain = max(plain, _quality(given))
    return named > 0 and named >= plain


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"').strip()


def _quality(parameters: dict[str, str]) -> float:
    try:
        return float(parameters.get("q", "1"))
    except ValueError:
        return 1.0


async def _named(source: AsyncIterator[bytes], encoder: NamedEncoder) -> AsyncIterator[bytes]:
    async for piece in source:
        if frames := encoder.frames(piece):
            yield frames
