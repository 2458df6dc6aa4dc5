"""Which task an Idempotency-Key already made. Keyed by owner and key; never by message id, which callers reuse."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict

from a2a.types import Message


class KeyReused(Exception):
    """The key was used for a message with other content."""


class Claim:
    """One use of a key. `task_id` is known once the first request has set its task up."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.task_id: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def made(self, task_id: str) -> None:
        """The first request's task exists from here on."""
        if not self.task_id.done():
            self.task_id.set_result(task_id)

    def failed(self, error: BaseException) -> None:
        """The first request made no task; whoever waits for it fails the same way."""
        if not self.task_id.done():
            self.task_id.set_exception(error)
            self.task_id.exception()


class IdempotencyKeys:
    """The last `limit` keys, in memory: a restart forgets them."""

    def __init__(self, limit: int = 5000) -> None:
        self._claims: OrderedDict[tuple[str, str], Claim] = OrderedDict()
        self._limit = limit

    def claim(self, owner: str, key: str, message: Message) -> tuple[Claim, bool]:
        """The claim of this key, and whether it is new. Raises `KeyReused` if the message's content differs."""
        fingerprint = fingerprint_of(message)
        known = self._claims.get((owner, key))
        if known is not None:
            if known.fingerprint != fingerprint:
                raise KeyReused
            return known, False
        claim = Claim(fingerprint)
        self._claims[(owner, key)] = claim
        while len(self._claims) > self._limit:
            self._claims.popitem(last=False)
        return claim, True

    def release(self, owner: str, key: str, claim: Claim) -> None:
        """Forget a claim whose request made no task, so that the key may be tried again."""
        if self._claims.get((owner, key)) is claim:
            del self._claims[(owner, key)]


def fingerprint_of(message: Message) -> str:
    """Equal for two messages that ask the same: everything but the message id, which a retry may mint anew."""
    copy = Message()
    copy.CopyFrom(message)
    copy.ClearField("message_id")
    return hashlib.sha256(copy.SerializeToString(deterministic=True)).hexdigest()
