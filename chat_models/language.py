"""Which language a person wrote in, and how close a question is to a phrase. Shared by the offline policies."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_STOP_WORDS = (
    "a an and any are at be can do does for from give has have how i in is it list me my now of on or please show some "
    "tell that the there this to today us want what when where which who will with you your"
)
_STOP = frozenset(_STOP_WORDS.split())


def is_chinese(text: str) -> bool:
    """True when the text has a Chinese character; a question that mixes both is answered in Chinese."""
    return _CJK.search(text) is not None


def terms(text: str) -> set[str]:
    """Latin words without stop words and plural s, and the two-character pieces of Chinese runs."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if _CJK.match(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif word not in _STOP:
            found.add(_singular(word))
    return found


def _singular(word: str) -> str:
    if word.endswith(("shes", "ches", "xes", "sses", "buses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def mentions(text: str, tag: str) -> bool:
    """Whether the text names the tag: as a whole word in Latin script, anywhere in Chinese."""
    if is_chinese(tag):
        return tag in text
    words = terms(tag)
    return bool(words) and words <= terms(text)


def match_score(text: str, *, tags: Iterable[str], phrases: Iterable[str]) -> int:
    """How well a question fits: 4 for every tag it names, 1 for every term it shares with a phrase (at most 3)."""
    named = sum(4 for tag in set(tags) if mentions(text, tag))
    known: set[str] = set().union(*(terms(phrase) for phrase in phrases))
    return named + min(3, len(terms(text) & known))
