"""What a context says already is not recalled into it; what only looks like it is.

To recall once too often costs some words, to pass over what is nowhere said costs the answer: so where
it is in doubt, it is not said.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.distilling.context_text import ContextText
from support.chance import few

pytestmark = pytest.mark.req("A-21", "S-17")

TABS = "use tabs in all projects"
HALL = "We meet on Monday at the old town hall"
STORE = "The store runs on PostgreSQL 16"

SAID = [
    ("use tabs in all projects", TABS),
    ("- use tabs in all projects", TABS),
    ('- User, 20 Feb: "use tabs in all projects"', TABS),
    ('- User, 20 May: "use tabs in all projects"', TABS),
    ("- Agent, 2 May: use tabs in all projects, with four columns", TABS),
    ('- User, 20 Feb: "Please use tabs in all projects."', TABS),
    ("Do not use spaces. Then use tabs in all projects.", TABS),
    ("No spaces!\nuse tabs in all projects\nNever mind the rest.", TABS),
    ("Never use spaces? use tabs in all projects", TABS),
    ("It is not hard: yes. We use tabs in all projects.", TABS),
    ("misuse tabs in all projects is wrong. Always? No. use tabs in all projects", TABS),
    ("Do not use tabs in all projects.\n- User: now use tabs in all projects", TABS),
    (f"- {HALL}.", HALL),
    (f"- {HALL}, and then we eat.", HALL),
    (f"{HALL}; bring the keys.", HALL),
    (f"- User: '{HALL}'", HALL),
    (f"(as of today) {HALL} (Lyon).", HALL),
    ("We meet on Monday\nat the old town hall.", HALL),
    ("- User: “We meet on Monday · at the old town hall”", HALL),
    (f"No, {HALL}", HALL),
    (f"{STORE}.", STORE),
    (f"{STORE}, on port 5432.", STORE),
    (f"We do not use MySQL. {STORE}!", STORE),
    ("Rule: Do not use tabs in this file", "Do not use tabs in this file"),
    ("- Rule: never push to main without a review", "never push to main without a review"),
    (
        "Er sagte: 'Wir treffen uns nicht am Montag in Lyon.'",
        "Wir treffen uns nicht am Montag in Lyon.",
    ),
]
"""(the context, what it says)"""

NOT_SAID = [
    ("do not use tabs in all projects", TABS),
    ("Do not use tabs in all projects.", TABS),
    ("don't use tabs in all projects", TABS),
    ("We don’t use tabs in all projects", TABS),
    ("never use tabs in all projects", TABS),
    ("misuse tabs in all projects", TABS),
    ("re-use tabs in all projects", TABS),
    ("use tabs in all projects2", TABS),
    ("use tabs in all projects_old", TABS),
    ("use tabs in all projects-to-be", TABS),
    ("use tabs in all projects/legacy", TABS),
    ("Should we use tabs in all projects?", TABS),
    ("We might use tabs in all projects", TABS),
    ("Stop: do you still use tabs in all projects?", TABS),
    ("We no longer use tabs in all projects", TABS),
    ("Avoid what they do, use tabs in all projects", TABS),
    ("use spaces instead of what they use tabs in all projects for", TABS),
    ("It is wrong to use tabs in all projects", TABS),
    ("He asked whether to use tabs in all projects", TABS),
    ("If the linter allows it, use tabs in all projects", TABS),
    ("use tabs in all projects is not what I said", TABS),
    ("use tabs in all projects only until May", TABS),
    ('The user never said "use tabs in all projects"', TABS),
    (f"{STORE}.4", STORE),
    (f"{STORE}0", STORE),
    (f"It is false that {STORE}", STORE),
    (f"{HALL}'s garden", HALL),
    (f"{HALL} unless it rains", HALL),
    ("Es ist nicht wahr: Wir treffen uns am Montag in Lyon", "Wir treffen uns am Montag in Lyon"),
    (
        "我们没有在所有的项目里使用制表符来缩进我们的代码的习惯",
        "在所有的项目里使用制表符来缩进我们的代码的习惯",
    ),
]
"""(the context, what it does not say, though the letters stand in it)"""


def test_there_are_enough_of_each() -> None:
    assert len(SAID) >= 25
    assert len(NOT_SAID) >= 25
    assert all(text in context for context, text in NOT_SAID), "by letters alone it would be"


@pytest.mark.parametrize(("context", "text"), SAID)
def test_it_says_so(context: str, text: str) -> None:
    assert ContextText(context).says(text)


@pytest.mark.parametrize(("context", "text"), NOT_SAID)
def test_it_does_not_say_so(context: str, text: str) -> None:
    assert not ContextText(context).says(text)


def test_the_same_on_twenty_thousand_lines_is_looked_through_in_no_time() -> None:
    already = ContextText("we never use tabs in all projects here\n" * 20_000)
    begin = time.thread_time()
    assert not already.says(TABS)
    assert time.thread_time() - begin < 5


WORDS = st.sampled_from(["tabs", "in", "Projekte", "über", "16", "a-b", "·", "“so”"])
BLANKS = st.sampled_from([" ", "  ", "\n", "\n\n", "\t", "\u00a0"])


@given(
    words=st.lists(WORDS, min_size=30, max_size=90),
    blanks=st.lists(BLANKS, min_size=1, max_size=5),
    end=st.sampled_from(["", " and more", " tab"]),
)
@settings(max_examples=few(200), deadline=None)
def test_a_long_text_is_found_by_all_of_it_wherever_its_beginning_is_cut(
    words: list[str], blanks: list[str], end: str
) -> None:
    text = "".join(word + blanks[n % len(blanks)] for n, word in enumerate(words)) + "x" * 20
    context = ContextText(f"{' '.join(words)} {'x' * 20}.")
    assert context.says(text)
    assert not context.says(f"{text}y{end}")
