"""Who tells a change seldom repeats how the first value was told; the later statement stands even so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.telling import kind_of, tellings
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("LA-18")

CHANGED = [
    ("We host on Fly.io", "We host on Hetzner, no longer on Fly.io"),
    ("We deploy to AWS", "We no longer deploy to AWS, we deploy to Azure"),
    ("We meet at Café Norden", "We meet at Café Sommersko instead of Café Norden"),
    ("My dog is called Rex", "My dog's name is Max, not Rex"),
    ("My phone number is 123 456 789", "My new phone number is 456 789 123"),
    ("My email is lone@example.org", "My new email address is lone@example.com"),
    ("Our landlord is Mr Holm", "Our new landlord is Mrs Krag"),
    ("Our launch is on 30 March", "The launch moved to 13 April"),
    ("The launch moved to 13 April", "The launch moved to 20 April"),
    ("The launch moved to 13 April", "The launch is on 20 April now"),
    ("My appointment is on 4 May at 10:00", "My appointment moved to 6 May at 14:30"),
    ("The release is planned for 1 June", "The release was postponed to 15 June"),
    ("The report is due on 10 May", "The deadline for the report was extended to 17 May"),
    ("I live in Odense", "I moved to Aarhus"),
    ("I moved to Aarhus", "I live in Copenhagen"),
    ("Lena lives in Graz", "Lena moved to Linz last month"),
    ("Deploys happen on Tuesdays", "Deploys happen on Thursdays"),
    ("The backups run every night at 2 am", "The backups run every night at 4 am"),
    ("The newsletter goes out on Fridays", "The newsletter goes out on Mondays"),
    ("The app runs on Heroku", "We switched from Heroku to Render"),
    ("We use Jenkins for CI", "We switched to GitHub Actions for CI"),
    ("We are on Python 3.11", "We upgraded to Python 3.13"),
    ("We are on Django 4.2", "We are on Django 5.1 now"),
    ("The repo is called old-core", "The repo was renamed to core"),
    ("The rate limit is 20 requests per minute", "The rate limit was raised to 60 requests per minute"),
    ("The cache TTL is 300 seconds", "I set the cache TTL to 600 seconds"),
    ("The monthly plan costs 9 euros", "We raised the monthly plan to 12 euros"),
    ("The budget for the wedding is 20000", "The wedding budget is 25000 now"),
    ("Our supplier for flour is Valsen", "We changed our flour supplier to Skærtoft"),
    ("The project is called Lantern", "The project was renamed to Beacon"),
    ("The project was renamed to Beacon", "The project is now called Lighthouse"),
    ("The default branch is master", "The default branch was renamed to main"),
    ("Our office is in Vestergade 12", "Our office moved to Nørregade 5"),
    ("The database lives on db1", "The database moved to db2"),
    ("I work at Nordea", "I now work at Danske Bank"),
    ("I work for Siemens", "I changed jobs, I work for Bosch now"),
    ("Clara owns the billing service", "Jonas now owns the billing service"),
    ("Anna is the maintainer of the parser", "Bo is the maintainer of the parser now"),
    ("I take 50 mg of sertraline", "I now take 75 mg of sertraline"),
    ("My medication is ramipril", "My medication is now losartan"),
    ("Invoices go to billing@example.org", "Invoices now go to finance@example.org"),
    ("The car is insured with Tryg", "The car is now insured with Topdanmark"),
    ("My daughter is 7", "My daughter just turned 8"),
    ("Marta plays the cello", "Marta no longer plays the cello"),
]  # fmt: skip
"""(earlier, later)"""

BESIDE = [
    # of long ago, of some other time, or only perhaps
    ("We host on Fly.io", "We used to host on Heroku"),
    ("Our website is hosted on Vercel", "Our website was hosted on Netlify before"),
    ("I live in Odense", "I moved to Aarhus in 2009"),
    ("I live in Leeds", "I lived in York as a student"),
    ("The launch is on 30 March", "The launch may move to 13 April"),
    ("The launch is on 30 March", "The launch would have moved to 13 April"),
    ("I ran a marathon in 2021", "I ran a marathon in 2023"),
    # of another thing
    ("We host the API on Fly.io", "We host the docs on Netlify"),
    ("My phone number is 123 456 789", "My work phone number is 456 789 123"),
    ("Our launch is on 30 March", "The Berlin launch moved to 13 April"),
    ("The launch is on 30 March", "The meeting about the launch moved to 13 April"),
    ("Deploys happen on Tuesdays", "Reviews happen on Thursdays"),
    ("The dev database is on port 5432", "The test database is on port 5433"),
    ("The rent is 900 for the flat", "The rent was raised to 120 for the garage"),
    ("We use Slack for alerts", "We switched from Slack to Mattermost for chat"),
    ("The docs run on Heroku", "We switched the app from Heroku to Render"),
    ("The shop is called Anton", "The shop moved to Mill Street 8"),
    ("Clara owns the billing service", "Jonas owns the search service"),
    ("I take 50 mg of sertraline", "I take 10 mg of melatonin"),
    ("Ticket 14 is now open", "Ticket 15 is now open"),
    ("Ada reviews ticket 14", "Ada now reviews ticket 15"),
    ("We use Django 4.2 for the shop", "We now use Django 5.1 for the blog"),
    # of another person
    ("I live in Odense", "My sister moved to Aarhus"),
    ("My phone number is 123 456 789", "My mother's phone number is 456 789 123"),
    ("Kim's appointment is on 3 May", "The appointment moved to 4 May"),
    ("Marketing uses Slack for chat", "We switched from Slack to Mattermost for chat"),
    # of what one may have several of
    ("Deploys happen on Tuesdays", "Deploys also happen on Thursdays"),
    ("We use Postgres", "We now use Redis"),
    ("We deliver to Denmark", "We now deliver to Norway"),
    ("Tests run on Linux", "Tests now run on macOS"),
    ("Anna works on the parser", "Anna now works on the lexer"),
    ("My friend is Bo", "My new friend is Ida"),
    ("I go swimming on Mondays", "I go swimming on Thursdays"),
    ("We have a meeting on Monday", "We have a meeting on Thursday"),
    ("The bus leaves at 8:00", "The bus leaves at 9:00"),
    # of something else about it
    ("My boss is Tom", "My boss is now angry"),
    ("The parser is recursive", "The parser is now fast"),
    ("My car is a Volvo", "My new car is fast"),
    ("The meeting is on 4 May at 10:00", "The meeting moved to 14:30"),
    # where a team went is not where somebody lives
    ("We live in Porto", "We moved to Hetzner"),
]
"""(one, other): both can hold"""


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_who_tells_a_change_is_understood(old: str, new: str) -> None:
    """By a verb of change, by `now`, `new` or what it was before; by the clock or the calendar alone."""
    assert contradicts(new, old)
    assert not contradicts(new, new)


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_what_can_both_be_so_stands_side_by_side(one: str, other: str) -> None:
    assert not contradicts(one, other)
    assert not contradicts(other, one)


def test_a_value_is_a_time_a_figure_a_name_or_a_word() -> None:
    said = (
        "13 April",
        "Thursdays",
        "6 May at 14:30",
        "60 requests per minute",
        "€12",
        "db2",
        "blue",
    )
    kinds = ["time", "time", "time", "number", "number", "name", "word"]
    assert [kind_of(value) for value in said] == kinds


def test_what_a_statement_is_about_is_told_without_whose_it_is_where_that_is_who_speaks() -> None:
    (ours,), (the,) = (
        tellings("Our launch is on 30 March"),
        tellings("The launch moved to 13 April"),
    )
    assert ours.subject == the.subject == {"launch"}
    (toms,) = tellings("Tom's launch is on 30 March")
    assert toms.subject != the.subject


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et.agent("ada")


def test_what_is_remembered_later_takes_the_place_of_the_first_value(ada: Agent) -> None:
    old = [ada.remember(text) for text in ("We host on Fly.io", "Our launch is on 30 March")]
    beside = ada.remember("We host the docs on Netlify")
    new = [
        ada.remember("We host on Hetzner, no longer on Fly.io"),
        ada.remember("The launch moved to 13 April"),
    ]
    assert {each.id for each in ada.memories()} == {beside.id, *(each.id for each in new)}
    assert {ada.memory(each.id).state for each in old} == {"superseded"}
