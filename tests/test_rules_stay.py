"""A rule stays though its words come up again: in another's mouth, for once, in another sense, of a thing."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.lifts import lifted_rules
from support.spoken import gleaned_in_turn as read

SMALL = ("Understood.", "How is the weather?", "Fine.")

STAYS = [
    ("Never use Tailwind.", "Kim wrote: Tailwind is fine again. I told her no."),
    ("Never use Tailwind.", "'Tailwind is fine again', says Kim. Nonsense."),
    ("Never use Tailwind.", "Kim: 'Tailwind is fine again'. Well, that's Kim."),
    ("Never use the word 'cheap'.", "Ilse wrote: the word cheap is fine. She has no taste."),
    ("Always send a copy to Lou.", "Lou said: you don't need to send me copies."),
    (
        "Always ask before booking anything over 100 euros.",
        "You can book the train, it's 140, no need to ask.",
    ),
    (
        "Always check with Hamid before paying.",
        "Pay the tuner, you don't need to check with Hamid.",
    ),
    ("Always ask me before you book a flight.", "Book the flight to Rome, no need to ask."),
    (
        "Always ask Petra before you order flowers.",
        "Order the roses for Mum, no need to ask Petra.",
    ),
    ("Always send a copy to Lou.", "No need to send a copy to Lou, she's sitting next to me."),
    ("Always ask me before you spend money.", "You can buy the stapler, no need to ask."),
    ("Never call me Bob.", "You can call me at five."),
    ("Never call me on Sundays.", "You can call me back."),
    ("Always lock the cellar at night.", "The cellar is not locked any more, somebody broke it."),
    ("Always write dates in words.", "In the table you can write dates in numbers."),
]
GOES = [
    ("Never use Tailwind.", "Tailwind is fine again."),
    ("Never use emojis.", "You can use emojis again."),
    ("Always sign my mails.", "No need to sign my mails any more."),
    ("Always ask before you order.", "No need to ask before you order any more, I trust you."),
    ("Never call me Bob.", "You can call me Bob again."),
]


def rules_after(rule: str, said: str) -> list[str]:
    digest = read(rule, *SMALL, said, "OK.", "And the news?", "Nothing new.")
    return [point.text for point in digest.points if point.kind == "rule"]


@pytest.mark.parametrize(("rule", "said"), STAYS)
def test_a_rule_stays_that_nobody_lifted(rule: str, said: str) -> None:
    assert rule in rules_after(rule, said)
    assert lifted_rules(said, [rule]) == []


@pytest.mark.parametrize(("rule", "said"), GOES)
def test_a_rule_goes_that_was_lifted_for_good(rule: str, said: str) -> None:
    assert rule not in rules_after(rule, said)


def test_what_may_mean_two_rules_lifts_neither_whenever_they_are_drawn() -> None:
    both = ("Never squash the commits.", "Always sign the commits.")
    settings = everthread.Settings(score_seconds=0, embedder="off")
    with everthread.connect("memory://", background=False, settings=settings) as et:
        ada = et.agent("ada", window=10_000)
        for said in (*both, *(f"Please look at module {n}, it is slow." for n in range(12))):
            ada.turn(said).done("I looked at it and all is well.")
        ada.remember("Forget the rule about commits.")
        ada.distill()
        assert {*both} <= {memory.text for memory in ada.memories()}


@pytest.mark.parametrize(
    "rule",
    [
        "Never feed the dog from the table.",
        "Never exceed 80 characters in a line.",
        "Never embed fonts.",
        "Always proceed with the cheaper one.",
        "You must never feed the cat twice.",
    ],
)
def test_a_verb_that_ends_like_the_past_still_commands(rule: str) -> None:
    assert rule in rules_after(rule, "And the weather?")


@pytest.mark.parametrize(
    "said",
    ["Never agreed to that price.", "Always worked for me.", "Never failed before the update."],
)
def test_what_somebody_did_is_no_rule(said: str) -> None:
    assert rules_after(said, "And the weather?") == []
