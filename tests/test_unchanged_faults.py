"""What an agent claims to have mended, and the person sees unchanged, is no fact."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.passing_remarks import FADED
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.unchanged_faults import says_unchanged
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

ASKED = ("user", "The legend of the chart overlaps the axis, please mend that.")
CLAIM = "The legend of the chart in `chart.css` stands 12 px below the axis on all 4 pages."
DONE = ("agent", f"I'll mend it. I've moved the legend in `chart.css` below the axis.\n\n{CLAIM}")


def gleaned(*said: tuple[str, str], parts: int = 1) -> Digest:
    messages = [spoken(text, by, n=n) for n, (by, text) in enumerate(said, start=1)]  # pyright: ignore[reportArgumentType]
    digest, each = EMPTY, -(-len(messages) // parts)
    for first in range(0, len(messages), each):
        gleaner = Gleaner(digest)
        for message in messages[first : first + each]:
            gleaner.read(message)
        digest = read_digest(digest_text(gleaner.digest()))
    return digest


def weights(digest: Digest) -> list[float]:
    kinds = ("done", "state", "fact")
    return [p.weight for p in digest.points if p.by == "agent" and p.kind in kinds]


def remembered(digest: Digest) -> str:
    return " ".join(fact.text for fact in memories_of(EMPTY, digest) if fact.by == "agent")


@pytest.mark.parametrize(
    "text",
    [
        "Nothing changed.",
        "I don't see a change.",
        "It still doesn't fit.",
        "The font is still too small",
        "The margins are still wrong.",
        "that didn't help",
        "It looks even worse now.",
        "I still see the old icon.",
        "Die Tabelle ist immer noch zu breit!",
        "hat sich nichts geändert",
        "sieht noch genauso aus",
        "Sigue sin funcionar",
        "sigue trayendo sin datos",
        "Se sigue viendo chiquito",
        "You made no changes, and so it still does not work.",
        "نه درست نیست",
        "هنوز کار نمیکند",
        "Ça ne marche toujours pas.",
        "ничего не изменилось",
        "还是不行",
    ],
)
def test_who_sees_no_change_says_so(text: str) -> None:
    assert says_unchanged(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "I still don't have a visa.",
        "That's still a month before the harvest.",
        "The worker count didn't change.",
        "Is it still too small?",
        "Wir haben noch keine Karten.",
        "Ich war noch nicht beim Arzt.",
        "Friday still works for me.",
        "I still want the blue one.",
        "Still not sure about the colour.",
        "Todo sigue según el plan.",
        "我还没有决定。",
        "Now change the title as well.",
    ],
)
def test_who_speaks_of_herself_or_of_other_things_does_not(text: str) -> None:
    assert not says_unchanged(parse_sentence(text))


@pytest.mark.parametrize(
    "words", ["Nothing changed.", "The legend is still too high.", "Die Legende ist immer noch da."]
)
@pytest.mark.parametrize("parts", [1, 2])
def test_what_was_in_vain_weighs_little_and_is_not_remembered(words: str, parts: int) -> None:
    digest = gleaned(ASKED, DONE, ("user", words), parts=parts)
    assert max(weights(digest)) <= FADED
    assert "12 px" not in remembered(digest)


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, that looks good.",
        "Now do the same with the title.",
        "The invoice of the caterer for Saturday is still missing.",
        "I still need a name for the ship.",
    ],
)
def test_who_says_nothing_against_it_leaves_it(words: str) -> None:
    digest = gleaned(ASKED, DONE, ("user", words))
    assert max(weights(digest)) > FADED
    assert "12 px" in remembered(digest)


def test_what_was_told_before_the_work_is_as_true_as_it_was() -> None:
    found = ("agent", "The table `orders` has 3 indexes and 12 million rows.")
    goes_on = ("user", "Good to know. Now the legend please.")
    digest = gleaned(ASKED, found, goes_on, DONE, ("user", "It is still the same."))
    assert "12 million" in remembered(digest)


def test_who_did_no_work_on_code_claimed_nothing() -> None:
    booked = ("agent", "I've booked the table for 8 people at 19:30. The deposit is 40 €.")
    asked = ("user", "Book a table for Friday please.")
    digest = gleaned(asked, booked, ("user", "The table in the kitchen is still broken, too."))
    assert max(weights(digest)) > FADED
