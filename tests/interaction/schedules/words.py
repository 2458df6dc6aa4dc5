"""The language of the questions in a schedule: `7 think pair ask2 say` says what the model will do, turn by turn.

The first word is the question's tag, unique in a world; each further word is one model turn. Model and agents read all
they do from it and hold no state, so whatever is executed again does the same; the oracle reads the outcome from it.
An agent's query is `<tag>.<turn>.<leg> <manner>`, a question to the user `<tag>.<turn>.<leg> <what follows>`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from chat_models import ToolSpec, Turn

HOLD = "▮"
"""A piece of text that the model does not say: it waits at the gate of the turn instead."""

FRONT = {
    "name": "front",
    "description": "A tool of the client's",
    "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
}

Call = tuple[str, dict[str, Any]]
Outcome = str


@dataclass(frozen=True)
class Word:
    """One model turn. `{}` in a call stands for `<tag>.<turn>`.

    `opens` and `pends`: how many questions to the user and calls of the client's tool it leaves open at first; `roles`
    are those of the messages that it leaves in the thread once it is done, cards apart.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    fails: bool = False
    opens: int = 0
    pends: int = 0
    held: bool = False
    cut: bool = False
    roles: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        thought = ("reasoning",) if self.reasoning else ()
        object.__setattr__(self, "roles", (*thought, "assistant", *("tool" for _ in self.calls)))

    def turn(self, tag: str) -> Turn:
        """The model turn that the word stands for."""
        if self.fails:
            return Turn(self.text, error="provider down", error_after=len(self.text))
        calls = [(name, json.loads(json.dumps(args).replace("{}", tag))) for name, args in self.calls]
        if self.cut:
            return Turn(chunks=_held_in_a_call(calls, tag))
        return Turn(text=self.text, calls=calls, reasoning=self.reasoning)


def _held_in_a_call(calls: Sequence[Call], tag: str) -> list[dict[str, Any]]:
    """The chunks of calls, with a wait in the middle of the arguments."""
    chunks: list[dict[str, Any]] = [{"text": "看"}]
    for index, (name, args) in enumerate(calls):
        raw = json.dumps(args)
        chunks += [{"tc": [index, f"call_{tag}_{index}", name, raw[:7]]}, {"text": HOLD}]
        chunks += [{"tc": [index, None, None, raw[7:]]}]
    return chunks


def _ask(leg: int, manner: str = "plain", agent: str = "canteen") -> Call:
    return "call_domain_agent", {"agent": agent, "query": f"{{}}.{leg} {manner}"}


def _both(one: str, two: str) -> Call:
    legs = [{"agent": "canteen", "query": f"{{}}.0 {one}"}, {"agent": "transport", "query": f"{{}}.1 {two}"}]
    return "orchestrate_parallel", {"calls": legs}


def _question(leg: int) -> Call:
    return "ask_input", {"message": f"{{}}.{leg} never"}


def _choice(leg: int) -> Call:
    return "ask_choice", {"message": f"{{}}.{leg} never", "options": ["一", "二"]}


def _front(leg: int) -> Call:
    return "front", {"what": f"{{}}.{leg}"}


WORDS: dict[str, Word] = {
    "say": Word("好的。"),
    "think": Word("想好了。", reasoning="嗯…"),
    "slow": Word(f"半句{HOLD}话。"),
    "ponder": Word("答。", reasoning=f"让我{HOLD}想"),
    "fail": Word("半句", fails=True),
    "agent": Word(calls=(_ask(0),)),
    "card": Word("看：", (_ask(0, "card"),)),
    "twice": Word(calls=(_ask(0, "card"), _ask(0, "card"))),
    "held": Word(calls=(_ask(0, "held"),)),
    "refuses": Word(calls=(_ask(0, "refuses"),)),
    "pair": Word("查。", (_ask(0), _ask(1, "card", "transport"))),
    "heldpair": Word(calls=(_ask(0, "held"), _ask(1, "card", "transport")), reasoning="先"),
    "both": Word(calls=(_both("card", "card"),)),
    "heldboth": Word(calls=(_both("held", "plain"),)),
    "late": Word(calls=(_ask(0),), cut=True),
    "mark": Word(calls=(("mark", {"text": "{}"}),)),
    "markheld": Word(calls=(("mark", {"text": "{}"}), _ask(0, "held"))),
    "wants": Word(calls=(_ask(0, "wants never"),), opens=1),
    "wants2": Word("问。", (_ask(0, "wants resolved"),), opens=1),
    "wantsheld": Word(calls=(_ask(0, "wants never"), _ask(1, "held")), opens=1),
    "bothwant": Word(calls=(_both("wants always", "wants never"),), opens=1),
    "ask": Word("问一句：", (_question(0),), opens=1),
    "choose": Word(calls=(_choice(0),), opens=1),
    "ask2": Word(calls=(_question(0), _choice(1)), opens=2),
    "askcard": Word(calls=(_question(0), _ask(1, "card")), opens=1),
    "askheld": Word(calls=(_ask(0, "held"), _question(1)), opens=1),
    "askwants": Word(calls=(_question(0), _ask(1, "wants never")), opens=2),
    "front": Word("看地图：", (_front(0),), pends=1),
    "front2": Word(calls=(_front(0), _front(1)), pends=2),
    "frontcard": Word(calls=(_ask(0, "card"), _front(1)), pends=1),
    "frontask": Word(calls=(_front(0), _question(1)), opens=1, pends=1),
}
LAST = ("say", "say", "think", "slow", "ponder", "fail")
"""Words without a call, which end a run."""
BEFORE = tuple(name for name, word in WORDS.items() if word.calls)
SAY = "say"


@dataclass(frozen=True)
class Script:
    """A question as its text tells it."""

    tag: str
    words: tuple[str, ...]

    def word(self, turn: int) -> Word:
        """What the model does in a turn; a question that is over ends with a text."""
        return WORDS[self.words[turn] if turn < len(self.words) else SAY]

    def rest(self, turn: int) -> tuple[Outcome, int, int, int]:
        """(outcome, open questions, pending calls, turn where it stops) of a run that begins with a turn."""
        while True:
            word = self.word(turn)
            if word.fails:
                return "error", 0, 0, turn
            if word.opens or word.pends:
                return ("interrupt" if word.opens else "waiting"), word.opens, word.pends, turn
            if not word.calls:
                return "success", 0, 0, turn
            turn += 1

    def roles(self, turns: int) -> list[str]:
        """Roles of the messages after the question when so many turns are done, cards apart."""
        return [role for turn in range(turns) for role in self.word(turn).roles]


def read(text: str) -> Script:
    """The script in a question's text."""
    tag, *words = text.split()
    return Script(tag, tuple(words))


def follows(message: str, *, resolved: bool) -> bool:
    """Whether another question of the same call comes after the answer to this one."""
    manner = message.split()[-1]
    return manner == "always" or (manner == "resolved" and resolved)


def place(messages: Sequence[BaseMessage]) -> tuple[Script, int]:
    """The script of the last question and the turn that is to be played."""
    asked = max(i for i, m in enumerate(messages) if isinstance(m, HumanMessage))
    return read(messages[asked].text), sum(isinstance(m, AIMessage) for m in messages[asked + 1 :])


def policy(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
    """What the model does."""
    script, turn = place(messages)
    return script.word(turn).turn(f"{script.tag}.{turn}")
