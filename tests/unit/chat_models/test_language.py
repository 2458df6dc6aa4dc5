from __future__ import annotations

import pytest

from chat_models import is_chinese, match_score, mentions, terms


@pytest.mark.parametrize(
    ("text", "expected"), [("你好", True), ("library 图书馆", True), ("hello!", False), ("", False)]
)
def test_a_text_with_a_chinese_character_is_chinese(text: str, expected: bool) -> None:
    assert is_chinese(text) is expected


def test_terms_are_latin_words_without_plural_and_chinese_bigrams() -> None:
    assert {"shuttle", "校车", "车时"} <= terms("The Shuttles 校车时刻")
    assert "the" not in terms("the shuttles")


@pytest.mark.parametrize(
    ("plural", "singular"), [("buses", "bus"), ("dishes", "dish"), ("routes", "route"), ("gas", "gas")]
)
def test_a_plural_matches_its_singular(plural: str, singular: str) -> None:
    assert terms(plural) == terms(singular)


def test_a_latin_tag_is_named_as_a_whole_word() -> None:
    assert mentions("when is the next shuttle?", "shuttle")
    assert not mentions("a busy day", "bus")


def test_a_chinese_tag_is_named_anywhere() -> None:
    assert mentions("下一班校车几点", "校车")


def test_the_agent_whose_tags_are_named_scores_higher() -> None:
    transport = match_score("when is the next shuttle", tags=["shuttle", "parking"], phrases=["next bus"])
    canteen = match_score("when is the next shuttle", tags=["dish"], phrases=["what is for lunch"])
    assert transport > canteen == 0
