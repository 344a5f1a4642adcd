"""Who tells a change seldom repeats how the first value was told; the later statement stands even so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.known_names import is_country, is_town, job_of
from everthread.domain.memory.value_claims import kind_of, unit_of, value_claims
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
    ("The move-in date is 28 March", "Move-in moved to 4 April"),
    ("Our deploy target is Fly.io", "We're moving from Fly.io to Hetzner"),
    ("We deploy on Fly.io", "We're switching from Fly.io to Hetzner"),
    ("Tobias is our PM", "Selma is our PM now"),
    ("Der Zins beträgt 3,9 Prozent", "Der Zins beträgt 3,6 Prozent"),
    ("Die Miete beträgt 950,50 Euro", "Die Miete beträgt 980,50 Euro"),
    ("The launch moved to 13 April", "The launch is on 20 April now"),
    ("My appointment is on 4 May at 10:00", "My appointment moved to 6 May at 14:30"),
    ("The release is planned for 1 June", "The release was postponed to 15 June"),
    ("The report is due on 10 May", "The deadline for the report was extended to 17 May"),
    ("I live in Odense", "I moved to Aarhus"),
    ("I moved to Aarhus", "I live in Copenhagen now"),
    ("I live in Munich", "I just moved to Eutin"),
    ("I live in Munich", "I moved from Munich to Eutin"),
    ("We live in Porto", "We recently moved to Lisbon"),
    ("Lena lives in Graz", "Lena moved to Linz last month"),
    ("Deploys happen on Tuesdays", "Deploys now happen on Thursdays"),
    ("The backups run every night at 2 am", "The backups now run every night at 4 am"),
    ("The newsletter goes out on Fridays", "From now on, the newsletter goes out on Mondays"),
    ("The code freeze is on Monday", "Update: the code freeze is on Tuesday"),
    ("The release is planned for 3 May", "The release slipped to 10 May"),
    ("The exam is on 3 May", "The exam was put off until 10 May"),
    ("The kickoff is on 3 May", "The kickoff was postponed until 17 May"),
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
    ("Mel likes coffee", "Mel does not like coffee any more"),
    ("Kim works at Bosch", "Kim doesn't work at Bosch anymore"),
    # a count, a price, an age
    ("We have 68 guests", "No, there are 71 guests"),
    ("There are 3 nodes", "There are now 5 nodes"),
    ("The budget is £4,000", "The budget was cut to £3,500"),
    ("The fee is 20 dollars", "The fee rose to $25"),
    ("The price is 40 euros", "The price changed to 30"),
    ("The rate limit is 20 requests per minute", "The rate limit was raised to 60 per minute"),
    ("Max is 7 years old", "Max just turned 8"),
    # of two that do the same job
    ("We use MySQL for the shop", "We switched the shop to PostgreSQL"),
    ("The shop runs on MySQL", "We switched the shop to PostgreSQL"),
    ("Our CI runs on Jenkins", "Our CI moved to GitHub Actions"),
    ("The team is on Slack", "The team switched to Teams"),
    ("The service is in Go", "The service was migrated to Rust"),
    ("Anna is in Marketing", "Anna moved to Sales"),
    ("The company is in Munich", "The company moved to Berlin"),
    ("The site is hosted on Vercel", "The site is now hosted on Netlify"),
    # what was forbidden is allowed
    ("Never deploy on Fridays", "Deploying on Fridays is fine now"),
    ("Don't edit the config", "You may edit the config now"),
    ("No meetings on Wednesdays", "Meetings on Wednesdays are okay again"),
    ("Please do not email me", "It's fine to email me now"),
    ("Never force push", "Force pushes are allowed now"),
    ("Never use Redis", "Using Redis is fine now"),
    # the same purpose, time or audience; only why is new
    ("I report to Ann for budgets", "I now report to Bob for budgets"),
    ("I work at Acme on weekdays", "I now work at Globex on weekdays"),
    ("The price is 30 for students", "The price is now 20 for students"),
    ("The price is 30", "The price is now 20 because of the sale"),
    ("My supplier is Acme", "My new supplier is Globex instead"),
    ("My boss is Tom", "My new boss is Ann"),
    ("My favourite band is Blur", "My new favourite band is Muse"),
    ("I live in Berlin", "I live in Hamburg"),
    ("I live in Berlin", "I live in Kreuzberg now"),
    ("The class starts at 8.15", "The class now starts at 9.30"),
]  # fmt: skip
"""(earlier, later)"""

BESIDE = [
    ("My sister's employer is Acme", "We're moving from Odense to Aarhus"),
    ("Our deploy target is Fly.io", "We're moving from Fly.io to Hetzner for mail"),
    ("Our deploy target is Fly.io", "We're moving from Render to Hetzner"),
    ("Our biggest competitor is AWS", "We're moving from AWS to Hetzner"),
    ("My birthplace is Berlin", "I'm moving from Berlin to Hamburg"),
    ("My favourite language is Python", "We're switching from Python to Go"),
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
    ("The API is hosted at Hetzner", "The API switched to GraphQL"),
    ("The team is in Berlin", "The team switched to Slack"),
    ("Anna is in Berlin", "Anna moved to Sales"),
    ("Our client is Acme", "Our client switched to TypeScript"),
    ("The backend is hosted on Hetzner", "The backend moved to Rust"),
    ("The backend is in Frankfurt", "The backend is now in Rust"),
    ("The docs are in Confluence", "The docs are now in Markdown"),
    ("The database is PostgreSQL", "The database moved to AWS"),
    ("Our database is on version 15", "Our database is now on Hetzner"),
    ("The party is in Oxford", "The party is now in German"),
    ("Tom is in London", "Tom is now at Google"),
    ("We use MySQL for the shop", "We switched the shop to Stripe"),
    ("The service runs on AWS", "The service now runs on Kubernetes"),
    ("My boss is Tom", "My boss moved to Paris"),
    ("Our school is Hill High", "Our school was moved to Mill Street"),
    ("Our lawyer is Mr Tan", "Our lawyer switched to Outlook"),
    ("Max is 180 cm tall", "Max turned 5"),
    ("Lena is 12 kg lighter", "Lena just turned 40"),
    ("The limit is 100 per hour", "The limit was raised to 60 per minute"),
    ("The fee is $20", "The fee rose to 25 percent"),
    ("We have 68 guests", "No, there are 5 vegan guests"),
    ("I have 2 sons", "No, there are 3 sons"),
    # both at their own time, where nobody says that it changed
    ("The app is on iOS", "The app is now on Android"),
    ("The app is in German", "The app is now in Spanish"),
    ("The bus runs at 8:15", "The bus runs at 9:15"),
    ("The yoga class meets on Monday", "The yoga class meets on Thursday"),
    ("The shop opens on Saturday", "The shop opens on Sunday"),
    ("Deploys happen on Tuesdays", "Deploys happen on Thursdays"),
    ("I go to Yoga", "I now go to Pilates"),
    # where a team or a tool is is not where somebody lives; nor does a part exclude the whole
    ("We live in Porto", "We moved to Hetzner"),
    ("We live in Porto", "We moved to Hetzner last month"),
    ("I live in Munich", "I moved to Linux"),
    ("I live in Munich", "I moved to Obsidian"),
    ("I live in Munich", "I just moved to Neovim"),
    ("I live in Munich", "I moved to Product last year"),
    ("Tom lives in Kassel", "Tom moved to Backend"),
    ("I moved to Berlin last year", "I live in Kreuzberg"),
    ("I moved to Berlin", "I live in Germany"),
    ("My sister lives in Rome", "I moved to Milan"),
    # leave for something else, or under a condition
    ("Never deploy on Fridays", "Deploying on Mondays is fine now"),
    ("Never deploy on Fridays", "Deploying on Fridays is fine now if Tom agrees"),
    ("Don't edit the config without asking", "You may edit the config now"),
    ("Never share the key", "Sharing the link is fine"),
    ("Kim works at Bosch", "Bo does not work at Bosch any more"),
    ("Never merge feature branches into master", "You can merge master into feature branches"),
    ("Never copy staging data to production", "Copying production data to staging is fine"),
    ("Don't mock the database", "The mock database is fine"),
    ("Never force push", "No force pushes are allowed"),
    ("Don't commit secrets", "The secrets commit is ok"),
    ("Never deploy on Fridays", "The deployment on Fridays is fine"),
    # a new one of what there may be more of
    ("My allergy is Latex", "My new allergy is Penicillin"),
    ("My medication is Metformin", "My new medication is Ibuprofen"),
    ("My niece is Eve", "My new niece is Ann"),
    ("Our designer is Ann", "Our new designer is Tom"),
    ("Our investor is Globex", "Our new investor is Acme"),
    ("Our endpoint is /v1/orders", "Our new endpoint is /v2/users"),
    ("We support Python 3.12", "We now support Python 3.13"),
    ("CI is green on Python 3.12", "CI is now green on Python 3.13"),
    ("We serve customers in Spain", "We serve customers in France now"),
    ("We publish on YouTube", "We now publish on Spotify"),
    ("The gym is open on Saturdays", "The gym is now open on Sundays"),
    ("Al runs the marathon", "Bo runs the marathon now"),
    # for a purpose, at a time or for somebody of whom the first says nothing
    ("The price is 30", "The price is now 20 for students"),
    ("The price is 30", "The price changed to 20 for students"),
    ("I report to Ann", "I now report to Bob for budgets"),
    ("I report to Ann for reviews", "I now report to Bob for budgets"),
    ("I work at Acme", "I now work at Globex on weekends"),
    ("I work at Acme", "I now work at Acme and Globex"),
    ("I work at Acme on weekdays", "I now work at Globex on weekends"),
    ("The meeting is on Monday", "The meeting moved to Friday for the interns"),
    # the one place in the other
    ("I live in Berlin", "I live in Germany"),
    ("I live in Berlin", "I live in Kreuzberg"),
    ("Anna is based in Berlin", "Anna is based in Germany"),
    ("The office is in Berlin", "The office is in Kreuzberg"),
]
"""(one, other): both can hold"""


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_who_tells_a_change_is_understood(old: str, new: str) -> None:
    """By a verb of change, by `now`, `new`, `No,` or what it was before."""
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


def test_a_figure_is_counted_in_what_stands_beside_it() -> None:
    said = ("£4,000", "4,000 pounds", "9%", "60 requests per minute", "30")
    units = [("pound",), ("pound",), ("percent",), ("request", "per", "minute"), ()]
    assert [unit_of(number) for number in said] == units


def test_a_name_is_known_by_its_beginning() -> None:
    assert [job_of(name) for name in ("Python 3.13", "GitHub Actions", "Acme", "")] == [
        "language",
        "ci",
        None,
        None,
    ]
    assert is_town("New York") and is_country("Denmark") and not is_town("Linux")


def test_what_a_statement_is_about_is_told_without_whose_it_is_where_that_is_who_speaks() -> None:
    (ours,), (the,) = (
        value_claims("Our launch is on 30 March"),
        value_claims("The launch moved to 13 April"),
    )
    assert ours.subject == the.subject == {"launch"}
    (toms,) = value_claims("Tom's launch is on 30 March")
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
