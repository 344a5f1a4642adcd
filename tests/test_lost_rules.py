"""A rule of the user never leaves the context unnoticed, however much else was kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.distilling.continuity import MOST_RULES, Draw, Item, items_kept
from everthread.domain.distilling.continuity_rules import kind_of
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, mark_of
from everthread.services.distilling import compose, review
from everthread.services.distilling.review import score_receipt
from everthread.services.distilling.score import lost_rules

pytestmark = pytest.mark.req("R-16", "A-74")

RULE = "Never restart the greenhouse server during daylight hours."


@pytest.fixture
def et() -> Iterator[Everthread]:
    by_words = Settings(embedder="off")  # what is found by meaning is of no account here
    with everthread.connect("memory://", background=False, settings=by_words) as engine:
        yield engine


@pytest.fixture
def ada(et: Everthread, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent whose distiller overlooks the rule."""
    overlook(monkeypatch)
    agent = et.agent("ada")
    agent.turn(RULE).done("Understood.")
    talk(agent)
    return agent


def overlook(monkeypatch: pytest.MonkeyPatch, word: str = "daylight") -> None:
    """The distiller does not see the rule, or what else has that word, from now on."""
    checked = compose.check_points

    def overlooked(*given: object) -> tuple[Digest, list[tuple[Point, str]]]:
        digest, struck = checked(*given)  # pyright: ignore[reportArgumentType]
        kept = tuple(p for p in digest.points if word not in p.text)
        return digest._replace(points=kept), struck

    monkeypatch.setattr(compose, "check_points", overlooked)


def talk(agent: Agent, turns: int = 20) -> None:
    for n in range(turns):
        told = f"I weeded row {n} of the onions near gate {n * 7} with {n} children."
        agent.turn(told).done(f"Row {n} is noted, and all went well with it. " * 4)


def scores_fine(et: Everthread) -> bool:
    return all(found.fine for found in et.diagnose() if found.check == "scores")


def test_a_lost_rule_is_added_to_the_summary_although_little_else_was_lost(et, ada):
    receipt = ada.distill()
    assert 100 * receipt.score.held > et.house.policy.score_threshold
    assert f'"{RULE}"' in ada.context().summary
    assert receipt.score.by_kind["rules"].lost == 0
    assert receipt.outcome == "ok" and scores_fine(et)
    assert any(error.startswith(review.REPAIRED) for error in receipt.errors)


def test_a_rule_that_quotes_something_is_known_again_once_it_was_added(et, monkeypatch):
    """A summary turns the quotes inside of a quote; seen red: told as lost though it was there."""
    overlook(monkeypatch, "finds you")
    agent = et.agent("ada")
    agent.turn('Never write "I hope this finds you well" in a letter of ours.').done("Understood.")
    talk(agent)
    receipt = agent.distill()
    assert (
        "Never write 'I hope this finds you well' in a letter of ours." in agent.context().summary
    )
    assert receipt.outcome == "ok" and not receipt.lacks_rule and scores_fine(et)


def test_a_receipt_that_lacks_a_rule_is_not_plainly_ok(et, ada, monkeypatch):
    """The receipt is degraded, says so and is told by `doctor`; mended, it is what it was before."""
    with monkeypatch.context() as unmended:
        unmended.setattr(review, "mend_summary", lambda *_: 0)
        receipt = ada.distill()
    assert 100 * receipt.score.held > et.house.policy.score_threshold
    assert receipt.outcome == "degraded" and receipt.standing and receipt.lacks_rule
    assert RULE not in str(receipt), "its words are in no receipt"
    (found,) = (each for each in et.diagnose() if each.check == "scores")
    assert not found.fine and "1 rule of the user is not in the context any more" in found.says
    again = score_receipt(et.house, ada.row, receipt.ref)
    assert again.outcome == "ok" and not again.lacks_rule
    assert scores_fine(et)


def test_a_rule_that_was_taken_back_is_not_missed():
    """What the digest knows as taken back is not given to the agent again as a rule."""
    item = Item("rules", RULE, RULE, b"k" * 16, "", "", by="user")
    thing = Item("files", "a.py", "a.py", b"k" * 16, "", "")
    taken = mark_of(Point("rule", RULE, (item.key,), "user", 0, name="Kim"))
    assert lost_rules([item, thing], EMPTY) == [item]
    assert lost_rules([item, thing], EMPTY._replace(gone=(taken,), people=("Kim",))) == []
    assert lost_rules([item], EMPTY._replace(gone=("0" * 16,), people=("Kim",))) == [item]


def ruled(text: str) -> Item:
    return Item("rules", text, text, text.encode()[:16], "", "", by="user")


def many_rules(n: int) -> list[str]:
    """Rules that are alike: each differs from some others in one word."""
    things = "apples bridges candles drums engines forks hammers islands jackets kettles lanterns"
    places = "kitchens gardens cellars museums harbours stations theatres libraries castles"
    every = (
        f"Never put {a} into {b} of customers." for b in places.split() for a in things.split()
    )
    return list(islice(every, n))


def test_alike_rules_do_not_stand_for_each_other():
    items = [*map(ruled, many_rules(40))]
    text = "\n".join(f'- "{item.text}"' for item in items[:30])
    assert items_kept(items, text) == {*range(30)}


def test_a_rule_is_there_in_other_words_unless_another_rule_may_be_meant():
    """A line tells one rule in most of its words; one that binds nobody tells none."""
    mine = ruled("Please never email the customers of Acme on Sunday evenings.")
    other = ruled("Please never email the customers of Globex on Sunday evenings.")
    told = "- never email customers of Acme on Sunday evenings"
    assert items_kept([mine, other], told) == {0}
    assert items_kept([mine], "- email the customers of Acme on Sunday evenings") == set()
    again = ruled("Never email the customers of Acme on Sunday evenings!")
    assert items_kept([mine, again], f"- {again.text}") == {0, 1}, "one rule, said twice"


def test_every_rule_is_looked_for(et: Everthread):
    """Fifty count for the score, as of every kind; of the others those that are missing."""
    ada = et.agent("ada", window=100_000)
    rules = many_rules(99)
    for rule in rules:
        ada.turn(rule).done("Understood.")
    draw = Draw(1, most_rules=MOST_RULES)
    for message in ada.messages(limit=999):
        draw.read(message)
    assert {item.text for item in draw.items() if item.kind == "rules"} == {*rules}


@pytest.mark.parametrize(("window", "room", "count"), [(100_000, 4_000, 60), (6_000, 150, 99)])
def test_what_finds_no_room_of_many_rules_is_told(window: int, room: int, count: int):
    """All of them are in view, word for word; or the receipt says how many are not."""
    small = everthread.Settings(summary_tokens=room)
    with everthread.connect("memory://", settings=small, background=False) as et:
        ada = et.agent("ada", window=window)
        rules = many_rules(count)
        for rule in rules:
            ada.turn(rule).done("Understood.")
        for n in range(20):
            ada.turn(f"I weeded row {n} of the onions.").done(f"Row {n} is noted. " * 20)
        receipt = ada.distill()
        context = ada.context()
    given = "\n".join([context.summary, *map(str, context.messages)])
    gone = [rule for rule in rules if rule not in given]
    found = receipt.score.by_kind["rules"]
    assert found.lost == len(gone) and 50 <= found.total <= 50 + len(gone)
    assert receipt.lacks_rule == bool(gone) and bool(gone) == (window == 6_000)
    assert receipt.outcome == ("degraded" if gone else "ok")


def test_every_rule_becomes_a_memory_however_many_there_are(et: Everthread):
    """Beside the summary, which another thread or session of the agent does not see."""
    ada = et.agent("ada", window=100_000)
    rules = many_rules(60)
    for rule in rules:
        ada.turn(rule).done("Understood.")
    for n in range(20):
        ada.turn(f"I weeded row {n} of the onions.").done(f"Row {n} is noted. " * 20)
    ada.distill()
    kept = {memory.text for memory in ada.memories(limit=200) if memory.kind == "rule"}
    assert kept == {*rules}


@pytest.mark.parametrize("mended", [True, False])
def test_a_rule_of_an_earlier_distillation_does_not_leave_unnoticed(
    et: Everthread, monkeypatch: pytest.MonkeyPatch, mended: bool
):
    """Its message went long ago; that a later summary lacks it is found all the same."""
    ada = et.agent("ada")
    ada.turn(RULE).done("Understood.")
    talk(ada)
    assert ada.distill().outcome == "ok" and f'"{RULE}"' in ada.context().summary
    overlook(monkeypatch)
    talk(ada)
    if not mended:
        monkeypatch.setattr(review, "mend_summary", lambda *_: 0)
    receipt = ada.distill()
    assert (f'"{RULE}"' in ada.context().summary) == mended
    assert receipt.outcome == ("ok" if mended else "degraded")
    assert receipt.lacks_rule != mended
    told = [item.text for item in ada.receipt(receipt.id).lost if item.kind == "rules"]
    assert told == ([] if mended else [RULE])


def test_a_rule_of_an_earlier_distillation_that_was_taken_back_is_not_missed(et: Everthread):
    ada = et.agent("ada")
    ada.turn(RULE).done("Understood.")
    talk(ada)
    ada.distill()
    ada.turn("You can restart the greenhouse server during daylight hours again.").done("Fine.")
    talk(ada)
    receipt = ada.distill()
    assert RULE not in ada.context().summary
    assert receipt.outcome == "ok" and not receipt.lacks_rule


@pytest.mark.parametrize(
    "said",
    [
        "Also one house rule: never commit straight to main.",
        "And keep commit messages in the imperative please.",
        "I'd rather you didn't add emojis to the descriptions.",
        "In the postmortem we never name people.",
        "My doctor told me to avoid acid, so no espresso for me.",
        "It is a surprise, so nothing must go to their address.",
        "I am allergic to nuts, so don't ever send me samples.",
        "I don't want a disco at the party.",
        "I'd like you to post a summary to the channel every Friday.",
        "And don't restart anything without asking me first.",
        "When I come home late don't give me long lists.",
        "No curtains in my kitchen ever, I cannot stand them.",
        "Please no meetings before nine, I am useless then.",
        "Make sure that every function has a type.",
        "We must keep all the data in the country.",
    ],
)
def test_a_rule_is_drawn_for_the_score_in_whatever_form(said):
    assert kind_of(said, "user") == "rules"
    assert kind_of(said, "agent") != "rules"


@pytest.mark.parametrize(
    "said",
    [
        "Don't worry about the old ones at all.",
        "So don't forget the milk on the way home.",
        "Please don't be afraid of the dog next door.",
        "I don't want to wait for that any longer.",
        "No, this one I don't want.",
        "why did nobody get paged before two",
        "Make sure the lamp is off when you leave.",
        "Nobody goes near it since the storm.",
        "We never got an answer from the bank.",
        "Don't merge that branch tonight, I am tired.",
        "There was no train for two hours.",
        "I never saw a garden like that before.",
    ],
)
def test_what_is_no_rule_is_not_drawn_as_one(said):
    assert kind_of(said, "user") != "rules"


@pytest.mark.parametrize(
    "said",
    [
        "16 it is then.",
        "RDS multi-az it is.",
        "Okay, we'll take the hall.",
        "Fork & Field then.",
        "No tent then.",
        "Yeah, let's take the duo.",
        "I'll stay with the Sumatra.",
        "We decided to paint the shed green.",
        "Let's keep them on the local disk instead.",
        "I'm going with the second offer.",
    ],
)
def test_a_choice_is_drawn_for_the_score_however_short(said):
    assert kind_of(said, "user") == "decisions"


@pytest.mark.parametrize(
    ("said", "by"),
    [
        ("We haven't decided where to meet.", "user"),
        ("I'll have to tell her about it.", "user"),
        ("See you then.", "user"),
        ("I was young then.", "user"),
        ("I don't know what it is.", "user"),
        ("I'll take a look at it later on.", "user"),
        ("Let's have a look at the logs.", "user"),
        ("It opens a connection per table instead of using a pool.", "agent"),
        ("The switch to the new host takes a few minutes.", "agent"),
        ("1 query, 3.8 ms instead of 51 queries, 140 ms.", "agent"),
    ],
)
def test_what_chooses_nothing_is_no_decision(said, by):
    assert kind_of(said, by) != "decisions"
