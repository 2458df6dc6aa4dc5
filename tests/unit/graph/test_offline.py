"""The supervisor's policy without a language model: who is asked what, and what is said of the answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agents.canteen.agent import SPEC as CANTEEN_SPEC
from agents.kit.spec import AgentSpec
from agents.transport.agent import SPEC as TRANSPORT_SPEC
from chat_models import ToolSpec, Turn, is_chinese
from supervisor.dispatch.port import AgentCall, AgentInfo, AgentSkill, DispatchResult, UserContext
from supervisor.graph import results
from supervisor.graph.middleware.directory import HEADING, agent_line
from supervisor.graph.offline import decide, offline_model
from tests.fakes.agui import text_of
from tests.fakes.dispatcher import FakeDispatcher, failed, said
from tests.fakes.graph import Desk


def info(spec: AgentSpec) -> AgentInfo:
    """An agent of the house as discovery would see it."""
    skills = tuple(AgentSkill(s.id, s.name, s.description, s.tags, s.examples) for s in spec.skills)
    return AgentInfo(spec.name, spec.description, skills, f"http://{spec.name}.test")


WEATHER = AgentInfo(
    "weather",
    "天气预报 Forecasts",
    (AgentSkill("forecast", "天气 / Forecast", "Weather of the day", ("天气", "下雨", "weather", "rain"), ()),),
    "http://weather.test",
)
CAMPUS = (info(CANTEEN_SPEC), info(TRANSPORT_SPEC), WEATHER)


def tools(*agents: AgentInfo) -> list[ToolSpec]:
    lines = "\n".join(["Ask one agent.", HEADING, *(agent_line(agent) for agent in agents)])
    return [ToolSpec("call_domain_agent", lines), ToolSpec("orchestrate_parallel", "Ask several.")]


def first(question: str, *agents: AgentInfo, before: Sequence[BaseMessage] = ()) -> Turn:
    """What the policy does with a new question."""
    return decide([*before, HumanMessage(question)], tools(*(agents or CAMPUS)))


def asked(turn: Turn) -> list[tuple[str, str]]:
    """(agent, query) of a turn; [] when it only talks."""
    rows: list[tuple[str, str]] = []
    for _, args in turn.calls:
        rows += [(row["agent"], row["query"]) for row in args.get("calls", [args])]
    return rows


@pytest.mark.parametrize(
    ("question", "agent"),
    [
        ("推荐几道辣的菜", "canteen"),
        ("推荐几道辣的菜，15元以下", "canteen"),
        ("哪个食堂现在最不挤？", "canteen"),
        ("recommend some spicy dishes", "canteen"),
        ("which canteen is least crowded now?", "canteen"),
        ("下一班去图书馆的校车几点", "transport"),
        ("附近有停车场吗？", "transport"),
        ("when is the next shuttle to the library?", "transport"),
        ("明天会下雨吗", "weather"),
        ("What's the weather like?", "weather"),
        ("你好，推荐几道辣的菜", "canteen"),
    ],
)
def test_a_question_goes_whole_to_the_one_agent_that_fits(question: str, agent: str) -> None:
    assert asked(first(question)) == [(agent, question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "which canteen is least crowded and when is the next shuttle to the library?",
            [("canteen", "which canteen is least crowded"), ("transport", "when is the next shuttle to the library")],
        ),
        (
            "哪个食堂最不挤，下一班去图书馆的校车几点？",
            [("canteen", "哪个食堂最不挤"), ("transport", "下一班去图书馆的校车几点")],
        ),
        (
            "下一班校车几点？推荐几道辣的菜",
            [("transport", "下一班校车几点"), ("canteen", "推荐几道辣的菜")],
        ),
        ("先吃饭再坐校车去图书馆", [("canteen", "先吃饭"), ("transport", "坐校车去图书馆")]),
        (
            "你好，推荐几道辣的菜，价格15元以下，下一班校车几点，谢谢",
            [("canteen", "推荐几道辣的菜，价格15元以下"), ("transport", "下一班校车几点")],
        ),
        (
            "I am new here, which canteen is least crowded, when is the next shuttle",
            [("canteen", "I am new here, which canteen is least crowded"), ("transport", "when is the next shuttle")],
        ),
    ],
)
def test_a_question_for_two_agents_is_split_in_order_and_nothing_of_it_is_lost(
    question: str, expected: list[tuple[str, str]]
) -> None:
    turn = first(question)
    assert [name for name, _ in turn.calls] == ["orchestrate_parallel"]
    assert asked(turn) == expected


def test_a_third_agent_is_found_by_its_skills_only() -> None:
    library = AgentInfo("x17", "", (AgentSkill("s", "借书", "", ("借书", "borrow")),), "http://x.test")
    assert asked(first("在哪里借书", *CAMPUS, library)) == [("x17", "在哪里借书")]
    assert asked(first("在哪里借书")) == []


def call(agent: str, number: int = 1) -> AIMessage:
    args = {"agent": agent, "query": "?"}
    return AIMessage("", tool_calls=[{"id": f"c{number}", "name": "call_domain_agent", "args": args}])


def turn_before(agent: str) -> list[BaseMessage]:
    content = results.single(DispatchResult(agent, True, "completed", "回答"))
    return [HumanMessage("问题"), call(agent), ToolMessage(content, tool_call_id="c1"), AIMessage("回答")]


@pytest.mark.parametrize("question", ["还有更晚的吗", "那周六呢", "明天呢？", "what about Sunday?", "any other?"])
def test_a_follow_up_goes_to_the_agent_that_answered_last(question: str) -> None:
    assert asked(first(question, before=turn_before("transport"))) == [("transport", question)]
    both = [*turn_before("canteen"), *turn_before("weather")]
    assert asked(first(question, before=both)) == [("weather", question)]


@pytest.mark.parametrize("question", ["还有更便宜的吗", "what about dinner?"])
def test_a_follow_up_about_food_stays_with_the_canteen(question: str) -> None:
    assert asked(first(question, before=turn_before("canteen"))) == [("canteen", question)]


def test_a_follow_up_after_a_parallel_call_goes_to_its_first_agent() -> None:
    args: dict[str, Any] = {"calls": [{"agent": "weather", "query": "?"}, {"agent": "canteen", "query": "?"}]}
    before = [
        HumanMessage("问题"),
        AIMessage("", tool_calls=[{"id": "c1", "name": "orchestrate_parallel", "args": args}]),
        ToolMessage("{}", tool_call_id="c1"),
    ]
    assert asked(first("换一个", before=before)) == [("weather", "换一个")]


@pytest.mark.parametrize("calls", ["canteen", None, ["canteen"], [None]])
def test_calls_of_another_shape_in_the_history_do_no_harm(calls: Any) -> None:
    odd = AIMessage("", tool_calls=[{"id": "c1", "name": "orchestrate_parallel", "args": {"calls": calls}}])
    turn = first("还有别的吗", before=[HumanMessage("问题"), odd, ToolMessage("坏", tool_call_id="c1")])
    assert asked(turn) == []
    assert turn.text


def test_a_follow_up_to_an_agent_that_is_gone_is_answered_in_words() -> None:
    turn = first("还有别的吗", before=turn_before("gone"))
    assert not turn.calls
    assert "canteen" in turn.text


@pytest.mark.parametrize(
    "question", ["你好", "谢谢！", "写一首关于春天的诗", "hello", "Thanks.", "who is the president", "", "?"]
)
def test_greetings_and_unknown_questions_list_what_the_agents_can_do_in_the_users_language(question: str) -> None:
    turn = first(question)
    assert not turn.calls
    assert all(agent.name in turn.text for agent in CAMPUS)
    assert is_chinese(turn.text.splitlines()[0]) == is_chinese(question)
    assert ("推荐几道辣的菜" in turn.text) == is_chinese(question)
    assert ("recommend some spicy dishes" in turn.text) != is_chinese(question)


@pytest.mark.parametrize(
    ("question", "word"), [("推荐几道辣的菜", "没有可用的服务"), ("spicy food", "No agent is available")]
)
def test_with_no_agent_the_answer_says_so(question: str, word: str) -> None:
    assert word in decide([HumanMessage(question)], [ToolSpec("call_domain_agent", f"x\n{HEADING}")]).text
    down = AgentInfo("canteen", "", (), "http://c.test", healthy=False, error="no answer")
    assert word in first(question, down).text


def test_an_agent_that_is_down_is_not_offered() -> None:
    down = AgentInfo("library", "借书", (), "http://l.test", healthy=False)
    assert "library" not in first("你好", *CAMPUS, down).text


def test_line_separators_in_the_texts_of_an_agent_do_not_break_the_directory() -> None:
    odd = AgentInfo("odd", "一\u2028二\u0085三\n四\x0b五", (AgentSkill("s", "s", "", ("怪",)),), "http://o.test")
    assert asked(first("怪", odd, WEATHER)) == [("odd", "怪")]


def after(question: str, *found: DispatchResult, content: str | None = None) -> str:
    """The last word of a turn in which the agents gave these results."""
    told = content if content is not None else results.several(found)
    messages = [HumanMessage(question), call("canteen"), ToolMessage(told, tool_call_id="c1")]
    turn = decide(messages, tools(*CAMPUS))
    assert not turn.calls
    return turn.text


def leg(agent: str) -> AgentCall:
    return AgentCall(agent, "?", "key", "t", UserContext("alice"))


def test_the_texts_of_the_agents_are_the_answer() -> None:
    assert (
        after("吃什么", said(leg("canteen"), "三道菜"), said(leg("transport"), "10:20 发车")) == "三道菜\n\n10:20 发车"
    )


def test_an_answer_that_is_only_a_card_is_announced() -> None:
    card = DispatchResult("canteen", True, "completed", card_type="dish_cards", card_data={})
    assert after("吃什么", card) == "canteen 已给出卡片。"
    assert after("what to eat", card) == "canteen answered with a card."


def test_a_question_of_an_agent_is_passed_on() -> None:
    ask = DispatchResult("canteen", False, "suspended", "哪个校区？", error="a2a_state_input_required")
    assert after("吃什么", ask) == "哪个校区？"


ERRORS = [
    "timeout",
    "unreachable",
    "circuit_open",
    "unauthorized",
    "unknown_agent",
    "cancelled",
    "http_500",
    "rpc_-32603",
]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("question", ["吃什么", "what to eat"])
def test_a_failure_is_named_in_words_of_the_users_language_and_the_rest_stands(question: str, error: str) -> None:
    text = after(question, failed(leg("canteen"), error), said(leg("transport"), "10:20"))
    named, answer = text.split("\n\n")
    assert answer == "10:20"
    assert "canteen" in named
    assert error.split("_")[0] not in named.replace("canteen", "") or error in ("timeout", "cancelled")
    assert is_chinese(named) == is_chinese(question)


@pytest.mark.parametrize("question", ["吃什么", "what to eat"])
@pytest.mark.parametrize(
    "content",
    [
        results.refusal("internal", "The tool failed."),
        "Error invoking tool",
        "[]",
        "null",
        '{"results":null}',
        "\ud800",
    ],
)
def test_a_result_that_names_no_agent_still_gives_a_sentence(question: str, content: str) -> None:
    text = after(question, content=content)
    assert text == text.strip() != ""
    assert is_chinese(text) == is_chinese(question)


async def test_a_whole_turn_asks_both_agents_and_says_what_they_said() -> None:
    desk = Desk(offline_model(), FakeDispatcher(agents=CAMPUS))
    events = await desk.ask("哪个食堂最不挤，下一班去图书馆的校车几点")
    assert text_of(events) == "canteen: 哪个食堂最不挤\n\ntransport: 下一班去图书馆的校车几点"
    assert "weather" not in json.dumps(events)


WORDS = [
    "推荐",
    "辣的菜",
    "校车",
    "几点",
    "，",
    "再",
    "坐",
    "还有",
    "呢",
    "？",
    " and ",
    "when",
    "shuttle",
    "canteen",
    "hello",
    "\n",
]


@given(
    question=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=12).map("".join)),
    before=st.sampled_from(["", "canteen", "gone"]),
    present=st.lists(st.sampled_from(CAMPUS), unique=True, max_size=3),
)
def test_any_question_gives_a_valid_call_or_words(question: str, before: str, present: list[AgentInfo]) -> None:
    history = turn_before(before) if before else []
    turn = decide([*history, HumanMessage(question)], tools(*present))
    queries = asked(turn)
    assert len(turn.calls) <= 1
    assert {agent for agent, _ in queries} <= {agent.name for agent in present}
    assert all(query.strip() for _, query in queries)
    assert len({agent for agent, _ in queries}) == len(queries) <= 8
    assert bool(queries) != bool(turn.text.strip())
