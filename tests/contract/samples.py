"""Samples of the card data that our agents send, which their contracts hold against the catalogue.

`python -m tests.contract.samples` asks the agents and writes `contracts/agents/samples/<agent>.json` anew.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import Any

from agents.canteen.agent import SPEC as CANTEEN
from agents.kit.spec import AgentSpec
from agents.transport.agent import SPEC as TRANSPORT
from contracts.load import HERE
from tests.unit.agents_kit.cards import explore, whole
from tests.unit.agents_kit.harness import running

FOLDER = HERE / "agents" / "samples"
QUESTIONS: dict[str, tuple[AgentSpec, Sequence[str]]] = {
    "canteen": (
        CANTEEN,
        (
            *("推荐几道辣的菜", "档口", "哪个食堂不挤", "第二食堂怎么样", "渝味鱼庄怎么样", "水煮鱼的评价"),
            *("今天的菜单", "吃什么", "热力图", "怎么去二食堂", "book a meal", "饭卡", "0元的菜"),
            *("nearest canteen", "dishes without pork"),
        ),
    ),
    "transport": (
        TRANSPORT,
        (
            *("下一班去图书馆的校车几点", "哪里可以停车", "从南门到图书馆怎么走", "shuttle lines", "all stops"),
            *("when is the next shuttle to the library?", "parking", "how do I get to the library from the gym?"),
        ),
    ),
}

Json = dict[str, Any]


async def collected(name: str) -> dict[str, list[Json]]:
    """The card data of an agent's answers to its questions and to the clicks that follow, by card type."""
    spec, questions = QUESTIONS[name]
    found: dict[str, list[Json]] = {}

    async with running(spec) as rpc:
        send = rpc.send

        async def noted(text: str, **fields: Any) -> Json:
            task = await send(text, **fields)
            metadata = task.get("metadata", {})
            if "card_template_id" in metadata:
                found.setdefault(metadata["card_template_id"], []).append(whole(metadata["card_data_model"]))
            return task

        rpc.send = noted
        await explore(rpc, questions, depth=2, each=1)
    return found


def paths(value: Any, path: str = "") -> set[str]:
    """Where there is what kind of value, e.g. `.items[].name str`."""
    if isinstance(value, dict):
        return {inner for key, item in value.items() for inner in paths(item, f"{path}.{key}")} or {f"{path} {{}}"}
    if isinstance(value, list):
        return {inner for item in value for inner in paths(item, f"{path}[]")} | {f"{path} []"}
    return {f"{path} {type(value).__name__}"}


def reduced(samples: Sequence[Json]) -> list[Json]:
    """As few and as short samples as hold every path."""
    seen: set[str] = set()
    kept: list[Json] = []
    for data in sorted(map(_short, samples), key=lambda data: -len(paths(data))):
        if not paths(data) <= seen:
            seen |= paths(data)
            kept.append(data)
    return kept


def _short(value: Any) -> Any:
    """A copy whose lists hold only items that add a path."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return list(_telling(value)) if isinstance(value, list) else value


def _telling(items: list[Any]) -> Iterator[Any]:
    seen: set[str] = set()
    for item in map(_short, items):
        if not paths(item) <= seen:
            seen |= paths(item)
            yield item


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in QUESTIONS:
        samples = {card_type: reduced(found) for card_type, found in sorted((await collected(name)).items())}
        text = json.dumps(samples, ensure_ascii=False, indent=1, sort_keys=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")
        print(name, {card_type: len(found) for card_type, found in samples.items()})


if __name__ == "__main__":
    asyncio.run(main())
