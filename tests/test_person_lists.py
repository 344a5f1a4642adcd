"""What a person wants, written down point by point, is carried point by point: every point was meant."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import WORDS, Digest
from everthread.domain.gleaning.whole_messages import LONGEST, MOST, PART
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")

LIBRARY = [
    "Readers borrow without an account; a library card is enough.",
    "A book goes back after 21 days.",
    "Fines are shown in crowns, never in cents.",
    "The desk sees one page a day, sorted by shelf, ready for A5.",
    "No reminders by post: a text message or nothing.",
    "Comics are limited to 12 a reader, films to 4.",
    "When all copies are out, the next branch that has one is named.",
    "The pages must work on the old tablets in the hall.",
    "Danish and Finnish, switchable at the top.",
    "What a reader borrowed is deleted after a year.",
    "Closed on Sundays and on Midsummer.",
    "One password for the desk, kept in the environment.",
    "Plain templates, no framework in the browser.",
    "A copy of everything goes to the town hall each night.",
    "Shelves are named by a letter and two digits.",
    "Children see no adult shelf.",
]
FORMS = {
    "numbers": lambda n, item: f"{n}. {item}",
    "brackets": lambda n, item: f"{n}) {item}",
    "dashes": lambda n, item: f"- {item}",
    "stars, one line between": lambda n, item: f"* {item}\n",
    "bold": lambda n, item: f"- **Point {n}**: {item}",
    "indented": lambda n, item: f"   • {item}",
}


def read(text: str) -> Digest:
    return gleaned(("user", text), ("agent", "I have begun with the form."))


def carried(text: str) -> list[str]:
    return [point.text for point in read(text).points if point.kind == WORDS]


def missing(text: str, items: list[str]) -> list[str]:
    told = " ".join(point.text for point in read(text).points)
    return [item for item in items if item not in told]


@pytest.mark.parametrize("form", FORMS)
def test_every_point_of_a_long_list_is_carried(form: str) -> None:
    points = "\n".join(FORMS[form](n, item) for n, item in enumerate(LIBRARY, start=1))
    said = (
        f"We build a lending desk. This is what I need:\n\n{points}\n\nStart with the form, please."
    )
    assert len(said) > LONGEST
    assert missing(said, LIBRARY) == []
    assert all(len(part) <= PART for part in carried(said))


def test_what_introduces_a_list_stands_before_its_first_point_and_numbers_stay() -> None:
    points = "\n".join(f"{n}. {item}" for n, item in enumerate(LIBRARY, start=1))
    first, second, *_ = carried(f"We build a lending desk. This is what I need:\n{points}")
    assert first.startswith(f"This is what I need: 1. {LIBRARY[0]} 2. ")
    assert second[0].isdigit()


def test_a_point_of_two_sentences_or_two_lines_stays_together() -> None:
    points = [f"{item} It holds for all branches\n   in the valley." for item in LIBRARY]
    parts = carried("What I need:\n" + "\n".join(f"- {point}" for point in points))
    whole = " ".join(parts)
    assert all(" ".join(point.split()) in whole for point in points)
    assert all(part.endswith("in the valley.") for part in parts)


def test_what_stands_below_a_list_is_no_part_of_it() -> None:
    points = "\n".join(f"{n}. {item}" for n, item in enumerate(LIBRARY, start=1))
    said = f"What I need:\n{points}\n\nMy cousin wrote the old pages in the nineties. He lives abroad now."
    assert not any("cousin" in part for part in carried(said))


def test_one_request_does_not_reach_into_the_next_point() -> None:
    points = "\n".join(f"{n}. Add the {item} page." for n, item in enumerate("abcdefgh", start=1))
    said = f"{points}\n\n" + "The rest of it can stay as it has been since the spring. " * 16
    asked = [point.text for point in read(said).points if point.kind in ("open_item", "request")]
    assert asked
    assert not any("2. Add" in text for text in asked)


@pytest.mark.parametrize(
    "text",
    [
        "- One.\n- Two.\n\n" + "The rest of it can stay as it has been since the spring. " * 16,
        "In 1998. we began, and "
        + "went on from town to town with all of it, " * 24
        + "until 2004.",
    ],
    ids=["two points", "figures in prose"],
)
def test_what_is_no_list_is_not_carried_as_one(text: str) -> None:
    assert len(text) > LONGEST
    assert carried(text) == []


def test_a_list_without_end_is_carried_as_far_as_there_is_room() -> None:
    points = "\n".join(f"- Point {n} of the long list that somebody made." for n in range(150))
    assert len(carried(f"What I need:\n{points}")) == MOST
