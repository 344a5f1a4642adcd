"""A choice ends when another is taken for it by its name; an agent's figure when the person puts it right."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.acts.asked_choices import offers_choice
from everthread.domain.text.acts.speech import parse_sentence, rules
from everthread.domain.text.contrast_pairs import contrast_of
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

DAY = (
    ("user", "The committee wants an open day. Saturday or Sunday?"),
    (
        "agent",
        "Saturday brings the market people, Sunday the families. How much do you want to sell?",
    ),
    ("user", "everything. Saturday then, for the market people!"),
    ("agent", "Saturday it is."),
)


def gleaned(*lines: tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, (who, text) in enumerate(lines, start=1):
        gleaner.read(spoken(text, who, n=n))
    return gleaner.digest()


def told(digest: Digest) -> str:
    return "\n".join(p.text for p in digest.points if p.kind != "request")


@pytest.mark.parametrize(
    "later",
    [
        "Settled: the open day is on Sunday, not on Saturday.",
        "We do it on Sunday instead of Saturday.",
    ],
)
def test_what_is_given_up_by_its_name_is_chosen_no_longer(later: str) -> None:
    digest = gleaned(*DAY, ("user", later), ("agent", "Sunday."))
    assert later in told(digest)
    assert "market people" not in told(digest)


@pytest.mark.parametrize(
    "later",
    [
        "The bakery closes on Sunday, not on Monday.",
        "Is it on Sunday, not on Saturday?",
        "I was there for the cake, not only for the people.",
    ],
)
def test_what_gives_up_something_else_or_asks_ends_nothing(later: str) -> None:
    assert "Saturday then" in told(gleaned(*DAY, ("user", later), ("agent", "Noted.")))


def test_a_choice_in_one_word_is_known_by_it() -> None:
    digest = gleaned(
        ("user", "Should I use the drip hose or the old sprinkler at bed 5?"),
        ("agent", "A drip hose is better against the draught, the sprinkler costs nothing."),
        ("user", "sprinkler, I'm stingy."),
        ("agent", "The sprinkler it is."),
        ("user", "A drip hose instead of the sprinkler, then."),
        ("agent", "A hose it is."),
    )
    assert "stingy" not in told(digest) and "A drip hose instead" in told(digest)


@pytest.mark.parametrize(
    ("text", "taken", "gone"),
    [
        ("30, not 28 any more.", "30", "28"),
        ("Use pnpm, not npm.", "use pnpm", "npm"),
        ("wir nehmen Leim statt Draht", "wir nehmen leim", "draht"),
        ("we meet at the mill rather than the station", "at the mill", "station"),
    ],
)
def test_both_are_named(text: str, taken: str, gone: str) -> None:
    found = contrast_of(text)
    assert found is not None and (found.taken.endswith(taken) or taken.endswith(found.taken))
    assert found.gone == gone


@pytest.mark.parametrize("text", ["not only that", "it is not yet done", "I'd rather not.", ""])
def test_who_gives_up_nothing_names_no_pair(text: str) -> None:
    assert contrast_of(text) is None


ASKED = ("user", "how much water do we have?")
GAUGE = (
    "agent",
    "The gauge stands at 80 percent. By the manual it's a tank of 250 litres, so there are about 53 gallons.",
)


def test_what_the_agent_told_by_a_wrong_figure_goes_when_it_is_put_right() -> None:
    right = "nope, 320 litres. it's stamped on the lid."
    digest = gleaned(ASKED, GAUGE, ("user", right), ("agent", "A tank of 320, then."))
    assert "250" not in told(digest) and "320 litres" in told(digest)


@pytest.mark.parametrize("said", ["ok. how are the 8 beds?", "thanks, I bring 20 cans."])
def test_who_puts_nothing_right_leaves_it(said: str) -> None:
    assert "250 litres" in told(gleaned(ASKED, GAUGE, ("user", said), ("agent", "Fine.")))


def test_how_a_thing_is_and_what_it_always_does_is_no_rule() -> None:
    assert not rules(parse_sentence("it's behind the door, always dries first."))
    assert rules(parse_sentence("it's wet there, so please always close the door."))


def test_which_asks_for_a_choice_only_where_there_is_one() -> None:
    assert not offers_choice("How many beds are there, and which side has the sun?")
    assert offers_choice("Which side should have the tall ones?")
    assert offers_choice("Which is better, the hose or the can?")
