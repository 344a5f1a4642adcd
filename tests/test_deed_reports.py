"""What an agent did is told as done, in however few words, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning import deed_chances
from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.deed_chances import HEAD, chance, first_words, read_request
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.deed_reports import says_only_done, tells_deed
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")


def told(reply: str, asked: str = "") -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in from_agent(take_apart(reply), asked)]


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner(EMPTY)
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def of(kind: str, digest: Digest) -> list[str]:
    return [point.text for point in digest.points if point.kind == kind]


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Suspended the cronjob etl-nightly.", "Stop the etl cron please."),
        ("I terminated the 87 connections of etl-nightly.", "Kill them."),
        ("Renewed: valid until 6 August 2026.", "it's there"),
        ("Booked: Friday, 17 April, 4 to 7 pm.", "Friday's good."),
        ("Ordered: a cream lamp for 219 euros, order BX-781455.", "Go ahead."),
        ("Switched to ruff, line length 100 as before.", "ok switch"),
        ("Cancelled Thursday's table.", "My sister is out, so cancel the table."),
        ("Emailed Anna and Bob the agenda.", ""),
        ("Restarted nginx on both hosts.", "restart nginx"),
        ("I've rescheduled the dentist to 3 pm.", ""),
        ("Transferred 400 euros to the landlord.", ""),
        ("OK, muted the channel until Monday.", ""),
        ("I unsubscribed you from the newsletter.", ""),
        ("Paid: 48.20 euros, reference 7712.", "pay it"),
        ("Yes, I raised the limit to 500.", ""),
        ("Merged #224.", "Merge it, I've looked at it."),
    ],
)
def test_a_deed_told_in_few_words_is_completed_work(reply: str, asked: str) -> None:
    assert told(reply, asked) == [("done", reply)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Based on the log, the pool is full.", ""),
        ("Closed on Sundays.", "When is it closed?"),
        ("Cached responses expire after 5 minutes.", ""),
        ("Red, black and cream.", "Does it come in red?"),
        ("I noticed the pods are restarting.", ""),
        ("I tried the old token, no luck.", ""),
        ("If I renamed the file, the imports would break.", ""),
        ("Once I deployed it, the errors went away.", ""),
        ("Advanced users can set the flag.", ""),
        ("Estimated: 3 hours.", ""),
        ("Delayed: it arrives on 18 April.", ""),
        ("Unresolved: two comments.", ""),
        ("Merged PR 1190 and left.", "What did Henrik do yesterday?"),
        ("Opened the first shop in 1998.", "What is the story of the company?"),
        ("I never deleted the branch.", ""),
        ("I'd have booked Friday.", ""),
        ("Limited to 30 connections.", ""),
        ("Noted: eu-central-1, data stays in the EU.", ""),
        ("Planned for tomorrow, 04:30.", ""),
    ],
)
def test_what_is_seen_supposed_or_merely_so_is_no_deed(text: str, asked: str) -> None:
    assert not tells_deed(parse_sentence(text), asked)


def test_done_is_told_with_what_was_done() -> None:
    reply = "Done. The role etl can have at most 30 connections."
    assert told(reply, "do it right away") == [("done", reply)]
    assert told("Done.", "do it") == []
    assert says_only_done(parse_sentence("It's done."))
    assert not says_only_done(parse_sentence("Done: 1 kg every six weeks."))


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Rollback then, we need the reports by 9.", "Rolled back the ETL to 3.4.0."),
        ("Revert that, stay at 100.", "Reverted, it is 100 again."),
    ],
)
def test_what_was_undone_because_she_asked_for_it_is_no_failure(asked: str, reply: str) -> None:
    assert told(reply, asked) == [("done", reply)]
    assert told("I reverted the change because the tests failed.", "Make it faster.") == [
        ("failure", "I reverted the change because the tests failed.")
    ]


def test_what_was_booked_is_worth_a_memory_and_a_step_of_work_is_not() -> None:
    digest = gleaned(
        ("user", "Please book Friday."),
        ("agent", "Booked: Friday, 17 April, 4 to 7 pm, pickup number P-90233."),
        ("user", "Add a flag to src/cli.py."),
        ("agent", "I added the flag --dry-run to src/cli.py in 14 lines."),
    )
    texts = [fact.text for fact in memories_of(EMPTY, digest)]
    assert "Booked: Friday, 17 April, 4 to 7 pm, pickup number P-90233." in texts
    assert not any("--dry-run" in text for text in texts)


def test_a_setting_told_with_another_figure_takes_the_place_of_the_old_report() -> None:
    digest = gleaned(
        ("user", "Change the reminder to 14 days."),
        ("agent", "Changed, REMINDER_DAYS = 14."),
        ("user", "The reminder shall come after 10 days."),
        ("agent", "REMINDER_DAYS is 10 now, MAX_RETRIES stays as it is."),
        ("user", "And the retries?"),
        ("agent", "Changed, MAX_RETRIES = 5."),
    )
    texts = " ".join(point.text for point in digest.points if point.by == "agent")
    assert "REMINDER_DAYS = 14" not in texts
    assert "MAX_RETRIES = 5" in texts


@pytest.mark.parametrize(
    ("first", "later", "stands"),
    [
        ("Changed, POOL_SIZE = 20 in staging.toml.", "POOL_SIZE is 50 in prod.toml now.", True),
        ("POOL_SIZE is 20 in staging.", "Done, POOL_SIZE is 50 in production now.", True),
        ("Changed, POOL_SIZE = 20 in conf/prod.toml.", "POOL_SIZE is 50 in prod.toml.", False),
        ("Changed, POOL_SIZE = 20 in prod.toml.", "POOL_SIZE is 50 now.", False),
    ],
)
def test_a_setting_of_another_file_is_another_one(first: str, later: str, stands: bool) -> None:
    digest = gleaned(
        ("user", "Please set the size of the pool."),
        ("agent", first),
        ("user", "And the other one."),
        ("agent", later),
    )
    texts = " ".join(point.text for point in digest.points if point.by == "agent")
    assert ("POOL_SIZE = 20" in texts or "POOL_SIZE is 20" in texts) == stands
    assert "50" in texts


def test_how_many_tests_pass_is_told_as_it_is_now() -> None:
    digest = gleaned(
        ("user", "How's the coverage?"),
        ("agent", "81 percent, 341 tests pass, 2 are skipped."),
        ("user", "Pin it, please."),
        ("agent", "Pinned psycopg2-binary==2.9.9 in the Dockerfile, 342 tests pass."),
        ("user", "The credentials are there."),
        ("agent", "I recorded the fixture of the sandbox, 343 tests pass."),
    )
    texts = " ".join(point.text for point in digest.points if point.by == "agent")
    assert "341" not in texts
    assert "psycopg2-binary==2.9.9" in texts
    assert "343 tests pass" in texts


def test_what_she_liked_and_had_undone_is_no_preference() -> None:
    liked = ("user", "I'd prefer a line length of 88, like black.")
    digest = gleaned(
        liked,
        ("agent", "I changed the line length to 88 in pyproject.toml."),
        ("user", "Hmm. Revert that, stay at 100."),
        ("agent", "Reverted, it is 100 again."),
    )
    assert of("preference", digest) == []
    assert of("preference", gleaned(liked, ("agent", "Line length is 88 now."))) == [liked[1]]


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Hallway lamp moved to circuit 7.", "put the hallway lamp on circuit 7 instead"),
        ("Deposit lowered to 300 in the contract.", "300 is enough, put that in the contract"),
        ("Guest list and seating updated to 42 people.", "two more are coming, so 42"),
        ("Invoice template changed to two columns.", "make it two columns please"),
        ("Room plan drafted, with the stage at the north wall.", "draft the room plan"),
        ("Heating in the hall set to 19 degrees.", "19 in the hall please"),
    ],
)
def test_a_deed_told_after_what_it_was_done_to_is_completed_work(reply: str, asked: str) -> None:
    """`Timer moved to 04:00`: no form knows it, but how it begins and what it answers tell."""
    assert not tells_deed(parse_sentence(reply), asked)
    assert told(reply, asked) == [("done", reply)]


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("The shop opened in Porto with 40 tables.", ""),
        ("The shop opened in Porto with 40 tables.", "Tell me about the shop."),
        ("The bridge closed in 2017 and reopened with two lanes.", "what happened to the bridge?"),
        ("Pressed in autumn, the juice keeps for a year.", "how long does juice keep?"),
        ("Engineered oak with a hard oil finish can be repaired in spots.", "which floor?"),
        ("Now the test file, with the same change in `reader.py`.", "fix the reader"),
        ("The storage is mocked in both tests of `theme.test.ts`.", "write tests"),
        ("Allowed in most places, though the handbook discourages it.", "is that ok?"),
    ],
)
def test_what_only_sounds_past_is_no_completed_work(reply: str, asked: str) -> None:
    """What came about, what something is like, and what comes next were not done for anybody."""
    assert not [text for kind, text in told(reply, asked) if kind == "done"]


def test_a_report_that_begins_like_an_order_is_known_by_what_it_answers() -> None:
    """`List changed: …` orders nothing, though a list is also something that one can do."""
    reply = "List changed: 1a Lana, 1b Brenner, 1c Nordgarn."
    assert told(reply, "I'd rather have wool split up by supplier") == [("done", reply)]


@given(st.text(max_size=300), st.text(max_size=300))
def test_the_chance_of_a_report_is_between_none_and_sure(text: str, asked: str) -> None:
    row = first_words(text)
    assert len(row) <= HEAD
    assert 0.0 <= chance([parse_sentence(text)], 0, row, read_request(asked)) <= 1.0


def test_the_weights_of_reports_are_a_small_file_of_whole_hundredths() -> None:
    """What ships are weights that were fitted on our own talks, in one file that can be read."""
    place = Path(deed_chances.__file__).with_name("deed_weights.tsv")
    common, known, bias, *rows = place.read_text("utf-8").rstrip("\n").split("\n")
    assert place.stat().st_size < 40_000
    assert common.split(" ")
    assert known.split(" ")
    assert [int(bias), *(int(row.split("\t")[1]) for row in rows)]
