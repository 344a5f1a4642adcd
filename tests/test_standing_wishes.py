"""What holds from now on is known by how a person says it, and by what the agent replies."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.standing_chances import WEIGHTS, standing_chance, traits
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

WISH = "No adjectives in the labels, figures and units only."


def read(*texts: str, before: Digest = EMPTY) -> Digest:
    gleaner = Gleaner(before)
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, "agent" if n % 2 else "user", n=n + 1, turn_ref=1 + n // 2))
    return gleaner.digest()


def of(digest: Digest, *kinds: str) -> list[str]:
    return [p.text for p in digest.points if p.kind in kinds]


def test_a_wish_in_words_of_ones_own_holds_when_the_agent_takes_note_of_it() -> None:
    start = ("Here are the labels of the show.", "Thank you, I have all nine.")
    told = of(read(*start, WISH, "Noted, only figures and units in the labels."), "preference")
    assert told == [WISH]


def test_the_chance_is_higher_when_the_agent_takes_note_in_the_same_words() -> None:
    said = take_apart(WISH).sentences
    noted = take_apart("Noted, only figures and units in the labels.").sentences
    moved = take_apart("The lamp hangs in the hall. It is bright there.").sentences
    least = standing_chance(said, 0, (), asked=False)
    assert standing_chance(said, 0, moved, asked=False) <= least
    assert least < standing_chance(said, 0, noted, asked=False)
    assert traits(said, 0, noted, asked=True).keys() | {"words"} == WEIGHTS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather pay for a broken mug.",
        "I'd rather raise it later than explain a full disk.",
    ],
)
def test_what_only_has_the_form_of_a_wish_is_a_fact_once_it_is_replied_to(text: str) -> None:
    digest = read("Plan the parcels.", "Planned, with paper only.", text, "The parcels are cheap.")
    assert text not in of(digest, "preference")


def test_what_was_told_as_decided_is_told_once() -> None:
    digest = read("Do the labels.", "With adjectives?", WISH, "Noted, figures and units only.")
    assert of(digest, "decision", "preference", "rule").count(WISH) <= 1


def test_who_says_stop_ends_what_she_wished_of_the_same() -> None:
    wish = "Give me the tide report every morning at the top of your first answer."
    start = ("Here is the raw file.", "Thanks.", wish, "Sure, the tide report comes first.")
    assert wish in of(read(*start), "preference", "rule")
    later = read(*start, "Tide reports: stop leading with them.", "Good, no reports at the top.")
    assert wish not in of(later, "preference", "rule")
    other = read(*start, "Stop painting the boat, it is wet.", "Good.")
    assert wish in of(other, "preference", "rule")
