"""A small window has room for a summary that tells something."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from support.desk import settings as chosen

pytestmark = pytest.mark.req("A-21", "R-3", "X-22")

THINGS = ("gate", "roof", "fence", "barn", "well", "path", "shed", "bridge", "pond", "wall")


def talk(ada: everthread.Agent) -> None:
    for n, thing in enumerate(THINGS):
        ada.turn(f"We decided to paint the {thing} in colour number {n + 40}.").done(
            f"Noted for the {thing}. " + "The paint dries for a day and needs no second coat. " * 12
        )


@pytest.mark.parametrize("window", [8_000, 12_000])
def test_what_was_decided_stands_in_the_summary(tmp_path: Path, window: int) -> None:
    given = chosen(tmp_path, tail_messages=2)
    with everthread.connect("memory://", settings=given, background=False) as et:
        ada = et.agent("ada", window=window)
        talk(ada)
        receipt = ada.distill()
        told = str(ada.turn("Let us go on.").messages[0])
    assert receipt.outcome == "ok"
    found = [thing for thing in THINGS[:-1] if f"the {thing} in colour" in told]
    assert found == [*THINGS[:-1]]


def test_who_sets_it_smaller_has_it_smaller(tmp_path: Path) -> None:
    given = chosen(tmp_path, tail_messages=2, summary_tokens=150)
    with everthread.connect("memory://", settings=given, background=False) as et:
        ada = et.agent("ada", window=8_000)
        talk(ada)
        ada.distill()
        told = str(ada.turn("Let us go on.").messages[0])
    assert not all(f"the {thing} in colour" in told for thing in THINGS[:-1])
