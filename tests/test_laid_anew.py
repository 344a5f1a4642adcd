"""An instruction that is given anew, with something else in one of its places, ends the earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.laid_anew import is_laid_anew
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-8")

LAID_ANEW = (
    ("Always reply in Spanish.", "English please from now on."),
    ("Comments in German.", "Comments in English from now on."),
    ("Write commit messages in German.", "Commit messages in English from now on."),
    ("Use tabs.", "Spaces from now on."),
    ("Use tabs for indentation.", "Use spaces for indentation from now on."),
    ("Use British spelling.", "Switch to American spelling please."),
    ("Use British spelling.", "Going forward, use American spelling."),
    ("Prices in euros please.", "Prices in dollars from now on."),
    ("Keep answers short.", "Longer answers please from now on."),
    ("Answer in short bullets.", "Answer in full sentences from now on."),
    ("Answer in short bullets.", "Use prose from now on."),
    ("Send me a summary every evening.", "Send the summary in the morning from now on."),
    ("Send the report to Bob.", "From Monday on, send the report to Anna."),
    ("Deploy on Tuesdays.", "Deploy on Thursdays from now on."),
    ("Call me Bob.", "Call me Robert from now on."),
    ("Use metric units.", "Use imperial units from now on."),
    ("Remind me at 8.", "Remind me at 9 instead from now on."),
    ("Store backups in S3.", "Store the backups in B2 from now on."),
    ("Book a table at Luigi's.", "Book a table at Marco's instead."),
    ("Always use British spelling.", "Switch to American spelling, the publisher is in Boston."),
    ("Answer in German only.", "Let's switch to English."),
    # limits, and short answers
    (
        "Always report p values with three decimals.",
        "Two decimals are enough for p values from now on.",
    ),
    ("Max 80 characters per line.", "100 characters per line is the new limit."),
    ("Keep lines under 80 characters.", "Lines can be up to 100 characters now."),
    ("Keep commit messages under 50 characters.", "72 characters for commit messages from now on."),
    (
        "Bitte antworte immer kurz, höchstens drei Sätze.",
        "Du kannst gerne wieder länger antworten.",
    ),
    ("Contesta siempre en menos de tres frases.", "Ya puedes volver a contestar más largo."),
)
BESIDE = (
    # another purpose, another thing, one more
    ("Use tabs for Makefiles.", "Use spaces for Go from now on."),
    ("Use tabs for Makefiles.", "Use tabs for Go from now on."),
    ("Use pytest for tests.", "Use hypothesis for tests from now on."),
    ("Send the report to Bob.", "Send the invoices to Anna from now on."),
    ("Send the report to Bob.", "Send the report to Anna too from now on."),
    ("Send the report to Bob.", "Send the report as PDF from now on."),
    ("Cc Bob on invoices.", "Cc Anna on invoices from now on."),
    ("Water the plants on Mondays.", "Water the lawn on Mondays from now on."),
    ("Remind me of Anna's birthday.", "Remind me of Bob's birthday from now on."),
    ("Call me Bob.", "Call the dentist from now on."),
    # two places differ
    ("Deploy on Tuesdays.", "Deploy to staging on Mondays from now on."),
    ("Log errors to stderr.", "Log metrics to stdout from now on."),
    ("Translate the menu into French.", "Translate the letter into English instead."),
    # of another sort, and what may be so together
    ("Answer in English.", "Answer in two sentences from now on."),
    ("Answer in French.", "Comments in English from now on."),
    ("Use short sentences.", "Use simple sentences from now on."),
    ("Use large plates.", "Use white plates from now on."),
    ("Run the tests with coverage.", "Run the tests with xdist from now on."),
    # what is forbidden is so beside the other
    ("Never deploy on Fridays.", "Never deploy on Mondays from now on."),
    # for once, under a condition, asked, told; and what does not say that it is to be otherwise
    ("Comments in German.", "Comments in English today."),
    ("Comments in German.", "Comments in English from now on?"),
    ("Comments in German.", "If Bob reads it, comments in English from now on."),
    ("Comments in German.", "They write comments in English from now on."),
    ("Send the report to Bob.", "Send the report to Anna."),
    ("Send the report to Bob.", "Send it to Anna instead."),
    # a rule for one sort of text, two things of one kind, and somebody else's
    ("Please always write customer letters in German.", "Let's switch to English."),
    ("Always answer customers in German.", "Switch to English."),
    ("Always book the hotel in London.", "Go to Paris."),
    ("From now on, quote prices in euros.", "Switch to dollars."),
    ("Use feature flags for the beta.", "Use compiler flags for the beta from now on."),
    ("Write unit tests.", "Write smoke tests from now on."),
    ("Use access tokens.", "Use refresh tokens from now on."),
    ("Buy oat milk.", "Buy coconut milk from now on."),
    ("Give Rex heart pills.", "Give Rex worm pills from now on."),
    ("I prefer German beer.", "I prefer French wine now."),
    ("Use English variable names.", "Use German error messages from now on."),
    ("Always answer in English.", "French recipes from now on."),
    ("Always answer in English.", "Use the German keyboard from now on."),
    ("Always give me the summary in German.", "Give her the summary in English from now on."),
    ("Always water my plants on Mondays.", "Water her plants on Fridays from now on."),
    ("Call me back.", "Call me Robert from now on."),
    # at least and at most; and what takes longer
    ("At least two reviewers per PR.", "At most five reviewers per PR from now on."),
    (
        "Minimum password length 12 characters.",
        "Maximum password length 64 characters from now on.",
    ),
    ("Keep your answers short.", "You can take longer to reply now."),
    ("Keep your answers short.", "You can wait longer before you reply from now on."),
    ("Reply to short mails at once.", "Your answers may be longer now."),
    ("Keep replies on WhatsApp short.", "Your answers may be longer now."),
    ("Keep your answers short.", "Your answers in the docs may be longer now."),
    # another limit, what is counted, and who else is longer
    ("Keep lines under 80 characters.", "Titles can be up to 100 characters now."),
    ("Keep lines under 80 characters.", "The description has 100 characters now."),
    ("Round prices to two decimals.", "Round weights to one decimal from now on."),
    ("Send 3 reminders before the event.", "Two reminders came in now."),
    ("Answer in at most three sentences.", "My commute is longer again."),
    ("Keep your answers short.", "Anna gives longer answers again."),
    ("Antworte kurz.", "Die Tage werden wieder länger."),
)


@pytest.mark.parametrize(("old", "new"), LAID_ANEW)
def test_what_is_laid_down_anew_ends_what_was(old: str, new: str) -> None:
    assert is_laid_anew(new, old)
    assert not is_laid_anew(old, new), "what was said before changes nothing later"


@pytest.mark.parametrize(("old", "new"), BESIDE)
def test_what_may_hold_beside_it_ends_nothing(old: str, new: str) -> None:
    assert not is_laid_anew(new, old)


@pytest.mark.parametrize(("old", "new"), LAID_ANEW)
def test_a_memory_of_it_is_ended_as_well(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), LAID_ANEW)
def test_only_the_newest_instruction_is_told(old: str, new: str) -> None:
    gleaner = Gleaner()
    for n, text in enumerate((old, "The bus was late again.", new, "We planted beans.")):
        gleaner.read(spoken(text, n=n))
    told = [point.text for point in gleaner.digest().points]
    assert not [text for text in told if old.rstrip(".") in text]
    assert [text for text in told if new.rstrip(".") in text]


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_ends_itself(one: str, other: str) -> None:
    assert not is_laid_anew(one, one)
    assert not (is_laid_anew(one, other) and one == other)
