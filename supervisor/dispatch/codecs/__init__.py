"""The three ways to write an A2A request. Reading answers is not here: `dispatch/reply.py` reads all of them."""

from __future__ import annotations

from supervisor.dispatch.codecs.base import Codec, Question
from supervisor.dispatch.codecs.legacy import LEGACY
from supervisor.dispatch.codecs.v03 import V03
from supervisor.dispatch.codecs.v10 import V10

CODECS: dict[str, Codec] = {codec.version: codec for codec in (V10, V03, LEGACY)}

__all__ = ["CODECS", "LEGACY", "V03", "V10", "Codec", "Question"]
