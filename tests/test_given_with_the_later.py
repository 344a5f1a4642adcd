"""A turn is never given what she said before without what she said later that may change it."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("A-14", "R-43")

FILLER = ("The cellar needs sweeping and the bike is broken.", "The bus was late on Tuesday.")


def given(tmp_path: Path, question: str, *said: str) -> str:
    """What stands in the block of a turn that asks, days after all of it was said."""
    clock = FrozenClock("2026-08-01T09:00:00Z")
    with everthread.connect(tmp_path / "a.db", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for n, text in enumerate(said):
            at = f"2026-07-{n + 1:02}T09:00:00Z"
            ada.record(
                [
                    {"id": f"q{n}", "role": "user", "content": text, "at": at},
                    {"id": f"a{n}", "role": "assistant", "content": "Good to know.", "at": at},
                ],
                source="import",
            )
        clock.forward(hours=120)
        ada.index()
        content = ada.turn(question).messages[-1]["content"]
        return content[0]["text"] if isinstance(content, list) else ""


@pytest.mark.parametrize(
    ("question", "older", "later"),
    [
        (
            "Which intolerance does Jonas have again? I'm at the supermarket",
            "Jonas is lactose intolerant by the way, keep that in mind for recipes.",
            "Turns out Jonas isn't lactose intolerant, the test came back negative. It's fructose.",
        ),
        ("Where do I work?", "I work at Siemens", "I quit Siemens and started at Bosch."),
    ],
)
def test_the_later_stands_beside_the_older(
    tmp_path: Path, question: str, older: str, later: str
) -> None:
    block = given(tmp_path, question, older, *FILLER, later)
    assert later in block


def test_one_common_word_drags_nothing_along(tmp_path: Path) -> None:
    block = given(
        tmp_path,
        "Which database do we use?",
        "We use Postgres for the shop database.",
        *FILLER,
        "I paid the shop, it is closed now.",
    )
    assert "Postgres" in block
    assert "closed" not in block


def test_what_shares_only_words_of_the_question_is_not_dragged_along(tmp_path: Path) -> None:
    block = given(
        tmp_path,
        "What do I take for my headache?",
        "I take ibuprofen for my headache.",
        *FILLER,
        "I quit the choir, it is not fun any more.",
    )
    assert "ibuprofen" in block
    assert "choir" not in block
