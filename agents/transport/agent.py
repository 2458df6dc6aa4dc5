"""The transport agent as the kit wants it."""

from __future__ import annotations

from agents.kit.spec import AgentSpec, Skill
from agents.kit.status import status_lines
from agents.transport.actions import act
from agents.transport.answers import answer_offline
from agents.transport.cards import CARD_TYPES, build_card
from agents.transport.seed import seed
from agents.transport.tools import build_server

status = status_lines(
    {
        "next_departures": ("正在查校车时刻表…", "Looking up the shuttle timetable…"),
        "list_lines": ("正在查校车线路…", "Looking up the shuttle lines…"),
        "line_stops": ("正在查线路站点…", "Looking up the stops of the line…"),
        "list_stops": ("正在查站点…", "Looking up the stops…"),
        "plan_route": ("正在规划路线…", "Planning the way…"),
        "navigate": ("正在准备导航…", "Preparing the way…"),
        "parking": ("正在查停车位…", "Looking up parking places…"),
    }
)

SPEC = AgentSpec(
    name="transport",
    description="校园交通：校车线路、时刻表和停车位。Campus transport: shuttle lines, departures and parking.",
    version="0.1.0",
    skills=(
        Skill(
            id="shuttle-departures",
            name="校车班次 / Shuttle departures",
            description="下一班、首班、末班校车的时间，从哪里上车、何时到达。"
            "When the next, first or last shuttle leaves, where to get on and when it arrives.",
            # Names of places are left to the examples: as tags they would claim every question about the library.
            tags=(
                *("校车", "班车", "下一班", "末班车", "首班车", "发车", "时刻表", "接驳车"),
                *("shuttle", "bus", "departure", "timetable", "schedule"),
            ),
            examples=(
                "下一班去图书馆的校车几点",
                "从北门到南门的末班车是几点",
                "周六去商场的校车",
                "when is the next shuttle to the library?",
                "first bus from the South Gate to the North Gate tomorrow",
            ),
        ),
        Skill(
            id="routes",
            name="路线规划 / Routes",
            description="从一处到另一处怎么走：校车、换乘、步行和时间。"
            "How to get from one place to another: shuttles, changes, walks and times.",
            tags=("路线规划", "换乘", "route planning", "change of line"),
            examples=(
                "怎么去图书馆",
                "从地铁站怎么到科技园",
                "how do I get to the metro station?",
                "how do I get to the library?",
            ),
        ),
        Skill(
            id="shuttle-lines",
            name="校车线路 / Shuttle lines",
            description="有哪些线路、经过哪些站、哪天运行。Which lines there are, where they stop and on which days.",
            tags=("线路", "路线", "站点", "校车", "几号线", "route", "line", "stop", "shuttle", "bus"),
            examples=("有哪些校车线路", "1号线经过哪些站", "which shuttle lines are there?", "stops of the Metro Link"),
        ),
        Skill(
            id="parking",
            name="停车 / Parking",
            description="各停车场的空位和价格，按时间和地点。"
            "Free places and prices of the car parks by time and place.",
            tags=("停车", "停车场", "停车位", "车位", "泊车", "parking", "park", "car park", "garage"),
            examples=("图书馆附近哪里可以停车", "现在还有停车位吗", "where can I park near the sports centre?"),
        ),
    ),
    card_types=CARD_TYPES,
    system_prompt=(
        "You are the transport agent of a university campus. You answer questions about shuttle lines, departures and "
        "parking, and plan journeys. Call a tool for every fact; never guess a time. Name the line, the stop to get "
        "on, the departure and the arrival. If a tool says that a stop is unknown, offer the closest of the names that "
        "it lists. A gate that is not named is no stop: pass `gate`, and the tool asks the user which one."
    ),
    seed=seed,
    mcp_server=build_server,
    answer_offline=answer_offline,
    build_card=build_card,
    status=status,
    act=act,
    default_port=8102,
)
