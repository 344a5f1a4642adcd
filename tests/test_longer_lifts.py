"""A rule goes by a longer sentence, too, and stays by one that only speaks of something like it."""

from __future__ import annotations

import pytest

from everthread.domain.memory.lifts import lifted_rules
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

DATES = "Write dates day first."
MARKS = "No exclamation marks in the texts for the choir."
DOMAIN = "Only suggest pieces in the public domain."
THREE = "Keep answers to three sentences."
SUNDAYS = "No training on Sundays."
TABLES = "Use tables for comparisons."
FRIDAYS = "Don't deploy on Fridays."
LETTERS = "Write letters in French."

GOES = [
    (DATES, "You can write dates however you like now, nobody minds."),
    (DATES, "Write dates any way you want from now on."),
    (DATES, "It doesn't matter to me how you write dates any more, the Swiss client has left."),
    (MARKS, "Exclamation marks are fine after all in the texts for the choir."),
    ("Cc me on the venue mails.", "You don't need to cc me on the venue mails any longer."),
    (DOMAIN, "Public domain only is over."),
    (DOMAIN, "We have a licence now, so pieces needn't be in the public domain any more."),
    (DOMAIN, "You may suggest pieces outside the public domain from now on."),
    (THREE, "Forget the three-sentence limit."),
    (THREE, "You can write longer answers from now on."),
    ("Always answer in at most three sentences.", "You can write longer answers from now on."),
    (THREE, "Answers may be as long as they need to be from now on, I have time again."),
    ("Answer in French.", "Drop the French, English is fine from now on."),
    (SUNDAYS, "Sundays are fine for training again now that Anna works at weekends."),
    (SUNDAYS, "You can plan training for Sundays again, I've stopped going to church."),
    (SUNDAYS, "No need to keep Sundays clear of training any longer."),
    (TABLES, "I've changed my mind about the tables in comparisons, text will do from here on."),
    (TABLES, "Nobody needs tables for comparisons any more."),
    ("No nuts in recipes.", "We're done with the nut ban."),
    ("No nuts in recipes.", "Nobody minds nuts in recipes any more."),
    (FRIDAYS, "We have a night shift now, so deploying on Fridays is no longer a problem."),
    (FRIDAYS, "There's nothing against deploying on Fridays any more."),
    (LETTERS, "You can go back to writing letters in English now."),
]
STAYS = [
    (DATES, "You can write names however you like now, nobody minds."),
    (DATES, "Write the date any way you want."),
    (DATES, "It doesn't matter how they write dates."),
    ("Never write dates in words.", "You can write dates however you like."),
    (MARKS, "The texts for the choir are fine, and there are no exclamation marks."),
    (DOMAIN, "Sacred music only is over."),
    (DOMAIN, "The piece for the gala needn't be in the public domain any more."),
    (DOMAIN, "You may play pieces outside the church from now on."),
    (THREE, "Forget the two-page limit."),
    (THREE, "You can write longer headlines from now on."),
    (THREE, "You can write shorter answers from now on."),
    ("Answer in French.", "Drop the French horn, the strings are fine from now on."),
    ("Start reports with an intro.", "Leave out the intro, and from now on send drafts to Ines."),
    (SUNDAYS, "You can plan training for Saturdays again."),
    (SUNDAYS, "No need to keep Mondays clear of training any longer."),
    ("No calls before nine.", "You can make calls now."),
    ("No calls before nine.", "Nobody minds calls."),
    (TABLES, "I've changed my mind about the table."),
    (TABLES, "I've changed my mind about the tables in the kitchen, oak will do from now on."),
    (TABLES, "I've changed my mind about the tables in the comparison."),
    (TABLES, "Nobody needs charts for comparisons any more."),
    ("No nuts in recipes.", "We're done with the nuts."),
    (FRIDAYS, "Deploying on Mondays is no longer a problem."),
    (FRIDAYS, "Deploying on Fridays is no longer a problem for the vendor."),
    (FRIDAYS, "There's nothing against deploying on Saturdays any more."),
    (LETTERS, "Back to the letters in English."),
    (LETTERS, "You can go back to reading letters in English now."),
    ("But never write text for me.", "One feels one ought to write back."),
    # another respect of the same thing
    (LETTERS, "Back to writing letters in peace."),
    (LETTERS, "Back to writing letters in capitals."),
    (LETTERS, "You can go back to writing letters in ink."),
    ("Write reports in English.", "Back to writing reports in Word."),
    (THREE, "You can give more answers now."),
    ("Keep reports to two pages.", "You can write more reports from now on."),
    # how it is done is free, and not whether
    ("Use tabs in Python files.", "It does not matter to me how you use tabs in Python files."),
    ("Name branches after tickets.", "You can name branches after tickets whichever way you like."),
    ("Format dates as ISO.", "Format dates as ISO in whatever way you like."),
    ("Sign letters with my full name.", "Sign letters in any order you like."),
    # of the world
    ("Sign letters with my full name.", "Nobody needs letters any more."),
    ("Never mention the divorce.", "The divorce is no longer an issue."),
    ("Never call me Bob.", "Bob is no longer a problem."),
]


def rules_after(rule: str, said: str) -> list[str]:
    digest = read(
        f"From now on: {rule}", "Understood.", "How is the weather?", "Fine.", said, "OK."
    )
    return [point.text for point in digest.points if point.kind == "rule"]


@pytest.mark.parametrize(("rule", "said"), GOES)
def test_a_rule_goes_by_a_longer_sentence(rule: str, said: str) -> None:
    assert lifted_rules(said, [rule, "Never call me Bob."]) == [rule]
    assert f"From now on: {rule}" not in rules_after(rule, said)


@pytest.mark.parametrize(("rule", "said"), STAYS)
def test_a_rule_stays_by_what_is_said_of_something_like_it(rule: str, said: str) -> None:
    assert lifted_rules(said, [rule]) == []
    assert f"From now on: {rule}" in rules_after(rule, said)
