"""What a person settles in passing is a decision: one way and not the other, or what it shall be."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.choices.settlements import settlements
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.person_statements import from_person
from everthread.domain.gleaning.points import Points
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import decides, parse_sentence
from everthread.domain.text.person_decisions import contrasts, named_choice, says_settled
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")


def kinds(text: str, before: str = "") -> dict[str, str]:
    """What is found in her words, after what the agent said."""
    said = take_apart(text, own=True)
    settles = settlements(said, before, Points())
    found = from_person(said, opening=False, back={}, settles=settles)
    return {each.kind: each.text for each in found}


@pytest.mark.parametrize(
    "text",
    [
        "Use Redis, not Memcached.",
        "We'll leave on Friday, not Thursday.",
        "Let's meet at the mill rather than the barn.",
        "Book the night train instead of the bus.",
        "Take the blue tiles over the green ones.",
        "Wir nehmen den Zug statt des Busses.",
        "Usa tabuladores en vez de espacios.",
        "Prenons le train plutôt que le bus.",
        "Stay with 1913.",
        "Make it 30.",
        "Use the paired one then.",
        "I'm keeping that one.",
        "We're scrapping the second stall.",
        "Let's go for the mill instead.",
        "还是坐火车吧。",
    ],
)
def test_who_names_one_of_two_ways_decides(text: str) -> None:
    assert "decision" in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should we use Redis, not Memcached?",
        "Maybe use Redis rather than Memcached.",
        "If we use Redis, not Memcached, it is faster.",
        "Use it, not only for mails.",
        "See you then.",
        "I lived in Rome then.",
        "Yes it is.",
        "Here it is.",
        "Good night then.",
        "Read only.",
        "Make it faster.",
        "Stick to it.",
        "Let's go for a walk.",
        "I'm keeping busy.",
        "We're keeping warm.",
        "I'm keeping it up.",
        "My sister moved over the river.",
        "Write a poem about the sea.",
    ],
)
def test_what_only_looks_so_decides_nothing(text: str) -> None:
    said = parse_sentence(text)
    assert not contrasts(said)
    assert not says_settled(said)
    assert not named_choice(said)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I would paint the old gate, or take a new one.", "I'm keeping the old gate."),
        ("The fair is open on Friday and on Saturday.", "Friday it is."),
        ("They sell plums, pears and figs.", "Plums and pears then."),
        ("It can run daily, weekly or monthly.", "Weekly and monthly only."),
        ("Podemos comer en la playa o en el puerto.", "En la playa entonces."),
    ],
)
def test_who_names_what_was_just_spoken_of_decides(before: str, text: str) -> None:
    assert "decision" in kinds(text, before)
    assert "decision" not in kinds(text)
    assert "decision" not in kinds(text, "The shop opens at nine.")


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Marie has broken her leg.", "Poor Marie then."),
        ("Merry Christmas to you and yours!", "Merry Christmas then."),
        ("They open at nine.", "Cash only."),
        ("How are the kids?", "I'm dropping the kids at school."),
        ("It is cold, so keep warm.", "We're keeping warm."),
        ("Rooms are dear in May.", "I'm staying with friends."),
        ("There are options a, b and c.", "OK, c then."),
        ("There are three options for the shop: a, b and c.", "Option c then."),
    ],
)
def test_a_name_or_a_label_alone_decides_nothing(before: str, text: str) -> None:
    assert "decision" not in kinds(text, before)


def decided(*said: str) -> list[tuple[str, str]]:
    """By turns the person and the agent."""
    gleaner = Gleaner(EMPTY)
    for n, text in enumerate(said, start=1):
        gleaner.read(spoken(text, "user" if n % 2 else "agent", n=n))
    return [(p.by, p.text) for p in gleaner.digest().points if p.kind == "decision"]


FAIR = ("I want to see the fair.", "The fair of Veld is on Friday and on Saturday.")


def test_what_is_settled_anew_takes_the_place_of_what_it_names() -> None:
    start = (*FAIR, "Friday then.", "Noted.")
    assert decided(*start) == [("user", "Friday then.")]
    later = "Saturday then, Friday is taken."
    assert decided(*start, later, "Fine.") == [("user", later)]
    back = "Saturday then after all, we have time."
    assert decided(*start, "And the cake?", "It is baked.", back) == [("user", back)]
    assert decided(*start, "Sorry, Saturday then.", "Fine.") == [("user", "Sorry, Saturday then.")]
    plain = "Saturday then."
    assert decided(*start, plain, "Fine.") == [("user", "Friday then.")], "nothing says that it is"


def test_what_is_settled_of_something_else_leaves_it() -> None:
    told = decided(*FAIR, "Friday then.", "The dentist has time on Tuesday.", "Tuesday then.", "Ok")
    assert told == [("user", "Friday then."), ("user", "Tuesday then.")]


def test_the_question_goes_with_the_answer_that_was_changed() -> None:
    asked = "Do we drive on Friday or on Saturday?"
    van, later = "Let's use the old van.", "Saturday then, Friday is taken."
    told = decided("Hello.", asked, "Friday then.", "Noted.", van, "Good.", later)
    assert told == [("user", van), ("agent", asked), ("user", later)]


def test_what_is_told_with_a_choice_is_not_told_again() -> None:
    text = "Saturday then. We take the car, not the train."
    assert kinds(text, "The fair is on Friday and on Saturday.") == {"decision": text}


@pytest.mark.parametrize(
    "text",
    ["No, the dentist, not the vet.", "It's the owner of the shop, not of the house."],
)
def test_who_puts_something_right_corrects(text: str) -> None:
    assert set(kinds(text)) == {"correction"}


def test_an_order_that_decides_is_asked_for_as_well() -> None:
    text = "Use Redis, not Memcached."
    assert kinds(text) == {"request": text, "decision": text}


def test_a_choice_of_few_words_is_told_with_what_it_is_of() -> None:
    text = "My group says the image of the bandage is too much. I'm keeping it."
    assert kinds(text) == {"decision": text}


@pytest.mark.parametrize(
    "text",
    [
        "Let's keep going and chase our dreams!",
        "We'll keep pushing each other.",
        "I'm gonna keep it up.",
        "Let's keep an eye on it.",
    ],
)
def test_who_goes_on_as_before_has_chosen_nothing(text: str) -> None:
    assert not decides(parse_sentence(text))
    assert not {"decision", "request"} & kinds(text).keys()


def test_who_keeps_a_thing_has_chosen() -> None:
    assert decides(parse_sentence("Let's keep the old logo."))
    assert "request" in kinds("Let's keep working on `parser.py` and src/lexer.py.")
