"""Who is to ask first is freed of it by leave to act without; and by nothing less."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.asking_first import is_freed_of_asking
from everthread.domain.memory.lifts import lifted_rules
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

FREED = (
    ("Ask before you run migrations.", "Run migrations without asking from now on."),
    ("Ask before you run migrations.", "You can run migrations without asking now."),
    ("Ask before you run migrations.", "You can run migrations without asking me."),
    ("Ask before you run migrations.", "Don't ask me before migrations any more."),
    ("Ask me before running migrations.", "You may run migrations on your own now."),
    ("Always ask before committing.", "Just commit without asking from now on."),
    ("Always ask before committing.", "You can commit on your own now."),
    ("Never commit without my OK.", "You no longer need my OK to commit."),
    ("Don't push without asking.", "You can push freely from now on."),
    ("Never push to main without asking.", "You can push to main without asking now."),
    ("Never delete files without my OK.", "You can delete without asking from now on."),
    ("Commit only with my approval.", "You no longer need my approval for commits."),
    ("Check with me before you spend money.", "Spend money without checking with me from now on."),
)
BOUND = (
    # one time, one thing, less of it, something else
    ("Ask before you run migrations.", "Run the migration without asking."),
    ("Ask before you run migrations.", "You can run this one without asking."),
    ("Ask before you run migrations.", "You can run migrations without asking today."),
    (
        "Ask before you run migrations.",
        "You can run migrations on staging without asking from now on.",
    ),
    ("Ask before you run migrations.", "If it's a dry run you can run migrations without asking."),
    ("Ask before you run migrations.", "You can run tests without asking from now on."),
    ("Ask before you run migrations.", "You can run migrations without tests from now on."),
    ("Never push to main without asking.", "You can push without asking now."),
    ("Never push to main without asking.", "You can push to feature branches without asking now."),
    ("Ask me before booking anything.", "You can book trains yourself from now on."),
    # up to so much, and what is dear
    (
        "Ask me before you spend more than 50 euros.",
        "You can spend up to 50 euros without asking.",
    ),
    (
        "Ask me before you book hotels over 100 euros.",
        "You can book hotels under 100 euros without asking.",
    ),
    (
        "Ask me before you accept meetings after 6.",
        "You can accept meetings before 6 without asking.",
    ),
    ("Ask me before you delete production data.", "You can delete freely."),
    ("Ask me before you commit secrets.", "You can commit without asking."),
    ("Never delete old branches without asking me.", "You can delete branches yourself."),
    # asked, forbidden, told, complained of; others, and others' leave
    ("Ask before you run migrations.", "Can you run migrations without asking?"),
    ("Ask before you run migrations.", "Never run migrations without asking me."),
    ("Ask before you run migrations.", "You can't run migrations without asking now."),
    ("Ask before you run migrations.", "He ran the migrations without asking."),
    ("Ask before you run migrations.", "You run migrations without asking again."),
    ("Ask before you run migrations.", "I can run migrations without asking from now on."),
    ("Ask before you run migrations.", "Bob can run migrations without asking from now on."),
    ("Ask before you run migrations.", "You no longer need Anna's OK to run migrations."),
    ("Ask before you run migrations.", "Don't ask me before migrations any more, ask Bob."),
    ("Ask Anna before you spend money.", "Spend money without asking from now on."),
)


@pytest.mark.parametrize(("rule", "said"), FREED)
def test_leave_to_act_ends_the_rule_to_ask(rule: str, said: str) -> None:
    assert lifted_rules(said, [rule]) == [rule]
    gleaner = Gleaner()
    for n, text in enumerate((rule, "The bus was late again.", said)):
        gleaner.read(spoken(text, n=n))
    assert rule not in [point.text for point in gleaner.digest().points]


@pytest.mark.parametrize(("rule", "said"), BOUND)
def test_leave_for_less_leaves_the_rule(rule: str, said: str) -> None:
    assert not is_freed_of_asking(said, rule)
    assert not lifted_rules(said, [rule])


def test_of_several_rules_the_one_is_lifted() -> None:
    rules = ["Ask before you run migrations.", "Ask before you delete files.", "Use tabs."]
    assert lifted_rules("You can delete files without asking now.", rules) == [rules[1]]
