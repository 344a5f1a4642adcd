"""A change told in other words than the first value: it takes that value's place, and nothing else's."""

from __future__ import annotations

import pytest

from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.retellings import tells_change
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-21", "R-15")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The shop ships on Mondays.", "The shop ships only on Fridays now."),
        ("We ship on Mondays.", "We only ship on Fridays now."),
        ("I take my coffee black.", "I take my coffee with milk now."),
        ("Marta works at Siemens.", "Marta quit, she is at Bosch now."),
        ("Marta works for Siemens.", "Marta left, she works for Bosch now."),
        ("Payments go through Stripe.", "We replaced Stripe with Mollie."),
        ("We use Stripe for payments.", "We replaced Stripe with Mollie."),
        ("Our health insurer is Concordia.", "we left Concordia for Helvia"),
        ("My bank is Norrland.", "moved my account from Norrland to Kestrel"),
        ("Our power provider is Gruber & Sons.", "we dropped Gruber for Aquafix"),
        ("I like my steak rare.", "I like my steak well done now."),
        ("I have my hair long.", "I have my hair short now."),
        ("My phone number is 0171 5550.", "My number changed, it's 0160 7712"),
        ("Backups run at 02:00.", "Backups run at 04:30 now."),
        ("Sven is the contact at the hall.", "The contact at the hall is Ulrike now."),
        ("Sven is our contact.", "Our contact is Ulrike now."),
        ("Sven is the contact.", "Ulrike is the contact now."),
        ("Lou's phone number is 555 0123.", "Lou's phone changed, it's 555 0199."),
        ("Lou's phone is 555 0123.", "Lou's phone changed, it's 555 0199."),
        ("Priyanka leads the mobile team.", "Otto took over the mobile team from Priyanka"),
        ("Priyanka leads the mobile team.", "the mobile team is led by Otto now"),
        ("The library opens at 9.", "the library changed its hours, it opens at 10"),
        ("Milo's teacher is Mrs Adeyemi.", "Milo has a new teacher, Mr Voss"),
        ("Our vet is Dr Lindqvist.", "new vet: Dr Marsh"),
        ("My phone number is 0171 5550.", "I have a new phone number, 0160 7712"),
        ("Standup is at 9:15.", "we do standup at 9:45 now"),
    ],
)
def test_it_takes_the_place_of_the_first(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Stripe takes 2.9 percent.", "We replaced Stripe with Mollie."),
        ("We don't use Stripe.", "We replaced Stripe with Mollie."),
        ("Tom banks with Norrland.", "We moved from Norrland to Kestrel"),
        ("Our office is in Oslo.", "We moved from Oslo to Bergen."),
        ("Payments go through Stripe.", "Tom replaced Stripe with Mollie in his shop."),
        ("We use Stripe for payments.", "We replaced Stripe with Mollie for invoices."),
        ("Tom's phone is 555 0123.", "Lou's phone changed, it's 555 0199."),
        ("Marta works at Siemens.", "Marta quit smoking, she is at yoga now."),
        ("Marta works at Siemens.", "Ida quit, she is at Bosch now."),
        ("Our coach is Bilal.", "Bilal left, he is in Rome now"),
        ("Our coach is Bilal.", "We dropped Bilal off at the station, Hanne is home now"),
        ("My bank is Norrland.", "I sold my Norrland shares, I have cash now"),
        ("Leo is our student.", "Mia is our student now."),
        ("Sven is the contact at the hall.", "The contact at the church is Ulrike now."),
        ("Sven is the contact.", "The contact form is broken now."),
        ("Sven is my brother.", "My brother is Abteilungsleiter now."),
        ("I take my coffee black.", "I take my tea with milk now."),
        ("I take my coffee black.", "I take my coffee in the garden now."),
        ("The shop opens on Mondays.", "The shop opens only at 10 now."),
        ("Milo's teacher is Mrs Adeyemi.", "Ada has a new teacher, Mr Voss"),
        ("Priyanka leads the mobile team.", "Otto took over the web team from Priyanka"),
        ("Priyanka leads the mobile team.", "the web team is led by Otto now"),
        ("My friend is Ana.", "I have a new friend, Bo"),
        ("Lou's phone is 555 0123.", "Lou's phone changed, it's fine now."),
        # who left, or is out, has what he had
        ("Marta works at Siemens.", "Marta has left for lunch, she's at Pizza Hut now."),
        ("Marta works at Siemens.", "Marta left, she is at Tesco now."),
        ("Marta works at Siemens.", "Marta left early, she is at Mum's now."),
        ("Marta works at Siemens.", "Marta left home, she is at Uni now."),
        ("Marta works for Siemens.", "Marta quit the choir, she is at Pilates now."),
        ("Our teacher is Anna.", "Anna left, Tom is home now."),
        ("Our doctor is Anna.", "Anna is out, Tom is in now."),
        ("My home is Graz.", "I left Graz, the kids are at school now."),
        ("We use Netflix for films.", "I cancelled Netflix, the telly is off now."),
        ("Our lawyer is Kline & Sons.", "We fired Kline, the office is quiet now."),
        # of the family nobody is replaced, and in a town one may be with others
        ("My wife is Anna.", "We replaced Anna with Kim."),
        ("My husband is Tom.", "I replaced Tom by Kim."),
        ("My son is Tom.", "We traded Tom for Kim."),
        ("My husband is Tom.", "Kim replaced Tom."),
        ("The head office is Berlin.", "We moved from Berlin to Graz."),
        ("I drive to Vienna.", "We switched from Vienna to Graz."),
        ("We use Slack.", "I left Slack for Teams."),
        ("Our bank is Norrland.", "Moved my desk from Norrland to Kestrel."),
        # a phone is no number
        ("My phone number is 0170 123.", "I have a new phone, it's a Pixel."),
        ("My phone is 0170 123.", "I have a new phone: Pixel 9."),
        ("My phone number is 0170 123.", "My phone changed, it's Nokia 3310."),
        ("My phone number is 0188.", "My number changed, it's 12."),
        # of these one has more than one, or it is none of them
        ("My medication is Metformin.", "I have a new medication, Ibuprofen."),
        ("Our room is Elm.", "We have a new room, Oak."),
        ("My bank is Norrland.", "My bank changed, it's Online only now."),
        ("The shop is Blue.", "The shop changed its sign, it is Red now."),
        ("The dog is at 8.", "We have the dog at 9 now."),
        ("Ann leads the web team.", "Otto took over the web team from Priyanka."),
        # in another respect
        ("I like my steak rare.", "I like my steak with pepper now."),
        ("I eat my eggs with salt.", "I eat my eggs boiled now."),
        ("I have my hair blonde.", "I have my hair short now."),
        ("I have my lunch hot.", "I have my lunch with colleagues now."),
        ("I take my coffee with sugar.", "I take my coffee decaf now."),
        ("We have our office tidy.", "We have our office warm now."),
    ],
)
def test_what_tells_something_else_stands(old: str, new: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our health insurer is Concordia.", "We left Concordia for Helvia."),
        ("Milo's teacher is Mrs Adeyemi.", "Milo has a new teacher, Mr Voss."),
    ],
)
def test_in_a_talk_as_well_though_they_share_few_words(old: str, new: str) -> None:
    assert tells_change(new)
    digest = gleaned_in_turn("Hello.", "Hello.", old, "Noted.", new, "Noted.")
    assert old not in {p.text for p in digest.points}
