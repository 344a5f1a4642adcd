"""Words that belong together: a question in other forms than the text finds it, by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Settings
from everthread.domain.recall import relevance
from everthread.domain.recall.questions import Question
from everthread.domain.text.related_words import kin_of, with_kin
from support.stores import EACH, fresh
from support.toys import ToyEmbedder

PAIRS = [
    ("Ana bought a red bicycle", "what will Ana's sister buy?"),
    ("there are mice in the cellar", "who saw a mouse?"),
    ("the decision was made on Monday", "why was it decided?"),
    ("we optimise the query planner", "which optimization did we do?"),
    ("the colour of the door is green", "which color?"),
    ("she wrote the letter by hand", "what is she writing?"),
    ("the children sleep upstairs", "whose child?"),
    ("please verify the backups", "when is the verification?"),
    ("he swam across the lake", "do they swim?"),
]


@pytest.fixture(params=EACH)
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    text_only = Settings(embedder="off")
    with fresh(request.param, tmp_path) as place:
        et = everthread.connect(place.target, background=False, settings=text_only)
        yield et.agent("ada")
        et.close()


def test_a_question_in_other_forms_finds_the_text_by_words_alone(ada: Agent) -> None:
    """No stemmer brings these forms together."""
    ada.record([{"role": "user", "content": text} for text, _ in PAIRS])
    ada.record([{"role": "user", "content": f"Nothing to tell on day {n}."} for n in range(9)])
    for text, question in PAIRS:
        assert [hit.text for hit in ada.recall(question, limit=1)] == [text], question


def test_where_a_word_is_found_often_enough_its_kin_is_not_looked_for(ada: Agent) -> None:
    """`left` is also a direction: whoever finds `leave` is not given it."""
    ada.record([{"role": "user", "content": f"They leave at {n} o'clock."} for n in range(6)])
    ada.record([{"role": "user", "content": f"Day {n} was quiet."} for n in range(3)])
    ada.record([{"role": "user", "content": "Turn to the left margin."}])
    assert not any("left" in hit.text for hit in ada.recall("when do they leave?", limit=50))


def test_kin_goes_both_ways() -> None:
    for one, other in (("buy", "bought"), ("mouse", "mice"), ("apply", "application")):
        assert other in kin_of(one)
        assert one in kin_of(other)


def test_words_bent_by_rule_have_the_kin_of_the_plain_one() -> None:
    for form in ("decides", "decided", "deciding"):
        assert list(kin_of(form)) == ["decision"]
    assert list(kin_of("submitting")) == list(kin_of("submits")) == ["submission"]
    assert list(kin_of("applies")) == list(kin_of("applied")) == ["application"]


@given(st.lists(st.text(max_size=12), max_size=12))
def test_own_words_come_first_and_nothing_comes_twice(words: list[str]) -> None:
    own = list(dict.fromkeys(words))
    found = with_kin(own)
    assert found[: len(own)] == own
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"\w+", kin) for kin in found[len(own) :])


def test_kin_makes_no_question_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that has all words of a question has them all, though it has none of their kin."""
    covered, plain = list[float](), relevance.rank

    def noted(question: Question, pool: relevance.Pool) -> relevance.Ranking:
        covered.append(pool.covered)
        return plain(question, pool)

    monkeypatch.setattr(relevance, "rank", noted)
    with everthread.connect("memory://", background=False) as et:
        et.house = replace(et.house, embedder=ToyEmbedder())
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "The car that I drive is red."}])
        ada.index()
        for question in ("Which car do I drive?", "Who drove the car?", "Which boat do I drive?"):
            ada.recall(question)
    assert covered == [1.0, 1.0, 0.5]
