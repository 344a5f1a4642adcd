"""A person's short messages are carried whole, and stand in a summary in the place of their parts."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.context_text import SHORTEST, ContextText
from everthread.domain.distilling.draft_reading import read_draft
from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.distilling.prompts import SCHEMA
from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import WORDS, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.whole_messages import LONGEST
from everthread.domain.support.support import verdict
from everthread.providers.tokenizer import BpeTokenizer
from support.spoken import spoken
from test_gleaning import gleaned, of
from test_summaries import digest_of, point, shown

pytestmark = pytest.mark.req("A-13", "A-21", "S-17")

count = BpeTokenizer().count

PLAN = (
    "I am preparing the spring concert of the parish choir, which takes place on 12 April in the old "
    "town hall. We have nineteen singers and a pianist who comes from Lyon on the day before. Can you "
    "help me to plan the four rehearsals that are left? The hall has no heating before noon, so that "
    "mornings are out of the question, and two of the altos work on Thursdays until eight."
)
"""Longer than what is quoted round a question."""


def whole(digest: Digest) -> list[str]:
    return of(WORDS, digest)


def test_a_short_message_is_carried_whole_beside_what_was_read_off_it():
    digest = gleaned(("user", PLAN), ("agent", "Here is a plan for the four rehearsals."))
    (told,) = [p for p in digest.points if p.kind == WORDS]
    assert told.text == PLAN
    assert (told.by, told.verbatim, told.pinned) == ("user", True, False)
    assert verdict(told.text, [spoken(PLAN)], by="user", verbatim=True).supported
    assert [p for p in digest.points if p.kind != WORDS and p.text in PLAN]


def test_what_a_part_tells_in_full_is_not_carried_twice():
    digest = gleaned(("user", "Please add a --dry-run flag to the import command of the tool."))
    assert of("open_item", digest)
    assert not whole(digest)


def test_what_was_pasted_is_left_out_and_parts_the_prose():
    after = "The second alto may be late, she has a long way home."
    pasted = f"{PLAN}\n```python\nprint('rehearsal')\n```\n{after}"
    told = whole(gleaned(("user", pasted)))
    assert told[0] == PLAN
    assert not any("print" in text for text in told)


def test_long_messages_thanks_and_what_others_say_are_not_carried_whole():
    assert not whole(gleaned(("user", "And so it went on, day after day. " * (LONGEST // 30))))
    assert not whole(gleaned(("user", "Thank you so much, that was very kind of you!")))
    assert not whole(gleaned(("agent", PLAN), ("tool", PLAN)))


def test_a_checkpoint_does_not_carry_them():
    gleaner = Gleaner(whole=False)
    gleaner.read(spoken(PLAN))
    assert not whole(gleaner.digest())


def test_a_rule_that_was_taken_back_is_not_told_by_its_message_either():
    said = (
        "The report goes to the board next week, and it has to be short this time. "
        "Always write the dates in the American form. The last one had eleven pages, which nobody read."
    )
    assert whole(gleaned(("user", said))) == [said]
    digest = gleaned(
        ("user", said), ("user", "Forget the rule about dates in the American form, it was wrong.")
    )
    assert not of("rule", digest)
    assert said not in whole(digest)


@pytest.mark.req("LA-10")
def test_a_preference_that_is_spoken_of_takes_no_rule_back():
    rule = "Always format all snippets with care when I ask about the implementation."
    said = "I want to implement this as stated in my preference for small steps that don't hurt the reader."
    assert of("rule", gleaned(("user", rule), ("user", said))) == [rule]
    lifted = "That rule about how to format snippets doesn't apply any more."
    assert not of("rule", gleaned(("user", rule), ("user", lifted)))


def test_it_makes_no_memory_of_its_own():
    after = gleaned(("user", PLAN))
    assert not [fact for fact in memories_of(Digest(), after) if fact.text == PLAN]


# In the summary


def test_with_room_the_whole_takes_the_place_of_its_parts():
    parts = [point("request", "Can you help me to plan the four rehearsals that are left?")]
    parts += [point("fact", f"{PLAN[:120]}…")]  # as a part that was cut ends
    text = shown(digest_of([*parts, point(WORDS, PLAN)])).text
    assert text.count(PLAN) == 1
    assert text.count("four rehearsals") == 1
    assert text.count("spring concert") == 1


def test_without_room_the_parts_serve():
    part = point("request", "Can you help me to plan the four rehearsals that are left?")
    text = shown(digest_of([part, point(WORDS, PLAN)]), tokens=110).text
    assert PLAN not in text
    assert part.text in text


def test_an_open_request_stays_marked_beside_the_whole():
    part = point("open_item", "Can you help me to plan the four rehearsals?", pinned=True)
    text = shown(digest_of([part, point(WORDS, PLAN.replace(" that are left", ""))])).text
    assert f', open: "{part.text}"' in text


def test_after_a_fork_nothing_is_told_whole():
    digest = digest_of([point(WORDS, PLAN), point("fact", "The choir has nineteen singers.")])
    text = render(digest, number=1, tokens=900, count=count, retold=True).text
    assert PLAN not in text
    assert "nineteen" in text


@pytest.mark.req("A-22")
def test_a_model_writes_no_such_points():
    kinds = SCHEMA["properties"]["points"]["items"]["properties"]["kind"]["enum"]
    assert WORDS not in kinds
    assert "request" in kinds
    draft = '{"points": [{"kind": "words", "text": "x", "sources": [], "quote": false}], "outdated": []}'
    with pytest.raises(ModelFailed):
        read_draft(draft, {})


# What a context says already


def test_a_context_says_what_stands_in_it_word_for_word():
    said = 'She said "bring the keys",\nand I will bring them on Monday.'
    already = ContextText(shown(digest_of([point("fact", said)])).text)
    assert already.says(said)
    assert not already.says(f"{said} Or on Tuesday.")


def test_what_is_short_or_unknown_is_not_said_already():
    already = ContextText("We meet on Monday at the old town hall of Lyon.")
    assert not already.says("on Monday")
    assert len("on Monday") < SHORTEST
    assert not already.says("")
    assert not ContextText()
    assert not ContextText().says("")
