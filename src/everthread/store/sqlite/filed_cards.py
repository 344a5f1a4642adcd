"""Which cards a catalogue holds already, of those that are to be filed or to go."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from everthread.ports.index import Filing

KNOWN = "SELECT id FROM cards WHERE id IN (SELECT value FROM json_each(?))"
SAID = f"{KNOWN} AND id NOT IN (SELECT id FROM memories)"


def _ids(filings: Sequence[Filing]) -> str:
    return json.dumps([filing.card.id for filing in filings])


def cards_unsure(db: sqlite3.Connection, filings: Sequence[Filing]) -> list[int]:
    """Those whose text is not known any more."""
    known = {card for (card,) in db.execute(SAID, (_ids(filings),))}
    return [f.card.id for f in filings if f.card.id in known and not f.text]


def filings_unknown(db: sqlite3.Connection, filings: Sequence[Filing]) -> list[Filing]:
    """Those that are not filed yet, each card once."""
    known = {card for (card,) in db.execute(KNOWN, (_ids(filings),))}
    return [f for card, f in {f.card.id: f for f in filings}.items() if card not in known]
