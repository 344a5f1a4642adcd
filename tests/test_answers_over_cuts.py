"""An answer is known by what the agent asked, though that was distilled, or checkpointed, before it."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from everthread.domain.gleaning.digest import read_digest
from support.desk import settings as chosen
from support.harness import bench

pytestmark = pytest.mark.req("A-13", "A-21")

ASKED = "The cron could run hourly or once a night."
ANSWER = "nightly run is plenty, so once a night"
SMALL = [
    (
        f"What is the {n}th tale of the mill of Veld?",
        f"The {n}th tale is long. " + "It goes on. " * 60,
    )
    for n in range(4, 12)
]
LATER = [(f"And the {n}th?", f"The {n}th is longer. " + "It goes on. " * 60) for n in range(12, 20)]


def test_a_distillation_knows_what_was_asked_before_its_range(tmp_path: Path) -> None:
    given = chosen(tmp_path, tail_messages=2)
    with everthread.connect("memory://", settings=given, background=False) as et:
        ada = et.agent("ada")

        def said(*turns: tuple[str, str]) -> None:
            for text, reply in turns:
                ada.turn(text).done(reply)

        said(*SMALL, ("When does the backup run?", ASKED), (ANSWER, "Fine."))
        assert ada.distill().outcome == "ok"
        assert not decided(ada)  # it stands in the tail
        said(*LATER)
        ada.distill()
        assert decided(ada)


def test_what_was_asked_and_forgotten_since_is_not_heard(tmp_path: Path) -> None:
    """Nothing is drawn from it any more, not even how an answer is meant."""
    given = chosen(tmp_path, tail_messages=2)
    with everthread.connect("memory://", settings=given, background=False) as et:
        ada = et.agent("ada")
        for text, reply in [*SMALL, ("When does it run?", ASKED), (ANSWER, "Fine.")]:
            ada.turn(text).done(reply)
        ada.distill()
        asked = next(m for m in ada.messages() if m.text == ASKED)
        ada.forget(ada.remember(ASKED, sources=[asked]).id)
        for text, reply in LATER:
            ada.turn(text).done(reply)
        ada.distill()
        assert all(ASKED not in memory.text for memory in ada.memories())


def decided(ada: everthread.Agent) -> list[str]:
    return [m.text for m in ada.memories() if m.kind == "decision" and ANSWER in m.text]


def test_so_does_a_checkpoint(tmp_path: Path) -> None:
    with bench(tmp_path) as b:
        w = b.window()
        w.start()
        w.turn("When does the backup run?", ASKED)
        w.compact()
        w.turn(ANSWER, "Fine.")
        w.turn("What else is there?", "The mill of Veld.")
        w.compact()
        newest, _ = b.agent.checkpoints()
        state = b.et.house.store.read(lambda r: r.checkpoints.state(b.agent.scope, newest))
        points = read_digest(state).points
    assert [p.text for p in points if p.kind == "decision" and p.by == "user"] == [ANSWER]
