"""What questions in both languages are taken to ask, on a Tuesday at 12:10; expectations come from the CSV files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.canteen.hours import hour_in
from agents.canteen.names import canteen_in
from agents.canteen.tools import CanteenTools
from agents.kit.spec import Asker
from tests.unit.canteen.tables import (
    CANTEENS,
    DISHES,
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
from tests.unit.canteen.talk import Talk

Fits = Callable[[Row], bool]


def tag(*names: str) -> Fits:
    return lambda dish: tags(dish) >= set(names)


def hot(dish: Row) -> bool:
    return spiciness(dish) >= 2


def mild(dish: Row) -> bool:
    return spiciness(dish) == 0


def at(canteen: str) -> Fits:
    return lambda dish: canteen_of(dish) == canteen


def anything(_: Row) -> bool:
    return True


def both(*fits: Fits) -> Fits:
    return lambda dish: all(fit(dish) for fit in fits)


def up_to(limit: float) -> Fits:
    return lambda dish: price(dish) <= limit


def called(part: str) -> Fits:
    return lambda dish: part in dish["name_zh"]


@pytest.mark.parametrize(
    ("question", "meal", "fits", "order"),
    [
        ("推荐几道辣的菜", "lunch", hot, "rating"),
        ("recommend some spicy dishes", "lunch", hot, "rating"),
        ("特别辣的晚餐", "dinner", lambda d: spiciness(d) == 3, "spiciness"),
        ("very spicy food for dinner", "dinner", lambda d: spiciness(d) == 3, "spiciness"),
        ("微辣的面条", "lunch", both(lambda d: spiciness(d) == 1, tag("面")), "rating"),
        ("a little spicy noodles", "lunch", both(lambda d: spiciness(d) == 1, tag("面")), "rating"),
        ("有没有不辣的", "lunch", mild, "rating"),
        ("我怕辣", "lunch", mild, "rating"),
        ("没有辣椒的菜", "lunch", mild, "rating"),
        ("I can't eat spicy food", "lunch", mild, "rating"),
        ("food without chili", "lunch", mild, "rating"),
        ("不要太辣的", "lunch", lambda d: spiciness(d) <= 1, "rating"),
        ("something not too spicy", "lunch", lambda d: spiciness(d) <= 1, "rating"),
        ("15元以下的午餐有什么", "lunch", up_to(15), "rating"),
        ("不超过12.5元的", "lunch", up_to(12.5), "rating"),
        ("20以内的晚饭", "dinner", up_to(20), "rating"),
        ("lunch under 10 yuan", "lunch", up_to(10), "rating"),
        ("dinner for at most ¥8", "dinner", up_to(8), "rating"),
        ("15块以上的菜", "lunch", anything, "rating"),
        ("最便宜的早餐", "breakfast", anything, "price"),
        ("cheap breakfast", "breakfast", anything, "price"),
        ("最贵的菜", "lunch", anything, "price_desc"),
        ("the most expensive dish", "lunch", anything, "price_desc"),
        ("vegetarian dinner under 12 yuan", "dinner", both(tag("素食"), up_to(12)), "rating"),
        ("晚上吃素", "dinner", tag("素食"), "rating"),
        ("我不吃肉", "lunch", tag("素食"), "rating"),
        ("清真的牛肉", "lunch", tag("清真", "牛肉"), "rating"),
        ("halal lamb", "lunch", tag("清真", "羊肉"), "rating"),
        ("减脂餐", "lunch", tag("低脂"), "rating"),
        ("any dumplings?", "lunch", tag("饺子"), "rating"),
        ("想喝奶茶", "lunch", called("奶茶"), "rating"),
        ("tofu or fish", "lunch", lambda d: bool(tags(d) & {"豆腐", "鱼"}), "rating"),
        ("牛肉或者鸡肉", "lunch", lambda d: bool(tags(d) & {"牛肉", "鸡肉"}), "rating"),
        ("不吃猪肉，有什么推荐", "lunch", lambda d: "猪肉" not in tags(d), "rating"),
        ("不要牛肉和羊肉", "lunch", lambda d: not tags(d) & {"牛肉", "羊肉"}, "rating"),
        ("I don't eat pork or beef", "lunch", lambda d: not tags(d) & {"猪肉", "牛肉"}, "rating"),
        ("我对花生过敏，晚上吃什么", "dinner", lambda d: "花生" not in tags(d), "rating"),
        ("有没有牛肉", "lunch", tag("牛肉"), "rating"),
        ("有没有牛肉面", "lunch", called("牛肉面"), "rating"),
        ("I want a burger", "lunch", called("汉堡"), "rating"),
        ("fried rice please", "lunch", called("炒饭"), "rating"),
        ("川菜", "lunch", tag("川菜"), "rating"),
        ("Korean food in canteen three", "lunch", both(tag("韩餐"), at("c3")), "rating"),
        ("二食堂有什么好吃的", "lunch", at("c2"), "rating"),
        ("what's good at the East Court canteen", "lunch", at("c4"), "rating"),
        ("清真餐厅有什么菜", "lunch", at("c6"), "rating"),
        ("what dishes does canteen two have", "lunch", at("c2"), "rating"),
        ("哪个食堂有辣的菜", "lunch", hot, "rating"),
        ("蜀香小炒有什么菜", "lunch", lambda d: d["stall"] == "s01", "rating"),
        ("哪个窗口有麻婆豆腐", "lunch", called("麻婆豆腐"), "rating"),
        ("鱼香肉丝多少钱", "lunch", called("鱼香肉丝"), "rating"),
        ("酸辣土豆丝哪里有", "lunch", called("酸辣土豆丝"), "rating"),
        ("where do I get a tea egg for breakfast", "breakfast", called("茶叶蛋"), "rating"),
        ("评分最高的菜", "lunch", anything, "rating"),
        ("今天中午吃什么", "lunch", anything, "rating"),
        ("你好", "lunch", anything, "rating"),
    ],
)
def test_dishes_are_found_as_the_question_wants(
    tools: CanteenTools, question: str, meal: str, fits: Fits, order: str
) -> None:
    expected = sorted(
        dishes(meal, fits, order), key=lambda d: d["name_zh"] not in question
    )  # a dish that is named first
    answered = Talk(tools).ask(question)
    assert [name for name, _ in answered.calls] == ["search_dishes"]
    assert expected
    assert answered.ids == [dish["id"] for dish in expected[:8]]
    assert answered.card is not None
    assert answered.card.type == "dish_cards"
    assert expected[0]["name_zh"] in answered.text or expected[0]["name_en"] in answered.text


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
def test_reviews_of_a_dish_are_words_without_a_card(tools: CanteenTools, question: str) -> None:
    answered = Talk(tools).ask(question)
    ids = {dish["id"] for dish in DISHES if "麻婆豆腐" in dish["name_zh"]}
    reviews = sorted((r for r in REVIEWS if r["dish"] in ids), key=lambda r: r["date"])
    assert reviews
    assert answered.card is None
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


def test_nothing_found_is_said_and_shown(tools: CanteenTools) -> None:
    chinese, english = Talk(tools).ask("1元以下的午餐"), Talk(tools).ask("lunch under 1 yuan in canteen two")
    assert "没有找到符合条件的菜" in chinese.text
    assert english.text.startswith("Nothing at Canteen Two fits for lunch.")
    for answered in (chinese, english):
        assert answered.ids == []
        assert answered.card is not None
        assert answered.card.data["empty_text"]


@pytest.mark.parametrize(
    ("questions", "meal", "fits", "order", "start"),
    [
        (("推荐几道辣的菜", "还有更便宜的吗"), "lunch", hot, "price", 0),
        (("recommend some spicy dishes", "cheaper ones?"), "lunch", hot, "price", 0),
        (("推荐几道辣的菜", "还有吗"), "lunch", hot, "rating", 8),
        (("推荐几道辣的菜", "换一批", "再来几个"), "lunch", hot, "rating", 16),
        (("推荐几道辣的菜", "换一批", "便宜一点的"), "lunch", hot, "price", 0),
        (("spicy dishes", "any more?"), "lunch", hot, "rating", 8),
        (("推荐几道辣的菜", "那二食堂呢"), "lunch", both(hot, at("c2")), "rating", 0),
        (("spicy dishes", "what about canteen two?"), "lunch", both(hot, at("c2")), "rating", 0),
        (("二食堂晚餐有什么辣的", "那不辣的呢"), "dinner", both(mild, at("c2")), "rating", 0),
        (("清真的菜", "那麻婆豆腐呢"), "lunch", called("麻婆豆腐"), "rating", 0),
        (("15元以下的菜", "那晚餐呢"), "dinner", up_to(15), "rating", 0),
        (("推荐几道辣的菜", "有什么素菜"), "lunch", tag("素食"), "rating", 0),
    ],
)
def test_a_follow_up_changes_only_what_it_names(
    tools: CanteenTools, questions: tuple[str, ...], meal: str, fits: Fits, order: str, start: int
) -> None:
    talk = Talk(tools)
    answered = [talk.ask(question) for question in questions][-1]
    assert set(answered.ids) == {dish["id"] for dish in dishes(meal, fits, order)[start : start + 8]}
    assert answered.ids


def test_after_the_last_dish_there_are_no_more(tools: CanteenTools) -> None:
    talk = Talk(tools)
    assert talk.ask("推荐一道甜品").ids == [dish["id"] for dish in dishes("lunch", tag("甜品"))]
    assert talk.ask("还有别的吗").text == "没有更多符合条件的菜了。"


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
    away = Talk(tools)
    away.ask("二食堂有哪些档口")
    assert away.ask("还有便宜的菜吗").calls[0][0] == "search_dishes"


@pytest.mark.parametrize(
    ("question", "hour"),
    [
        ("18:30", 18),
        ("6 pm", 18),
        ("at 6:30 p.m.", 18),
        ("12 am", 0),
        ("12 pm", 12),
        ("下午六点", 18),
        ("晚上八点半", 20),
        ("中午十二点", 12),
        ("中午一点", 13),
        ("凌晨2点", 2),
        ("3点", 15),
        ("二十点", 20),
        ("7 o'clock", 7),
        ("早上", 8),
        ("at lunch", 12),
        ("tonight", 18),
        ("现在", None),
        ("人少一点的", None),
        ("一点都不挤", None),
        ("25点", None),
        ("第1食堂", None),
        ("15元", None),
        ("", None),
    ],
)
def test_hours_are_read_in_both_languages(question: str, hour: int | None) -> None:
    assert hour_in(question) == hour


@pytest.mark.parametrize(
    ("text", "canteen"),
    [
        ("第一食堂", "c1"),
        ("2食堂", "c2"),
        ("Canteen 3", "c3"),
        ("the second canteen", "c2"),
        ("东苑", "c4"),
        ("west court canteen", "c5"),
        ("清真食堂", "c6"),
        ("the faculty dining hall", "c7"),
        ("第十一食堂", "第十一食堂"),
        ("canteen 12", "canteen 12"),
        ("北苑食堂", "北苑食堂"),
        ("一食堂和二食堂", None),
        ("食堂", None),
        ("the canteen", None),
    ],
)
def test_canteens_are_known_by_what_people_call_them(text: str, canteen: str | None) -> None:
    assert canteen_in(text) == canteen


def test_every_canteen_stall_and_dish_is_known_by_its_name(tools: CanteenTools) -> None:
    for row in CANTEENS.values():
        assert (canteen_in(row["name_zh"]), canteen_in(row["name_en"])) == (row["id"], row["id"])
    for stall in STALLS.values():
        assert Talk(tools).ask(f"{stall['name_zh']}有什么菜").calls[0][1]["stall"] == stall["name_zh"]
        assert Talk(tools).ask(f"what is good at {stall['name_en']}").calls[0][1]["stall"] == stall["name_en"]
    for dish in DISHES:
        assert Talk(tools).ask(f"{dish['name_zh']}多少钱").calls[0][1]["query"] == dish["name_zh"]
        assert Talk(tools).ask(f"how much is the {dish['name_en']}").calls[0][1]["query"] == dish["name_en"]
