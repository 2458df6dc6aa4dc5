"""The tools of the MCP server: called directly for what they find, through a client for what they refuse."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from mcp.client import Client

from agents.canteen.tools import CanteenTools, build_server
from agents.kit.mcp_tools import quiet_server
from tests.unit.agents_kit.harness import stopped
from tests.unit.canteen.tables import (
    CANTEENS,
    CROWDING,
    REVIEWS,
    STALLS,
    Row,
    canteen_of,
    crowding,
    dishes,
    price,
    spiciness,
    tags,
)
from tests.unit.canteen.tables import DISHES as ALL_DISHES

TUESDAY_NOON = "2026-12-01T12:10"
SATURDAY_NOON = "2026-12-05T12:10"


def ids(rows: list[Row] | list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("clock", "meal"),
    [
        ("00:30", "breakfast"),
        ("09:59", "breakfast"),
        ("10:00", "lunch"),
        ("13:59", "lunch"),
        ("14:00", "dinner"),
        ("20:59", "dinner"),
        ("21:00", "breakfast"),
    ],
)
async def test_the_meal_is_the_present_or_the_next_one(db: sqlite3.Connection, clock: str, meal: str) -> None:
    found = await CanteenTools(db, stopped(f"2026-12-01T{clock}")).search_dishes(limit=50)
    assert (found["meal"], found["now"]) == (meal, clock)
    assert ids(found["dishes"]) == ids(dishes(meal)[:50])
    assert found["total"] == len(dishes(meal))


@pytest.mark.parametrize("sort", ["rating", "price", "price_desc", "spiciness"])
async def test_every_order_is_kept_and_names_the_best_stall_of_a_dish(tools: CanteenTools, sort: Any) -> None:
    found = await tools.search_dishes(sort=sort, limit=50)
    assert ids(found["dishes"]) == ids(dishes("lunch", order=sort)[:50])
    names = [dish["name_zh"] for dish in found["dishes"]]
    assert len(names) == len(set(names))


async def test_filters_are_combined(tools: CanteenTools) -> None:
    found = await tools.search_dishes(
        spicy_min=1, spicy_max=2, max_price=16, meal="dinner", canteen="c4", tags=["猪肉"], sort="price", limit=50
    )

    def fits(dish: Row) -> bool:
        return 1 <= spiciness(dish) <= 2 and price(dish) <= 16 and canteen_of(dish) == "c4" and "猪肉" in tags(dish)

    expected = dishes("dinner", fits, "price")
    assert expected
    assert ids(found["dishes"]) == ids(expected)


async def test_a_price_limit_includes_the_limit(tools: CanteenTools) -> None:
    dearest = (await tools.search_dishes(max_price=10.5, sort="price_desc", limit=1))["dishes"][0]
    assert dearest["price"] == "10.50"


async def test_a_tag_is_a_whole_word(tools: CanteenTools) -> None:
    found = await tools.search_dishes(tags=["面"], limit=50)
    assert found["dishes"]
    assert all("面" in dish["tags"] for dish in found["dishes"])


async def test_a_tag_may_be_named_in_english(tools: CanteenTools) -> None:
    chinese, english = await tools.search_dishes(tags=["羊肉"]), await tools.search_dishes(tags=["Lamb"])
    assert english["dishes"] == chinese["dishes"] != []
    assert "lamb" in english["dishes"][0]["tags_en"]


async def test_a_query_looks_into_names_in_both_languages_and_tags(tools: CanteenTools) -> None:
    assert "麻婆豆腐" in [d["name_zh"] for d in (await tools.search_dishes(query="麻婆豆腐"))["dishes"]]
    assert "麻婆豆腐" in [d["name_zh"] for d in (await tools.search_dishes(query="mapo"))["dishes"]]
    assert all("韩餐" in d["tags"] for d in (await tools.search_dishes(query="韩餐"))["dishes"])


async def test_a_dish_can_be_looked_up_at_a_stall(tools: CanteenTools) -> None:
    found = await tools.search_dishes(stall="Seoul Kitchen", limit=50)
    assert ids(found["dishes"]) == ids(dishes("lunch", lambda d: d["stall"] == "s17"))


async def test_a_sold_out_dish_is_not_listed(tools: CanteenTools) -> None:
    sold_out = [d for d in ALL_DISHES if "lunch" in d["meals"].split("|") and d["stock_lunch"] == "0"]
    assert sold_out
    for dish in sold_out:
        found = await tools.search_dishes(query=dish["name_zh"], canteen=canteen_of(dish), limit=50)
        assert dish["id"] not in ids(found["dishes"])


async def test_tags_to_avoid_are_left_out(tools: CanteenTools) -> None:
    found = await tools.search_dishes(without=["pork", "牛肉"], limit=50)
    assert ids(found["dishes"]) == ids(dishes("lunch", lambda d: not tags(d) & {"猪肉", "牛肉"})[:50])


async def test_one_of_several_tags_is_enough_if_asked_so(tools: CanteenTools) -> None:
    both = await tools.search_dishes(tags=["鱼", "低脂"], limit=50)
    either = await tools.search_dishes(tags=["鱼", "low fat"], any_tag=True, limit=50)
    assert ids(both["dishes"]) == ids(dishes("lunch", lambda d: tags(d) >= {"鱼", "低脂"}))
    assert ids(either["dishes"]) == ids(dishes("lunch", lambda d: bool(tags(d) & {"鱼", "低脂"}))[:50])


async def test_the_next_dishes_follow_the_first_ones(tools: CanteenTools) -> None:
    first, second = await tools.search_dishes(), await tools.search_dishes(offset=8)
    assert ids(first["dishes"]) + ids(second["dishes"]) == ids(dishes("lunch")[:16])
    assert (await tools.search_dishes(offset=500))["dishes"] == []


async def test_a_dish_called_as_the_query_comes_before_those_called_alike(tools: CanteenTools) -> None:
    found = await tools.search_dishes(query="mapo tofu")
    assert [dish["name_en"] for dish in found["dishes"]] == ["Mapo tofu", "Vegetarian mapo tofu"]


async def test_nothing_found_is_an_empty_list(tools: CanteenTools) -> None:
    found = await tools.search_dishes(max_price=0.5)
    assert (found["dishes"], found["total"]) == ([], 0)


@pytest.mark.parametrize("name", ["c2", "第二食堂", "二食堂", "Canteen Two", " canteen 2 "])
async def test_a_canteen_is_known_by_id_and_by_name(tools: CanteenTools, name: str) -> None:
    found = await tools.search_dishes(canteen=name, limit=50)
    assert found["canteen"] == {"id": "c2", "name_zh": "第二食堂", "name_en": "Canteen Two"}
    assert found["unknown_canteen"] is None
    assert {dish["canteen_en"] for dish in found["dishes"]} == {"Canteen Two"}


async def test_an_unknown_canteen_is_reported_and_not_used_as_a_filter(tools: CanteenTools) -> None:
    found = await tools.search_dishes(canteen="第九食堂")
    assert (found["canteen"], found["unknown_canteen"]) == (None, "第九食堂")
    assert ids(found["dishes"]) == ids(dishes("lunch")[:8])
    stalls = await tools.list_stalls(canteen="第九食堂")
    assert (stalls["canteen"], stalls["unknown_canteen"]) == (None, "第九食堂")
    assert stalls["stalls"]
    canteens = await tools.list_canteens(canteen="第九食堂")
    assert (canteens["unknown_canteen"], len(canteens["canteens"])) == ("第九食堂", len(CANTEENS))


@pytest.mark.parametrize(("clock", "days"), [(TUESDAY_NOON, "weekday"), (SATURDAY_NOON, "weekend")])
async def test_canteens_come_quietest_first(db: sqlite3.Connection, clock: str, days: str) -> None:
    found = await CanteenTools(db, stopped(clock)).list_canteens()
    assert [(row["percent"], row["id"]) for row in found["canteens"]] == crowding(days, 12)
    for row in found["canteens"]:
        assert row["seats_free"] == round(int(CANTEENS[row["id"]]["seats"]) * (100 - row["percent"]) / 100)


async def test_closed_canteens_come_last_or_not_at_all(db: sqlite3.Connection) -> None:
    tools = CanteenTools(db, stopped("2026-12-01T21:30"))
    everything = await tools.list_canteens()
    assert [row["open"] for row in everything["canteens"]] == [True] + [False] * 6
    assert everything["canteens"][0]["id"] == "c4"
    assert ids((await tools.list_canteens(open_now=True))["canteens"]) == ["c4"]


async def test_a_canteen_is_closed_from_the_minute_it_closes(db: sqlite3.Connection) -> None:
    for clock, is_open in (("06:29", False), ("06:30", True), ("20:29", True), ("20:30", False)):
        found = await CanteenTools(db, stopped(f"2026-12-01T{clock}")).list_canteens(canteen="c2")
        assert [(row["id"], row["open"]) for row in found["canteens"]] == [("c2", is_open)], clock


@pytest.mark.parametrize(
    ("clock", "arguments", "days", "hour"),
    [
        ("2026-12-01T12:10", {"hour": 18}, "weekday", 18),
        ("2026-12-05T12:10", {"hour": 18}, "weekend", 18),
        ("2026-12-04T12:10", {"day": "tomorrow"}, "weekend", 12),
        ("2026-12-06T23:10", {"day": "tomorrow", "hour": 8}, "weekday", 8),
        ("2026-12-01T23:10", {"day": "weekend"}, "weekend", 12),
        ("2026-12-05T23:10", {"day": "weekday", "hour": 17}, "weekday", 17),
    ],
)
async def test_crowding_can_be_asked_for_another_time(
    db: sqlite3.Connection, clock: str, arguments: dict[str, Any], days: str, hour: int
) -> None:
    tools = CanteenTools(db, stopped(clock))
    listed, mapped = await tools.list_canteens(**arguments), await tools.crowding_heatmap(**arguments)
    assert (listed["at_hour"], listed["at_now"], mapped["at_hour"]) == (hour, False, hour)
    assert [(row["percent"], row["id"]) for row in listed["canteens"] if row["open"]] == crowding(days, hour)
    assert sorted((row["percent"], row["id"]) for row in mapped["canteens"]) == crowding(days, hour)


async def test_the_busiest_canteen_comes_first_if_asked_so(tools: CanteenTools) -> None:
    percents = [row["percent"] for row in (await tools.list_canteens(sort="busiest"))["canteens"]]
    assert percents == sorted((p for p, _ in crowding("weekday", 12)), reverse=True)


async def test_without_a_position_there_is_no_order_by_distance(tools: CanteenTools) -> None:
    found = await tools.list_canteens(sort="distance")
    assert (found["sort"], found["location_unknown"]) == ("crowding", True)
    assert found["canteens"] == (await tools.list_canteens())["canteens"]


async def test_canteens_can_be_ordered_by_rating_and_by_distance(tools: CanteenTools) -> None:
    rated = await tools.list_canteens(sort="rating")
    assert ids(rated["canteens"]) == sorted(CANTEENS, key=lambda c: -float(CANTEENS[c]["rating"]))
    home = CANTEENS["c5"]
    near = await tools.list_canteens(sort="distance", near_lat=float(home["lat"]), near_lng=float(home["lng"]))
    assert (near["canteens"][0]["id"], near["canteens"][0]["distance_m"]) == ("c5", 0)
    metres = [row["distance_m"] for row in near["canteens"]]
    assert metres == sorted(metres)
    # c5 to c2: 0.0009 degrees north are about 100 m, 0.0071 degrees east at latitude 31 about 677 m.
    assert next(row["distance_m"] for row in near["canteens"] if row["id"] == "c2") == pytest.approx(684, abs=5)


async def test_stalls_can_be_ordered_by_their_queue(tools: CanteenTools) -> None:
    found = await tools.list_stalls(sort="queue", limit=50)
    waits = [row["queue_minutes"] for row in found["stalls"]]
    assert waits == sorted(waits)
    assert set(ids(found["stalls"])) == set(STALLS)


async def test_the_number_of_stalls_is_that_before_the_limit(tools: CanteenTools) -> None:
    found = await tools.list_stalls(limit=3)
    assert (len(found["stalls"]), found["total"]) == (3, len(STALLS))


async def test_stalls_of_a_canteen_have_their_price_range(tools: CanteenTools) -> None:
    found = await tools.list_stalls(canteen="c6")
    assert set(ids(found["stalls"])) == {s for s, row in STALLS.items() if row["canteen"] == "c6"}
    for row in found["stalls"]:
        prices = [price(d) for d in ALL_DISHES if d["stall"] == row["id"]]
        assert (row["price_from"], row["price_to"]) == (min(prices), max(prices))


async def test_stalls_can_be_found_by_cuisine_in_both_languages(tools: CanteenTools) -> None:
    expected = {s for s, row in STALLS.items() if row["cuisine_en"] == "Sichuan"}
    for cuisine in ("川菜", "sichuan"):
        assert set(ids((await tools.list_stalls(cuisine=cuisine))["stalls"])) == expected


async def test_the_heat_map_leaves_closed_canteens_out(tools: CanteenTools) -> None:
    at_eight = await tools.crowding_heatmap(hour=20)
    assert {(row["percent"], row["id"]) for row in at_eight["canteens"]} == set(crowding("weekday", 20))
    assert (await tools.crowding_heatmap(hour=3))["canteens"] == []
    assert (await tools.crowding_heatmap())["at_hour"] == 12


async def test_reviews_come_newest_first(tools: CanteenTools) -> None:
    found = await tools.dish_reviews(limit=50)
    days = [row["date"] for row in found["reviews"]]
    assert days == sorted((row["date"] for row in REVIEWS), reverse=True)[:50]


async def test_reviews_of_a_dish_are_found_in_both_languages(tools: CanteenTools) -> None:
    named = {d["id"]: d for d in ALL_DISHES}
    chinese, english = named[REVIEWS[0]["dish"]]["name_zh"], named[REVIEWS[0]["dish"]]["name_en"]
    expected = {r["id"] for r in REVIEWS if chinese in named[r["dish"]]["name_zh"]}
    for name in (chinese, english):
        assert set(ids((await tools.dish_reviews(dish=name, limit=50))["reviews"])) == expected
    assert (await tools.dish_reviews(dish="巧克力火锅"))["reviews"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_dishes", {"limit": 0}),
        ("search_dishes", {"limit": 51}),
        ("search_dishes", {"spicy_min": -1}),
        ("search_dishes", {"spicy_max": 4}),
        ("search_dishes", {"max_price": 0}),
        ("search_dishes", {"meal": "brunch"}),
        ("search_dishes", {"sort": "name; DROP TABLE dishes"}),
        ("search_dishes", {"tags": ["a"] * 6}),
        ("search_dishes", {"query": "x" * 61}),
        ("search_dishes", {"offset": -1}),
        ("list_canteens", {"day": "someday"}),
        ("list_canteens", {"hour": 24}),
        ("list_canteens", {"near_lat": 91, "near_lng": 0}),
        ("list_canteens", {"near_lat": 0, "near_lng": 1e308}),
        ("list_stalls", {"limit": 51}),
        ("crowding_heatmap", {"hour": -1}),
        ("dish_reviews", {"limit": 0}),
    ],
)
async def test_arguments_out_of_bounds_are_refused(
    db: sqlite3.Connection, tool: str, arguments: dict[str, Any]
) -> None:
    async with Client(quiet_server(build_server, db, stopped(TUESDAY_NOON))) as client:
        assert (await client.call_tool(tool, arguments)).is_error
        assert not (await client.call_tool(tool, {})).is_error


@pytest.mark.parametrize("text", ["'; DROP TABLE dishes; --", "%", "_", "|", "\\", "\x00", "😀" * 30])
async def test_no_text_breaks_the_database(tools: CanteenTools, text: str) -> None:
    await tools.search_dishes(query=text, stall=text, canteen=text, tags=[text])
    await tools.list_stalls(canteen=text, cuisine=text)
    await tools.dish_reviews(dish=text)
    assert (await tools.search_dishes())["dishes"]


def test_every_crowding_row_is_used() -> None:
    assert {hour for _, _, hour in CROWDING} == set(range(6, 22))
