"""One current value of a thing: what told the one before goes, and what stands beside it stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.distilling.continuity import Item
from everthread.domain.gleaning.digest import EMPTY, Digest, mark_of
from everthread.domain.gleaning.facts import closed_of, memories_of
from everthread.domain.gleaning.figures.figure_changes import text_without
from everthread.domain.gleaning.figures.told_figures import figures_in, told_figures
from everthread.services.distilling.score import items_in_force
from support.desk import Desk, desk_in
from test_gleaning import gleaned

pytestmark = pytest.mark.req("R-15", "R-44")

LED = [("user", "Hello there."), ("agent", "Hello. What is it about?")]

SHIPPING = [
    ("agent", "Now shipping. One way is a flat rate, for example 6.90 within Germany. Which one?"),
    ("user", "Flat rate, and 6.90 is fine."),
    ("agent", "Clear. I put the prices for boxes into your table."),
]
RAISED = [
    ("agent", "The carrier raised its price, so 6.90 no longer covers carton and postage."),
    ("user", "Grr. Then it's 7.50, people will understand."),
    ("agent", "Nobody will mind sixty cents."),
]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def told(digest: Digest) -> str:
    return "\n".join(point.text for point in digest.points if point.kind != "tone")


CHANGED = {
    "the agent names the old one": [*SHIPPING, *RAISED],
    "in the words of what was asked": [
        ("agent", "And the number of attempts? Something like three or so is common."),
        ("user", "6, exponential"),
        ("agent", "Got it: exponential backoff, 6 attempts, jitter on."),
        ("user", "next"),
        ("agent", "One thing: 6 attempts cost you a lot of fees for the tail."),
        ("user", "4 is enough, first charge not included"),
    ],
    "she says what it takes the place of": [
        ("user", "I plan the team offsite. Budget is 9,500 euros."),
        ("agent", "Noted."),
        ("user", "Bad news, my boss cut the budget. 8,000 instead of 9,500."),
    ],
    "the same words, and that it changed": [
        ("agent", "What grace period do you want until suspension?"),
        ("user", "grace 7 days"),
        ("agent", "7 days until suspension. And the texts?"),
        ("user", "hold on, support wants more air. so grace is 10 now"),
    ],
    "she puts right what she said last": [
        ("agent", "How far are you?"),
        ("user", "coded all of them, 412 segments"),
        ("agent", "Impressive. What does the distribution look like?"),
        ("user", "wait it's 421, I mixed up the digits."),
    ],
    "another day": [
        ("user", "The dealer comes on 6 May to set it up."),
        ("agent", "Fine."),
        ("user", "The dealer called, he comes on the 8th instead of the 6th."),
    ],
    "the agent had offered to change it": [
        ("agent", "Batch size and poll interval?"),
        ("user", "batches of 100, poll every 2s"),
        (
            "agent",
            "Noted. It is slow; alternatively bump the batch to 500 with a multi-row insert.",
        ),
        ("user", "multi-row insert. batch 500"),
    ],
    "a date in figures alone": [
        ("user", "Leos Zahnarzt ist am 24.3. bei Dr. Sommer."),
        ("agent", "Leo hat am 24. März einen Termin."),
        ("user", "zahnarzt wurde verschoben, jetzt 31.3."),
    ],
    "among others in one breath": [
        ("user", "budget is 18k, date 12 september, prob around 90 ppl"),
        ("agent", "Noted."),
        ("user", "so budget is 20k now"),
    ],
    "she raises it": [
        ("user", "The price is 29 euros a month."),
        ("agent", "Noted."),
        ("user", "How high is the tower?"),
        ("agent", "It is high."),
        ("user", "We raise it to 39 euros a month."),
    ],
    "she counted again": [
        ("user", "We need blinds for 17 windows."),
        ("agent", "Fine."),
        ("user", "How high are they?"),
        ("agent", "1.40 m, mostly."),
        ("user", "Sorry, I miscounted: 13 windows."),
    ],
}
OLD_AND_NEW = {
    "the agent names the old one": ("6.90", "7.50"),
    "in the words of what was asked": ("6", "4"),
    "she says what it takes the place of": ("Budget is 9,500", "8,000"),
    "the same words, and that it changed": ("7 days", "10"),
    "she puts right what she said last": ("412", "421"),
    "another day": ("on 6 May", "8th"),
    "the agent had offered to change it": ("100", "500"),
    "a date in figures alone": ("24.3.", "31.3."),
    "among others in one breath": ("18k", "20k"),
    "she raises it": ("29 euros", "39 euros"),
    "she counted again": ("17 windows", "13"),
}


@pytest.mark.parametrize("how", CHANGED)
def test_the_later_value_takes_the_place_of_the_earlier(how):
    """One value of a thing is told: the one that holds."""
    old, new = OLD_AND_NEW[how]
    talk = [*LED, *CHANGED[how]]
    before, after = gleaned(*talk[:-2], *LED[1:]), gleaned(*talk, ("agent", "Done."))
    assert old in told(before)
    assert old not in told(after)
    assert new in told(after)
    assert after.gone


@pytest.mark.parametrize(
    ("first", "between", "second"),
    [
        ("The mugs are 28.", "Noted, mugs at 28. And the bowls?", "The bowls are 24."),
        ("28 for the mugs.", "Mugs at 28. How many of them fit?", "30 fit into one load."),
        ("We meet on 4 June.", "4 June it is. And the second time?", "The second time on 9 July."),
        ("I pay 120 a day.", "At 120 a day that is 480. When?", "The 14th, at 9:30."),
        ("Chapter 4 is due on 30 May.", "30 May is noted.", "Chapter 5 is due on 27 June."),
        ("Lunch is at 12:30.", "12:30 is noted. And dinner?", "Dinner is at 19:00 then."),
        ("The van costs 140.", "140 for the van. And petrol?", "petrol would be 90, I think"),
        ("We have 30 chairs.", "30 chairs, noted.", "so 25 of them are done now"),
        ("Anna's budget is 500.", "500 for Anna.", "So Ben's budget is 300."),
        ("We have 28 seats.", "With 28 seats I'd take cards. 40 would be enough.", "40."),
        ("Nico turns 8 on 18 October.", "18 October. Where is the party?", "At home, 20 kids."),
        ("The price is 30.", "30 it is.", "The price is now 20 for students."),
        ("The rent is 780 a month.", "780 a month.", "Maybe it is 815 now, I'd have to look."),
        ("The rent is 780 a month.", "780 a month.", "Is it 815 now?"),
        ("The rent is 780 a month.", "780 a month.", "The gym is 20. We raise it to 25."),
        ("The course costs 35 euros.", "ok", "The kids' pocket money: we raise it to 10 euros."),
        ("The course costs 35 euros.", "ok", "My rent was too low. They raise it to 900 euros."),
        ("The budget is 500 euros.", "ok", "What does the speaker get? Let's make it 50 euros."),
        ("We have 40 guests.", "ok", "For the dinner the day before, make it 12 guests."),
        ("The disk has 500 GB.", "ok", "The log volume is small. Increase it to 50 GB."),
        ("There are 12 lessons.", "ok", "I moved 2 lessons to May."),
        ("We have 12 windows to paint.", "ok", "The shed has some. I recounted, it's 2 windows."),
        ("broker 3 keeps its logs for 14 days", "ok", "vacation: i take 10 days in july now"),
        ("the party is on sunday at 11 am", "Sunday, 11.", "dentist was moved, now 31 march 3 pm"),
        ("chapter 4 may be 15 pages", "With 15 pages, then.", "ch 3 is 41 pages now, uff"),
        (
            "he wants a short chapter, 15 pages max.",
            "So chapter 4 stays, with at most 15 pages.",
            "ch 3 is with Lindqvist now. 41 pages, uff.",
        ),
        (
            "sie haben nur den 15., Sonntag, 11 Uhr",
            "Dann Sonntag, den 15. März, um 11 Uhr?",
            "zahnarzt wurde verschoben, jetzt 31.3. 15 uhr",
        ),
    ],
)
def test_what_was_told_of_another_thing_stands(first, between, second):
    """A standing value is never dropped for one of something else, nor for what is not sure."""
    digest = gleaned(*LED, ("user", first), ("agent", between), ("user", second), ("agent", "OK."))
    assert first in told(digest)


def test_what_the_agent_only_reports_changes_nothing_that_a_person_said():
    """An agent's word alone never takes the place of a person's."""
    said = [*LED, ("user", "The batch size is 100."), ("agent", "OK."), ("user", "go on please")]
    digest = gleaned(*said, ("agent", "The batch size is now 500."))
    assert "The batch size is 100." in told(digest)


def test_what_the_agent_confirms_takes_the_place_of_what_it_told():
    """The agent's `changed to` is about what it set before, whatever few words she had for it."""
    said = [
        *LED,
        ("user", "set up the backup"),
        ("agent", "Restic is set up with a systemd timer at 03:00, first snapshot 391 GB."),
        ("user", "change the timer to 4, the library scan runs then"),
    ]
    assert "03:00" in told(gleaned(*said))
    digest = gleaned(*said, ("agent", "Timer moved to 04:00."))
    assert "03:00" not in told(digest)


def test_a_sentence_that_says_more_is_kept_without_the_figure():
    """What holds otherwise is not lost with the value that does not."""
    digest = gleaned(*LED, *SHIPPING, *RAISED)
    assert "Flat rate, and […] is fine." in told(digest)


@pytest.mark.parametrize(
    ("text", "figure", "left"),
    [
        ("Alert at 80.", "80", ""),
        ("Metric yes. Alert at 80.", "80", "Metric yes."),
        ("Mugs at 28, bowls at 24.", "28", "Mugs at […], bowls at 24."),
        ("Hello Anna. It is 28. The bowls stay.", "28", "Hello Anna. […] The bowls stay."),
        ("We pay 28 now, and the bowls are not for sale.", "28", ""),
    ],
)
def test_what_is_left_of_a_text(text, figure, left):
    """Only the old figure goes, and never so that the rest would say what nobody said."""
    gone = [each for each in told_figures(text) if each.figure.key == figure]
    assert text_without(text, gone) == left


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("28 for the mugs", [("count", "28", "")]),
        ("Forty mugs", [("count", "40", "mug")]),
        ("1,274 requests at 7,5 %", [("count", "1274", "reque"), ("count", "7.5", "%")]),
        ("on the 21st, not 14 June", [("date", "21", ""), ("date", "14 jun", "")]),
        ("at 4 pm, or 16:00", [("clock", "16:00", ""), ("clock", "16:00", "")]),
        ("two weeks", [("count", "2", "lasts")]),
        ("20 a day", [("count", "20", "per day")]),
        ("chapter 4, in 2019, a 504 or 5xx, v1.2.3, 10.0.0.1:80", [("count", "504", "")]),
        ("from 9 to 15 June, 11-12 September, src/a.py:30", []),
        ("in Lindenweg 14, or rue Haute 12, or Hauptstraße 120", []),
        ("am 31.3. um 15 Uhr", [("date", "31 mar", ""), ("clock", "15:00", "")]),
        ("am 31. März um 9.30 Uhr", [("date", "31 mar", ""), ("clock", "9:30", "")]),
        ("it went from 28 to 32", [("count", "28", ""), ("count", "32", "")]),
    ],
)
def test_which_figures_a_sentence_tells(text, read):
    assert [each.figure[:3] for each in figures_in(text)] == read


def test_the_memory_of_an_old_value_ends():
    """What a distillation drew is closed by the next, also what was only told; undoing opens it again."""
    first = gleaned(*LED, *SHIPPING)
    after = gleaned(*RAISED, before=first)
    drawn = {fact.text for fact in memories_of(EMPTY, first)}
    assert any("6.90" in text for text in drawn)
    ended = {point.text for point in closed_of(first, after).points}
    assert all(any(text in point for point in ended) for text in drawn if "6.90" in text)
    fresh = {fact.text for fact in memories_of(first, after)}
    assert any("7.50" in text for text in fresh)
    assert not any("6.90" in text for text in fresh)


def test_a_replaced_choice_is_no_item_of_the_score():
    """What no longer holds is not missing, and not mended into the summary."""
    digest = gleaned(*LED, *SHIPPING, *RAISED)
    said = "Flat rate, and 6.90 is fine."
    items = [
        Item("decisions", said, said, b"k", "", ""),
        Item("numbers", "6.90", said, b"k", "", ""),
    ]
    other = Item("decisions", "No plastic.", "No plastic.", b"k", "", "")
    assert items_in_force([*items, other], digest) == [other]
    assert items_in_force(items, EMPTY) == items
    assert all(mark_of(point) not in digest.gone for point in digest.points)


def test_the_memory_ends_with_the_distillation_and_undo_brings_it_back(desk: Desk) -> None:
    """The change is part of its receipt: taken back, the old value is given again."""
    desk.turn("Which rate shall we take?", SHIPPING[0][1])
    desk.turn(SHIPPING[1][1], SHIPPING[2][1])
    desk.talk(0, 12)
    desk.ada.distill()
    assert "6.90 is fine" in given(desk)
    desk.turn("What about the carrier?", RAISED[0][1])
    desk.turn(RAISED[1][1], RAISED[2][1])
    desk.talk(12, 24)
    receipt = desk.ada.distill()
    assert "6.90 is fine" not in given(desk)
    desk.et.undo(receipt.id)
    assert "6.90 is fine" in given(desk)


def given(desk: Desk) -> str:
    known = desk.ada.memories(limit=999)
    now = [memory.text for memory in known if memory.valid_to is None]
    return "\n".join((*now, desk.ada.context().summary or ""))


def test_a_figure_of_another_thing_in_one_breath_blanks_nothing() -> None:
    """The agent told both together, so the second is no new value of the first."""
    digest = gleaned(
        ("user", "Because of the ALT I go down to 10 mg methotrexate from next Monday."),
        ("agent", "Methotrexate 10 mg from next Monday, because of the ALT."),
        ("user", "Monday: methotrexate 10 mg for the first time. Pain 4."),
        ("agent", "First 10 mg methotrexate, pain 4."),
        ("user", "Tuesday: no nausea. Pain 4."),
        ("agent", "Noted."),
    )
    assert "10 mg methotrexate from next Monday" in told(digest)
    assert "[…]" not in told(digest)


DOSES = "I take methotrexate 15 mg every Monday evening, and folic acid 5 mg on Wednesday."


def test_a_measure_of_the_same_thing_takes_the_place_of_the_one_before() -> None:
    digest = gleaned(
        *(("user", DOSES), ("agent", "Noted.")),
        ("user", "Because of the ALT I go down to 10 mg methotrexate from next Monday."),
        ("agent", "Methotrexate 10 mg from next Monday."),
    )
    assert "15 mg" not in told(digest)
    assert "folic acid 5 mg" in told(digest)


@pytest.mark.parametrize(
    "said",
    [
        "Tom goes down to 10 mg prednisolone now.",
        "The vet says the dog goes up to 20 ml syrup now.",
        "I walk 10 km now.",
    ],
)
def test_a_measure_of_another_thing_does_not(said: str) -> None:
    digest = gleaned(("user", DOSES), ("agent", "Noted."), ("user", said), ("agent", "Fine."))
    assert "methotrexate 15 mg" in told(digest)


MOVED = "The appointment was moved, it's now 21 May at 11:15, same place."


def test_what_was_moved_has_no_longer_its_old_day() -> None:
    first = "My rheumatologist is at the Marienklinik, next appointment is on 14 May at 9:40."
    digest = gleaned(("user", first), ("agent", "Noted."), ("user", MOVED), ("agent", "Noted."))
    assert "21 May at 11:15" in told(digest)
    assert "14 May" not in told(digest)


def test_of_two_appointments_the_other_stands_or_both_where_it_is_not_said_which() -> None:
    both = [
        ("user", "The appointment with the dentist is on 14 May at 9:40."),
        ("agent", "Noted."),
        ("user", "The appointment with the notary is on 16 May at 8:00."),
        ("agent", "Noted."),
    ]
    said = [("user", MOVED), ("agent", "Noted.")]
    at_once, later = gleaned(*both, *said), gleaned(*both, *LED, *said)
    assert "14 May at 9:40" in told(at_once)
    assert "14 May at 9:40" in told(later)
    assert "16 May at 8:00" in told(later)
