"""What a person took back, corrected or has seen mended is no longer told as it was reported."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.outdated_reports import FADED
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

STANDING = ("done", "state", "fact", "decision")
ASKED = ("user", "Please make the export in `export.py` faster.")
DONE = (
    "agent",
    "I've added a cache to `export.py` that keeps 500 rows. The cache in `export.py` is emptied after 60 s.",
)
OTHER = ("agent", "I've renamed `report.css` to `print.css` and updated 4 links.")


def gleaned(*said: tuple[str, str], parts: int = 1) -> Digest:
    """The digest of a talk that was distilled so many times."""
    messages = [spoken(text, by, n=n) for n, (by, text) in enumerate(said, start=1)]  # pyright: ignore[reportArgumentType]
    digest = EMPTY
    for part in range(parts):
        gleaner = Gleaner(digest)
        for message in messages[
            part * len(messages) // parts : (part + 1) * len(messages) // parts
        ]:
            gleaner.read(message)
        digest = read_digest(digest_text(gleaner.digest()))
    return digest


def stands(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.by == "agent" and p.kind in STANDING]


def corrections(digest: Digest, by: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == "correction" and p.by == by]


def test_the_report_stands_as_long_as_nobody_takes_it_back():
    digest = gleaned(ASKED, DONE, ("user", "Thanks, now the import please."))
    assert any("cache" in text for text in stands(digest))
    assert not corrections(digest, "agent")


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize(
    "words",
    [
        "I've reverted that. The export was fast enough before.",
        "I discarded your changes, they broke the build.",
        "Please undo that.",
        "Hm, put it back and look at the query instead.",
    ],
)
def test_what_was_taken_back_is_told_as_that_however_often_one_distils(words, parts):
    digest = gleaned(ASKED, DONE, ("user", words), parts=parts)
    assert not any("cache" in text for text in stands(digest))
    (tried,) = corrections(digest, "agent")
    assert "cache" in tried
    assert any(text in words for text in corrections(digest, "user"))


def test_what_is_named_goes_and_the_rest_stands():
    digest = gleaned(ASKED, DONE, OTHER, ("user", "I reverted the cache, it is not worth it."))
    assert any("print.css" in text for text in stands(digest))
    assert not any("cache" in text for text in stands(digest))


def test_a_turn_before_the_last_stands():
    goes_on = ("user", "Good. Now rename the style sheet.")
    digest = gleaned(ASKED, DONE, goes_on, OTHER, ("user", "I've reverted that."))
    assert any("cache" in text for text in stands(digest))
    assert not any("print.css" in text for text in stands(digest))


def test_what_was_found_out_before_is_as_true_as_it_was():
    found = ("agent", "The table `orders` has 3 indexes and 12 million rows.")
    digest = gleaned(ASKED, found, DONE, ("user", "I've reverted that."))
    assert stands(digest) == [found[1]]


def test_who_speaks_of_undoing_takes_nothing_back():
    digest = gleaned(ASKED, DONE, ("user", "Now add an undo button to the page of the export."))
    assert any("cache" in text for text in stands(digest))


def test_what_the_agent_said_later_is_not_meant():
    """The person's newest message may be read after the agent's words to it."""
    gleaner = Gleaner()
    for message in (
        spoken(*reversed(ASKED), n=1),  # pyright: ignore[reportArgumentType]
        spoken(*reversed(DONE), n=2),  # pyright: ignore[reportArgumentType]
        spoken(*reversed(OTHER), n=4),  # pyright: ignore[reportArgumentType]
        spoken("I've reverted that.", n=3),
    ):
        gleaner.read(message)
    told = stands(gleaner.digest())
    assert any("print.css" in text for text in told)
    assert not any("cache" in text for text in told)


# What was held for the cause

CAUSE = "The issue is that `export.py` opens the file 40 times."


def failures(digest: Digest) -> dict[str, float]:
    return {p.text: p.weight for p in digest.points if p.kind == "failure" and p.by == "agent"}


def test_a_cause_that_was_dealt_with_goes():
    assert CAUSE in failures(gleaned(ASKED, ("agent", CAUSE)))
    digest = gleaned(
        ASKED, ("agent", CAUSE), ("agent", "I've updated `export.py` to open it once.")
    )
    assert not failures(digest)


@pytest.mark.parametrize(
    "words", ["Ok, let's look at the import.", "Thanks. And the display?", "Is it fixed now?"]
)
def test_who_talks_on_has_not_mended_it(words):
    assert failures(gleaned(ASKED, ("agent", CAUSE), ("user", words)))[CAUSE] > FADED


@pytest.mark.parametrize("words", ["It works now, thanks.", "Super, das geht jetzt.", "Solved."])
def test_a_cause_she_calls_mended_weighs_little(words):
    assert failures(gleaned(ASKED, ("agent", CAUSE), ("user", words))) == {CAUSE: FADED}


def test_a_report_of_something_else_leaves_the_cause():
    other = ("agent", "I've updated the ticket HW-44.")
    assert failures(gleaned(ASKED, ("agent", CAUSE), other))[CAUSE] > FADED
    assert failures(gleaned(ASKED, ("agent", f"{CAUSE} {other[1]}")))[CAUSE] > FADED


def test_a_report_in_a_later_turn_deals_with_it_if_it_speaks_of_it():
    goes_on = (ASKED, ("agent", CAUSE), ("user", "Then mend that please."))
    mended = gleaned(*goes_on, ("agent", "I've fixed `export.py`, and the tests are green."))
    assert failures(mended)[CAUSE] == FADED
    other = gleaned(*goes_on, ("agent", "I've fixed the spelling in the manual."))
    assert failures(other)[CAUSE] > FADED


@pytest.mark.parametrize(
    "cause",
    [
        "The problem is that the firewall blocks `export.py`.",
        "The cause is a fault in the driver of `export.py`, and there is no fix for it.",
        "The problem is a lock in `export.py`. We can't remove it yet.",
    ],
)
def test_a_cause_that_nobody_can_mend_stands(cause):
    said = f"{cause} I've added a note to `export.py`."
    held = failures(gleaned(ASKED, ("agent", said), ("user", "Ok. What is next?")))
    assert max(held[text] for text in held if text in said) > FADED


def test_a_cause_that_was_not_dealt_with_stands():
    digest = gleaned(ASKED, ("agent", CAUSE), ("user", "It still fails with the same error."))
    assert failures(digest)[CAUSE] > FADED


def test_a_cause_that_is_none_is_told_as_corrected():
    digest = gleaned(ASKED, ("agent", CAUSE), ("user", "No, that's not the problem."))
    assert not failures(digest)
    assert corrections(digest, "agent") == [CAUSE]


# What is put right


def test_a_statement_that_was_put_right_is_not_told_twice():
    wrong = "The nightly backup of `orders` runs at 04:00 on db2."
    right = "No, the nightly backup of orders runs at 02:00, not 04:00."
    digest = gleaned(ASKED, ("agent", wrong), ("user", right))
    assert wrong not in stands(digest)
    assert wrong in corrections(digest, "agent")
    assert right in corrections(digest, "user")


def test_a_correction_of_few_words_is_carried_with_what_follows():
    said = "I don't like that. Every app should share one repository."
    assert corrections(gleaned(ASKED, DONE, ("user", said)), "user") == [said]


def test_what_she_does_herself_is_a_preference():
    digest = gleaned(ASKED, DONE, ("user", "I'll run the server myself. What should I try?"))
    assert [p.text for p in digest.points if p.kind == "preference"] == [
        "I'll run the server myself."
    ]
