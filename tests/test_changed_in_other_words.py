"""What was told before and is told anew in other words ends; what only looks like it leaves it as it was."""

from __future__ import annotations

import pytest

from everthread.domain.text.tellings.told_anew import (
    is_told_anew,
    no_longer_holds,
    tells_another,
)
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")

CHANGED = [
    ("Our rent is 940 euros a month.", "The landlord put the rent up, we pay 1010 now."),
    ("The standup is at 9:30.", "We meet at a quarter past ten for the standup now."),
    ("The budget for the kitchen is 12,000 dollars.", "We can spend 15,000 on the kitchen now."),
    ("I go to the gym on Tuesdays and Thursdays.", "My gym days are Monday and Friday these days."),
    ("I work at Brandt & Sons.", "My new employer is Helio Labs."),
    ("I work at Brandt & Sons.", "I've started at Helio Labs, I left Brandt in March."),
    ("My car is a blue Skoda.", "I sold the Skoda and drive a red Fiat now."),
    ("I use Vim as my editor.", "I write everything in Helix now instead of Vim."),
    ("Our project lead is Nadia.", "Viktor leads the project now."),
    ("The wedding is on 14 June in the town hall.", "The wedding is now on 21 June."),
    ("Send me the weekly report on Mondays.", "I'd like the weekly report on Thursdays instead."),
    (
        "Send me the weekly report on Mondays.",
        "Thursday is better for the weekly report from now on.",
    ),
    ("Show all prices in euros.", "Prices should be in francs from now on."),
    ("My phone number is 0171 555 231.", "I've got a new number, 0160 882 990."),
    ("Die Halle kostet 900 Euro im Monat.", "Die Halle kostet jetzt 1100 Euro, nicht mehr 900."),
    ("Das Training ist dienstags.", "Wir haben das Training auf Mittwoch verlegt."),
    ("Ich wohne in Kassel.", "Seit Oktober wohne ich in Fulda."),
    ("Unsere Trainerin ist Frau Behrens.", "Frau Yilmaz ist unsere neue Trainerin."),
    ("I use Vim as my editor.", "I got rid of Vim and use Helix now."),
    ("My dentist is Dr Farrow.", "Dr Farrow retired, I go to Dr Lind now."),
    ("I work at Brandt & Sons.", "I left Brandt in March and joined Helio Labs."),
    ("Notre loyer est de 850 euros.", "Le loyer est maintenant de 920 euros."),
    ("La riunione del team è alle 9:30.", "La riunione del team adesso è alle 10:15."),
]

STAYS = [
    ("Ticket 15 is now open.", "Ticket 14 is now open."),
    ("Table 4 now has 12 rows.", "Table 3 now has 9 rows."),
    ("The gym is open on Saturdays.", "The gym is now open on Sundays."),
    ("CI is green on Python 3.12.", "CI is now green on Python 3.13."),
    ("My phone number is 0188.", "My number changed, it's 12."),
    (
        "We no longer deploy to AWS, we deploy to Azure.",
        "We no longer deploy to AWS, we deploy to Azure.",
    ),
    ("Our rent is 940 euros a month.", "Tom's rent is 1010 euros now."),
    ("Our rent is 940 euros a month.", "The rent for the garage is 80 euros now."),
    ("Our rent is 940 euros a month.", "We now spend 50 euros a month."),
    ("Our rent is 940 euros a month.", "The landlord may raise the rent, we would pay 1010."),
    ("Our rent is 940 euros a month.", "Is the rent 1010 euros now?"),
    ("The standup is at 9:30.", "Tomorrow the standup is at 10:15."),
    ("The standup is at 9:30.", "The standup of the design team is at 10:15 now."),
    ("The standup is at 9:30.", "After the standup we now meet at 10:15."),
    ("My phone number is 0171 555 231.", "My new work number is 0160 882 990."),
    ("My phone number is 0171 555 231.", "The plumber has a new number, 0160 882 990."),
    ("I work at Brandt & Sons.", "I now work with Anna Berg."),
    ("I work at Brandt & Sons.", "My new client is Helio Labs."),
    ("I work at Brandt & Sons.", "I left Brandt early and met Anna Berg at the station."),
    ("My car is a blue Skoda.", "I sold my Skoda key ring to Tom Berg."),
    ("My car is a blue Skoda.", "I sold the Skoda and my wife drives a Fiat now."),
    ("My car is a blue Skoda.", "We sold the Skoda for Grandpa, he drives a Fiat now."),
    ("My car is a blue Skoda.", "The garage lent me a new car, a red Fiat."),
    ("My car is a blue Skoda.", "I left the Skoda at home and took the Fiat."),
    ("I use Vim as my editor.", "Anna uses Helix now instead of Vim."),
    ("I use Vim as my editor.", "I stopped teaching Vim, I teach Emacs now."),
    ("My dog is Rex.", "I took care of Rex, I visit Anna now."),
    ("My laptop is a Thinkpad.", "I replaced the battery of the Thinkpad and test Debian now."),
    ("My wife is Anna.", "Anna left, I eat at Luigi now."),
    ("My son is Tom.", "Tom is gone, we watch Netflix now."),
    ("My daughter is Lena.", "I dropped Lena in Potsdam and drive to Berlin now."),
    ("I work at Brandt & Sons.", "I left Brandt and I meet Anna Berg now."),
    ("I live in Kassel.", "I left Kassel for the weekend and visit Anna Berg now."),
    ("Our rent is 940 euros a month.", "The rent increased by 50 euros now."),
    ("We pay 940 euros rent.", "We now pay 20 euros more rent."),
    ("The meeting is on Monday.", "The meeting is over since Tuesday."),
    ("I use Vim as my editor.", "I use tmux, too."),
    ("Nadia is our project lead.", "Nadia left early, Viktor Berg took the minutes."),
    ("My colleague is Hugo.", "My new colleague is Vera."),
    ("Our team lead is Mara.", "Our team lead is Swedish now."),
    ("The coach of our team is Bilal.", "Hanne is a coach in our team now."),
    ("The coach of our team is Bilal.", "Bilal quit, the assistant coach is Hanne now."),
    ("My dentist is Dr Farrow.", "Dr Farrow retired last year, and Dr Lind is our vet now."),
    ("The train to Lund leaves at 7:40.", "The train from Lund leaves at 8:10 now."),
    ("Send the invoices on Fridays.", "I read the invoices on Mondays now."),
    ("Show all prices in euros.", "Prices are now in flux."),
    ("Show all prices in euros.", "For the Zurich invoice show the prices in francs."),
    (
        "Send me the weekly report on Mondays.",
        "Send me the monthly report on Thursdays from now on.",
    ),
    ("Die Halle kostet 900 Euro.", "Die neue Halle kostet 1100 Euro."),
    ("Die Halle kostet 900 Euro.", "Wenn die Halle 1100 Euro kostet, kündigen wir."),
    ("Das Training ist dienstags.", "Das Training der Jugend ist jetzt mittwochs."),
    ("Unsere Trainerin ist Frau Behrens.", "Unsere neue Kollegin ist Frau Yilmaz."),
    ("Mein Mieter ist Herr Lind.", "Mein neuer Mieter ist Herr Wolf."),
    ("Notre voisin est Monsieur Petit.", "Notre nouveau voisin est Monsieur Grand."),
    ("Le loyer est de 850 euros.", "Le loyer de Paul est maintenant de 920 euros."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_another_value_of_the_same_thing_takes_its_place(old: str, new: str) -> None:
    assert is_told_anew(new, old)
    assert no_longer_holds(new, old)


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_what_was_told_first_takes_nothings_place(old: str, new: str) -> None:
    """It says of nothing that it is so only now."""
    assert not is_told_anew(old, new)


@pytest.mark.parametrize(("old", "new"), STAYS)
def test_what_is_of_another_or_bounded_ends_nothing(old: str, new: str) -> None:
    assert not no_longer_holds(new, old)


def test_the_same_value_told_again_ends_nothing() -> None:
    assert not is_told_anew("Our rent is now 940 euros.", "Our rent is 940 euros a month.")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Das Training der Frauen ist jetzt um 19 Uhr.", "Das Training ist um 18 Uhr."),
        (
            "There are now 14 people in the yoga course.",
            "There are 12 people in the pottery course.",
        ),
        ("The train to Lund arrives at 8:10 now.", "The train to Lund leaves at 7:40."),
    ],
)
def test_two_that_can_be_read_are_told_apart_by_their_things(new: str, old: str) -> None:
    assert tells_another(new, old)


def test_of_what_cannot_be_read_nothing_is_told_apart() -> None:
    assert not tells_another("Make it shorter.", "The text is long.")
    assert not tells_another("The launch is now on 13 April.", "The launch is on 30 March.")


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Our app runs on Postgres 14.", "The staging app is on Postgres 16 now."),
        (
            "There are 12 people in the pottery course.",
            "There are now 14 people in the yoga course.",
        ),
        ("The train to Lund leaves at 7:40.", "The train to Lund arrives at 8:10 now."),
        ("My mother's birthday is 4 May.", "The birthday party of my mother is now on 5 May."),
        ("My son's class has 23 children.", "The class next door has 25 children now."),
    ],
)
def test_in_a_talk_what_is_told_of_another_leaves_it(first: str, later: str) -> None:
    said = gleaned_in_turn("Good morning.", "Good morning.", first, "Noted.", later, "Noted.")
    assert first in {point.text for point in said.points}


def test_what_could_end_nothing_is_compared_with_nothing() -> None:
    """A new statement stands beside thousands, and most tell of no change."""
    before = is_told_anew.cache_info()
    assert not no_longer_holds("The gate opens at 9:15.", "The gate opens at 9:00.")
    assert is_told_anew.cache_info() == before
