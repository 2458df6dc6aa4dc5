"""The agent as the kit wants it: what it is for, how it answers, which cards it sends."""

from __future__ import annotations

from agents._template.answers import answer_offline
from agents._template.cards import CARD_TYPES, build_card
from agents._template.seed import seed
from agents._template.tools import build_server
from agents.kit.spec import AgentSpec, Skill
from agents.kit.status import status_lines

SPEC = AgentSpec(
    name="template",
    description="失物招领：找回丢失的物品。Lost property: finds what was handed in.",
    version="0.1.0",
    skills=(
        Skill(
            id="find-items",
            name="失物查询 / Lost property",
            description="查有没有人捡到某样东西，在哪里领取。Whether a thing was handed in, and where to collect it.",
            tags=("失物", "招领", "丢了", "捡到", "lost", "found", "property"),
            examples=("我丢了一把雨伞", "I lost my umbrella", "有人捡到钥匙吗", "lost and found: keys"),
        ),
    ),
    card_types=CARD_TYPES,
    system_prompt=(
        "You answer questions about lost property. Call `find_items` for every fact, and say where a thing is kept."
    ),
    seed=seed,
    mcp_server=build_server,
    answer_offline=answer_offline,
    build_card=build_card,
    status=status_lines({"find_items": ("正在查失物登记…", "Looking through the lost property…")}),
    default_port=8199,
)
