"""What is no choice of hers: what she tells, shows, or says to another question than the last."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import EMPTY, Gleaner
from everthread.domain.text.acts.option_taking import is_only_label, taken_labels
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.person_decisions import says_settled
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")


def talk(*told: str) -> Digest:
    """A person and the agent by turns."""
    gleaner = Gleaner()
    for n, text in enumerate(("Hello.", "Hello.", *told, "Good.")):
        gleaner.read(spoken(text, "agent" if n % 2 else "user", n=n + 1))
    return gleaner.digest()


def of_kind(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind and p.by == "user"]


def decided(*told: str) -> list[str]:
    return of_kind(talk(*told), "decision")


# ---- how something is

STATED = 'the garden table does show the average rain of each week in the "rain" row'


def test_how_something_is_decides_nothing_where_nothing_was_asked() -> None:
    told = "I will add the average rain of each week to the garden table."
    assert decided("show the rain", told, STATED) == []


@pytest.mark.parametrize("told", ["Pumps: drum, hand, foot.", "I found a hand pump."])
def test_a_name_alone_still_settles_what_was_told(told: str) -> None:
    assert decided("we need a pump", told, "hand pump.") == ["hand pump."]


GARDEN = (
    "Which gate is it? Is it tall or low? The garden has a wall with ivy, moss, a hedge, roses and a pond. "
    "The path goes from the kitchen to the orchard, past apples, pears and plums. A bench stands under the "
    "lime tree beside the fountain. In spring the tulips open, in summer the lilies, in autumn the asters. "
    "The shed keeps spades, rakes, forks and twine. The fence is of oak and larch, with iron nails. The roof "
    "of the arbour is of slate. Bees live behind the barn. Is that clearer?"
)


def test_what_a_long_answer_asks_on_the_way_is_no_offer() -> None:
    said = "but now we are leaving the beauty to moss and stillness"
    assert decided("explain the gate", GARDEN, said) == []


@pytest.mark.parametrize("said", ["check the valve again", "ERROR", "look again"])
def test_who_repeats_an_order_or_shows_an_error_chooses_nothing(said: str) -> None:
    assert decided("test the valve", "I check the valve for an error, or look at it.", said) == []


def test_her_own_deed_does_not_answer_her_question() -> None:
    asked = "¿prefieres que te traiga los tornillos o las tuercas?"
    told = "Sí, tráeme los tornillos, por favor."
    assert decided("hola", "Hola.", asked, told, "Ya, ahora sí dejé los tornillos") == []


# ---- another question

SEVERAL = "Two things. What is the name of your boat, e.g. Ada? May I start with the hull?"


def test_of_several_questions_the_last_is_not_joined_to_what_answers_another() -> None:
    digest = talk("build a boat", SEVERAL, "Swan and its Ada")
    assert decided("build a boat", SEVERAL, "Swan and its Ada") == []
    assert not any("hull" in m.text and "Swan" in m.text for m in memories_of(EMPTY, digest))


def test_the_last_of_several_questions_is_answered_by_its_words() -> None:
    asked = "Is the hull dry? Shall the sail be red or blue?"
    assert decided("build a boat", asked, "the red sail") == ["the red sail"]


def test_what_speaks_of_something_else_is_no_answer() -> None:
    told = "The cabin is painted and the hull is tight. Shall I add a lamp?"
    points = talk("paint it", told, "the hull leaks badly").points
    assert not any("lamp" in p.text or p.kind == "decision" for p in points)


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("The hull is tight. Shall I add a lamp?", "yes, to the hull"),
        ("The hull is tight. Which lamp?", "one for the hull"),
        ("The hull is tight. A lamp, or a bell?", "whatever fits the hull"),
        ("The hull is tight. Shall I add a lamp?", "a small lamp"),
    ],
)
def test_what_may_answer_it_does(told: str, answer: str) -> None:
    points = talk("paint it", told, answer).points
    assert any(p.by == "agent" and p.text.endswith("?") for p in points) or answer in {
        p.text for p in points
    }


# ---- by a label

WAYS = (
    "### 1. Oil the chain\nDone soon.\n\n### 2. Clean it\n\nWith a lock you have ways:\n\n"
    "### Option A: Lock at home\n- a hook in the hall\n\n### Option B: Lock outside\n- a ring\n\n"
    "Does this help?"
)


def test_an_option_is_told_with_what_leads_to_it() -> None:
    digest = talk("how do I lock it?", WAYS, "Let us take option B, thanks")
    told = [m.text for m in memories_of(EMPTY, digest) if m.kind == "decision"]
    assert told == [
        "With a lock you have ways: Let us take option B, thanks (Option B: Lock outside)"
    ]


def test_an_option_without_a_lead_is_told_by_its_label() -> None:
    ways = "## Locks\n\n### Option A: Lock at home\n\n### Option B: Lock outside\n\nAll good."
    digest = talk("how do I lock it?", ways, "Let us take option B, thanks")
    told = [m.text for m in memories_of(EMPTY, digest) if m.kind == "decision"]
    assert told == ["Let us take option B, thanks (Lock outside)"]


def test_a_label_alone_says_nothing_and_steps_of_long_ago_are_no_options() -> None:
    steps = "This takes:\n1. A new lock\n2. A ring"
    told = talk("hi", "Hi.", "do it", steps, "go on", "I go on.", "I prefer option one")
    assert of_kind(told, "decision") == of_kind(told, "preference") == []


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        ("ja mache 1 und 2", ["1", "2"]),
        ("sí, haz 1 y 3", ["1", "3"]),
        ("ya prefiero la opción dos", ["2"]),
        ("option one please", ["1"]),
        ("option one is too far", []),
        ("quiero 2 camas", []),
        ("mach 2 kuchen", []),
        ("el 2 de mayo", []),
    ],
)
def test_labels_in_words_and_in_other_languages(said: str, labels: list[str]) -> None:
    assert [each.label for each in taken_labels(said)] == labels


def test_who_says_more_than_a_label_is_heard() -> None:
    assert is_only_label("i prefer option 2, please")
    assert not is_only_label("option 2, but in another colour")
    assert not is_only_label("option 2 because it is cheap")
    assert not is_only_label("a ring")


# ---- what it points at


def test_a_choice_that_points_back_is_told_with_what_it_points_at() -> None:
    said = "Is the chain on the green bike the right one? I want to use that chain"
    assert decided("hi", "Hi.", said) == [said]


def test_a_choice_that_names_its_thing_is_told_alone() -> None:
    said = "The chain is new. I want to use the green chain this year"
    assert decided("hi", "Hi.", said) == ["I want to use the green chain this year"]


# ---- shown to be asked about

PAGE = (
    "🔧 Gears (pages 8-12)\nFront gears:\n\nThey are large.\n\nRear gears:\n\n"
    "Then each gear is joined with its cable. Without this cable, gears use the small wheel.\n\n"
)


def test_a_page_that_she_asks_about_is_not_hers() -> None:
    told = "The gears of a bike are joined with a cable."
    digest = talk("read it", told, f"{PAGE}Why gears ?", "Each gear is joined with a cable.")
    assert of_kind(digest, "decision") == of_kind(digest, "preference") == []


def test_what_stands_over_a_bare_question_is_no_wish() -> None:
    shown = "Without this screw, the lamp never gets any power at all, which is safer in all rain."
    reply = "Yes: without this screw the lamp never gets any power."
    assert of_kind(talk("hi", "Hi.", f"{shown}\n?", reply), "preference") == []
    assert of_kind(
        talk("hi", "Hi.", "No curtains in my kitchen, ever.", "Noted: no curtains."), "rule"
    )


# ---- plain decisions


@pytest.mark.parametrize(
    "said",
    [
        "lets rename the bell table to shop bells throughout the project",
        "rename the class to Bell everywhere",
        "After reading it, use the small pump if it's possible.",
        "avoid plastic wherever possible",
        "let's rename the lamp to beacon",
    ],
)
def test_a_name_for_all_and_a_way_wherever_it_can_be_are_settled(said: str) -> None:
    assert says_settled(parse_sentence(said))


@pytest.mark.parametrize(
    "said",
    [
        "rename the file to bells.txt",
        "let's call the shop to ask",
        "can you rename it everywhere?",
        "use the bell when it is possible to ring it",
        "is it possible to use oil",
    ],
)
def test_work_for_once_is_not(said: str) -> None:
    assert not says_settled(parse_sentence(said))


def test_who_does_not_like_what_was_made_means_it() -> None:
    told = talk("draw it", "Drawn.", "I don't like the dots at the end of lines.", "I remove them.")
    assert of_kind(told, "preference") == ["I don't like the dots at the end of lines."]
