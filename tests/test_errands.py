"""What is not to be forgotten and is done once is open until it is told as done; it is no rule."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.open_items.later_talk import is_settled
from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.errands import clause_not_to_forget, is_errand, is_for_oneself
from everthread.domain.text.acts.speech import errand_of, parse_sentence, rules
from everthread.domain.text.remember_requests import text_to_remember
from support.spoken import gleaned_in_turn

ERRANDS = [
    "Remember to add a backup script before the release.",
    "Please remember to book the hall.",
    "Also remember to call the vet tomorrow.",
    "Don't forget to call Ann.",
    "Don’t forget to send Mrs Aydin the contract.",
    "Don't let me forget to pay the rent.",
    "Don't let us forget the milk.",
    "Remind me to ring the plumber.",
    "Remind me on Thursday to order toner before the fair.",
    "Remember to renew the certificate in March.",
    "Remind me on Thursday to order toner.",
]
RULES = [
    "Remember to use British spelling.",
    "Remember to keep answers short.",
    "Remember to always cite the source.",
    "Remember to run the tests before every commit.",
    "Remember to answer in German.",
    "Remember to ask me before you delete anything.",
    "Remember to include the unit in tables.",
    "Remember to update the changelog when you release.",
    "Remember to write commit messages in the imperative.",
    "Never forget to lock the door.",
    "Remember to check the licence of each dependency.",
    "Don't let the tests run on main.",
    "Remember to run the tests before committing.",
    "Remember to use the metric system.",
    "Remember to use Docker.",
    "Remember to keep the tone friendly.",
    "Remember to call me Max.",
    "Remember to reply to Ann in French.",
    "Remember to back up the database before a migration.",
    "Remember to put the imports at the top.",
    "Remember to include the source.",
    "Remember to water the plants once a week.",
    "Remember to send the weekly report.",
    "Remember to book the cheapest fare.",
    "Remember to call the parent constructor.",
    "Remember to return the exit code.",
    "Remember to retry on the 5th failure.",
    "Remember to pay the bill in cash.",
    "Remember to buy the brand without sugar.",
    "Remember to call Ann Doctor.",
    "Remember to wrap the lines at 100 characters.",
    "Remember to answer me in German until Friday.",
    "Can you remember to use the short form?",
]
NO_ERRANDS = [
    "Don't let me forget to use pnpm.",
    "Don't let me forget to write tests.",
    "Don't let me forget to take my pills every evening.",
    "Don't let me forget our server runs in Oslo.",
    "Don't forget the Oxford comma.",
    "Don't forget to use Celsius.",
    "Don't forget to close the connection.",
    "Don't forget the server is in Frankfurt.",
    "Don't forget the meeting was moved to Friday.",
    "Remind me daily to take my pills.",
    "Remind me on Mondays to send the report.",
    "Remind me once a month to rotate the keys.",
    "Remind me to be patient.",
    "Remind me to run the linter.",
    "Remind me to take the pill with food.",
    "Remind me to close the tickets I finish.",
    "Remind me of my wifi password.",
    "Remind me again about the three options.",
    "Remind me what we decided about the hall.",
    '"Remember to book the hall" is what the note says.',
    "Remember to book the hall? No, I did that.",
]


def digest_of(*turns: tuple[str, str]) -> Digest:
    return gleaned_in_turn(*(text for turn in turns for text in turn))


def open_items(digest: Digest) -> list[str]:
    return [point.text for point in digest.points if point.kind == "open_item"]


@pytest.mark.parametrize("said", ERRANDS)
def test_one_act_is_an_errand(said: str) -> None:
    assert errand_of(parse_sentence(said))
    assert not rules(parse_sentence(said))
    assert kind_of(parse_sentence(said)) == "open_item", "also where somebody asks to remember it"


@pytest.mark.parametrize("said", RULES)
def test_what_holds_each_time_is_a_rule(said: str) -> None:
    assert rules(parse_sentence(said))
    assert not errand_of(parse_sentence(said))


@pytest.mark.parametrize("said", NO_ERRANDS)
def test_what_is_no_single_act_is_not_left_open_as_one(said: str) -> None:
    assert not errand_of(parse_sentence(said))
    assert kind_of(parse_sentence(said)) != "open_item"


def test_who_is_to_do_it() -> None:
    assert is_for_oneself("Ok, remind me to ring the plumber.")
    assert is_for_oneself("Don't let me forget the milk.")
    assert not is_for_oneself("Remember to book the hall.")


def test_what_is_to_be_known_is_kept_and_not_done() -> None:
    said = "Don't let me forget that Ann is vegan."
    assert clause_not_to_forget(said) == ""
    assert text_to_remember(parse_sentence(said)) == "Ann is vegan."
    assert not is_errand(said)


@pytest.mark.parametrize(
    "reply",
    [
        "I will.",
        "Noted.",
        "Noted, it is on the list.",
        "I won't forget.",
        "I've added it to your list.",
        "Done, I wrote that down.",
        "I updated the to-do list and scheduled a reminder.",
        "I'll remind you. By the way, I fixed the parser.",
        "Noted:\n\n```\n- [ ] one more\n```",
    ],
)
@pytest.mark.parametrize("said", ERRANDS)
def test_it_is_open_whatever_is_said_to_it(said: str, reply: str) -> None:
    lamps = [(f"Lamp {n} of the hall is at street {n}.", "It is on the list.") for n in range(5)]
    digest = digest_of((said, reply), *lamps)
    assert said in open_items(digest)
    assert said not in {point.text for point in digest.points if point.kind == "rule"}


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("Remind me to ring the plumber.", "I rang the plumber, he comes on the 20th."),
        (
            "Remind me to ring the electrician about the extra socket behind the fridge.",
            "I rang the electrician, he comes on the 20th.",
        ),
        ("Don't let me forget to pay the rent.", "I've paid the rent."),
        ("Remind me on Thursday to order toner.", "Toner is ordered, by the way."),
    ],
)
def test_who_does_it_herself_tells_that_it_is_done(said: str, done: str) -> None:
    lamp = ("Lamp 3 of the hall is at street 3.", "Good.")
    assert said in open_items(digest_of((said, "I will remind you."), lamp))
    assert said not in open_items(digest_of((said, "I will remind you."), lamp, (done, "Good.")))
    assert is_settled(said, take_apart(done), agent=False), "in a later talk, too"
    other = "I rang the dentist and paid the deposit."
    assert said in open_items(digest_of((said, "I will remind you."), lamp, (other, "Good.")))


def test_what_the_agent_reports_is_done() -> None:
    asked = ("Remember to book the hall.", "The hall is booked for the 3rd.")
    assert open_items(digest_of(asked, ("Lamp 3 is at street 3.", "Good."))) == []
    by_pointer = ("Don't forget to call Ann.", "I called her, she agrees.")
    assert open_items(digest_of(by_pointer, ("Lamp 3 is at street 3.", "Good."))) == []
