"""The campus data is big enough to browse and holds together."""

from __future__ import annotations

from datetime import date, time

from tests.unit.canteen.tables import CANTEENS, CROWDING, DISHES, REVIEWS, STALLS, price, spiciness, table, tags

MEALS = {"breakfast", "lunch", "dinner"}


def test_there_are_enough_canteens_stalls_and_dishes() -> None:
    assert len(CANTEENS) >= 6
    assert len(STALLS) >= 40
    assert len(DISHES) >= 400
    assert len(REVIEWS) >= 100


def test_no_id_is_used_twice() -> None:
    for name in ("canteens", "stalls", "dishes", "reviews"):
        ids = [row["id"] for row in table(name)]
        assert len(ids) == len(set(ids)), name


def test_every_reference_leads_somewhere() -> None:
    assert {stall["canteen"] for stall in STALLS.values()} == set(CANTEENS)
    assert {dish["stall"] for dish in DISHES} == set(STALLS)
    assert {review["dish"] for review in REVIEWS} <= {dish["id"] for dish in DISHES}
    assert {canteen for canteen, _, _ in CROWDING} == set(CANTEENS)


def test_prices_are_positive_and_spiciness_is_at_most_three() -> None:
    assert all(price(dish) > 0 for dish in DISHES)
    assert {spiciness(dish) for dish in DISHES} == {0, 1, 2, 3}


def test_ratings_stars_and_percentages_are_in_range() -> None:
    assert all(1 <= float(row["rating"]) <= 5 for row in [*CANTEENS.values(), *STALLS.values(), *DISHES])
    assert all(1 <= int(review["stars"]) <= 5 and date.fromisoformat(review["date"]) for review in REVIEWS)
    assert all(0 <= percent <= 100 for percent in CROWDING.values())


def test_stock_agrees_with_the_meals_a_dish_is_served_at() -> None:
    for dish in DISHES:
        served = set(dish["meals"].split("|"))
        assert served, dish["id"]
        assert served <= MEALS, dish["id"]
        for meal in MEALS - served:
            assert dish[f"stock_{meal}"] == "0", dish["id"]


def test_every_name_is_given_in_both_languages() -> None:
    for row in [*CANTEENS.values(), *STALLS.values(), *DISHES]:
        assert not row["name_zh"].isascii(), row["id"]
        assert row["name_en"], row["id"]


def test_every_tag_has_one_english_name() -> None:
    names = {row["zh"]: row["en"] for row in table("tags")}
    assert set(names) == {tag for dish in DISHES for tag in tags(dish)}
    assert len(set(names.values())) == len(table("tags"))


def test_the_same_dish_has_the_same_names_and_tags_wherever_it_is_sold() -> None:
    for key in ("name_en", "tags", "spiciness"):
        known: dict[str, str] = {}
        for dish in DISHES:
            assert known.setdefault(dish["name_zh"], dish[key]) == dish[key], dish["id"]


def test_crowding_is_known_for_every_hour_a_canteen_is_open() -> None:
    for canteen in CANTEENS.values():
        opens, closes = time.fromisoformat(canteen["opens"]), time.fromisoformat(canteen["closes"])
        hours = {hour for hour in range(24) if time(hour) < closes and time(hour, 59) >= opens}
        for days in ("weekday", "weekend"):
            assert {h for c, d, h in CROWDING if (c, d) == (canteen["id"], days)} == hours, (canteen["id"], days)
