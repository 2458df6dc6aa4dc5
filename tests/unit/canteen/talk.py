"""One conversation with the canteen agent's offline model."""

from __future__ import annotations

from agents.canteen.agent import SPEC
from agents.canteen.tools import CanteenTools
from agents.kit.spec import Asker
from tests.unit.agents_kit import talk


class Talk(talk.Talk):
    def __init__(self, tools: CanteenTools, asker: Asker | None = None) -> None:
        super().__init__(SPEC, tools, asker)
