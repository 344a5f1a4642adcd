"""What is only weighed is no decision, and how somebody's time goes on is no rule."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import decides, parse_sentence, rules

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    "text",
    [
        "I'm thinking about imputing rather than dropping the missing rows.",
        "I'm considering Redis instead of Memcached.",
        "We might take the red one rather than the blue one.",
        "I could use Redis rather than Memcached.",
        "Maybe we use Redis instead of Memcached.",
        "Ich überlege, Redis statt Memcached zu nehmen.",
        "The bus was late, so we walked instead of waiting.",
    ],
)
def test_what_is_weighed_or_told_is_no_decision(text: str) -> None:
    assert not decides(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "We use Redis instead of Memcached.",
        "I was thinking about it and we go with Redis instead of Memcached.",
        "We might as well take the red one rather than the blue one.",
        "We could wait, but let's take Redis instead of Memcached.",
        "I'm not sure about the name but we use Redis instead of Memcached.",
        "We took the train instead of driving.",
        "I may be wrong here, we decided to use Go.",
        "We could only pick one, we decided on Hetzner.",
        "I could finally decide: we go with Hetzner instead of AWS.",
        "We might lose some speed, we decided to go with SQLite anyway.",
        "Perhaps surprisingly, we decided on Redis for the cache.",
        "Maybe you heard: we decided on Redis for the cache.",
        "I could not find a flat in Bonn and decided to move to Köln.",
        "I'm thinking about the future, that's why we decided on Postgres.",
        "I'm not sure about the colours, we decided on Redis for the cache.",
        "We moved to Hetzner instead of AWS.",
    ],
)
def test_what_is_taken_in_the_end_is_one(text: str) -> None:
    assert decides(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Der Bäcker hat ab sofort auch sonntags offen.", False),
        ("Ich arbeite ab jetzt nur noch halbtags.", False),
        ("Entweder Kita A (ab Oktober) oder Kita B (ab sofort, aber bis 13 Uhr).", False),
        ("Schreib ab jetzt alle Preise brutto.", True),
        ("Ab sofort nur noch Deutsch.", True),
        ("Ich möchte ab jetzt kurze Antworten.", True),
    ],
)
def test_only_what_is_asked_for_from_now_on_is_a_rule(text: str, holds: bool) -> None:
    assert rules(parse_sentence(text)) is holds
