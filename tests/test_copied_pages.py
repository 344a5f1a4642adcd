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
