"""The same talk is read to the same digest in every process: an undo in another one compares bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import EMPTY, digest_text
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("R-15", "A-13")

TALK = Path(__file__).parent.parent / "bench" / "acts" / "talks" / "3_b.jsonl"
SEVERAL_GO = (
    "We use SQLite.",
    "The database is SQLite.",
    "From now on use SQLite.",
    "Let's go with SQLite.",
    "Let's use PostgreSQL instead of SQLite.",
)
"""One change by which points of several kinds go at once."""


def talks() -> list[list[tuple[str, str]]]:
    rows = [json.loads(line) for line in TALK.read_text("utf-8").splitlines()]
    told = [("agent" if row["speaker"] == "assistant" else "user", row["text"]) for row in rows]
    return [[("user", text) for text in SEVERAL_GO], told]


def read() -> list[dict[str, Any]]:
    """What is carried of each talk, what is remembered of it, and what a summary says."""
    told: list[dict[str, Any]] = []
    for talk in talks():
        gleaner = Gleaner()
        for n, (who, text) in enumerate(talk, start=1):
            gleaner.read(spoken(text, who, n=n))
        digest = gleaner.digest()
        summary = render(digest, number=1, tokens=800, count=lambda text: len(text) // 4)
        told.append(
            {
                "gone": digest.gone,
                "digest": digest_text(digest),
                "memories": repr(memories_of(EMPTY, digest)),
                "summary": summary.text,
            }
        )
    return told


def read_with(seed: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", "import json, test_any_hash_seed as t; print(json.dumps(t.read()))"],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_talk_is_read_alike_whatever_the_order_of_sets():
    first, *others = (read_with(seed) for seed in ("1", "2", "3"))
    assert len(first[0]["gone"]) > 2, "points of several kinds went at once"
    for other in others:
        assert other == first
