"""The canteen agent's MCP server: dishes, canteens, stalls, menus and bookings over the agent's own database."""

from __future__ import annotations

import sqlite3
from typing import Any

from mcp.server import MCPServer

from agents.canteen.dishes import DishTools
from agents.canteen.identity import IdentityTools
from agents.canteen.menus import MenuTools
from agents.canteen.places import PlaceTools
from agents.canteen.reservations import ReservationTools
from agents.kit.clock import Clock

ACTION_TOOLS = ("book_meal", "meal_card")
"""Called for clicks only, because they need something that only the user may give."""


class CanteenTools(DishTools, PlaceTools, MenuTools, ReservationTools, IdentityTools):
    """The tools as plain async methods."""


def build_server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    """The server. Its tools answer with names in both languages; times are campus time, prices yuan."""
    server: MCPServer[Any] = MCPServer("canteen")
    tools = CanteenTools(db, clock)
    for tool in (
        *(tools.search_dishes, tools.dish_details, tools.dish_reviews),
        *(tools.list_canteens, tools.canteen_details, tools.list_stalls, tools.stall_details, tools.crowding_heatmap),
        *(tools.walk_to, tools.canteen_menu, tools.recommend_dishes),
        *(tools.booking_form, tools.book_meal, tools.reserve_meal, tools.identify, tools.meal_card),
    ):
        server.add_tool(tool)
    return server
