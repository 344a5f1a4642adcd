"""Two statements that only look alike both stand: of two things, or of one in another respect."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("D-6")

BOTH_STAND = [
    # of which of two things it is told
    ("The left door is locked", "The right door is locked"),
    ("My left knee hurts", "My right knee hurts"),
    ("Tom's left knee hurts", "Tom's right knee hurts"),
    ("The public key is in the vault", "The private key is in the vault"),
    ("The key of the left shed is blue", "The key of the right shed is blue"),
    ("The early shift is covered by Ana", "The late shift is covered by Ana"),
    ("Local backups run at 3 am", "Remote backups run at 3 am"),
    ("Single rooms have a bath", "Double rooms have a bath"),
    ("The minimum is 5", "The maximum is 5"),
    ("Signed builds go to Anna", "Unsigned builds go to Anna"),
    ("Tom has a public repo", "Tom has a private repo"),
    ("Tom likes dark beer", "Tom likes light beer"),
    ("Tom likes long walks", "Tom likes short walks"),
    # what it is like, and which it is
    ("The database is Postgres", "The database is slow"),
    ("The timeout is 30 seconds", "The timeout is too short"),
    ("The model is GPT-4", "The model is expensive now"),
    ("The format is JSON", "The format is a mess"),
    ("The course costs 300 euros", "The course costs too much"),
    ("Tom lives at 5 High Street", "Tom lives at home"),
    ("My favourite film is Alien", "My favourite film is old"),
    ("The model is slow", "The model is expensive"),
    # who it is, and what else is told of somebody
    ("My husband is Tom", "My husband is 45"),
    ("My wife is Ana", "My wife is Tom's sister"),
    ("The doctor is Dr Lind", "The doctor is Swedish"),
    ("Our supplier is Kraft", "Our supplier is 40 km away"),
    ("Our vet is Dr Marsh", "Our vet's assistant is Dr Lind now"),
    # how large it is, and for which time
    ("The database is Postgres", "The database is 40 GB"),
    ("The deploy key is read-only", "The deploy key is on the NAS"),
    ("The limit is 60 requests per minute", "The limit is 5000 requests per day"),
]
REPLACED = [
    ("Caching is enabled", "Caching is disabled"),
    ("The repo is public", "The repo is private"),
    ("Prefers dark mode", "Prefers light mode"),
    ("Use manual deploys", "Use automatic deploys"),
    ("Dark mode is the default", "Light mode is the default"),
    ("The default is public", "The default is private"),
    ("I prefer early flights", "I prefer late flights"),
    ("The parser is slow", "The parser is fast now"),
    ("The database is postgres", "The database is MySQL"),
    ("The timeout is 30 seconds", "The timeout is 45 seconds"),
    ("The limit is 60 requests per minute", "The limit is 90 requests per minute"),
    ("The rent is 950 euros", "The rent is 1000 euros a month"),
    ("Ana works as a nurse", "Ana works as a teacher"),
    ("The style is formal", "The style is friendly"),
    ("The job is running", "The job is done"),
    ("My husband is Tom", "My husband is Piet"),
    ("I am single", "I am married now"),
    ("I am unemployed", "I am employed"),
    ("Our vet is Dr Marsh", "Our vet is Dr Lind now"),
]


@pytest.mark.parametrize(("old", "new"), BOTH_STAND)
def test_what_only_looks_alike_takes_nothing_away(old: str, new: str) -> None:
    assert not contradicts(new, old)
    assert not contradicts(old, new)


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_cannot_both_be_is_still_seen(old: str, new: str) -> None:
    assert contradicts(new, old)


def test_a_complaint_does_not_hide_what_it_is_about() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.remember("The database is Postgres")
        ada.remember("The database is slow")
        assert {memory.text for memory in ada.memories()} == {
            "The database is Postgres",
            "The database is slow",
        }


# ---- what was always to be so


LET_GO = [
    ("Letters are always formal", "Letters may be friendly"),
    ("Letters are always formal.", "Letters may be friendly now."),
    ("Letters are always formal", "Letters can be informal"),
    ("Letters must be formal", "Letters may be less formal"),
    ("Letters are always formal", "Letters need not be formal"),
    ("Letters are always formal", "Letters don't have to be formal any more"),
    ("Answers should be brief", "Answers can be more detailed"),
]
STILL_SO = [
    ("Letters are always formal", "Letters may be long"),
    ("Letters are always formal", "Letters may be late"),
    ("Letters are always formal", "Letters to friends may be friendly"),
    ("Letters are always formal", "Emails may be friendly"),
    ("Letters are always formal", "Letters may be friendly if Tom signs them"),
    ("Letters are always formal", "Letters may be friendly on Fridays"),
    ("Letters are always formal", "Letters may not be friendly"),
    ("Letters are always formal", "Letters may be more formal"),
    ("Letters are always formal", "Only letters to Tom may be friendly"),
    ("Letters are always formal", "Letters need not be long"),
    ("Answers are always short", "Answers may be less detailed"),
]


@pytest.mark.parametrize(("old", "new"), LET_GO)
def test_leave_for_the_other_ends_what_was_always_so(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), STILL_SO)
def test_leave_for_something_else_ends_nothing(old: str, new: str) -> None:
    assert not contradicts(new, old)


def test_leave_ends_a_rule_whatever_it_is_put_down_as() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.remember("Letters are always formal", kind="rule")
        ada.remember("Letters may be friendly")
        assert [memory.text for memory in ada.memories()] == ["Letters may be friendly"]


# ---- the hour of what happens at one time


ANOTHER_HOUR = [
    ("Standup is at 9:30", "Standup is at 10"),
    ("Our standup is at 9:30", "The standup is at 10"),
    ("Standup is at 9:30", "Standup starts at 10"),
    ("Standup is at 9:30", "Standup moved to 10"),
    ("Standup is at half past nine", "Standup is at ten"),
    ("The rehearsal is at seven", "The rehearsal takes place at a quarter to eight"),
]
SAME_HOUR = [
    ("Standup is at 9:30", "Standup starts at half past nine"),
    ("Standup is at 9:30", "Standup starts at 10 if Ana is late"),
    ("Standup is at 9:30", "Standup is at ten on Mondays"),
    ("Standup is at 9:30", "The design standup starts at 10"),
    ("Standup is at 9:30", "Standup takes place at Tom's"),
    ("Standup is at 9:30", "Standup moved to room 10"),
    ("The demo is on 9 May", "The demo moved to 10"),
    ("The lesson starts at 4", "The lesson ends at 5"),
    ("Tom's wedding is at 3", "Our wedding is at 4"),
    ("My office is in Berlin", "Our office is in Paris"),
]


@pytest.mark.parametrize(("old", "new"), ANOTHER_HOUR)
def test_another_hour_is_seen_in_other_words(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), SAME_HOUR)
def test_what_tells_no_other_hour_takes_no_place(old: str, new: str) -> None:
    assert not contradicts(new, old)
