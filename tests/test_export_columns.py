"""A redacted export looks through every column of every table; only what is an id passes unread."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from everthread.domain.redaction.json_values import Redactor
from everthread.services.upkeep import transfer
from everthread.services.upkeep.transfer import IDS, SHORT, SOURCES, Redacting
from everthread.store.export_tables import BINARY, REFERENCES, TABLES

pytestmark = pytest.mark.req("R-30", "X-19", "LB-13")

TOKEN = "ghp_" + "a1B2c3" * 6
ID, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2
PLANTED = {
    "alone": TOKEN,
    "behind an id": f"{ID} {TOKEN}",
    "before an id": f"{TOKEN}\n{ID}",
    "in a list of ids": json.dumps([ID, TOKEN]),
    "in a field": json.dumps({"id": ID, "token": TOKEN}, separators=(",", ":")),
    "in a long text": f"{'word ' * SHORT}{TOKEN}",
}
COLUMNS = [(table.name, column) for table in TABLES for column in table.stored]
NAMED = {("bodies", "hash")}
"""Called by numbers instead, as is every column whose name ends in `_hash`."""


def redacted(*rows: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    lines: list[str] = []
    redacting = Redacting(lines.append)
    for row in rows:
        redacting(json.dumps(row))
    return [json.loads(line) for line in lines], redacting.count


@pytest.mark.parametrize("value", PLANTED.values(), ids=PLANTED.keys())
def test_no_secret_leaves_by_any_column(value: str) -> None:
    rows, _ = redacted(*({"table": table, column: value} for table, column in COLUMNS))
    left = [column for column, row in zip(COLUMNS, rows, strict=True) if TOKEN in json.dumps(row)]
    assert left == []


def test_what_passes_unread_is_an_id_in_every_table() -> None:
    """By the list of the store: what it keeps as bytes, and what points at another row."""
    assert {column for _, column in COLUMNS} >= IDS
    known = BINARY | REFERENCES.keys()
    assert known >= IDS
    rest = known - IDS - {"salt"}
    assert all(column.endswith("_hash") for column in rest), "it is looked through for nothing"
    assert {table for table, column in COLUMNS if column == SOURCES} == {
        "summary_sentences",
        "memories",
    }


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was looked through."""
    found: list[str] = []

    def column(_: Redactor, text: str) -> str:
        found.append(text)
        return text

    monkeypatch.setattr(Redactor, "column", column)
    return found


def test_ids_pass_and_nobody_looks_through_them(read: list[str]) -> None:
    rows = [{"table": t, c: ID + OTHER} for t, c in COLUMNS if c in IDS and (t, c) not in NAMED]
    rows += [{"table": t, c: ID} for t, c in COLUMNS if c in IDS and (t, c) not in NAMED]
    rows += [
        {"table": "memories", SOURCES: json.dumps(keys, separators=apart)}
        for keys in ([], [ID], [ID, OTHER, ID])
        for apart in ((", ", ": "), (",", ":"))
    ]
    assert redacted(*rows) == (rows, 0)
    assert read == []


@pytest.mark.parametrize(
    "value",
    [ID[:31], ID.upper(), f"{ID}\n", f"[{ID}]", f'["{ID}",]', f'["{ID}"', f'["{ID}" "{ID}"]'],
)
def test_what_is_no_id_is_looked_through(value: str, read: list[str]) -> None:
    redacted({"table": "memories", "id": value, SOURCES: value})
    assert read == [value, value]


@pytest.mark.parametrize("text", [f"It is {TOKEN}.", f"{'word ' * SHORT}{TOKEN}"])
def test_what_comes_again_is_taken_out_and_counted_again(text: str) -> None:
    rows, count = redacted(*3 * [{"table": "memories", "text": text}])
    assert count == 3
    assert {row["text"] for row in rows} == {text.replace(TOKEN, "[REDACTED: github token]")}


def test_it_is_as_if_every_value_were_looked_through_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is known again, and however little is remembered."""
    seed = random.Random(7)
    words = ["The", "port is 8080.", TOKEN, "password: hunter2-Zx9", ID, "ok", "«é»", '"', "user"]
    monkeypatch.setattr(transfer, "MOST_KNOWN", 5)
    for _ in range(200):
        texts = [" ".join(seed.choices(words, k=seed.randint(1, 4))) for _ in range(6)]
        values = [*texts, json.dumps(texts[:2], separators=(",", ":")), seed.choice([ID, TOKEN])]
        rows = [{"table": "memories", "text": seed.choice(values)} for _ in range(12)]
        plain = Redactor()
        told = [{"table": "memories", "text": plain.column(row["text"])} for row in rows]
        assert redacted(*rows) == (told, plain.count)
