"""The system under test for the official A2A kit: the server of `agents/kit` around an executor that does what a
message's id asks for, by the kit's conventions. `make sut PORT=9999`; see README.md here.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from a2a.helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import AgentCard, Part
from starlette.applications import Starlette

from agents.kit.app import a2a_app
from agents.kit.card import agent_card
from agents.kit.handler import HardenedHandler
from agents.kit.settings import AgentSettings
from agents.kit.spec import AgentSpec, Skill
from agents.kit.tasks import BoundedTaskStore
from chat_models import Turn

Hold = Callable[[], Awaitable[None]]
FILE = {"media_type": "text/plain", "filename": "output.txt"}

# The server needs the words of a spec only; the rest of it belongs to agents with a graph.
SPEC = AgentSpec(
    name="sut",
    description="Does what the id of a message asks for.",
    version="1.0.0",
    skills=(Skill("tck", "Conventions", "Follows the conventions of the official kit.", ("tck",), ("Hello",)),),
    card_types=(),
    system_prompt="",
    seed=lambda _: None,
    mcp_server=lambda *_: NotImplemented,
    answer_offline=lambda _: Turn("ok"),
    build_card=lambda *_: None,
    status=lambda *_: "",
)


class Conventions(AgentExecutor):
    """`hold` is awaited by the message that asks for a task that stays at work for a while.

    `otherwise` is the convention of messages whose ids follow none.
    """

    def __init__(self, hold: Hold, otherwise: str = "tck-complete-task") -> None:
        self._hold = hold
        self._otherwise = otherwise

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        asked = message.message_id
        if asked.startswith("tck-message-response"):
            await event_queue.enqueue_event(updater.new_agent_message([new_text_part("Direct message response")]))
            return
        if not context.current_task:
            await event_queue.enqueue_event(new_task_from_user_message(message))
        # The longest prefix first: `tck-artifact-file-url` is no `tck-artifact-file`.
        name = next((n for n in sorted(_WAYS, key=len, reverse=True) if asked.startswith(n)), self._otherwise)
        await _WAYS[name](self, updater)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id or "", context.context_id or "").cancel()

    async def complete(self, updater: TaskUpdater) -> None:
        await updater.complete(updater.new_agent_message([new_text_part("Hello from TCK")]))

    async def ask(self, updater: TaskUpdater) -> None:
        await updater.requires_input(updater.new_agent_message([new_text_part("Which one?")]))

    async def ask_to_sign_in(self, updater: TaskUpdater) -> None:
        await updater.requires_auth(
            updater.new_agent_message([new_text_part("Please sign in with your campus account.")])
        )

    async def refuse(self, updater: TaskUpdater) -> None:
        await updater.reject(updater.new_agent_message([new_text_part("This is not what I do.")]))

    async def stay_at_work(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await self._hold()
        await updater.complete()

    async def in_chunks(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact([new_text_part("chunk-1 ")], artifact_id="chunked", append=False)
        await updater.add_artifact([new_text_part("chunk-2")], artifact_id="chunked", append=True, last_chunk=True)
        await updater.complete()


Way = Callable[[Conventions, TaskUpdater], Awaitable[None]]


def _artifact(part: Callable[[], Part]) -> Way:
    async def way(_: Conventions, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact([part()])
        await updater.complete()

    return way


# The kit compares these texts and this file with its own.
_TEXT, _FILE = _artifact(lambda: new_text_part("Generated text content")), _artifact(lambda: Part(raw=b"tck", **FILE))
_WAYS: dict[str, Way] = {
    "tck-complete-task": Conventions.complete,
    "tck-stream-002": Conventions.complete,
    "tck-input-required": Conventions.ask,
    "tck-auth-required": Conventions.ask_to_sign_in,
    "tck-reject-task": Conventions.refuse,
    "tck-artifact-text": _TEXT,
    "tck-artifact-file": _FILE,
    "tck-artifact-file-url": _artifact(lambda: Part(url="https://example.com/output.txt", **FILE)),
    "tck-artifact-data": _artifact(lambda: new_data_part({"key": "value", "count": 42})),
    "tck-stream-001": _TEXT,
    "tck-stream-003": _TEXT,
    "tck-stream-ordering-001": _TEXT,
    "tck-stream-artifact-text": _TEXT,
    "tck-stream-artifact-file": _FILE,
    "tck-stream-artifact-chunked": Conventions.in_chunks,
    "test-resubscribe-message-id": Conventions.stay_at_work,
}


def card_at(base_url: str, versions: Sequence[str] = ("1.0",)) -> AgentCard:
    """The card of any agent of the kit, with the given versions only.

    The official kit takes the fields that 0.3 wants at the top of a card for a fault of a 1.0 card.
    """
    card = agent_card(SPEC, base_url)
    kept = [interface for interface in card.supported_interfaces if interface.protocol_version in versions]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(kept)
    return card


def sut(executor: Conventions, card: AgentCard, **handling: Any) -> Starlette:
    """The system under test as an ASGI app; `handling` are options of the SDK's handler."""
    handler = HardenedHandler(agent_executor=executor, task_store=BoundedTaskStore(), agent_card=card, **handling)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        yield
        await handler.aclose()

    return a2a_app(card, handler, AgentSettings(), lifespan)


def main() -> None:
    parser = argparse.ArgumentParser(description="The system under test for the official A2A kit.")
    parser.add_argument("--port", type=int, default=9999)
    parser.add_argument("--both", action="store_true", help="declare 0.3 as well, as our agents do")
    parser.add_argument("--asks", action="store_true", help="ask back by default, as the kit for 0.3 wants it")
    given: Any = parser.parse_args()
    # The kit looks at such a task for twice its streaming timeout.
    seconds = 2 * float(os.environ.get("TCK_STREAMING_TIMEOUT", "2")) + 0.5
    card = card_at(f"http://127.0.0.1:{given.port}", ("1.0", "0.3") if given.both else ("1.0",))
    otherwise = "tck-input-required" if given.asks else "tck-complete-task"
    app = sut(Conventions(lambda: asyncio.sleep(seconds), otherwise), card)
    uvicorn.run(app, host="127.0.0.1", port=given.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
