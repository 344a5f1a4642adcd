"""What a sentence does is seen by how it is put, also where no form that was written down fits it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.acts import classifier
from everthread.domain.text.acts.classifier import ACTS, act_of, chances
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.acts.word_model import LONGEST, features
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")


BENCH = Path(__file__).parent.parent / "bench" / "acts"


@pytest.fixture(scope="module")
def marked() -> ModuleType:
    """The bench's own reading of its talks."""
    sys.path.insert(0, str(BENCH))
    try:
        import marked
    finally:
        sys.path.remove(str(BENCH))
    return marked


def told(*lines: tuple[str, str], before: Digest = EMPTY) -> Digest:
    gleaner = Gleaner(before)
    for n, (who, text) in enumerate(lines, start=1):
        gleaner.read(spoken(text, "agent" if who == "agent" else "user", n=n + before.messages))
    return gleaner.digest()


def texts(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize(
    "text",
    [
        "Hetzner it is, even if the panel looks like 1998.",
        "Fine, two weeks then, but not a day longer.",
    ],
)
def test_what_is_settled_in_passing_is_a_decision(text: str) -> None:
    asked = ("user", "Can you help me plan this?"), ("agent", "Of course. Tell me more about it.")
    assert any(text in each for each in texts(told(*asked, ("user", text)), "decision"))


@pytest.mark.parametrize(
    "text",
    [
        "I still have to call the bank about the mortgage.",
        "No word from the landlord about the deposit yet.",
        "We have no idea yet who brings the projector.",
    ],
)
def test_what_is_left_open_is_open_until_it_is_told_as_done(text: str) -> None:
    digest = told(("user", "Can you help me plan this?"), ("agent", "Of course."), ("user", text))
    assert any(text in each for each in texts(digest, "open_item"))


def test_what_is_left_open_stays_so_over_long_talk_and_the_next_range() -> None:
    """LA-9: what nobody did is not gone because other things were spoken of."""
    text = "I still have to call the bank about the mortgage."
    talk = [("user", text), ("agent", "OK, noted.")]
    for n in range(30):
        talk += [("user", f"The film on day {n} was rather good."), ("agent", "Nice to hear.")]
    digest = told(*talk, before=told(("user", "Hello."), ("agent", "Hello.")))
    assert any(text in each for each in texts(digest, "open_item"))
    done = told(("user", "Called the bank about the mortgage, all fine."), before=digest)
    assert not any(text in each for each in texts(done, "open_item"))


@pytest.mark.parametrize(
    "text",
    [
        "Yeah, I play the cello.",
        "The letter to the landlord is gone.",
        "Way to go, Gina!",
        "Here's what I have so far:",
        "I've also checked the logs, and the images are served.",
    ],
)
def test_what_only_sounds_alike_is_neither(text: str) -> None:
    assert act_of(parse_sentence(text)) is None


@pytest.mark.parametrize(
    ("act", "found", "right"), [("decision", 0.35, 0.6), ("open", 0.3, 0.6), ("standing", 0.6, 0.6)]
)
def test_in_talks_that_it_was_not_fitted_on_much_is_found_and_most_of_it_is_right(
    marked: ModuleType, act: str, found: float, right: float
) -> None:
    """The figures of `bench/acts`, with some room: whoever changes weights or levels sees what it costs."""
    each = [
        (m.act, act_of(parse_sentence(m.text))) for m in marked.sentences(marked.FOLDER / "held")
    ]
    hits = sum(was == told == act for was, told in each)
    assert hits >= found * sum(was == act for was, _ in each)
    assert hits >= right * sum(told == act for _, told in each)


def test_who_asks_settles_nothing() -> None:
    assert act_of(parse_sentence("So Hetzner it is, then?")) is None


@pytest.mark.parametrize(
    "text", ["", "?", "日本語の文です。", "a" * 5_000, "…" * 300, "\u2019" * 9]
)
def test_odd_texts_are_read_as_well(text: str) -> None:
    assert act_of(parse_sentence(text)) is None


@given(st.text(max_size=400))
def test_every_chance_is_between_none_and_sure(text: str) -> None:
    found = chances(text)
    assert tuple(found) == ACTS
    assert all(0.0 <= each <= 1.0 for each in found.values())


def test_of_a_long_sentence_only_so_many_words_are_looked_at() -> None:
    assert len(features("word " * 10_000, frozenset({"word"}))) < 4 * LONGEST


def test_the_weights_are_a_small_file_of_whole_hundredths() -> None:
    """What ships are weights that were fitted on our own lines, in one file that can be read."""
    place = Path(classifier.__file__).with_name("weights.tsv")
    words, bias, *rows = place.read_text("utf-8").rstrip("\n").split("\n")
    assert place.stat().st_size < 400_000
    assert len(words.split(" ")) == len(set(words.split(" "))) <= 1_000
    assert all(len(row.split("\t")) == 1 + len(ACTS) for row in rows)
    assert [int(each) for each in bias.split("\t")]
