"""Card metadata to operations: every type paints, nothing an agent sends makes a card vanish."""

from __future__ import annotations

import itertools
import json
from typing import Any

import orjson
import pytest
from a2ui.utils.validation import validate_payload

from a2ui_schemas import load_catalogue
from supervisor.cards.render import MAX_BUBBLE, MAX_BYTES, CardRenderer, RenderedCard
from tests.unit.cards.paint import catalog, texts

CATALOGUE = load_catalogue()
TYPES = tuple(CATALOGUE.cards)


def renderer() -> CardRenderer:
    count = itertools.count(1)
    return CardRenderer(CATALOGUE, new_id=lambda: f"{next(count):08x}")


def data_of(card: RenderedCard) -> dict[str, Any]:
    return card.operations[2]["updateDataModel"]["value"]


def assert_valid(card: RenderedCard) -> None:
    """Three operations that the strict SDK accepts and that can be sent as JSON."""
    create, components, data = card.operations
    assert list(create) == ["version", "createSurface"]
    assert list(components) == ["version", "updateComponents"]
    assert list(data) == ["version", "updateDataModel"]
    assert data["updateDataModel"]["path"] == "/"
    validate_payload([catalog()], json.loads(orjson.dumps(card.operations)))


@pytest.mark.requirement("CARD-01")
@pytest.mark.parametrize("card_type", TYPES)
def test_card_01_every_type_of_the_catalogue_paints_its_example(card_type: str) -> None:
    example = CATALOGUE.cards[card_type].example
    card = renderer().render(card_type, example, bubble_text="三道菜")
    assert_valid(card)
    assert card.card_type == card_type
    assert card.fallback is None
    read = " ".join(texts(card.operations))
    axes = [{"name": name} for name in example.get("row_labels", ())]
    for row in axes or example.get("items") or example.get("cells") or example["fields"]:
        assert (row.get("label") or row["name"]) in read
    assert (example.get("title") or example["name"]) in read


@pytest.mark.requirement("CARD-01")
@pytest.mark.parametrize("card_type", [t for t in TYPES if CATALOGUE.cards[t].schema["required"] == ["items"]])
def test_card_01_a_row_with_a_name_alone_is_enough(card_type: str) -> None:
    card = renderer().render(card_type, {"items": [{"name": "麻婆豆腐"}]}, bubble_text="为你推荐 3 道辣菜")
    assert card.fallback is None
    read = texts(card.operations)
    assert read[0] == "为你推荐 3 道辣菜"
    assert "麻婆豆腐" in read
    assert not any("None" in text or "undefined" in text for text in read)


@pytest.mark.requirement("CARD-01")
def test_card_01_an_unknown_type_shows_the_bubble_text_and_says_so() -> None:
    card = renderer().render("totally_new_card", {"items": []}, bubble_text="为你推荐 3 道辣菜", card_category="list")
    assert_valid(card)
    assert card.card_type == "message-card"
    assert card.card_category == "list"
    assert "为你推荐 3 道辣菜" in texts(card.operations)
    assert card.fallback is not None
    assert (card.fallback.card_type, card.fallback.reason) == ("totally_new_card", "unknown_type")


def test_an_alias_paints_its_type() -> None:
    card = renderer().render("dish-cards", CATALOGUE.cards["dish_cards"].example)
    assert card.card_type == "dish_cards"
    assert card.surface_id == "dish_cards-00000001"


@pytest.mark.requirement("CARD-04")
def test_card_04_every_surface_has_the_version_and_the_id_of_the_catalogue_document() -> None:
    for card_type in TYPES:
        card = renderer().render(card_type, CATALOGUE.cards[card_type].example)
        assert {operation["version"] for operation in card.operations} == {"v0.9"}
        assert card.operations[0]["createSurface"]["catalogId"] == catalog().catalog_id == CATALOGUE.id


@pytest.mark.requirement("CARD-06")
@pytest.mark.parametrize("card_type", TYPES)
def test_card_06_surface_then_components_with_a_root_then_data_for_one_surface(card_type: str) -> None:
    card = renderer().render(card_type, CATALOGUE.cards[card_type].example)
    bodies = [next(value for key, value in operation.items() if key != "version") for operation in card.operations]
    assert {body["surfaceId"] for body in bodies} == {card.surface_id}
    ids = [component["id"] for component in bodies[1]["components"]]
    assert ids.count("root") == 1
    assert len(ids) == len(set(ids))


@pytest.mark.requirement("CARD-06")
def test_card_06_a_second_card_of_the_same_kind_is_a_new_surface() -> None:
    render = CardRenderer(CATALOGUE).render
    example = CATALOGUE.cards["dish_cards"].example
    cards = [render("dish_cards", example) for _ in range(50)] + [render("nope", None) for _ in range(50)]
    assert len({card.surface_id for card in cards}) == 100
    assert all(len(card.surface_id.removeprefix(f"{card.card_type}-")) == 8 for card in cards)


def test_rendering_is_deterministic_given_the_ids() -> None:
    example = CATALOGUE.cards["dish_cards"].example
    assert renderer().render("dish_cards", example) == renderer().render("dish_cards", example)


HOSTILE: dict[str, tuple[Any, str, str]] = {
    "data is text": ("items", "invalid_data", "the card data is not an object"),
    "data is a list": ([{"name": "x"}], "invalid_data", "the card data is not an object"),
    "no data": (None, "invalid_data", "the card data is not an object"),
    "items null": ({"items": None}, "invalid_data", "/: required"),
    "items missing": ({"title": "x"}, "invalid_data", "/: required"),
    "items is text": ({"items": "abc"}, "invalid_data", "/items: type"),
    "item without name": ({"items": [{"price": "1"}]}, "invalid_data", "/items/0: required"),
    "item is text": ({"items": ["x"]}, "invalid_data", "/items/0: type"),
    "name is an object": ({"items": [{"name": {"path": "/title"}}]}, "invalid_data", "/items/0/name: type"),
    "price not a number": ({"items": [{"name": "x", "price": float("nan")}]}, "invalid_data", "a number is not finite"),
    "price infinite": ({"items": [{"name": "x", "price": float("-inf")}]}, "invalid_data", "a number is not finite"),
    "price is a list": ({"items": [{"name": "x", "price": [1]}]}, "invalid_data", "/items/0/price: type"),
    "too spicy": ({"items": [{"name": "x", "spiciness": 9}]}, "invalid_data", "/items/0/spiciness: maximum"),
    "image javascript:": (
        {"items": [{"name": "x", "image_url": "javascript:alert(1)"}]},
        "invalid_data",
        "/items/0/image_url: pattern",
    ),
    "image svg": (
        {"items": [{"name": "x", "image_url": "data:image/svg+xml;base64,AAAA"}]},
        "invalid_data",
        "/items/0/image_url: pattern",
    ),
    "image of another host without scheme": (
        {"items": [{"name": "x", "image_url": "//evil.example/x.png"}]},
        "invalid_data",
        "/items/0/image_url: pattern",
    ),
    "too many rows": ({"items": [{"name": "x"}] * 501}, "too_large", "a list of 501 items, 500 are allowed"),
    "5 MB": ({"items": [{"name": "x" * 12_000} for _ in range(450)]}, "too_large", f"{MAX_BYTES} are allowed"),
    "a name of 10 MB": ({"items": [{"name": "x" * 10_000_000}]}, "too_large", f"{MAX_BYTES} are allowed"),
    "integer that JSON readers lose": ({"items": [{"name": "x", "spiciness": 2**70}]}, "invalid_data", "not JSON"),
    "nothing to show": ({"items": []}, "invalid_data", "there is nothing to show"),
}


def shadowed(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"name": [value]}
    return value


HOSTILE["nested for ever"] = ({"items": [{"name": shadowed(5000)}]}, "invalid_data", "not JSON")


@pytest.mark.requirement("CARD-08")
@pytest.mark.parametrize("what", HOSTILE)
def test_card_08_hostile_data_becomes_a_message_with_the_reason(what: str) -> None:
    data, reason, error = HOSTILE[what]
    bubble = "" if what == "nothing to show" else "三道菜"
    card = renderer().render("dish_cards", data, bubble_text=bubble)
    assert_valid(card)
    assert card.card_type == "message-card"
    assert card.fallback is not None
    assert card.fallback.reason == reason
    assert any(error in said for said in card.fallback.errors), card.fallback
    assert (bubble or "[dish_cards]") in texts(card.operations)
    assert b"javascript:" not in orjson.dumps(card.operations)


@pytest.mark.requirement("CARD-08")
@pytest.mark.parametrize(
    "words",
    ["<img onerror=x>", "**bold** [a](javascript:alert(1))", "${/title}", "\\${name}", "{{x}}", "🌶" * 50, "‮drow"],
)
def test_card_08_words_are_shown_as_they_are_never_interpreted(words: str) -> None:
    card = renderer().render("dish_cards", {"title": "t", "items": [{"name": words, "stall": words}]})
    assert card.fallback is None
    read = texts(card.operations)
    assert words in read
    assert [text.strip() for text in read].count(words) == 3


@pytest.mark.requirement("CARD-08")
def test_card_08_a_key_called_proto_and_fields_of_a_newer_agent_are_left_out() -> None:
    item = json.loads('{"name": "水煮鱼", "__proto__": {"polluted": true}, "constructor": 1, "calories": 300}')
    card = renderer().render("dish_cards", {"items": [item], "__proto__": {"x": 1}})
    assert card.fallback is None
    assert b"__proto__" not in orjson.dumps(card.operations)
    assert not {"constructor", "calories"} & data_of(card)["items"][0].keys()


@pytest.mark.requirement("CARD-08")
def test_card_08_lone_surrogates_can_be_sent() -> None:
    lone = "a\ud83cb"
    card = renderer().render(
        "dish_cards", {"items": [{"name": lone, "stall": "🌶"}]}, bubble_text=lone, card_category=lone
    )
    assert card.fallback is None
    orjson.dumps([card.operations, card.bubble_text, card.card_category])
    assert data_of(card)["items"][0]["name"] == "a�b"
    assert data_of(card)["items"][0]["stall"] == "🌶"
    unknown = renderer().render(lone, {"x": lone}, bubble_text=lone, card_category=lone)
    orjson.dumps([unknown.operations, unknown.bubble_text, unknown.card_category, unknown.fallback])


@pytest.mark.requirement("CARD-08")
def test_card_08_errors_never_repeat_what_was_sent() -> None:
    secret = "hunter2-<script>"
    bodies: list[Any] = [
        secret,
        {"items": [{"name": {secret: secret}, "image_url": secret, "spiciness": secret}], secret: secret},
        {"items": secret, "title": [secret]},
    ]
    for body in bodies:
        fallback = renderer().render("dish_cards", body).fallback
        assert fallback is not None
        assert fallback.errors
        assert not any("hunter2" in error for error in fallback.errors)


@pytest.mark.requirement("CARD-08")
def test_card_08_the_number_of_errors_is_bounded() -> None:
    fallback = renderer().render("dish_cards", {"items": [{"name": ""}] * 400}).fallback
    assert fallback is not None
    assert len(fallback.errors) == 5


@pytest.mark.requirement("CARD-08")
def test_card_08_a_long_answer_fits_into_the_fallback() -> None:
    card = renderer().render("nope", {}, bubble_text="菜" * 1_000_000)
    assert_valid(card)
    assert data_of(card)["text"] == "菜" * MAX_BUBBLE
    assert card.bubble_text == "菜" * MAX_BUBBLE


@pytest.mark.parametrize("name", [None, 3, ["dish_cards"], {}, "", "x" * 10_000, "\x00<script>", "__proto__"])
def test_a_type_that_is_no_type_is_unknown(name: Any) -> None:
    card = renderer().render(name, {"items": []}, bubble_text=None)
    assert_valid(card)
    assert card.fallback is not None
    assert card.fallback.reason == "unknown_type"
    assert 0 < len(card.fallback.card_type) <= 64
    assert all(text.strip() for text in texts(card.operations))


def test_whole_numbers_become_integers_where_the_schema_says_so() -> None:
    card = renderer().render("canteen_cards", {"items": [{"name": "x", "seats_free": 12.0, "crowding": 1.0}]})
    row = data_of(card)["items"][0]
    assert (row["seats_free"], type(row["seats_free"])) == (12, int)
    assert row["crowding"] == 1
    broken = renderer().render("canteen_cards", {"items": [{"name": "x", "seats_free": 12.5}]})
    assert broken.fallback is not None


def test_null_counts_as_absent() -> None:
    card = renderer().render("dish_cards", {"title": "t", "items": [{"name": "x", "stall": None, "tags": None}]})
    assert card.fallback is None
    assert data_of(card)["items"][0]["stall"] == ""


def test_the_agents_data_and_the_schemas_defaults_stay_as_they_were() -> None:
    given = {"text": "好", "items": None}
    first = renderer().render("message-card", given)
    data_of(first)["items"].append({"label": "x", "value": ""})
    assert data_of(renderer().render("message-card", given))["items"] == []
    assert given == {"text": "好", "items": None}


def test_an_empty_list_shows_its_own_words_else_the_bubble_text() -> None:
    assert "没有符合条件的菜" in texts(
        renderer().render("dish_cards", {"items": [], "empty_text": "没有符合条件的菜"}).operations
    )
    card = renderer().render("dish_cards", {"items": []}, bubble_text="今天没有辣菜")
    assert card.fallback is None
    assert "今天没有辣菜" in texts(card.operations)


@pytest.mark.parametrize("category", [None, "", "  ", 3])
def test_a_card_without_a_category_has_that_of_its_type(category: Any) -> None:
    card = renderer().render("dish_cards", CATALOGUE.cards["dish_cards"].example, card_category=category)
    assert card.card_category == CATALOGUE.cards["dish_cards"].category


class Counter:
    """Remembers what the renderer tells."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []

    def rendered(self, card_type: str) -> None:
        self.seen.append((card_type,))

    def fell_back(self, card_type: str, reason: str) -> None:
        self.seen.append((card_type, reason))


def test_every_card_is_counted_once_and_strange_names_make_no_labels() -> None:
    counter = Counter()
    render = CardRenderer(CATALOGUE, events=counter).render
    render("dish-cards", CATALOGUE.cards["dish_cards"].example)
    render("dish_cards", "x")
    render("whatever-an-agent-invents", {})
    assert counter.seen == [("dish_cards",), ("dish_cards", "invalid_data"), ("unknown", "unknown_type")]
