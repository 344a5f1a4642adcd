"""Leave to go on with what nobody names is no decision that anyone could use later."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")


def agreed(question: str, answer: str) -> Digest:
    return gleaned(
        ("user", "The greenhouse needs a new pump."),
        ("agent", f"I looked at it for a while. {question}"),
        ("user", answer),
        ("agent", "I set up the pump P-40 in house B."),
        ("user", "And the vents?"),
        ("agent", "They are shut."),
    )


def told(digest: Digest) -> str:
    shown = render(digest, number=1, tokens=1_000, count=lambda text: len(text) // 4)
    memories = [fact.text for fact in memories_of(EMPTY, digest)]
    return "\n".join([shown.text, *memories])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are you ready to proceed with the implementation?", "Proceed"),
        ("Do you approve of this approach?", "Appoved"),
        ("Shall I go ahead and make these changes?", "yes, go ahead"),
        ("¿Quieres que aplique esta corrección?", "sí, aplique"),
        ("Soll ich fortfahren?", "ja"),
        ("**Does this plan look good to you?**", "looks good"),
    ],
)
def test_leave_without_a_name_is_told_nowhere(question: str, answer: str) -> None:
    text = told(agreed(question, answer))
    assert question.strip("*") not in text
    assert answer not in text.split()


@pytest.mark.parametrize(
    ("question", "answer", "name"),
    [
        ("Shall I take the pump P-40 for house B?", "yes", "P-40"),
        ("Should I proceed with all four `valves`?", "proceed", "`valves`"),
        ("Which pump would you like?", "the green one from Oberau", "Oberau"),
        ("How should I proceed?", "first the pipes, then the pump", "pipes"),
    ],
)
def test_what_names_something_is_told(question: str, answer: str, name: str) -> None:
    assert name in told(agreed(question, answer))


def test_a_question_in_bold_is_a_question() -> None:
    digest = agreed("**Should I wire all four pumps to port 4100?**", "yes")
    points = [p for p in digest.points if "four pumps" in p.text]
    assert [(p.text, p.by) for p in points if p.kind == "decision"] == [
        ("Should I wire all four pumps to port 4100?", "agent")
    ]
    assert any("port 4100? yes" in fact.text for fact in memories_of(EMPTY, digest))


@pytest.mark.parametrize(
    "words",
    [
        "I work on pumps, and the paper we are going to write is about greenhouses in Oberau.",
        "It should print a command that I can run to do exactly what I need to do with the pump.",
        "Just give me the result and we're going to do what you recommend for the pump.",
    ],
)
def test_what_is_told_in_passing_promises_nothing(words: str) -> None:
    digest = gleaned(("user", words), ("agent", "The pump P-40 stands in house B."))
    assert not [p for p in digest.points if p.kind == "open_item" and p.by == "user"]


def test_what_was_cut_off_lays_nothing_down() -> None:
    words = "It still shows nothing. , endless and never though I see the rows in the table."
    digest = gleaned(("user", "Show the rows."), ("agent", "Done."), ("user", words))
    assert not [p for p in digest.points if p.kind == "rule"]
