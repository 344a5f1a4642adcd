"""A rule is lifted in few words: by a word of it, by what it waited for, by a new hour; and not by others."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

LIFTED = (
    ("No deploys on Fridays.", "Friday deploys are OK now that we have the canary."),
    ("Never suggest anything before 9 in the morning.", "You can suggest things before 9 again."),
    ("Answer me in short bullets.", "Forget the bullets."),
    ("Answer me in short bullets.", "Forget the bullets, write normally."),
    ("Always answer in German.", "You can answer in English again."),
    ("Always answer in German.", "English is fine again."),
    ("From now on use metric units only.", "You can use imperial units again."),
    ("Don't touch the legacy module.", "The legacy module is fair game now."),
    (
        "Never send emails without asking me.",
        "You don't have to ask before sending emails any more.",
    ),
    (
        "Please always give me prices including VAT.",
        "You can drop the VAT thing by the way, everyone quotes gross.",
    ),
    (
        "Whenever stock drops under 15, tell me.",
        "You don't need to warn me about low stock any more.",
    ),
    ("Whenever stock drops under 15, tell me.", "No more low-stock warnings, please."),
    ("Always keep your answers under three sentences.", "You can write longer answers again."),
    ("Never email the tenants directly.", "From today it's fine to email the tenants directly."),
    ("No meetings before 10 in my calendar, ever.", "Meetings from 8 on are possible now."),
    (
        "Don't contact the landlord before I've spoken to him.",
        "I've spoken to the landlord, go ahead.",
    ),
    ("Do not touch the kiln until the technician was here.", "The technician was here."),
)
STANDING = (
    ("No deploys on Fridays.", "The Friday deploys were fine now that I think of it."),
    ("Never suggest anything before 9 in the morning.", "You can suggest things before 11 again."),
    ("Answer me in short bullets.", "Forget the invoice."),
    ("Answer me in short bullets.", "Forget the bullets in this one."),
    ("Always answer in German.", "You can tell Anna in English again."),
    ("Always write letters in ink.", "English letters are fine again."),
    ("Never email the tenants directly.", "From today it's fine to email the landlord directly."),
    ("Always write the letter to my aunt in French.", "English is fine again."),
    ("Whenever stock drops under 15, tell me.", "No more weather warnings, please."),
    ("No meetings before 10, ever.", "Meetings from 11 on are possible now."),
    ("Don't contact the landlord before I've spoken to him.", "I've spoken to Anna."),
    (
        "Don't contact the landlord before I've spoken to him.",
        "I haven't spoken to the landlord yet.",
    ),
    ("Do not touch the kiln until the technician was here.", "The technician was not here."),
    ("Do not touch the kiln until the technician was here.", "Was the technician here?"),
)


def told(rule: str, said: str) -> list[str]:
    gleaner = Gleaner()
    for n, text in enumerate((rule, "The bus was late again.", said)):
        gleaner.read(spoken(text, n=n))
    return [point.text for point in gleaner.digest().points if point.kind == "rule"]


@pytest.mark.parametrize(("rule", "said"), LIFTED)
def test_it_is_lifted(rule: str, said: str) -> None:
    assert rule not in told(rule, said)


@pytest.mark.parametrize(("rule", "said"), STANDING)
def test_it_stands(rule: str, said: str) -> None:
    assert rule in told(rule, said)


def test_the_figures_of_a_lifted_rule_are_evidence_no_longer() -> None:
    gleaner = Gleaner()
    for n, text in enumerate(
        ("Whenever stock drops under 15, tell me.", "No more low-stock warnings, please.")
    ):
        gleaner.read(spoken(text, n=n))
    assert "15" not in str(gleaner.digest().ledger)
