"""A receipt on a narrow terminal: its sentences hang below their beginning, its evidence has headings."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from rich.console import Console

from everthread.domain.distilling.receipts import Sentence
from everthread.edges.cli.memories import _table  # pyright: ignore[reportPrivateUsage]
from everthread.edges.cli.receipt_sentences import sentence_views
from everthread.edges.cli.receipt_view import _heading  # pyright: ignore[reportPrivateUsage]

LONG = "- User, 17 Nov: " + "we ship the ladles to Tartu by road and by sea, " * 3
KEY = b"\x01" * 16
SUMMARY = f"""Conversation Summary
<summary>
## Current State
{LONG.strip()}
## Evidence
Files:
- README.md
Files below /home/me/shop/:
- README.md
- src/app/main.ts: edited
Commands:
- `make`: ok
</summary>"""


def sentence(n: int, section: str, text: str, sources: Iterable[bytes] = (KEY,)) -> Sentence:
    return Sentence(n, section, text, json.dumps([key.hex() for key in sources]), "", shown=True)


def drawn(*parts: Any, width: int = 80) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(*parts, sep="\n")
    return [line.rstrip() for line in out.getvalue().splitlines()]


def shown(*sentences: Sentence, summary: str = SUMMARY) -> list[str]:
    views = list(sentence_views(sentences, {}, "ada", summary))
    return [line for view in views for part in view for line in drawn(part)]


def test_a_sentence_goes_on_below_its_beginning() -> None:
    told = sentence(1, "Current State", LONG.strip(), (KEY, KEY, KEY))
    lines = shown(told)
    body = lines[lines.index("Current State") + 1 :]
    assert body[0].startswith("- User") and body[1].startswith("  ") and body[1][2] != " "
    sources = [line for line in body if "erased" in line]
    assert len(sources) > 1 and all(line.startswith("    ") for line in sources)


def test_evidence_stands_under_the_headings_of_its_summary() -> None:
    texts = ["- README.md", "- README.md", "- src/app/main.ts: edited", "- `make`: ok", "- Gone"]
    told = [sentence(n, "Evidence", text) for n, text in enumerate(texts)]
    lines = [line for line in shown(*told) if line and "from" not in line]
    assert lines == [
        *("Evidence", "Files:", "- README.md", "Files below /home/me/shop/:", "- README.md"),
        *("- src/app/main.ts: edited", "Commands:", "- `make`: ok", "- Gone"),
    ]
    assert "- `make`: ok" in shown(*told, summary=""), "also where the summary was forgotten"


@pytest.mark.parametrize(("name", "told"), [("task", "Task Context"), ("number", "Numbers")])
def test_what_found_no_room_is_told_by_its_heading(name: str, told: str) -> None:
    assert _heading(name) == told


def test_without_tags_the_text_of_memories_has_their_room() -> None:
    memory = {
        **dict.fromkeys(("valid_to", "valid_from")),
        **{"id": "0" * 32, "kind": "fact", "origin": "user", "sources": ["x"], "state": "kept"},
        **{"updated_at": "2026-11-17T18:08:00.000Z", "text": "Tabs.", "scope": "agent"},
        **{"pinned": False, "tags": []},
    }
    head, row = drawn(_table([memory]))
    assert head.split() == ["id", "kind", "by", "said", "text"]
    assert row.split()[1:] == ["fact", "user", "2026-11-17", "Tabs."]
    assert "tags" in drawn(_table([memory, {**memory, "tags": ["yaml"]}]))[0]
