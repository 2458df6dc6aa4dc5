"""A wire between the browser and the server that can be cut in the middle of a stream, and mended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CHUNK_BYTES = 65_536


@dataclass
class Wire:
    """Carries TCP to `port` of this machine. While it is cut, connections are reset as soon as they are made."""

    port: int
    url: str = ""
    whole: bool = True
    ends: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    def cut(self) -> None:
        """Reset every connection, and every new one."""
        self.whole = False
        for end in self.ends:
            end.transport.abort()

    def mend(self) -> None:
        """Carry again."""
        self.whole = True

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser."""
        if not self.whole:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
        both = {writer, far_writer}
        self.ends |= both
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            self.ends -= both


@asynccontextmanager
async def wire_to(port: int) -> AsyncGenerator[Wire]:
    """An open wire to `port`."""
    wire = Wire(port)
    server = await asyncio.start_server(wire.carry, "127.0.0.1", 0)
    wire.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield wire
    finally:
        server.close()
        wire.cut()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    writer.close()
