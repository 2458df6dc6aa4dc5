"""More conversations behind the golden transcripts: those that take several requests, and what a host adds."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from chat_models import Turn
from tests.cases.case import Case, dispatch, of_type
from tests.cases.families import DISHES, one_question
from tests.cases.hitl import asks, declined, interrupts, resolved
from tests.cases.test_client_tools import MAP, SHOW, output
from tests.cases.test_rewrite import LINK, PICTURE
from tests.cases.transcript import Recorder, family
from tests.fakes.a2a_stub import Reply, card

HOST = {"extensions": "tests.cases.host:extensions"}


@family("Two questions of parallel calls, refused, looked at again, answered in one request.")
async def interrupt(play: Recorder) -> None:
    choice = ("ask_choice", {"message": "哪个食堂？", "options": ["一食堂", "三食堂"]})
    confirm = ("ask_confirm", {"title": "提交", "body": "确认订座？", "actions": ["是", "否"]})
    async with play.open(Case(Turn("请选。", calls=[choice, confirm]), "已订好。")):
        first, second = interrupts((await play.ask("订座")).events)
        await play.resume(resolved(first, {"value": "没有的食堂"}), resolved(second, {"action": "是"}))
        await play.ask("算了，天气呢")
        await play.connect()
        await play.resume(resolved(second, {"action": "是"}), resolved(first, {"value": "三食堂"}))
        await play.connect()


@family("An answer and then a second question, which is still open at the end.")
async def open_question(play: Recorder) -> None:
    async with play.open(Case(asks(message="几个人？"), asks(message="几点？"))):
        (first,) = interrupts((await play.ask("订座")).events)
        await play.resume(resolved(first, {"value": "两个"}))
        await play.connect()


@family("A question that is declined, together with a new message.")
async def declined_question(play: Recorder) -> None:
    async with play.open(Case(asks(message="几个人？"), "好的，不订了。", "晴。")):
        (question,) = interrupts((await play.ask("订座")).events)
        await play.ask("天气呢", resume=[declined(question)])
        await play.connect()


@family("An agent asks: its invocation is suspended and goes on, under the same id, with the answer.")
async def agent_question(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "订餐"), ("transport", "校车")), "都订好了。")
    case.canteen.replies += [Reply("几个人？", state="input-required"), Reply("已订两人桌")]
    async with play.open(case):
        (question,) = interrupts((await play.ask("订餐和校车")).events)
        await play.resume(resolved(question, {"value": "两个"}))
        await play.connect()


@family("An approval and an unlocking, which tools of the host ask for.")
async def approval(play: Recorder) -> None:
    async with play.open(Case(asks("pay", amount=12), asks("enter", door="A1"), "好了。", **HOST)):
        (question,) = interrupts((await play.ask("付款并进门")).events)
        (again,) = interrupts((await play.resume(resolved(question, {"approved": True}))).events)
        await play.resume(resolved(again, {}))
        await play.connect()


@family("Custom events that a tool writes, with values that JSON does not know.")
async def custom_events(play: Recorder) -> None:
    await one_question(play, Case(asks("announce", count=2), "好了。", **HOST))


@family("Ready AG-UI events of a tool: a step, a step that is left open, and some that are refused.")
async def ready_events(play: Recorder) -> None:
    await one_question(play, Case(asks("ready"), "好了。", **HOST))


@family("An agent that runs inside a tool, told like any other sub-agent.")
async def subgraph(play: Recorder) -> None:
    await one_question(play, Case(asks("helper", question="?"), "好了。", **HOST))


@family("Shared state: whole at the start of a run and on refresh, and the changes that a tool makes.")
async def shared_state(play: Recorder) -> None:
    async with play.open(Case(asks("plan", steps=["一", "二"]), "计划好了。", **HOST)):
        await play.ask("计划", state={"plan": {"steps": []}})
        await play.connect()


@family("A tool of the client beside one of ours: called, left pending, answered by the client.", "modern")
async def client_tools(play: Recorder) -> None:
    await _map_shown(play)


@family("A tool of the client, for clients of before 1.0.", "old")
async def client_tools_old_peer(play: Recorder) -> None:
    await _map_shown(play)


async def _map_shown(play: Recorder) -> None:
    turn = Turn(calls=[*dispatch(("canteen", "辣")).calls, *SHOW.calls])
    async with play.open(Case(turn, "在地图上了。")):
        found = (await play.ask("三食堂在哪", tools=[MAP])).events
        call_id = next(e["toolCallId"] for e in of_type(found, "TOOL_CALL_START") if e["toolCallName"] == "show_map")
        await play.ask(messages=[output(call_id, "已显示")], tools=[MAP])
        await play.connect()


@family("A question with a picture and a link to a file.")
async def attachments(play: Recorder) -> None:
    content = [{"type": "text", "text": "这是什么？"}, PICTURE, LINK]
    await one_question(play, Case("一碗面。"), content)


@family("The last question is edited: the run begins with the conversation as it is then.")
async def edit_last(play: Recorder) -> None:
    async with play.open(Case("你好。", dispatch(("canteen", "辣"), text="我查一下。"), "水煮鱼。", "清蒸鱼。")):
        await play.ask("你好")
        await play.ask("吃点辣的")
        props = {"command": "edit-last", "targetMessageId": "question-2"}
        await play.ask("吃点清淡的", forwardedProps=props)
        await play.connect()


@family("A second try: the old answer is dropped and the question asked again.")
async def regenerate(play: Recorder) -> None:
    async with play.open(Case(dispatch(("canteen", "辣")), "水煮鱼。", "麻婆豆腐。")):
        await play.ask("吃点辣的")
        await play.ask(forwardedProps={"command": "regenerate"})
        await play.connect()


@family("A process that goes away in the middle of a run, and the whole run after the next one went on with it.")
async def recovered(play: Recorder) -> None:
    with tempfile.TemporaryDirectory() as folder:
        case = Case(dispatch(("canteen", "辣"), text="我查一下。"), "水煮鱼。", tmp_path=Path(folder))
        case.canteen.replies.append(Reply("never", gate=asyncio.Event()))
        async with play.open(case, drain_seconds=0):
            run = play.ask("吃点辣的")
            await case.canteen.received()
        await run
        async with play.open(case) as house:
            left: Any = house.app.state.runs.active("t")
            if left is not None:
                await left.wait()
            await play.again(0)
            await play.connect()


@family("A click in a card: the card's owner answers with a card of its own, then with a new state of the first.")
async def card_click(play: Recorder) -> None:
    case = Case(dispatch(("canteen", "辣")), "看卡片。")
    more = {"title": "更多", "items": [{"id": "d2", "name": "麻婆豆腐", "price": "12.00"}]}
    case.canteen.replies += [
        Reply("三道菜", metadata=card("dish_cards", DISHES)),
        Reply("水煮鱼，22 元", metadata=card("dish_cards", DISHES)),
        Reply("下一页", metadata={**card("dish_cards", more), "card_update": True}),
    ]
    async with play.open(case):
        (shown,) = of_type((await play.ask("吃点辣的")).events, "ACTIVITY_SNAPSHOT")
        surface = shown["content"]["a2ui_operations"][0]["createSurface"]["surfaceId"]
        for number in (1, 2):
            action = {"name": "open_dish", "surfaceId": surface, "sourceComponentId": "row", "context": {"id": "d1"}}
            action["timestamp"] = f"2026-12-01T08:00:0{number}Z"
            await play.ask(forwardedProps={"a2uiAction": {"userAction": action}})
        await play.connect()
