"""A standing rule goes when it is lifted in whatever words, and stands when it is set again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import everthread
from everthread import Agent
from everthread.domain.distilling.continuity import Draw
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.lifts import lifted_rules, set_again
from everthread.domain.text.acts.releases import releases, resumes
from everthread.testing import FrozenClock
from support.desk import Desk, desk_in
from support.spoken import spoken
from test_lifted_rules import ruled, talk

pytestmark = pytest.mark.req("A-13")

ROWS = Path(__file__).parent.parent / "bench" / "acts" / "ended.jsonl"
STANDING = (
    "Don't use emojis.",
    "End each answer with a running total.",
    "Never deploy on Fridays.",
    "Use metric units.",
    "Keep answers under 3 sentences.",
    "Don't touch the staging db.",
    "Wake me before 7.",
    "Always cc Petra on invoices.",
    "Never call clients on weekends.",
    "Only buy organic eggs.",
)
PETRA = STANDING[7]
LIFTS = {
    "you can use emojis again": 0,
    "stop with the running total": 1,
    "forget the friday thing, deploy whenever": 2,
    "scrap metric, back to feet": 3,
    "longer answers are fine again": 4,
    "staging db is free to use again": 5,
    "no need to wake me before 7 any longer": 6,
    "Petra left so no more cc": 7,
    "you may call clients on weekends again": 8,
    "you can buy any eggs again": 9,
}
NO_LIFTS = (
    # once, under a condition, asked, of somebody else
    "an emoji is fine in this one",
    "you can use emojis again once the client agrees",
    "can we use emojis again?",
    "my brother uses emojis again",
    "no need to wake me before 7 tomorrow",
    # of something else, or of less than the rule
    "you can use stickers again",
    "you can deploy again",
    "Fridays are fine again",
    "you can call vendors on weekends again",
    "clients can call us again",
    "stop adding a running title",
    "no more Petra jokes",
    "drop the invoices at reception",
    # how somebody or something is
    "Petra is fine again",
    "the staging db is back",
    "I deployed on Friday again",
    # the same once more, or stricter
    "no emojis and no stickers",
    "still no emojis please",
    "no more emojis",
)


@pytest.mark.parametrize(("said", "at"), LIFTS.items())
def test_whatever_the_words_just_the_rule_that_is_meant_is_lifted(said: str, at: int) -> None:
    assert lifted_rules(said, STANDING) == [STANDING[at]]


@pytest.mark.parametrize("said", NO_LIFTS)
def test_what_only_sounds_like_it_lifts_nothing(said: str) -> None:
    assert lifted_rules(said, STANDING) == []


def test_where_it_fits_two_alike_both_stand_and_what_is_said_twice_goes_as_one() -> None:
    mails = "Put a summary into mails."
    notes = "Put a summary into notes."
    assert lifted_rules("no more summaries please", [mails, notes]) == []
    assert lifted_rules("no more summaries in notes please", [mails, notes]) == [notes]
    twice = ["Put a summary into notes.", "Please put a summary into the notes"]
    assert lifted_rules("no more summaries in notes please", twice) == twice


def test_a_rule_that_is_said_over_again_is_not_lifted_by_itself() -> None:
    rule = "I don't eat beef any more, lamb is ok"
    assert lifted_rules(rule, [rule]) == []


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("we're done with daily reports", "cease"),
        ("sources can go", "cease"),
        ("don't worry about the passive any longer", "revoke"),
        ("the limit on gifts is off", "revoke"),
        ("no limit on gifts any longer", "revoke"),
        ("deleting without asking is ok from now on", "cease"),
        ("I eat meat again", "resume"),
        ("British spelling again please", "return"),
        ("prices don't need to be net any more", "cease"),
        ("commit messages can be long again", "allow"),
        ("feel free to add comments", "allow"),
        ("leave the footer out from now on", "cease"),
        ("no footer needed in mails any more", "cease"),
        ("we stopped squashing", "cease"),
        ("ticket numbers no longer matter", "cease"),
        ("signatures aren't necessary any longer", "cease"),
        ("don't bother with footers any more", "cease"),
    ],
)
def test_what_a_sentence_lets_go(text: str, how: str) -> None:
    assert [each.how for each in releases(text)] == [how]


@pytest.mark.parametrize(
    "text",
    [
        "we had no footers any more when he left",
        "is no footer needed any more?",
        "my sister eats meat again",
        "x " * 100 + "stop it",
    ],
)
def test_what_lets_go_of_nothing(text: str) -> None:
    assert releases(text) == ()
    assert resumes(text) is None


AGAIN = [
    ("you can use emojis again", "actually, back to no emojis"),
    ("Fridays are fine again for deploys", "ok no more deploys on Fridays after all"),
    ("stop the morning jokes", "bring back the morning jokes"),
    ("sources aren't needed any longer", "give sources again please"),
    ("forget British spelling", "go back to British spelling"),
    ("wine is fine again", "wine is off limits again"),
]


@pytest.mark.parametrize(("lift", "later"), AGAIN)
def test_what_is_set_again_takes_its_lift_back(lift: str, later: str) -> None:
    assert set_again(later, ["the gym opens at 6", lift]) == [lift]


@pytest.mark.parametrize(
    ("lift", "later"),
    [
        ("you can use emojis again", "you can use emojis again, I said"),
        ("you can use emojis again", "back to no bullets"),
        ("stop the morning jokes", "stop the morning jokes after all"),
        ("stop the morning jokes", "bring back the morning weather"),
        ("wine is fine again", "no wine tonight after all"),
    ],
)
def test_what_sets_nothing_again(lift: str, later: str) -> None:
    assert set_again(later, [lift]) == []


@pytest.mark.parametrize("part", ["dev", "held"])
def test_of_the_rows_of_the_bench_nothing_is_lifted_wrongly(part: str) -> None:
    """The figures of `bench/acts/README.md` may grow, and never at this price."""
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    rows = [r for r in rows if r["kind"] == "rule" and r["part"] == part and r["sort"] != "either"]
    standing = [*dict.fromkeys(text for row in rows for text in row["known"])]
    right = wrong = 0
    for row in rows:
        meant = None if row["ends"] is None else row["known"][row["ends"]]
        lifted = lifted_rules(row["said"], standing)
        right += meant in lifted
        wrong += len([text for text in lifted if text != meant])
    assert wrong == 0
    assert right >= 35


def test_in_a_talk_the_rule_goes_and_what_lifts_it_is_told() -> None:
    digest = talk("Always use metric units.", "scrap metric, back to feet")
    assert ruled(digest) == []
    assert [p.text for p in digest.points if p.kind == "correction"] == [
        "scrap metric, back to feet"
    ]


def test_in_a_talk_the_rule_stands_when_it_is_set_again() -> None:
    told = ("Please don't use emojis.", "you can use emojis again", "actually, back to no emojis")
    digest = talk(*told)
    assert ruled(digest) == [told[2]]
    assert not any(p.text == told[1] for p in digest.points)


def test_nobody_lifts_the_rule_of_another() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("Never deploy on Fridays.", n=1, name="Nora"))
    gleaner.read(spoken("forget the friday thing", n=2, name="Piet"))
    assert ruled(gleaner.digest()) == ["Never deploy on Fridays."]


def test_the_score_asks_for_no_rule_that_was_lifted_in_other_words() -> None:
    rule, lift = "Never deploy on Fridays.", "forget the friday thing, deploy whenever"
    draw = Draw(7)
    for n, text in enumerate((rule, PETRA, lift), start=1):
        draw.read(spoken(text, n=n))
    assert [item.text for item in draw.items() if item.kind == "rules"] == [PETRA]


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et.agent("ada")


def kept(agent: Agent) -> Sequence[str]:
    return sorted(memory.text for memory in agent.memories())


@pytest.mark.parametrize("kind", ["fact", "rule", "correction", "preference"])
def test_remembered_as_whatever_it_lifts_the_rule(ada: Agent, kind: str) -> None:
    rules = [ada.remember(text, kind="rule") for text in STANDING[:3]]
    lift = ada.remember("you can use emojis again", kind=kind)
    assert kept(ada) == sorted([lift.text, rules[1].text, rules[2].text])
    over = ada.memory(rules[0].id)
    assert (over.state, over.successor) == ("superseded", lift.key_id)


def test_remembered_again_the_rule_stands_and_the_lift_does_not(ada: Agent) -> None:
    ada.remember("Don't use emojis", kind="rule")
    lift = ada.remember("you can use emojis again")
    again = ada.remember("back to no emojis", kind="rule")
    assert kept(ada) == [again.text]
    assert ada.memory(lift.id).state == "superseded"


def test_what_a_tool_read_lifts_no_rule_of_a_person(ada: Agent) -> None:
    rule = ada.remember("Don't use emojis", kind="rule")
    ada.remember("you can use emojis again", origin="tool")
    assert ada.memory(rule.id).state == "kept"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.mark.req("R-15")
def test_a_lift_that_is_distilled_ends_the_rule_and_undoing_brings_it_back(desk: Desk) -> None:
    rule = desk.ada.remember("Never deploy on Fridays", kind="rule")
    desk.turn("Never deploy on Fridays.", "Understood.")
    desk.talk(0, 12)
    desk.ada.distill()
    desk.turn("forget the friday thing, deploy whenever", "Good to know.")
    desk.talk(12, 26)
    receipt = desk.ada.distill()
    texts = [m.text for m in desk.ada.memories(kind="rule") if m.valid_to is None]
    assert texts == []
    desk.et.undo(receipt.id)
    assert desk.ada.memory(rule.id).state == "kept"
    assert desk.ada.memory(rule.id).valid_to is None


@pytest.mark.parametrize(
    ("rule", "lift"),
    [
        ("Don't touch the staging database", "The staging database is free to use again"),
        ("Always cc Petra on invoices", "no need to cc Petra on invoices any longer"),
    ],
)
def test_a_rule_that_was_laid_down_elsewhere_is_lifted_in_a_talk(
    desk: Desk, rule: str, lift: str
) -> None:
    memory = desk.ada.remember(rule, kind="rule")
    other = desk.ada.remember("Never call clients on weekends", kind="rule")
    desk.turn("Hello.", "Hello.")
    desk.turn(lift, "Good to know.")
    desk.talk(0, 14)
    receipt = desk.ada.distill()
    (told,) = desk.ada.memories(kind="correction")
    over = desk.ada.memory(memory.id)
    assert (told.text, over.state, over.successor) == (lift, "superseded", told.key_id)
    assert desk.ada.memory(other.id).state == "kept"
    desk.et.undo(receipt.id)
    assert desk.ada.memory(memory.id).state == "kept"


def test_leave_from_one_duty_for_this_time_leaves_it() -> None:
    rule = "Always remind me to water the ferns on Sunday."
    assert ruled(talk(rule, "You don't have to remind me this Sunday, I watered them.")) == [rule]
    assert ruled(talk(rule, "You don't have to remind me on Sunday any more.")) == []
