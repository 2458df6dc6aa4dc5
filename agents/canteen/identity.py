"""The MCP tools around the meal card: nothing is shown before the holder has proved who they are."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from pydantic import Field

from agents.canteen.store import Store, moment
from agents.kit.database import fetch, insert_rows

TRIES = 5
MOST_TOKENS = 10_000


class IdentityTools(Store):
    """Asking who somebody is, and what may be said then."""

    async def identify(self) -> dict[str, Any]:
        """Ask the user to prove who they are before their meal card is shown. The answer comes from the user's card."""
        token = f"id-{secrets.token_hex(8)}"
        with self._db:
            insert_rows(self._db, "identifications", [{"token": token, "tries": 0}])
            self._db.execute(
                "DELETE FROM identifications WHERE rowid <= (SELECT max(rowid) FROM identifications) - ?", [MOST_TOKENS]
            )
        return {**moment(self._clock()), "token": token}

    async def meal_card(
        self,
        token: Annotated[str, Field(max_length=200)],
        number: Annotated[str, Field(max_length=40)],
        phone_end: Annotated[str, Field(max_length=40)],
    ) -> dict[str, Any]:
        """The balance of a meal card for whoever knows its number and the end of its holder's telephone number.

        `status`: shown, no_match (with `left` tries), expired (unknown token or no tries left).
        """
        now = moment(self._clock())
        asked = fetch(self._db, "SELECT tries FROM identifications WHERE token = ?", token)
        if not asked or asked[0]["tries"] >= TRIES:
            return {**now, "status": "expired", "left": 0, "holder": None}
        found = fetch(
            self._db, "SELECT * FROM meal_cards WHERE number = ? AND phone_end = ?", number.strip(), phone_end.strip()
        )
        if not found:
            with self._db:
                self._db.execute("UPDATE identifications SET tries = tries + 1 WHERE token = ?", [token])
            return {**now, "status": "no_match", "left": TRIES - asked[0]["tries"] - 1, "holder": None}
        return {**now, "status": "shown", "left": TRIES - asked[0]["tries"], "holder": _public(found[0])}


def _public(row: dict[str, Any]) -> dict[str, str]:
    """What a card may show: the name and the number with most of them hidden."""
    first, _, last = row["name_en"].partition(" ")
    return {
        "number": f"{row['number'][:4]}****{row['number'][-2:]}",
        "name_zh": f"{row['name_zh'][0]}*{row['name_zh'][2:]}",
        "name_en": f"{first} {last[:1]}.",
        "balance": f"{row['balance']:.2f}",
        "spent_today": f"{row['spent_today']:.2f}",
    }
