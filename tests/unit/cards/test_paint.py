"""The headless renderer of these tests must itself notice what a user would miss."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from a2ui_schemas import load_catalogue
from supervisor.cards.render import CardRenderer
from tests.unit.cards.paint import texts


def operations() -> list[dict[str, Any]]:
    catalogue = load_catalogue()
    return copy.deepcopy(CardRenderer(catalogue).render("dish_cards", catalogue.cards["dish_cards"].example).operations)


def test_a_field_that_the_data_lacks_is_an_error() -> None:
    broken = operations()
    del broken[2]["updateDataModel"]["value"]["items"][1]["name"]
    with pytest.raises(Warning, match="name"):
        texts(broken)


@pytest.mark.parametrize("index", [0, 1])
def test_a_missing_operation_is_an_error(index: int) -> None:
    broken = operations()
    del broken[index]
    with pytest.raises(Exception, match=r"."):
        texts(broken)


def test_a_component_that_does_not_exist_is_an_error() -> None:
    broken = operations()
    broken[1]["updateComponents"]["components"][1]["children"].append("nowhere")
    with pytest.raises(Exception, match="nowhere"):
        texts(broken)
