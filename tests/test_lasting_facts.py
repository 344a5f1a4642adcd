"""What a person tells that lasts becomes a memory, in whatever words; what passes does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import SPECIFIC, memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.message_text import density
from everthread.domain.text.acts import word_model
from everthread.domain.text.acts.lasting_statements import (
    statement_chances,
    tells_lasting,
    tells_passing,
)
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

BENCH = Path(__file__).parent.parent / "bench" / "acts"


@pytest.fixture(scope="module")
def kept() -> Iterator[ModuleType]:
    """The bench that counts what becomes a memory."""
    names = ("kept", "told", "marked")
    sys.path.insert(0, str(BENCH))
    try:
        for name in names:
            sys.modules.pop(name, None)
        import kept

        yield kept
    finally:
        sys.path.remove(str(BENCH))
        for name in names:
            sys.modules.pop(name, None)


def gleaned(*lines: tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, (who, text) in enumerate(lines, start=1):
        gleaner.read(spoken(text, who, n=n))
    return gleaner.digest()


def remembered(*lines: tuple[str, str]) -> list[str]:
    drawn = memories_of(EMPTY, gleaned(*lines))
    return [fact.text for fact in drawn if fact.by == "user" and fact.kind == "fact"]


@pytest.mark.parametrize(
    "text",
    [
        "I play the cello in an amateur orchestra.",
        "We're building a house in Lund.",
        "My sister studies law in Ghent.",
        "Half of our customers still pay in cash.",
        "I work nights, so I sleep until two.",
    ],
)
def test_what_lasts_is_kept_however_plain_its_words_are(text: str) -> None:
    assert tells_lasting(parse_sentence(text))
    assert text in remembered(("user", text), ("agent", "Good to know."))


@pytest.mark.parametrize(
    "text",
    [
        "I've tried restarting the worker twice, but the queue is still full.",
        "I'm not sure why the second request to /api/v2/orders times out.",
        "Here's an example of what I have in settings.py so far:",
        "Wow, Melanie, what a beautiful moment for Lucky and the kids!",
    ],
)
def test_what_is_so_for_the_moment_is_no_memory(text: str) -> None:
    assert tells_passing(parse_sentence(text)) or text.endswith(":")
    assert remembered(("user", text), ("agent", "I see.")) == []


def test_what_is_told_inside_of_a_request_is_kept_as_well() -> None:
    """The request is done tomorrow; what was told on the way holds on."""
    asked = "I charge by the foot of moulding. Can you work out what a frame of 50 by 70 costs?"
    known = remembered(("user", asked), ("agent", "About 64 pounds."))
    assert known == ["I charge by the foot of moulding."]


def test_a_question_lays_down_nothing_because_it_says_any() -> None:
    asked = "Can you see any errors in the deployment of the second service?"
    reply = "No errors in the deployment of the second service that I can see."
    digest = gleaned(("user", asked), ("agent", reply))
    assert [p.text for p in digest.points if p.kind in ("preference", "rule")] == []


def test_cheer_settles_nothing() -> None:
    told = ("agent", "We took the kids to the beach and the sunset was peaceful.")
    digest = gleaned(("user", "How was it?"), told, ("user", "That's so peaceful, Melanie!"))
    assert [p.text for p in digest.points if p.kind == "decision"] == []


def test_thanks_and_cheer_round_a_fact_are_left_out_of_its_memory() -> None:
    text = "Thanks, Mel! I mentor a teenager from the refuge every Thursday. What a day!"
    (known,) = remembered(("user", text), ("agent", "Lovely."))
    assert known == "I mentor a teenager from the refuge every Thursday."


@pytest.mark.parametrize(("part", "found", "right"), [("held", 0.6, 0.6), ("fresh", 0.55, 0.75)])
def test_in_talks_that_nothing_was_fitted_on_most_facts_are_kept(
    kept: ModuleType, part: str, found: float, right: float
) -> None:
    """The figures of `bench/acts`, with some room: whoever changes weights or levels sees what it costs."""
    counted = sum(
        (
            kept.counted(said, kept.drawn(said))
            for said in map(kept.rows, sorted((BENCH / part).glob("*.jsonl")))
        ),
        kept.Counter(),
    )
    assert counted["fact kept"] >= found * counted["fact"]
    assert counted["marked, fact"] >= right * counted["memories, fact"]


@given(st.text(max_size=300))
def test_every_chance_is_between_none_and_sure(text: str) -> None:
    assert all(0.0 <= each <= 1.0 for each in statement_chances(text))


def test_the_weights_are_a_small_file_of_whole_hundredths() -> None:
    place = Path(word_model.__file__).with_name("lasting_weights.tsv")
    words, bias, *rows = place.read_text("utf-8").rstrip("\n").split("\n")
    assert place.stat().st_size < 400_000 and len(words.split(" ")) <= 1_000
    assert all(len(row.split("\t")) == 3 for row in (f"\t{bias}", *rows))


def test_what_a_person_tells_with_many_names_is_kept_whatever_the_model_says_of_it() -> None:
    told = "The `-b` flag and `bed_cmd` now pass src/beds/plan.py by, in `garden.toml` and `rows.toml`."
    assert tells_passing(parse_sentence(told)) and density(told) >= SPECIFIC
    digest = gleaned(("user", told), ("agent", "Good to know."))
    points = tuple(point._replace(kind="fact") for point in digest.points)
    assert [fact.text for fact in memories_of(EMPTY, digest._replace(points=points))] == [told]
