"""A sentence with the right words that says something else is struck; fair paraphrases stand."""

from __future__ import annotations

import pytest

from everthread.domain.support.relation_checks import why_other_relations
from everthread.domain.support.sentence_parts import sentence_parts
from everthread.domain.support.support import verdict
from support.processor import seconds_of
from support.spoken import spoken

pytestmark = pytest.mark.req("LA-22")

PAIRS: tuple[tuple[str, str, str], ...] = (
    # units and periods
    (
        "The deploy to web-03 took 42 minutes.",
        "The deploy to web-03 took 42 hours.",
        "The deploy to web-03 took 42 min.",
    ),
    (
        "The budget is 300 EUR a month.",
        "The budget is 300 EUR a year.",
        "The budget is 300 EUR per month.",
    ),
    (
        "The licence costs 90 dollars per seat.",
        "The licence costs 90 euros per seat.",
        "The licence costs $90 per seat.",
    ),
    (
        "The dump weighs 12 GB after packing.",
        "The dump weighs 12 MB after packing.",
        "The packed dump weighs 12 GB.",
    ),
    (
        "The backup job runs at 3 am.",
        "The backup job runs at 3 pm.",
        "The backup runs at 3 am.",
    ),
    (
        "We ship a release twice a week.",
        "We ship a release twice a day.",
        "They ship a release twice a week.",
    ),
    (
        "The trail to the hut is 14 km long.",
        "The trail to the hut is 14 miles long.",
        "The trail to the hut is 14 kilometres long.",
    ),
    (
        "The rate limit is 100 requests per minute.",
        "The rate limit is 100 requests per second.",
        "The rate limit is 100 requests a minute.",
    ),
    (
        "The backup of ledger-2 runs nightly.",
        "The backup of ledger-2 runs every week.",
        "The backup of ledger-2 runs every night.",
    ),
    # figures that belong to something else
    (
        "Rent is 800 EUR in Graz, 1200 EUR in Wien.",
        "Rent in Wien is 800 EUR.",
        "Rent in Wien is 1200 EUR.",
    ),
    (
        "I bought 2 lamps for the kitchen and 3 chairs for the garden.",
        "The user bought 2 chairs for the garden.",
        "The user bought 3 chairs for the garden.",
    ),
    (
        "Staging has 4 nodes and production has 9 nodes.",
        "Staging has 9 nodes.",
        "Production has 9 nodes.",
    ),
    (
        "Port 8443 is for staging, 9443 is for production.",
        "Port 8443 is for production, 9443 is for staging.",
        "Staging uses port 8443, production uses port 9443.",
    ),
    (
        "In the last run 31 tests passed and 6 failed.",
        "In the last run 31 tests failed and 6 passed.",
        "31 tests passed and 6 failed in the last run.",
    ),
    # bounds
    ("At most 5 people can join.", "At least 5 people can join.", "Up to 5 people can join."),
    (
        "Orders of more than 50 boxes go by rail.",
        "Orders of less than 50 boxes go by rail.",
        "Orders above 50 boxes go by rail.",
    ),
    (
        "The pump needs at least 3 bar.",
        "The pump needs 3 bar.",
        "The pump needs a minimum of 3 bar.",
    ),
    (
        "Up to 20 guests sleep in the barn.",
        "Over 20 guests sleep in the barn.",
        "At most 20 guests sleep in the barn.",
    ),
    # order of events
    (
        "Before the release we run the load test.",
        "After the release we run the load test.",
        "We run the load test before the release.",
    ),
    (
        "The painters come before the carpenters.",
        "The carpenters come before the painters.",
        "The carpenters come after the painters.",
    ),
    (
        "First we migrate the schema, then we restart the workers.",
        "First we restart the workers, then we migrate the schema.",
        "We migrate the schema first, then restart the workers.",
    ),
    (
        "The alarm rang after the door was opened.",
        "The alarm rang before the door was opened.",
        "After the door was opened, the alarm rang.",
    ),
    (
        "We launch in Austria first and in Germany after that.",
        "They launched in Austria last year, then in Germany.",
        "They launch in Austria first, then in Germany.",
    ),
    # who did what
    (
        "Ledger runs on 10.0.0.4, Billing on 10.0.0.5.",
        "Billing runs on 10.0.0.4.",
        "Billing runs on 10.0.0.5.",
    ),
    (
        "Anna reviewed Bruno's patch and liked it.",
        "Bruno reviewed Anna's patch.",
        "Anna reviewed Bruno's patch.",
    ),
    (
        "Mara lent the drill to Timo.",
        "Timo lent the drill to Mara.",
        "Mara lent Timo the drill.",
    ),
    (
        "The proxy calls the billing service.",
        "The billing service calls the proxy.",
        "The proxy calls billing.",
    ),
    (
        "Ines was bitten by the neighbour's dog.",
        "Ines has bitten the neighbour's dog.",
        "The neighbour's dog has bitten Ines.",
    ),
    (
        "Anna says the invoice was paid.",
        "Anna paid the invoice.",
        "According to Anna the invoice was paid.",
    ),
    (
        "Oskar drives to Graz and Lena stays at home.",
        "Lena drives to Graz and Oskar stays at home.",
        "Oskar drives to Graz, Lena stays at home.",
    ),
    # hearsay
    (
        "Carla told me that the server was hacked.",
        "The server was hacked.",
        "Carla said that the server was hacked.",
    ),
    (
        "My landlord claims that the boiler is new.",
        "The boiler is new.",
        "The landlord claims that the boiler is new.",
    ),
    (
        "I heard that the factory in Linz closes.",
        "The factory in Linz closes.",
        "The user heard that the factory in Linz closes.",
    ),
    (
        "According to the vendor the battery lasts 9 hours.",
        "The battery lasts 9 hours.",
        "The vendor says the battery lasts 9 hours.",
    ),
    # who somebody is
    (
        "Carla told me that the server is down.",
        "The user is Carla.",
        "Carla said the server is down.",
    ),
    (
        "My sister Petra is a nurse in Kiel.",
        "The user is a nurse in Kiel.",
        "The user's sister Petra is a nurse in Kiel.",
    ),
    ("Viktor is the new treasurer.", "The user is the new treasurer.", "Viktor is new treasurer."),
    (
        "My son is allergic to peanuts and I carry a pen.",
        "The user is allergic to peanuts.",
        "The user's son is allergic to peanuts.",
    ),
    (
        "My appointment with the dentist is on Friday, my son has a cold.",
        "The user has a cold.",
        "The user has an appointment with the dentist on Friday.",
    ),
    # what is over
    (
        "We used to host on Heroku, now on Fly.",
        "They host on Heroku.",
        "They host on Fly now.",
    ),
    (
        "We dropped the legacy column and added a key.",
        "They have a legacy column.",
        "They added a key column.",
    ),
    (
        "The old password rule is gone since Monday.",
        "The old password rule holds since Monday.",
        "The old password rule ended on Monday.",
    ),
    (
        "The contract with Nordlicht expired in June.",
        "The contract with Nordlicht runs in June.",
        "The contract with Nordlicht ended in June.",
    ),
    # some and all
    (
        "Some of the sensors in the greenhouse fail.",
        "All of the sensors in the greenhouse fail.",
        "Some sensors in the greenhouse fail.",
    ),
    (
        "Most tenants agreed to the new roof.",
        "The tenants agreed to the new roof.",
        "Most of the tenants agreed to the new roof.",
    ),
    # plans, questions and orders are no deeds
    (
        "We will merge the billing branch.",
        "We merged the billing branch.",
        "They will merge the billing branch.",
    ),
    (
        "I want to sell the boat in spring.",
        "The user sold the boat in spring.",
        "The user wants to sell the boat in spring.",
    ),
    (
        "Is the payment gateway down?",
        "The payment gateway is down.",
        "The user asked whether the payment gateway is down.",
    ),
    (
        "Please archive the old invoices.",
        "The user archived the old invoices.",
        "The user asked to archive the old invoices.",
    ),
    (
        "The login bug needs to be fixed.",
        "The login bug was fixed.",
        "The login bug is to be fixed.",
    ),
    # what is compared, when, and why
    (
        "The blue pump is quieter than the green pump.",
        "The green pump is quieter than the blue pump.",
        "The blue pump is quieter than the green one.",
    ),
    (
        "The audit starts next week.",
        "The audit starts last week.",
        "The audit will start next week.",
    ),
    (
        "The queue grew because the worker crashed.",
        "The worker crashed because the queue grew.",
        "Because the worker crashed, the queue grew.",
    ),
)


@pytest.mark.parametrize(("said", "false", "fair"), PAIRS)
def test_what_says_something_else_in_the_same_words_is_struck(said: str, false: str, fair: str):
    assert not verdict(false, [spoken(said)], by="user", verbatim=False).supported
    told = verdict(fair, [spoken(said)], by="user", verbatim=False)
    assert told.supported, told.why


def test_what_another_said_is_not_cut_out_as_a_quote():
    said = spoken("Carla told me that the server was hacked.")
    found = verdict("the server was hacked.", [said], by="user", verbatim=True)
    assert not found.supported, "cut out of what Carla said, it would be the user's own word"
    assert verdict(said.text, [said], by="user", verbatim=True).supported


def test_a_key_of_many_signs_is_soon_looked_through() -> None:
    long = spoken(f"The key of the server {'aZ9b' * 5_000} is new.")
    assert seconds_of(lambda: verdict("The server is new.", [long], by="user", verbatim=False)) < 5


def test_a_dictation_without_a_comma_is_soon_looked_through() -> None:
    """Each verb is looked at with the words beside it, not with all."""
    long = sentence_parts("We used the server " * 5_000)
    asked = sentence_parts("We used the server.")
    assert seconds_of(lambda: why_other_relations(asked, [long], ())) < 5
