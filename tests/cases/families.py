"""The conversations behind the golden transcripts, one per kind of event. Each ends with a refresh."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessageChunk

from chat_models import Turn
from contracts.extensions import ACTIVITY
from tests.cases.case import Case, call_chunk, dispatch
from tests.cases.transcript import Recorder, family
from tests.fakes.a2a_stub import Reply, Status, card

CANTEEN = '{"agent":"canteen","query":"辣"}'
TRANSPORT = '{"agent":"transport","query":"校车"}'
DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}
SHUTTLES = {"title": "班车", "items": [{"name": "1 号线", "next_departure": "10:20"}]}


async def one_question(play: Recorder, case: Case, question: str = "吃点辣的") -> None:
    """A question, its answer, a refresh."""
    async with play.open(case):
        await play.ask(question)
        await play.connect()


@family("A plain answer in pieces.")
async def text(play: Recorder) -> None:
    await one_question(play, Case("你好🌶️，今天想吃什么？\u2028第二行"), "你好")


@family("Reasoning as `reasoning_content`, then the answer.")
async def reasoning(play: Recorder) -> None:
    await one_question(play, Case(Turn("三食堂。", reasoning="想吃辣的人会喜欢川菜。")))


@family("Reasoning as content blocks, then the answer.")
async def reasoning_blocks(play: Recorder) -> None:
    blocks = [
        [{"type": "reasoning", "reasoning": "想吃辣，", "index": 0}],
        [{"type": "reasoning", "reasoning": "那就川菜。", "index": 0}],
        [{"type": "text", "text": "三", "index": 1}],
        [{"type": "text", "text": "食堂。", "index": 1}],
    ]
    await one_question(play, Case([*map(AIMessageChunk, blocks), AIMessageChunk([], chunk_position="last")]))


@family("Words, a call of one agent, its result, the answer.")
async def tool_call(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣"), text="我查一下。"), "水煮鱼。")
    case.canteen.replies.append(Reply("三食堂有水煮鱼"))
    await one_question(play, case)


@family("Two calls of one message whose arguments arrive in turns.")
async def interleaved_calls(play: Recorder) -> None:
    chunks = [
        call_chunk(0, "c1", CANTEEN[:9]),
        call_chunk(1, "c2", TRANSPORT[:9]),
        call_chunk(0, None, CANTEEN[9:]),
        call_chunk(1, None, TRANSPORT[9:]),
    ]
    await one_question(play, Case(Turn(chunks=chunks), "好"))


@family("A call whose name and arguments are one piece.")
async def whole_call(play: Recorder) -> None:
    await one_question(play, Case(Turn(chunks=[call_chunk(0, "c1", CANTEEN)]), "好"))


@family("Calls that a model streams without an index.")
async def calls_without_index(play: Recorder) -> None:
    chunks = [call_chunk(None, "c1", CANTEEN), call_chunk(None, "c2", TRANSPORT)]
    await one_question(play, Case(Turn(chunks=chunks), "好"))


@family("Text after a call in the same message, and text in the piece that ends it.")
async def late_text(play: Recorder) -> None:
    chunk: Any = {"index": 0, "id": "c1", "name": "call_domain_agent", "args": CANTEEN, "type": "tool_call_chunk"}
    last = {"response_metadata": {"finish_reason": "tool_calls"}, "chunk_position": "last"}
    asking = [
        AIMessageChunk("我来查"),
        AIMessageChunk("", tool_call_chunks=[chunk]),
        AIMessageChunk("，"),
        AIMessageChunk("请稍等", **last),
    ]
    await one_question(play, Case(asking, "好"))


@family("Two agents asked at once: one streams status and text, the other fails.")
async def subagents(play: Recorder) -> None:
    calls = [{"agent": "canteen", "query": "辣"}, {"agent": "transport", "query": "校车"}]
    case = Case(Turn(calls=[("orchestrate_parallel", {"calls": calls})]), "水煮鱼；校车时间查不到。")
    answered = asyncio.Event()
    case.canteen.replies.append(Reply(steps=[Status("正在查菜单"), "水煮鱼，", "22 元"]))
    case.transport.replies.append(Reply(http=500, gate=answered))
    async with play.open(case):
        run = play.ask("吃辣再坐校车")
        await case.transport.received()
        answered.set()
        await run
        await play.connect()


@family("An agent that tells of its own tool, and of an agent that it asks itself.")
async def nested_agents(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣")), "水煮鱼。")
    inside = [
        {"type": "tool-start", "id": "t1", "name": "search"},
        {"type": "tool-end", "id": "t1", "ok": True},
        {"type": "agent-start", "id": "a1", "name": "kitchen", "description": "厨房"},
        {"type": "agent-tool-start", "agentId": "a1", "id": "t2", "name": "stock"},
        {"type": "agent-delta", "id": "a1", "kind": "text", "text": "还有五份"},
    ]
    working = {"state": "TASK_STATE_WORKING"}
    steps = [{"statusUpdate": {"status": working, "metadata": {ACTIVITY: step}}} for step in inside]
    case.canteen.replies.append(Reply(steps=[*steps, "水煮鱼"]))
    await one_question(play, case)


@family("Two cards of one call, each an activity of its own.")
async def cards(play: Recorder) -> None:
    calls = [{"agent": "canteen", "query": "辣"}, {"agent": "transport", "query": "校车"}]
    case = Case(Turn(calls=[("orchestrate_parallel", {"calls": calls})]), "看卡片。")
    case.canteen.replies.append(
        Reply("水煮鱼", metadata=card("dish_cards", DISHES, bubble="辣味推荐", category="dish"))
    )
    case.transport.replies.append(Reply("10:20", metadata=card("shuttle_cards", SHUTTLES)))
    await one_question(play, case, "吃辣再坐校车")


@family("Two calls of one message, the second answered first: results and cards stand as they came.")
async def results_out_of_order(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣"), ("transport", "校车")), "看卡片。")
    late = asyncio.Event()
    case.canteen.replies.append(Reply("水煮鱼", metadata=card("dish_cards", DISHES), gate=late))
    case.transport.replies.append(Reply("10:20", metadata=card("shuttle_cards", SHUTTLES)))
    async with play.open(case) as house:
        asked = play.ask("吃辣再坐校车")
        await case.canteen.received()
        seen = b""
        async for piece in house.app.state.runs.active("t").feed.read(0, 3600):
            seen += piece
            if b"shuttle_cards" in seen:
                late.set()
        await asked
        await play.connect()


@family("A card type that nobody knows becomes a message card that says why.")
async def card_fallback(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣")), "看卡片。")
    case.canteen.replies.append(Reply("水煮鱼", metadata=card("totally_new_card", {"a": 1}, bubble="为你推荐")))
    await one_question(play, case)


@family("Token counts per model, over all calls of the run.")
async def usage(play: Recorder) -> None:
    await one_question(play, Case(dispatch(("canteen", "辣")), "好"))


@family("A stop while an agent works, for clients that know the outcome `cancelled`.", "modern")
async def cancelled(play: Recorder) -> None:
    await _stopped(play)


@family("A stop while an agent works, for clients of before 1.0.", "old")
async def cancelled_old_peer(play: Recorder) -> None:
    await _stopped(play)


async def _stopped(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣"), text="我查一下。"), "好")
    case.canteen.replies.append(Reply("late", gate=asyncio.Event()))
    async with play.open(case):
        run = play.ask("吃点辣的")
        await case.canteen.received()
        await play.cancel()
        await run
        await play.connect()


@family("A model that fails mid-sentence: what was opened is closed, one RUN_ERROR; the next turn works.")
async def error(play: Recorder) -> None:
    async with play.open(Case(Turn("水煮", error="boom", error_after=2), "三食堂。")):
        await play.ask("吃点辣的")
        await play.ask("再试一次")
        await play.connect()


@family("A refresh in the middle of a run: the conversation so far, then the run itself.")
async def connect(play: Recorder) -> None:
    asked = asyncio.Event()
    case = Case("你好。", dispatch(("canteen", "辣"), text="我查一下。"), "水煮鱼。")
    case.canteen.replies.append(Reply("三食堂有水煮鱼", gate=asked))
    async with play.open(case):
        await play.ask("你好")
        run = play.ask("吃点辣的")
        await case.canteen.received()
        joined = play.connect()
        await asyncio.sleep(0)
        asked.set()
        await asyncio.gather(run, joined)
        await play.connect()
