"""A reply that only feels with somebody says what she said once more: it goes with what is forgotten."""

from __future__ import annotations

import pytest

from everthread.domain.forgetting.acknowledgements import Acknowledged

pytestmark = pytest.mark.req("R-43")


@pytest.mark.parametrize(
    ("gone", "reply"),
    [
        ("Was fired from Siemens", "I'm sorry you were fired from Siemens."),
        (
            "Has been diagnosed with epilepsy",
            "I'm sorry to hear that you have been diagnosed with epilepsy.",
        ),
        (
            "Has been diagnosed with epilepsy",
            "Thank you for telling me about your epilepsy. I'll be careful.",
        ),
        ("My bonus is 9,000 euros", "Congratulations on the 9,000 euros bonus!"),
    ],
)
def test_sympathy_tells_nothing_else(gone: str, reply: str) -> None:
    assert [*Acknowledged([gone]).by(reply)] == [0]


@pytest.mark.parametrize(
    ("gone", "reply"),
    [
        ("Was fired from Siemens", "I'm sorry to hear that."),
        ("Was fired from Siemens", "Sorry, the appointment at the dentist is on Friday."),
        ("Was fired from Siemens", "I'm sorry. Anna was fired from Bosch, too."),
        ("My bonus is 9,000 euros", "Congratulations on the 7,000 euros prize!"),
    ],
)
def test_what_tells_something_else_stays(gone: str, reply: str) -> None:
    assert [*Acknowledged([gone]).by(reply)] == []
