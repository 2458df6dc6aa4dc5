"""Five hundred seeded changes of a world in which everything fits: catalogue, agents, front ends, and data at run time.

`mutant(seed, folder)` writes a changed world. What of it a user would not see is said by `onlooker.py`.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from a2ui_schemas import load_catalogue
from a2ui_schemas.loader import HERE
from contracts.load import HERE as CONTRACTS

Json = dict[str, Any]
BUBBLE = "为你找到三样"
SCRIPT = "<img src=x onerror=\"document.title='pwned'\">"
COMMON = ("message-card", "dish_cards", "stall_cards", "canteen_heatmap", "form-card", "route_card")
"""Types of every world, next to the one that the seed chooses. All nineteen would only take longer."""
ALIASED = ("dish-cards", "stall-cards")

CATALOGUE = load_catalogue()
TYPES = tuple(sorted(CATALOGUE.cards))


@dataclass
class World:
    """Contracts as JSON, the catalogue's folder, and what the agents really send: `data` by (agent, type)."""

    what: str
    catalogue: Path
    agents: list[Json]
    pages: list[Json]
    data: dict[tuple[str, str], Any]
    target: str
    """The card type whose files may be changed."""
    gate_errors: list[str] = field(default_factory=list[str])


def sound_world(folder: Path, target: str = "dish_cards") -> World:
    """Two agents that emit every type of a catalogue between them, some by alias, and two pages that paint them all."""
    types = sorted({target, *COMMON})
    half = len(types) // 2
    agents = [_agent("canteen", [*types[:half], *ALIASED]), _agent("transport", types[half:])]
    pages = [json.loads((CONTRACTS / "frontends" / f"{name}.json").read_text("utf-8")) for name in ("lit", "lit")]
    pages[1] |= {"frontend": "listing"}
    pages[1]["channels"][0]["cardTypes"] = types
    data = {(a["agent"], t): sample for a in agents for t, (sample,) in a["samples"].items()}
    return World("nothing", _catalogue(folder, types, target), agents, pages, data, target)


def _catalogue(folder: Path, types: Sequence[str], target: str) -> Path:
    """A catalogue of these types; only what may be changed is a copy."""
    cards = folder / "cards"
    cards.mkdir()
    for name in types:
        if name != target:
            (cards / name).symlink_to(HERE / name)
    shutil.copytree(HERE / target, cards / target)
    shutil.copyfile(HERE / "catalog.json", cards / "catalog.json")
    return cards


def _agent(name: str, types: list[str]) -> Json:
    samples = {card_type: [example(card_type)] for card_type in types}
    return {"agent": name, "catalogueVersion": CATALOGUE.version, "cardTypes": types, "samples": samples}


def example(name: str) -> Json:
    """The example of a type or alias."""
    card = CATALOGUE.card(name)
    assert card is not None
    return copy.deepcopy(card.example)


def mutant(seed: int, folder: Path) -> World:
    """The world of a seed; changed files go below `folder`."""
    rng = random.Random(seed)
    kind = ("catalogue", "agent", "page", "data")[seed % 4]
    world = sound_world(folder, rng.choice(TYPES))
    name = rng.choice(sorted(MUTATIONS[kind]))
    world.what = f"{kind} {name}"
    MUTATIONS[kind][name](rng, world)
    return world


# ---------------------------------------------------------------- what changes


def _edit(world: World, file: str, change: Callable[[Any], Any]) -> None:
    path = world.catalogue / world.target / file
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(change(content) or content, ensure_ascii=False), "utf-8")


def _rows(schema: Json) -> Json:
    """The schema of the items of the first list, else the schema itself."""
    lists = (s["items"] for s in schema["properties"].values() if s.get("type") == "array")
    return next((items for items in lists if "properties" in items), schema)


def _gone(rng: random.Random, world: World) -> None:
    shutil.rmtree(world.catalogue / world.target)


def _renamed(rng: random.Random, world: World) -> None:
    path = world.catalogue / world.target
    path.rename(path.with_name("renamed_cards"))
    world.target = "renamed_cards"
    _edit(world, "card.json", lambda card: card.update(type="renamed_cards", aliases=[]))


def _no_alias(rng: random.Random, world: World) -> None:
    _edit(world, "card.json", lambda card: card.update(aliases=[]))


def _not_json(rng: random.Random, world: World) -> None:
    file = rng.choice(["card.json", "template.json", "data.schema.json", "example.json"])
    (world.catalogue / world.target / file).write_text(rng.choice(["", "{", "[1", "nul"]), "utf-8")


def _no_file(rng: random.Random, world: World) -> None:
    (world.catalogue / world.target / rng.choice(["template.json", "data.schema.json", "example.json"])).unlink()


def _strange_component(rng: random.Random, world: World) -> None:
    _edit(world, "template.json", lambda parts: rng.choice(parts).update(component=rng.choice(["Chart", "text", ""])))


def _no_component(rng: random.Random, world: World) -> None:
    _edit(world, "template.json", lambda parts: parts.pop(rng.randrange(len(parts))) and parts)


def _dangling(rng: random.Random, world: World) -> None:
    _edit(world, "template.json", lambda parts: rng.choice([p for p in parts if "child" in p]).update(child="nowhere"))


def _two_of_one_id(rng: random.Random, world: World) -> None:
    _edit(world, "template.json", lambda parts: parts.append(copy.deepcopy(rng.choice(parts))))


def _round_in_a_circle(rng: random.Random, world: World) -> None:
    _edit(world, "template.json", lambda parts: parts[0].update(child="root"))


def _wrong_path(rng: random.Random, world: World) -> None:
    def change(parts: list[Json]) -> None:
        bound = [part for part in parts if part["component"] == "Text" and "path" in part["text"]]
        rng.choice(bound)["text"]["path"] += "z"

    _edit(world, "template.json", change)


def _new_required(rng: random.Random, world: World) -> None:
    def change(schema: Json) -> None:
        place = _rows(schema) if rng.random() < 0.5 else schema
        place["properties"]["allergens"] = {"type": "string"}
        place["required"] = [*place.get("required", []), "allergens"]

    _edit(world, "data.schema.json", change)
    # The catalogue's owner keeps his own example right: only agents can notice.
    _edit(world, "example.json", lambda data: [row.update(allergens="-") for row in _all_rows(data)] and data)


def _all_rows(data: Any) -> list[Json]:
    found = [data] if isinstance(data, dict) else []
    for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else []:
        found += _all_rows(inner)
    return found


def _other_type(rng: random.Random, world: World) -> None:
    def change(schema: Json) -> None:
        place = _rows(schema) if rng.random() < 0.5 else schema
        rng.choice(list(place["properties"].values()))["type"] = rng.choice(["integer", "boolean", "null"])

    _edit(world, "data.schema.json", change)


def _shorter(rng: random.Random, world: World) -> None:
    def change(schema: Json) -> None:
        for place in _rows(schema)["properties"].values():
            if place.get("type") == "string":
                place["maxLength"] = 1

    _edit(world, "data.schema.json", change)


def _not_a_schema(rng: random.Random, world: World) -> None:
    _edit(world, "data.schema.json", lambda schema: schema.update(properties=rng.choice([[], 1, {"title": 1}])))


def _other_catalogue_id(rng: random.Random, world: World) -> None:
    path = world.catalogue / "catalog.json"
    document = json.loads(path.read_text("utf-8"))
    document["catalogId"] = document["catalogId"].replace("/v1/", rng.choice(["/v2/", "/", "/basic/"]))
    path.write_text(json.dumps(document), "utf-8")


def _harmless(rng: random.Random, world: World) -> None:
    _edit(world, "data.schema.json", lambda schema: schema["properties"].update(note={"type": "string", "default": ""}))
    _edit(world, "card.json", lambda card: card.update(aliases=[*card["aliases"], "another-name"]))


def _typo(rng: random.Random, world: World) -> None:
    agent = rng.choice(world.agents)
    index = rng.randrange(len(agent["cardTypes"]))
    old = agent["cardTypes"][index]
    position = rng.randrange(len(old))
    new = old[:position] + rng.choice("xz9") + old[position + 1 :]
    agent["cardTypes"][index] = new
    agent["samples"][new] = agent["samples"].pop(old)
    world.data[agent["agent"], new] = world.data.pop((agent["agent"], old))


def _new_type(rng: random.Random, world: World) -> None:
    agent = rng.choice(world.agents)
    agent["cardTypes"].append("totally_new_card")
    world.data[agent["agent"], "totally_new_card"] = {"items": [{"name": "新"}]}


def _other_spelling(rng: random.Random, world: World) -> None:
    agent = rng.choice(world.agents)
    agent["cardTypes"] = [name.upper() if rng.random() < 0.2 else name for name in agent["cardTypes"]]
    world.data = {(a["agent"], name): example(name.lower()) for a in world.agents for name in a["cardTypes"]}
    agent["samples"] = {}


def _other_data(rng: random.Random, world: World) -> None:
    agent = rng.choice(world.agents)
    name = rng.choice(agent["cardTypes"])
    agent["samples"][name] = [world.data.setdefault((agent["agent"], name), {})]
    agent["samples"][name][0] = world.data[agent["agent"], name] = broken_data(rng, name)


def _other_version(rng: random.Random, world: World) -> None:
    rng.choice(world.agents)["catalogueVersion"] = str(rng.randint(2, 9))


def _fewer_types(rng: random.Random, world: World) -> None:
    agent = rng.choice(world.agents)
    dropped = agent["cardTypes"].pop(rng.randrange(len(agent["cardTypes"])))
    del agent["samples"][dropped], world.data[agent["agent"], dropped]


def _channel(key: str, *values: str | None) -> Callable[[random.Random, World], None]:
    def change(rng: random.Random, world: World) -> None:
        channel, value = rng.choice(world.pages)["channels"][0], rng.choice(values)
        channel.pop(key) if value is None else channel.update({key: value})

    return change


def _page(key: str, *values: Any) -> Callable[[random.Random, World], None]:
    def change(rng: random.Random, world: World) -> None:
        page, value = rng.choice(world.pages), rng.choice(values)
        page.pop(key) if value is None else page.update({key: value})

    return change


def _fewer_components(rng: random.Random, world: World) -> None:
    page = rng.choice(world.pages)
    page["components"] = rng.sample(page["components"], rng.randint(1, len(page["components"]) - 1))


def _shorter_list(rng: random.Random, world: World) -> None:
    rng.choice(world.pages)["channels"][0]["cardTypes"] = rng.sample(COMMON, rng.randint(1, len(COMMON)))


def _second_channel(rng: random.Random, world: World) -> None:
    extra = {"event": rng.choice(["RAW", "CUSTOM"]), "carries": "card_data_model", "cardTypes": ["list-card"]}
    rng.choice(world.pages)["channels"].insert(0, extra)


def _at_run_time(rng: random.Random, world: World) -> None:
    place = rng.choice(sorted(world.data))
    world.data[place] = broken_data(rng, place[1])
    world.target = place[1]


MUTATIONS: dict[str, dict[str, Callable[[random.Random, World], None]]] = {
    "catalogue": {
        "type gone": _gone,
        "type renamed": _renamed,
        "aliases gone": _no_alias,
        "not JSON": _not_json,
        "file gone": _no_file,
        "strange component": _strange_component,
        "component gone": _no_component,
        "dangling": _dangling,
        "two of one id": _two_of_one_id,
        "circle": _round_in_a_circle,
        "wrong path": _wrong_path,
        "new required field": _new_required,
        "other type": _other_type,
        "shorter": _shorter,
        "not a schema": _not_a_schema,
        "other catalogue id": _other_catalogue_id,
        "harmless": _harmless,
    },
    "agent": {
        "typo": _typo,
        "new type": _new_type,
        "other spelling": _other_spelling,
        "other data": _other_data,
        "other version": _other_version,
        "fewer types": _fewer_types,
    },
    "page": {
        "event": _channel("event", "RAW", "STATE_SNAPSHOT", "CUSTOM"),
        "activity type": _channel("activityType", "a2ui", "card", None),
        "carries": _channel("carries", "card_data_model"),
        "version": _page("a2uiVersion", "v0.8", "v1.0", None),
        "catalogue": _page("catalogId", "https://a2ui.org/specification/v0_9/basic_catalog.json", None),
        "text": _page("textEvents", ["RAW"], ["TEXT_MESSAGE_CHUNK"], ["RAW", "TEXT_MESSAGE_CONTENT"]),
        "components": _fewer_components,
        "components unsaid": _page("components", None),
        "shorter list": _shorter_list,
        "second channel": _second_channel,
    },
    "data": {"at run time": _at_run_time},
}

HOSTILE: tuple[Any, ...] = (
    *(None, True, 0, -1.5, 10**30, "", " ", [], {}, [[]], {"path": "/title"}, float("inf"), "x" * 30_000),
    *(SCRIPT, "[x](javascript:alert(1))", "javascript:alert(1)", "${/title}", "\u202e\u200b", "\ud83d", "字" * 500),
)


def broken_data(rng: random.Random, name: str) -> Any:
    """The example of a type with up to four places changed, or something else altogether."""
    data: Any = example(name)
    if rng.random() < 0.15:
        return copy.deepcopy(rng.choice((*HOSTILE, [data], json.dumps(data, ensure_ascii=False))))
    for _ in range(rng.randint(1, 4)):
        holder = rng.choice(_containers(data))
        if not holder:
            continue
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if rng.random() < 0.3:
            del holder[key]
        elif isinstance(holder, list) and rng.random() < 0.2:
            holder *= 600
        else:
            holder[key] = copy.deepcopy(rng.choice(HOSTILE))
    return data


def _containers(value: Any) -> list[Any]:
    found = [value] if isinstance(value, (dict, list)) else []
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        found += _containers(inner)
    return found
