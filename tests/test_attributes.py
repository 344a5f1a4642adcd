"""What somebody tells of a thing by one figure or name is kept, and the newer value stands for the older."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from everthread import Settings
from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.text.attributes import revises_figure, states_attribute
from everthread.testing import FrozenClock
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-44", "LB-16")


@pytest.mark.parametrize(
    "text",
    [
        "My hourly rate is 85 euros.",
        "The deploy port is 8080.",
        "btw the gate code is 4471",
        "Our landlord is Mr Petit.",
        "Tom's flight is LH 441",
        "We moved: the staging host is now eta-7.",
        "The invoices go to accounts@example.org",
        "staging_db listens on 5433",
        "Die Miete beträgt 740 Euro.",
        "Our office: Rue Cler 12",
        "The stand-up starts at 9:30 from now on.",
        "The launch moved to 13 April.",
        "The staff meeting has been moved to Fridays at 11.",
        "Our landlord has changed, it's Immo Delta now.",
        "Staging moved, it's https://stage2.shop.example now.",
        "Her fee went up to 60 euros.",
    ],
)
def test_who_tells_a_value_is_heard(text: str) -> None:
    assert states_attribute(text)


@pytest.mark.parametrize(
    "text",
    [
        "It rained all day.",
        "The cat is asleep.",
        "Is the deploy port 8080?",
        "My head is killing me.",
        "The temperature is 31 degrees today.",
        "The problem is that nobody answers.",
        "Invoice 1007 for client 3",
        "The view is good. It was Rome after all.",
        "The problem is Docker.",
        "My guess is that Tom did it.",
        "The output is 5 rows.",
        "The best way is to ask Tom.",
        "The heating is off in my flat, I'm freezing.",
        "I moved the sofa to the left.",
        "The weather has changed, it's cold now.",
    ],
)
def test_what_passes_or_merely_judges_is_none(text: str) -> None:
    assert not states_attribute(text)


def test_a_value_from_now_on_is_no_rule() -> None:
    assert revises_figure("The meeting room is 4.02 from now on.")
    assert not revises_figure("The subject line is always 'Invoice 7' from now on.")
    assert not revises_figure("Answer in English from now on.")
    assert not revises_figure("The answers are in German from now on.")
    ruled = gleaned("Our commit messages are in British English from now on.")
    assert [p.kind for p in ruled.points if "British" in p.text and p.kind != "words"] == ["rule"]
    digest = gleaned("The meeting room is 4.02 from now on.")
    assert [p.kind for p in digest.points if "4.02" in p.text] == ["fact"]


def gleaned(*texts: str) -> Digest:
    gleaner = Gleaner()
    gleaner.read(spoken("Hello, I am Jo, and you keep my books.", n=1))
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, n=2 * n + 2))
        gleaner.read(spoken("Noted.", "agent", n=2 * n + 3))
    return gleaner.digest()


CHANGED = [
    ("My hourly rate is 85 euros.", "My hourly rate is 95 euros now."),
    ("My hourly rate is 85 euros.", "My hourly rate is 95 euros."),
    ("The meeting room is 3.14 on the second floor.", "The meeting room is 4.02 from now on."),
    ("The deploy port is 8080.", "We moved: the deploy port is 8081."),
    ("I live in Hamburg.", "I moved to Lisbon last week."),
    ("We live in Porto.", "We've just moved to Braga."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_the_newer_value_stands_and_the_older_does_not(old: str, new: str) -> None:
    """Neither in the summary, nor as a memory, nor among the figures of the evidence."""
    assert contradicts(new, old)
    digest = gleaned(old, *(f"Row {n} is done by Mel." for n in range(5)), new)
    told = [p.text for p in digest.points] + [t.note for t in digest.ledger]
    assert new in told and old not in told
    kept = [fact.text for fact in memories_of(EMPTY, digest)]
    assert new in kept and old not in kept


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Hamburg.", "I moved to Lisbon in 2010."),
        ("Mel lives in Hamburg.", "Tom moved to Lisbon last week."),
        ("The deploy port is 8080.", "The admin port is 8081."),
        ("The meeting room is 3.14 on Mondays.", "The meeting room is 4.02 on Fridays."),
        ("The price is 80 in Munich.", "The price is 90 in Berlin now."),
        ("The rent is 90 for the garage.", "The rent is 1000 now."),
    ],
)
def test_what_speaks_of_something_else_or_of_long_ago_changes_nothing(old: str, new: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rent is 950 pounds.", "The rent is late."),
        ("My boss is Tom.", "My boss is angry."),
        ("The room is 14.", "The room is cold."),
        ("My desk is small.", "My desk is wobbly."),
        ("Our supplier is Meyer.", "Our supplier is slow."),
        ("The deadline is Friday.", "The deadline is tight."),
    ],
)
def test_what_is_said_of_it_besides_is_no_other_value(old: str, new: str) -> None:
    assert not contradicts(new, old)
    told = [p.text for p in gleaned(old, new).points if p.kind in ("fact", "identity")]
    assert old in told


def test_what_two_tell_of_themselves_stands_for_both() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("My budget is 900 euros.", n=1, name="Cleo"))
    gleaner.read(spoken("My budget is 700 euros.", n=2, name="Ben"))
    gleaner.read(spoken("My budget is 750 euros now.", n=3, name="Ben"))
    told = [(p.name, p.text) for p in gleaner.digest().points if p.kind == "fact"]
    assert told == [
        ("Cleo", "My budget is 900 euros."),
        ("Ben", "My budget is 750 euros now."),
    ]


def test_what_two_say_of_themselves_in_the_same_words_is_a_memory_of_each() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("I am a vegetarian.", n=1, name="Lou"))
    gleaner.read(spoken("I am a vegetarian too.", n=2, name="Kit"))
    told = [f.text for f in memories_of(EMPTY, gleaner.digest())]
    assert {*told} >= {"I am a vegetarian.", "I am a vegetarian too."}


def test_a_value_that_answers_a_question_is_worth_a_memory_by_itself() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("Good morning, I am sorting out the flat.", n=1))
    gleaner.read(spoken("What is first?", "agent", n=2))
    gleaner.read(spoken("The rent is 950 pounds.", n=3))
    assert "The rent is 950 pounds." in [f.text for f in memories_of(EMPTY, gleaner.digest())]


def test_a_ban_that_is_lifted_for_all_time_to_come_is_lifted() -> None:
    lifted = "Actually, forget Sundays: from now on you may send invoices on a Sunday."
    digest = gleaned("Never send invoices on a Sunday.", lifted)
    assert not any(p.text.startswith("Never send") for p in digest.points if p.kind == "rule")


# ---- in a summary


def fact(text: str, n: int) -> Point:
    return Point("fact", text, (n.to_bytes(16, "big"),), "user", n, 0.67, verbatim=True)


def test_many_that_differ_in_a_figure_do_not_hide_the_one_that_says_something_else() -> None:
    """LB-16: forty bookings, and what the work costs."""
    many = [fact(f"Invoice {1000 + 7 * n} for client {n % 5}", n + 1) for n in range(60)]
    one = fact("The gatekeeper has the spare keys.", 30)._replace(weight=0.5)
    digest = Digest((*many[:30], one, *many[30:]), messages=61, first_ms=1, last_ms=61)
    shown = render(digest, number=1, tokens=600, count=lambda text: len(text) // 4 + 1)
    assert one in shown.points
    assert 5 < len(shown.points) < 61


def test_a_figure_that_is_no_longer_true_is_neither_given_nor_recalled_first(
    tmp_path: Path,
) -> None:
    kept = Settings(workspace=str(tmp_path / "files"), embedder="off")
    clock = FrozenClock("2026-03-02T08:00:00Z")
    with everthread.connect("memory://", settings=kept, clock=clock, background=False) as et:
        ada = et.agent("ada")

        def say(text: str, reply: str = "Noted.") -> None:
            clock.forward(hours=3)
            ada.turn(text).done(reply)

        def bookings(start: int) -> None:
            for n in range(20):
                say(
                    f"Invoice {start + 7 * n} for client {n % 5}",
                    f"Booked invoice {start + 7 * n}.",
                )

        say("My hourly rate is 85 euros.")
        bookings(1_000)
        ada.distill()
        assert "85 euros" in (ada.context().summary or "")
        say("My hourly rate is 95 euros now.")
        bookings(2_000)
        ada.distill()
        text = ada.context().summary or ""
        assert "My hourly rate is 95 euros now." in text and "85 euros" not in text
        first, *others = ada.recall("what is my hourly rate?")
        assert "95 euros" in first.text
        assert [hit.superseded for hit in others if "85 euros" in hit.text] in ([], [True])


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The launch is on 6 April.", "The launch moved to 13 April."),
        ("The staff meeting is on Thursdays at 2 pm.", "The staff meeting moved to Fridays at 11."),
        ("Our landlord is Mr Claes.", "Our landlord has changed, it's Immo Delta now."),
    ],
)
@pytest.mark.parametrize("apart", [True, False], ids=["sessions", "one session"])
def test_a_change_told_in_passing_is_the_memory_of_it(first: str, later: str, apart: bool) -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        for said in (first, later):
            ada.turn(said).done("Noted.")
            ada.turn("What is 3 times 7?").done("21.")
            if apart or said == later:
                ada.conclude_session(ada.end_session())
        assert [memory.text for memory in ada.memories()] == [later]
