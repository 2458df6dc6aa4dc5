"""What questions about canteens, stalls and reviews find, on a Tuesday at 12:10; expected from the CSV files."""

from __future__ import annotations

import pytest

from agents.canteen.tools import CanteenTools
from agents.kit.spec import Asker
from tests.unit.canteen.tables import CANTEENS, DISHES, REVIEWS, STALLS, Fits, crowding, dishes, hot
from tests.unit.canteen.talk import Talk


@pytest.mark.parametrize(
    ("question", "hour", "reverse"),
    [
        ("哪个食堂现在最不挤", None, False),
        ("which canteen is least crowded now?", None, False),
        ("人最少的食堂", None, False),
        ("where can I find a seat for lunch", 12, False),
        ("哪个食堂最挤", None, True),
        ("which canteen is the busiest at 6pm?", 18, True),
        ("晚上7点哪个食堂人少", 19, False),
        ("下午六点哪个食堂人少一点", 18, False),
        ("which canteen is quiet at 17:30", 17, False),
    ],
)
def test_canteens_are_ordered_by_how_full_they_are(
    tools: CanteenTools, question: str, hour: int | None, reverse: bool
) -> None:
    answered = Talk(tools).ask(question)
    expected = sorted(crowding("weekday", hour or 12), reverse=reverse)
    assert answered.card is not None
    assert answered.card.type == "canteen_cards"
    assert [item["crowding"] for item in answered.card.data["items"]] == [percent / 100 for percent, _ in expected]
    best = CANTEENS[answered.ids[0]]
    assert f"{expected[0][0]}%" in answered.text
    assert best["name_zh"] in answered.text or best["name_en"] in answered.text


@pytest.mark.parametrize(
    ("question", "expected", "never"),
    [
        ("哪个食堂现在最不挤", "现在最不拥挤的是", ":00"),
        ("晚上7点哪个食堂人少", "19:00 最不拥挤的是", "现在"),
        ("晚上7点的热力图", "19:00 最空的是", "现在"),
        ("各食堂的拥挤热力图", "现在最空的是", ":00"),
        ("明天食堂挤吗", "明天 12:00 最不拥挤的是", "现在"),
        ("周末下午一点哪个食堂人少", "周末 13:00 最不拥挤的是", "现在"),
        ("第二食堂晚上7点挤吗", "第二食堂 19:00 上座 49%", "现在"),
        ("第二食堂现在挤吗", "第二食堂现在上座 87%", ":00 "),
        ("第二食堂晚上11点开门吗", "第二食堂 23:00 没有营业，营业时间 06:30–20:30", "现在"),
        ("凌晨2点哪个食堂开门", "02:00 没有食堂营业", "现在"),
        ("哪些食堂还开着", "现在有 7 个食堂营业", ":00"),
        ("which canteen is least crowded now?", "Now the least crowded is", ":00"),
        ("which canteen is least crowded at 7pm?", "At 19:00 the least crowded is", "now"),
        ("heat map at 7 pm", "is the quietest at 19:00", "now"),
        ("heat map", "is the quietest now", ":00"),
        ("is canteen two busy at 7pm", "Canteen Two is 49% full at 19:00", "now"),
        ("is canteen two open at 11pm", "Canteen Two is closed at 23:00; it is open 06:30–20:30", "now"),
        ("which canteen is quiet tomorrow", "Tomorrow at 12:00 the least crowded is", "now"),
        ("which canteens are open at 9 pm", "1 canteen is open at 21:00", "now"),
        ("any canteen open at 3 am", "No canteen is open at 03:00", "now"),
    ],
)
def test_the_answer_says_what_time_it_is_about(tools: CanteenTools, question: str, expected: str, never: str) -> None:
    text = Talk(tools).ask(question).text
    assert expected in text
    assert never not in text


def test_the_best_rated_canteen_is_that_of_the_open_ones(tools: CanteenTools) -> None:
    best = max(CANTEENS.values(), key=lambda row: float(row["rating"]))
    assert f"现在营业的食堂里，评分最高的是{best['name_zh']}" in Talk(tools).ask("哪个食堂评分最高").text
    assert f"the best rated is {best['name_en']}" in Talk(tools).ask("which is the best canteen?").text


def test_the_nearest_canteen_needs_a_position(tools: CanteenTools) -> None:
    home = CANTEENS["c7"]
    here = Asker(location=(float(home["lat"]), float(home["lng"])))
    for question, expected in (("离我最近的食堂", "离你最近的是教工餐厅，约 0 米"), ("nearest canteen", "0 m away")):
        known, unknown = Talk(tools, here).ask(question), Talk(tools).ask(question)
        assert expected in known.text
        assert known.ids[0] == "c7"
        assert unknown.text.startswith(("没有你的位置", "I do not know where you are."))
        assert unknown.ids == [canteen for _, canteen in crowding("weekday", 12)]


def test_food_nearby_is_food(tools: CanteenTools) -> None:
    assert Talk(tools).ask("附近有什么好吃的").calls[0][0] == "search_dishes"


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("二食堂有哪些档口", lambda s: s["canteen"] == "c2"),
        ("which stalls are in Canteen Two?", lambda s: s["canteen"] == "c2"),
        ("清真档口有哪些", lambda s: s["cuisine_zh"] == "清真"),
        ("Sichuan stalls", lambda s: s["cuisine_en"] == "Sichuan"),
        ("东苑的川菜窗口", lambda s: s["canteen"] == "c4" and s["cuisine_zh"] == "川菜"),
        ("which stall sells light meals", lambda s: s["cuisine_zh"] == "轻食"),
    ],
)
def test_stalls_are_found_by_canteen_and_cuisine(tools: CanteenTools, question: str, fits: Fits) -> None:
    answered = Talk(tools).ask(question)
    expected = [s["id"] for s in sorted(STALLS.values(), key=lambda s: -float(s["rating"])) if fits(s)]
    assert answered.calls[0][0] == "list_stalls"
    assert answered.card is not None
    assert answered.card.type == "stall_cards"
    assert answered.ids == expected
    assert str(len(expected)) in answered.text


@pytest.mark.parametrize("question", ["哪里排队最短", "which stall has the shortest queue?"])
def test_the_shortest_queue_is_named_with_its_minutes(tools: CanteenTools, question: str) -> None:
    answered = Talk(tools).ask(question)
    shortest = min(int(stall["queue_minutes"]) for stall in STALLS.values())
    assert answered.card is not None
    assert answered.card.data["items"][0]["queue_minutes"] == shortest
    assert f"约 {shortest} 分钟" in answered.text or f"about {shortest} min" in answered.text
    assert str(len(STALLS)) in answered.text


@pytest.mark.parametrize(
    "question", ["麻婆豆腐的评价怎么样", "麻婆豆腐好吃吗", "reviews of the Mapo tofu", "how is the mapo tofu?"]
)
def test_reviews_of_a_dish_come_newest_first(tools: CanteenTools, question: str) -> None:
    answered = Talk(tools).ask(question)
    ids = {dish["id"] for dish in DISHES if "麻婆豆腐" in dish["name_zh"]}
    reviews = sorted((r for r in REVIEWS if r["dish"] in ids), key=lambda r: r["date"])
    assert reviews
    assert answered.card is not None
    assert answered.card.type == "review_cards"
    assert [item["date_label"] for item in answered.card.data["items"]] == [r["date"] for r in reviews][::-1][:6]
    for review in reviews[-3:]:
        assert review["text_zh"] in answered.text or review["text_en"] in answered.text


def test_a_dish_without_reviews_is_said_to_have_none(tools: CanteenTools) -> None:
    assert Talk(tools).ask("宫保鸡丁的评价").text == "还没有这道菜的评价。"
    assert Talk(tools).ask("reviews of the kung pao chicken").text == "There are no reviews of that dish yet."


def test_crowding_and_dishes_in_one_question_are_both_answered(tools: CanteenTools) -> None:
    answered = Talk(tools).ask("现在食堂挤吗？推荐几道辣的菜")
    assert [name for name, _ in answered.calls] == ["list_canteens", "search_dishes"]
    assert "最不拥挤的是" in answered.text
    assert answered.ids == [dish["id"] for dish in dishes("lunch", hot)[:8]]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("第九食堂有什么辣的菜", "没有找到“第九食堂”，下面看的是所有食堂。"),
        ("第九食堂现在挤吗", "没有找到“第九食堂”，下面看的是所有食堂。"),
        ("第九食堂有哪些档口", "没有找到“第九食堂”，下面看的是所有食堂。"),
        ("spicy dishes at canteen nine", 'There is no "canteen nine"; this is about all canteens. '),
    ],
)
def test_a_canteen_that_does_not_exist_is_said_to_be_unknown(tools: CanteenTools, question: str, expected: str) -> None:
    answered = Talk(tools).ask(question)
    assert answered.text.startswith(expected)
    assert answered.ids


def test_a_follow_up_stays_with_canteens_stalls_and_reviews(tools: CanteenTools) -> None:
    crowded = Talk(tools)
    crowded.ask("第二食堂晚上7点挤吗")
    assert crowded.ask("那三食堂呢").text.startswith("第三食堂 19:00 上座")
    stalls = Talk(tools)
    stalls.ask("二食堂有哪些档口")
    assert set(stalls.ask("那三食堂呢").ids) == {s for s, row in STALLS.items() if row["canteen"] == "c3"}
    reviews = Talk(tools)
    reviews.ask("麻婆豆腐的评价")
    assert reviews.ask("那宫保鸡丁呢").text == "还没有这道菜的评价。"
    opened = Talk(tools)
    opened.ask("晚上9点哪些食堂开着")
    assert opened.ask("那第二食堂呢").text == "第二食堂 21:00 没有营业，营业时间 06:30–20:30。"
    away = Talk(tools)
    away.ask("二食堂有哪些档口")
    assert away.ask("还有便宜的菜吗").calls[0][0] == "search_dishes"
