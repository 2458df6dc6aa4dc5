"""Which dishes questions in both languages find, on a Tuesday at 12:10; expectations come from the CSV files."""

from __future__ import annotations

import pytest

from agents.canteen.tools import CanteenTools
from tests.unit.canteen.tables import (
    Fits,
    anything,
    at,
    both,
    called,
    dishes,
    hot,
    mild,
    spiciness,
    tag,
    tags,
    up_to,
)
from tests.unit.canteen.talk import Talk


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
        ("不辣的面", "lunch", both(mild, tag("面")), "rating"),
        ("前面的食堂有什么", "lunch", anything, "rating"),
        ("有没有咖啡", "lunch", called("咖啡"), "rating"),
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


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("推荐三道辣的菜", 3),
        ("来 12 道辣的", 12),
        ("3 spicy dishes", 3),
        ("four very good spicy dishes", 4),
        ("几道辣的菜", 8),
    ],
)
def test_as_many_dishes_are_given_as_the_question_wants(tools: CanteenTools, question: str, count: int) -> None:
    talk = Talk(tools)
    assert talk.ask(question).ids == [dish["id"] for dish in dishes("lunch", hot)[:count]]
    assert talk.ask("还有吗").ids == [dish["id"] for dish in dishes("lunch", hot)[count : 2 * count]]


def test_after_the_last_dish_there_are_no_more(tools: CanteenTools) -> None:
    talk = Talk(tools)
    assert talk.ask("推荐一道甜品").ids == [dish["id"] for dish in dishes("lunch", tag("甜品"))]
    assert talk.ask("还有别的吗").text == "没有更多符合条件的菜了。"
