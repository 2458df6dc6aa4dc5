"""An incremental reader of server-sent events: bytes in, `data` payloads out. Knows nothing about what they contain."""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class SseParser:
    """Tolerates LF, CRLF and CR, comments, other fields, several data lines and chunks cut anywhere.

    An event that the end of the stream cuts off is dropped, as the standard says.
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._data: list[bytes] = []
        self._after_cr = False
        self._start = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Takes the next bytes, returns the payloads that they complete."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if not chunk:
            return []
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        head, *rest = chunk.split(b"\n")
        self._partial.append(head)
        if not rest:
            return []
        lines = [b"".join(self._partial), *rest[:-1]]
        self._partial = [rest[-1]]
        return [payload for line in lines if (payload := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        if self._start:
            line = line.removeprefix(_BOM)
            self._start = False
        if not line:
            payload, self._data = b"\n".join(self._data), []
            return payload or None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return None
