"""Figures, states and clock times told anew without a word of change; and figures that only look like it."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("LA-18")

ANEW = [
    ("The password policy requires 16 characters.", "The password policy requires 12 characters."),
    ("The test suite takes 15 minutes.", "The test suite takes 12 minutes."),
    ("The free plan allows 5 users", "The free plan allows 3 users"),
    ("Our warranty lasts 3 years", "Our warranty lasts 2 years"),
    ("The library opens at 10", "The library opens at 9"),
    ("The meeting is at 5 am.", "The meeting is at 5 pm."),
    ("My flight leaves at 9 am.", "My flight leaves at 7 am."),
    ("The build is fixed.", "The build is broken."),
    ("The login page works again.", "The login page is broken."),
    ("The import is working now.", "The import is broken."),
    ("I am not allergic to nuts after all.", "I am allergic to nuts."),
    ("The branch is feature/signup.", "The branch is feature/login."),
    ("The branch is release/1.5.", "The branch is release/1.4."),
    ("timeout: 60", "Timeout: 30"),
]
"""(later, earlier)"""

BESIDE = [
    ("The budget is 47,600 euros gross.", "The budget is 40,000 euros net."),
    ("Das Budget ist 47.600 Euro brutto.", "Das Budget ist 40.000 Euro netto."),
    ("The rent is 1,150 euros warm.", "The rent is 900 euros cold."),
    ("max_retries = 5", "MAX_RETRIES = 3"),
    ("TIMEOUT: 60", "timeout: 30"),
    ("The recipe needs 3 spoons", "The recipe needs 2 eggs"),
    ("The plan allows 10 projects", "The plan allows 5 users"),
    ("The job requires 3 years", "The job requires patience"),
    ("The trip takes 3 hours by bus", "The trip takes 2 hours by train"),
    ("The trip takes 3 hours by bus", "The trip takes 2 hours"),
    ("It takes 5 minutes", "It takes 12 minutes"),
    ("I need 3 tickets", "I need 2 tickets"),
    ("Each batch takes 9 minutes", "Each batch takes 8 minutes"),
    ("The shop opens at 10 on Sundays", "The shop opens at 9"),
    ("The kitchen is cold", "The kitchen is 4 metres long"),
    ("The front door is locked", "The back door is unlocked"),
    ("The theme is Mon/Tue", "The theme is dark"),
]


@pytest.mark.parametrize(("new", "old"), ANEW)
def test_what_is_told_anew_takes_the_place_of_the_earlier(new: str, old: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(("new", "old"), BESIDE)
def test_a_figure_of_something_else_stands_beside_it(new: str, old: str) -> None:
    assert not contradicts(new, old)
    assert not contradicts(old, new)


def test_both_can_be_seen_afterwards() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        old = ada.remember("The meeting is at 5 pm.")
        ada.remember("The meeting is at 5 am.")
        ada.remember("The budget is 40,000 euros net.")
        ada.remember("The budget is 47,600 euros gross.")
        live = {one.text for one in ada.memories()}
        assert old.text not in live
        assert {"The budget is 40,000 euros net.", "The budget is 47,600 euros gross."} <= live
        assert old.text in {one.text for one in ada.memories(state=None)}


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The printer is fixed again", "The printer is broken"),
        ("DEADLINE: 4 May", "Deadline: 3 May"),
    ],
)
def test_it_is_told_anew_in_other_letters_and_once_more(new: str, old: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The log folder is /var/log/b, the cache is Redis", "The log folder is /var/log/a"),
        ("Anna needs 3 tickets", "Anna needs 2 tickets"),
        ("My dad takes 5 mg", "My dad takes 10 mg"),
    ],
)
def test_a_list_or_what_a_person_needs_ends_nothing(new: str, old: str) -> None:
    assert not contradicts(new, old)
