"""What the supervisor says without a language model: routes by the agents' own skills, then tells what they answered.

A policy for `ScriptedChatModel`. It knows no agent by name: the directory in the tool description is all it reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from chat_models import ScriptedChatModel, ToolSpec, Turn, is_chinese, match_score
from supervisor.graph.middleware.directory import read_directory
from supervisor.graph.results import ERROR_HINTS, since_last_question, turn_rows

SINGLE, PARALLEL = "call_domain_agent", "orchestrate_parallel"

_CLAUSES = re.compile(
    r"[。！？!?；;\n]+|，|,|\s+and\s+(?=when|what|which|where|how|is|are|find|show|tell|recommend)|以及|然后|还有(?=哪|什|几|多)|再(?=坐|去|看|查)",
    re.I,
)
_FOLLOW_UP = re.compile(
    r"^(那|还有|再来|换|更|有没有更|what about|how about|and |any (cheaper|other|more)|more\b|cheaper)"
    r"|呢[？?。！!\s]*$",
    re.I,
)
_GREETING = re.compile(r"^\s*(hi|hello|hey|thanks?|thank you|你好|您好|嗨|谢谢|早上好|晚上好)[\s!！。.~]*$", re.I)
_NAMED = 4
"""What a named tag counts; shared terms never outweigh one."""
_LEAST = 2
"""Score from which an agent is asked at all: a named tag, or two shared terms."""

_REASONS = {
    "timeout": "响应超时。",
    "unreachable": "无法连接。",
    "circuit_open": "连续失败，稍后再试。",
    "unauthorized": "凭证被拒绝。",
    "unknown_agent": "没有这个服务。",
    "cancelled": "已停止。",
}

Agent = dict[str, Any]


def offline_model(delay_ms: float = 0) -> ScriptedChatModel:
    """The embedded model of the supervisor."""
    return ScriptedChatModel(policy=decide, delay_ms=delay_ms)


def decide(messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
    """Ask the agents that fit, then answer from what they said."""
    question = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    rows = turn_rows(messages)
    if rows or since_last_question(messages) or not tools:
        return Turn(final_text(question, rows))
    agents = [agent for tool in tools for agent in read_directory(tool.description)]
    chosen = _route(question, agents) or _follow_up(question, agents, messages)
    if not chosen:
        return Turn(_introduction(question, agents))
    if len(chosen) == 1:
        return Turn(calls=[(SINGLE, {"agent": chosen[0][0], "query": chosen[0][1]})])
    return Turn(calls=[(PARALLEL, {"calls": [{"agent": name, "query": query} for name, query in chosen]})])


def _score(text: str, agent: Agent) -> int:
    """How well the text fits: tags and the name count 4 each, words shared with descriptions and examples little."""
    skills = agent["skills"]
    tags = [agent["agent"], *(tag for skill in skills for tag in skill["tags"])]
    phrases = [agent["description"], *(p for s in skills for p in (s["name"], s["description"], *s["examples"]))]
    return match_score(text, tags=tags, phrases=phrases)


def _route(question: str, agents: Sequence[Agent]) -> list[tuple[str, str]]:
    """(agent, its part of the question) for every agent that fits, in the order of the question."""
    parts: dict[str, list[str]] = {}
    latest: list[str] = []
    leading: list[str] = []
    for clause in (c.strip() for c in _CLAUSES.split(question) if c and c.strip()):
        if _GREETING.match(clause):
            continue
        fitting = _fitting(clause, agents)
        for name in fitting or latest:
            parts.setdefault(name, leading[:]).append(clause)
        if fitting:
            latest, leading = fitting, []
        elif not latest:
            leading.append(clause)
    if len(parts) < 2:
        return [(name, question.strip()) for name in parts]
    glue = "，" if is_chinese(question) else ", "
    return [(name, glue.join(clauses)) for name, clauses in parts.items()]


def _fitting(clause: str, agents: Sequence[Agent]) -> list[str]:
    """The agents that a clause names, else those it is closest to. A clause that fits none goes with its neighbour."""
    scored = [(score, agent["agent"]) for agent in agents if (score := _score(clause, agent)) >= _LEAST]
    best = max((score for score, _ in scored), default=0)
    return [name for score, name in scored if score == best or score >= _NAMED]


def _follow_up(question: str, agents: Sequence[Agent], messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """A question that names nothing goes to the agent that answered last."""
    if not _FOLLOW_UP.search(question.strip()):
        return []
    known = {agent["agent"] for agent in agents}
    for message in reversed(messages):
        for call in reversed(message.tool_calls) if isinstance(message, AIMessage) else ():
            several = call["args"].get("calls")
            rows = [call["args"], *(cast("list[Any]", several) if isinstance(several, list) else ())]
            names = [str(cast("dict[str, Any]", row).get("agent")) for row in rows if isinstance(row, dict)]
            if fitting := [name for name in names if name in known]:
                return [(fitting[0], question.strip())]
    return []


def final_text(question: str, rows: Sequence[dict[str, Any]]) -> str:
    """What the agents said, and in words why one could not answer."""
    chinese = is_chinese(question)
    lines = [_line(row, chinese) for row in rows]
    if not lines:
        return (
            "抱歉，这次没有得到结果，请再试一次。"
            if chinese
            else "Sorry, there was no result this time. Please try again."
        )
    return "\n\n".join(lines)


def _line(row: dict[str, Any], chinese: bool) -> str:
    name, text = str(row.get("agent") or ""), str(row.get("text") or "")
    # A suspended agent's text is its question to the user.
    if text and row.get("status") in ("completed", "suspended"):
        return text
    if row.get("status") == "completed":
        return f"{name} 已给出卡片。" if chinese else f"{name} answered with a card."
    reason = _reason(row, chinese)
    if not name:
        return f"查询没有成功：{reason}" if chinese else f"The request did not work: {reason}"
    return f"{name} 服务暂时无法回答：{reason}" if chinese else f"The {name} agent could not answer: {reason}"


def _reason(row: dict[str, Any], chinese: bool) -> str:
    code = str(row.get("error"))
    if code == "a2a_state_rejected" and row.get("text"):
        # Why an agent does not take a question is said for whoever asked.
        return str(row["text"])
    if chinese:
        return _REASONS.get(code, "出了点问题，请稍后再试。")
    return ERROR_HINTS.get(code) or str(row.get("message") or "Something went wrong.")


def _introduction(question: str, agents: Sequence[Agent]) -> str:
    chinese = is_chinese(question)
    offers = [f"- {agent['agent']}: {_offer(agent, chinese)}" for agent in agents if agent["available"]]
    if not offers:
        return "现在没有可用的服务，请稍后再试。" if chinese else "No agent is available now. Please try again later."
    opening = "你好！我可以帮你：" if chinese else "Hello! I can help with:"
    return "\n".join([opening, *offers])


def _offer(agent: Agent, chinese: bool) -> str:
    examples = [e for skill in agent["skills"] for e in skill["examples"] if is_chinese(e) == chinese]
    quoted = "、".join(f"“{e}”" for e in examples[:2]) if chinese else ", ".join(f'"{e}"' for e in examples[:2])
    return quoted or agent["description"]
