"""A page with many tables is nobody's statement; what stands before and after it is hers."""

from __future__ import annotations

import pytest

from everthread.domain.text.pasted_text import blank_out, pasted_ranges

TABLE = "|Bell|Price|\n|---|---|\n|brass|$3.00|\n|steel|$2.00|\n"
PAGE = (
    f"Prices\n======\n\n### Bells\n\nAll prices without tax.\n\n{TABLE}\n"
    f"For a quicker ride, try the [express line](/lines/express).\n\n{TABLE}\n"
    f"Our `mini` bells are always free of charge.\n\nHorns\n\n{TABLE}"
)


def own(text: str) -> str:
    return " ".join(blank_out(text, pasted_ranges(text, own=True)).split())


def test_a_copied_page_is_not_hers() -> None:
    asked = "Which of these is the cheapest bell?"
    assert own(f"{asked}\n\n{PAGE}") == asked


@pytest.mark.parametrize("after", ["Please take the steel one.", "can we use the second?"])
def test_after_the_page_she_is_heard(after: str) -> None:
    assert own(f"{PAGE}\n{after}") == after


def test_a_table_or_two_stand_in_what_people_write() -> None:
    text = f"# Plan\n\nNever sell brass bells.\n\n{TABLE}\nUse steel for the rest.\n\n{TABLE}"
    assert "Never sell brass bells." in own(text)
    assert "Use steel for the rest." in own(text)


LICENCE = (
    "**Bell Licence (v3)**\n\nCopyright (c) 2026 [NAME]\n\n---\n\n### 1. Use\n\n"
    "This bell is for private use only.\n\n### 2. Credit\n\nYou may not paint any part of the bell.\n"
)


@pytest.mark.parametrize("after", ["i open the shop now", "Can you add it?", "please add it"])
def test_a_licence_is_not_hers_from_its_copyright_line_on(after: str) -> None:
    text = f"i made this for it\n\n{LICENCE}\n{after}"
    assert own(text) == f"i made this for it **Bell Licence (v3)** {after}"


def test_who_only_speaks_of_a_copyright_is_heard() -> None:
    text = "The footer shows Copyright (c) 2026 Bells. Never change it.\n\nUse our own pictures."
    assert own(text) == " ".join(text.split())


def test_the_owner_of_a_file_is_no_licence() -> None:
    text = (
        "Our rules:\n\nCopyright (c) 2026 Bells. Every file begins so.\n- Never use old bells.\n"
        "- Always test them."
    )
    assert own(text) == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "Milk\nEggs\nFlour\nSugar\nSalt\nBread\nCheese\nHam\n\nNever buy the cheap milk.",
        "dark head\nbig buttons\nno foot\nred bell\nsmall logo\nround ends\nblue links\nlarge title\n"
        "the list of the bells is always sorted by price and shown in two columns on the phone and in "
        "three on every other screen",
        "Rooms\nHall\nBakery\nDeck\nTower\nMill\nShed\nChapel\nNever book the bakery on a Friday, for the "
        "heating is off then and the guests complained of it last winter, all of them, and loudly.",
        "Pages:\n- Home\n- Shop\n- Cart\n- Bells\n- Horns\n- Lamps\n- Maps\n- Help\n\nKeep the order.",
    ],
)
def test_a_list_of_hers_stays_hers(text: str) -> None:
    assert own(text) == " ".join(text.split())
