"""A value, a state, a choice or a rule that is plainly told anew ends the earlier; look-alikes do not."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("D-6", "A-13")

VALUES = [
    ("My address is Hauptstr. 4", "My address is now Parkweg 2 in Berlin"),
    ("My address is Hauptstr. 4 in Bonn", "My address is Parkweg 2 in Berlin"),
    ("My timezone is Europe/Berlin", "My timezone is America/New_York"),
    ("Our domain is acme.io", "Our domain is acme.dev"),
    ("The API base URL is https://api.acme.io/v1", "The API base URL is https://api.acme.io/v2"),
    ("Python is pinned to 3.9", "Python is pinned to 3.11"),
    ("The course is limited to 12 people", "The course is limited to 20 people"),
    ("Deploys need one approval", "Deploys need two approvals from now on"),
    ("The app supports IE11", "The app doesn't support IE11 any longer"),
]
OTHER_VALUES = [
    ("My address is Hauptstr. 4", "My address is Hauptstr. 4 in Bonn"),
    ("My address is Hauptstr. 4", "My work address is Parkweg 2 in Berlin"),
    ("My address is Hauptstr. 4", "Tom's address is Parkweg 2 in Berlin"),
    ("My address is Hauptstr. 4", "My address is Parkweg 2 in summer"),
    ("My timezone is Europe/Berlin", "Tom's timezone is America/New_York"),
    ("My timezone is Europe/Berlin", "The server's timezone is Etc/UTC"),
    ("Our domain is acme.io", "Our domain is acme.dev for mail"),
    ("Our domain is acme.io", "Our domain is logistics"),
    ("Our website is acme.io", "Our website is WordPress now"),
    ("Our domain is acme.io", "Our domain is registered with Gandi"),
    ("The database is Postgres", "The database is Postgres/MySQL"),
    ("The API base URL is https://api.acme.io/v1", "The docs URL is https://docs.acme.io/v2"),
    ("Python is pinned to 3.9", "Python is pinned to 3.11 in the docs build"),
    ("Python is pinned to 3.9", "Django is pinned to 4.2"),
    ("Access is limited to staff", "Access is limited to adults"),
    ("The course is limited to 12 people", "The course is limited to 2 days"),
    ("The app supports IE11", "The site doesn't support IE11 any longer"),
    ("The app supports IE11", "The app doesn't support IE10 any longer"),
    ("The app supports IE11", "Does the app not support IE11 any longer?"),
]
STATES = [
    ("The invoice is unpaid", "The invoice is paid"),
    ("The invoice is unpaid", "The invoice has been paid"),
    ("The door is unlocked", "The door is locked now"),
    ("PR 42 is open", "PR 42 is merged"),
    ("PR 42 is open", "PR 42 has been merged"),
    ("The bug in the parser is open", "The bug in the parser is fixed"),
    ("The ticket about the login is pending", "The ticket about the login is closed"),
    ("Issue #12 is closed", "Issue #12 is open"),
    ("The offer is pending", "The offer is approved"),
    ("The contract is a draft", "The contract is final"),
    ("My invoices are unpaid", "My invoices are paid"),
    ("These tickets are open", "These tickets are closed"),
    ("The three bugs are open", "The three bugs are fixed"),
    ("Our 10 guests are unconfirmed", "Our 10 guests are confirmed"),
    ("Both invoices are unpaid", "Both invoices are paid"),
    ("Tom's invoices are unpaid", "Tom's invoices are paid"),
    ("I am happy", "I am unhappy"),
    ("Tom is unhappy", "Tom is happy"),
    ("#12 is open", "#12 is closed"),
    ("Ticket 7 is open", "Ticket 7 has been closed"),
    ("Room two is vacant", "Room two is occupied"),
    ("Tests are failing", "Tests are passing"),
    ("Deploys are blocked", "Deploys are unblocked"),
    ("Prices are high", "Prices are low"),
]
OTHER_STATES = [
    ("The invoice is unpaid", "The invoice for May is paid"),
    ("The invoice is unpaid", "The deposit is paid"),
    ("The invoice is unpaid", "The invoice is paid on Fridays"),
    ("The unpaid invoices are in the drawer", "The paid invoices are in the drawer"),
    ("I bought unsalted butter", "I bought salted butter"),
    ("The invoice is unpaid", "Is the invoice paid?"),
    ("The invoice is unpaid", "The invoice is paid if Tom signs it"),
    ("PR 42 is open", "PR 43 is merged"),
    ("PR 42 is open", "PR 42 is merged once the tests pass"),
    ("The bug in the parser is open", "The bug in the lexer is fixed"),
    ("The window is open", "The window is fixed"),
    ("The shop is open", "The shop is done"),
    ("The list of bugs is open", "The list of bugs is finished"),
    ("Tom's offer is pending", "Ana's offer is approved"),
    # the one may be meant here, and another there
    ("Six invoices are unpaid", "Six invoices are paid"),
    ("Two of my invoices are unpaid", "Two of my invoices are paid"),
    ("10 guests are confirmed", "10 guests are unconfirmed"),
    ("About 10 guests are confirmed", "About 10 guests are unconfirmed"),
    ("10 are unpaid", "10 are paid"),
    ("One bug is open", "One bug is fixed"),
    ("Another bug is open", "Another bug is fixed"),
    ("A ticket is open", "A ticket is closed"),
    ("A ticket is open", "A ticket has been closed"),
    ("3 tickets are open", "3 tickets are closed"),
    ("Some tickets are open", "Some tickets are closed"),
    ("A few bugs are open", "A few bugs are fixed"),
    ("Most issues are open", "Most issues are resolved"),
    ("Several requests are pending", "Several requests are done"),
    ("Half the invoices are unpaid", "Half the invoices are paid"),
    ("Many people are happy", "Many people are unhappy"),
    ("Somebody is happy", "Somebody is unhappy"),
    ("People are happy", "People are unhappy"),
    ("Issues are open", "Issues are fixed"),
    ("Offers are pending", "Offers are approved"),
    ("It is unpaid", "It is paid"),
]
CHOICES = [
    ("The user prefers short answers", "The user now prefers detailed answers"),
    ("I prefer short answers", "I now prefer longer answers"),
    ("The user prefers German answers", "I prefer English answers now"),
    ("Decided to use JWT sessions", "Decided against JWT sessions"),
    ("We decided to use JWT sessions", "Decided against using JWT sessions"),
    ("We'll take Kurz & Sohn as movers", "Kurz & Sohn called off"),
    ("We'll take the Blue Notes for the party", "The Blue Notes have cancelled."),
    ("Always answer in German", "Always answer in English"),
    ("Answer in German", "Please always reply in English."),
    ("Always write commit messages in German", "Always write commit messages in English"),
]
OTHER_CHOICES = [
    ("The user prefers short answers", "The user now prefers friendly answers"),
    ("The user prefers short answers", "The user now prefers detailed reports"),
    ("The user prefers short answers", "The user now prefers detailed answers in reviews"),
    ("The user prefers short answers", "Tom now prefers detailed answers"),
    ("The user prefers tea", "The user now prefers window seats"),
    ("Decided to use JWT sessions", "Decided against JWT cookies"),
    ("Decided to use JWT sessions for the app", "Decided against JWT sessions for the API"),
    ("Decided to use JWT sessions", "They decided against JWT sessions"),
    ("Decided to use JWT sessions", "We have not decided against JWT sessions"),
    ("JWT sessions expire after an hour", "Decided against JWT sessions"),
    ("We'll take Kurz & Sohn as movers", "Kurz called off"),
    ("We'll take Kurz & Sohn as movers", "Kurz & Sohn called off the strike"),
    ("We'll take Anna and Bob along", "Anna cancelled"),
    ("We'll take Anna's car", "Anna cancelled"),
    ("We'll take Anna as a driver", "Anna cancelled her card"),
    ("Kurz & Sohn are movers from Bonn", "Kurz & Sohn called off"),
    ("We'll take Kurz & Sohn as movers", "Did Kurz & Sohn cancel?"),
    ("Always answer in German", "Always answer Tom in English"),
    ("Always answer in German", "Always answer in English when Tom asks"),
    ("Always answer mails in German", "Always answer chats in English"),
    ("Always answer in German", "Answer in English"),
    ("Always answer in German", "Always answer in two sentences"),
    ("Always translate into German", "Always translate into English"),
    ("Always provide subtitles in German", "Always provide subtitles in English"),
]


MOVES = [
    ("requires-python is 3.12.", "We lower requires-python to 3.11."),
    ("The limit is 60", "We raise the limit to 90."),
    ("I work at Siemens", "I quit at Siemens and now work for Bosch"),
    ("The user works at Siemens", "I quit at Siemens and now work for Bosch."),
    ("Marta works for Siemens", "Marta left Siemens last month and now works at Bosch"),
    ("I live in Hamburg", "We moved to Berlin last week, the boxes are still everywhere."),
    ("The user lives in Hamburg", "I moved to Berlin last week, and our new flat is tiny."),
    ("The user lives in Hamburg", "I moved to Berlin last week."),
    (
        "She needs the VAT numbers by the 8th each month.",
        "The VAT numbers are due by the 5th from now on.",
    ),
    (
        "She needs the VAT numbers by the 8th each month.",
        "She needs the VAT numbers by the 5th now.",
    ),
    ("She needs the report by Friday", "The report is due on Monday now."),
    ("The slides are due on Friday.", "The slides are due on Wednesday now."),
    ("The slides are due on Friday.", "We need the slides by Wednesday now."),
    ("Tom needs the slides by Friday.", "Tom needs the slides by Wednesday now."),
    ("The rent is 800 euros", "The rent is now 900 euros each month"),
]
OTHER_MOVES = [
    ("requires-python is 3.12.", "We lower requires-node to 3.11."),
    ("requires-python is 3.12.", "We could lower requires-python to 3.11."),
    ("requires-python is 3.12.", "Should we lower requires-python to 3.11?"),
    ("The limit is 60", "We raise the limit to 90 for members."),
    ("The limit is 60", "We raise the fee to 90."),
    ("The limit is 60", "They raise the limit to 90 in staging."),
    ("I work at Siemens", "I quit at Acme and now work for Bosch"),
    ("I work at Siemens", "Marta quit at Siemens and now works for Bosch"),
    ("Marta works at Siemens", "I quit at Siemens and now work for Bosch"),
    ("I live near Siemens", "I quit at Siemens and now work for Bosch"),
    ("I work at Siemens", "If I quit at Siemens and now work for Bosch, I move"),
    ("I live in Hamburg", "We moved to Berlin last week, the servers are still down."),
    ("I live in Hamburg", "We moved to Berlin last week, the new office has a kitchen."),
    ("I live in Hamburg", "We moved to Slack last week, the boxes are still everywhere."),
    ("I live in Hamburg", "They moved to Berlin last week, the boxes are still everywhere."),
    ("My sister lives in Hamburg", "We moved to Berlin last week, the boxes are still everywhere."),
    (
        "She needs the VAT numbers by the 8th each month.",
        "Tom needs the VAT numbers by the 5th now.",
    ),
    (
        "She needs the VAT numbers by the 8th each month.",
        "The sales numbers are due by the 5th now.",
    ),
    (
        "She needs the VAT numbers by the 8th each month.",
        "The VAT numbers are due by the 5th this time.",
    ),
    ("The slides are due on Friday.", "Tom needs the slides by Wednesday now."),
    ("The slides are due on Friday.", "She needs the slides by Wednesday now."),
    ("The slides are due on Friday.", "The printer needs the slides by Wednesday now."),
    ("She needs the report by Friday", "The draft of the report is due on Monday now."),
    ("She needs the report by Friday", "The report would be due on Monday now."),
    ("The rent is 800 euros", "The rent is now 400 euros each"),
    ("I live in Germany", "We moved to Berlin last week, the boxes are still everywhere."),
]


@pytest.mark.parametrize(("old", "new"), [*VALUES, *STATES, *CHOICES, *MOVES])
def test_what_is_told_anew_ends_the_earlier(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"), [*OTHER_VALUES, *OTHER_STATES, *OTHER_CHOICES, *OTHER_MOVES]
)
def test_what_only_looks_so_ends_nothing(old: str, new: str) -> None:
    assert not contradicts(new, old)


def test_the_merged_request_stands_alone() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.remember("PR 42 is open")
        ada.remember("PR 42 is merged")
        assert [memory.text for memory in ada.memories()] == ["PR 42 is merged"]
