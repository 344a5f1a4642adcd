"""A day's file tells of each distillation what is new in it, and once.

Requirements: A-8, A-39.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.distilling.daily_additions import new_lines
from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, Trace
from support.desk import desk_in

TEXTS = st.lists(
    st.text("abcdefgh", min_size=3, max_size=20),
    unique=True,
    max_size=8,
)


def digest(*texts: str, files: Sequence[str] = ()) -> Digest:
    points = [
        Point("decision", text, (b"k",), "user", n + 1, 0.9, verbatim=True)
        for n, text in enumerate(texts)
    ]
    ledger = [Trace("file", name, "", (b"k",), 1) for name in files]
    return Digest(tuple(points), tuple(ledger), 4, 1, 9)


def summary(of: Digest) -> str:
    return render(of, number=2, tokens=2_000, count=lambda text: len(text) // 4).text


def test_what_was_told_before_is_counted_and_not_repeated():
    before = digest("We use tabs.", "We write in Go.", files=["a.go"])
    now = digest("We use tabs.", "We write in Go.", "We ship on Mondays.", files=["a.go"])
    told = new_lines(summary(now), now, before)
    assert "We ship on Mondays." in told
    assert "tabs" not in told
    assert "a.go" not in told
    assert "## Evidence" not in told
    assert "What an earlier distillation told is not repeated here: 3 lines." in told


def test_what_changed_since_is_told_anew():
    before, now = digest("We use tabs."), digest("We use tabs and blanks.")
    assert new_lines(summary(now), now, before) == summary(now)
    ran = now._replace(ledger=(Trace("file", "a.go", "edited", (b"k",), 1),))
    known = now._replace(ledger=(Trace("file", "a.go", "", (b"k",), 1),))
    assert "a.go: edited" in new_lines(summary(ran), ran, known)


@given(TEXTS, TEXTS)
def test_every_line_is_told_by_one_of_both(old: list[str], new: list[str]):
    before, now = digest(*old), digest(*dict.fromkeys([*old, *new]))
    told = new_lines(summary(now), now, before).split("\n")
    for line in summary(now).split("\n"):
        if line.startswith("- "):
            known = any(f'"{text}"' in line for text in old)
            assert (line in told) is not known
    assert new_lines(summary(now), now, EMPTY) == summary(now)


def test_the_second_section_of_a_day_does_not_repeat_the_first(tmp_path: Path):
    with desk_in(tmp_path) as desk:
        desk.turn("We decided to use Postgres because of its locks.", "Noted.")
        desk.talk(0, 14)
        desk.ada.distill()
        first = desk.daily
        desk.turn("We decided to deploy on Mondays because of the ferry.", "Noted.")
        desk.talk(20, 34)
        desk.ada.distill()
        second = desk.daily.removeprefix(first)
    assert "Postgres" in first
    assert "ferry" in second
    assert "Postgres" not in second


@pytest.mark.req("R-12", "X-26")
def test_who_distils_after_an_import_is_told_that_it_is_archive(tmp_path: Path):
    with desk_in(tmp_path) as desk:
        said = [
            {
                "id": f"m{n}",
                "role": "user",
                "content": f"Row {n} is wet.",
                "at": f"2025-01-01T00:{n}0:00Z",
            }
            for n in range(6)
        ]
        desk.ada.record(said, source="import", session="old")
        refused = desk.ada.distill()
        assert refused.outcome == "refused"
        assert "is archive" in refused.errors[0]
        assert "everthread recall" in refused.errors[0]
        desk.talk(0, 1)
        assert "is archive" not in desk.ada.distill().errors[0]
