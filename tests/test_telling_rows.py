"""What differs in anything that tells is never merged, hidden or ended; what is the same is told once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Settings
from everthread.domain.text.quotations import stands_in
from everthread.domain.text.sayings import is_echoed, likeness_of
from everthread.domain.text.telling_rows import rows_agree, telling_row, whole_row

TOLD_APART = [
    ("Alert when load > 5", "Alert when load < 5"),
    ("Use tabs, do not use spaces", "Do not use tabs, use spaces"),
    ("Deploy on Monday, never deploy on Friday", "Never deploy on Monday, deploy on Friday"),
    ("Tom is not coming, Eva is coming", "Tom is coming, Eva is not coming"),
    ("The account balance is 200 euros", "The account balance is -200 euros"),
    ("The freezer must stay at 4 °C", "The freezer must stay at -4 °C"),
    ("Threshold is 0.5", "Threshold is -0.5"),
    ("The offset is +5 hours", "The offset is -5 hours"),
    ("Retry when status == 500", "Retry when status != 500"),
    ("Accept when age >= 18", "Accept when age < 18"),
    ("Join the filters with a && b", "Join the filters with a || b"),
    ("The rating of the film is 👍", "The rating of the film is 👎"),
    ("The env var is DEBUG", "The env var is debug"),
    ("The file is a.py", "The file is A.py"),
    ("The branch is Main", "The branch is main"),
    ("the branch is Main", "the branch is main"),
    ("Under 18 are admitted free", "18 are admitted free"),
    ("The old key opens the shed", "The key opens the shed"),
    ("The regex is ^foo$", "The regex is foo"),
    ("The glob is *.py", "The glob is **.py"),
    ("Angle is 45°", "Angle is 45'"),
    ("Set the flag to !debug", "Set the flag to debug"),
    ("The answer is yes", "The answer is yes?"),
    ("The function returns []", "The function returns {}"),
    ("The sum is (a+b)*c", "The sum is a+b*c"),
    ("Run it with --force", "Run it with -force"),
    ("The country code is BE", "The country code is AM"),
    ("We follow plan A", "We follow plan"),
    ("He can't swim", "He doesn't swim"),
    ("The bug is fixed", "The bug is being fixed"),
    ("The meeting will be in Rome", "The meeting is in Rome"),
    ("Delete the log", "Delete the logs"),
    ("The user table has 5 rows", "The table has 5 rows"),
    ("I call Anna on Fridays", "Call Anna on Fridays"),
    ("Anna likes my cat", "Anna likes the cat"),
    ("Lock the door at night", "Lock the door"),
    ("La température est de 5 degrés", "La température est de -5 degrés"),
    ("The separator is ','", "The separator is ';'"),
    ("The prefix is '.'", "The prefix is ':'"),
    ('The default is ""', "The default is"),
    ("The balance is 5 euros", "The balance is – 5 euros"),
    ("5 errors set off the alarm", "> 5 errors set off the alarm"),
    ("5 degrees is the limit", "- 5 degrees is the limit"),
]
"""Two statements of which neither says what the other says."""

OF_ANOTHER = [
    ("Anna lives in Paris", "Anna's sister lives in Paris"),
    ("Bob owns a red car", "Bob's father owns a red car"),
    ("The API uses port 8080", "The API proxy uses port 8080"),
    ("The server uses SSL termination", "The staging server uses SSL termination"),
    ("Clara leads the data team", "Clara's deputy leads the data team"),
    ("The warehouse opens at 8 daily", "The warehouse office opens at 8 daily"),
    ("Bob hates everything with peanut", "Bob hates everything with peanut butter"),
]
"""The second is told of somebody or something else: the first holds on."""

SAME = [
    ("The user prefers tabs.", "Prefers tabs"),
    ("I prefer tabs and like vim", "The user prefers tabs and likes vim"),
    ("deploys happen on friday", "Deploys happen on Friday!"),
    ("My sister lives in Paris", "my sister lives in paris"),
    ("USE TABS IN MAKEFILES", "Use tabs in Makefiles"),
    ("Don't use var", "Please do not use var."),
    ("The port is “8080”", "The port is 8080"),
    ("The port (of the API) is 8080", "The port of the API is 8080"),
    ("- **Never** push to main", "Never push to main"),
    ("The cache is on — always", "The cache is on, always"),
    ("The server is currently down", "The server is down"),
    ("He cannot swim", "He can't swim"),
]

NUMBERS = count()


@pytest.fixture(scope="module")
def et() -> Iterator[everthread.Everthread]:
    settings = Settings(embedder="off", recall_seconds=10.0)
    with everthread.connect("memory://", background=False, settings=settings) as it:
        yield it


@pytest.fixture
def ada(et: everthread.Everthread) -> Agent:
    return et.agent(f"ada-{next(NUMBERS)}")


def texts(agent: Agent, query: str) -> set[str]:
    return {hit.text for hit in agent.recall(query, limit=50)}


@pytest.mark.req("LA-18")
@pytest.mark.parametrize(("one", "other"), [*TOLD_APART, *OF_ANOTHER])
def test_what_differs_is_never_merged(ada: Agent, one: str, other: str) -> None:
    ada.remember(one)
    assert ada.remember(other).text == other
    known = {memory.text: memory.state for memory in ada.memories(state="all")}
    assert known.keys() == {one, other}
    assert known[other] == "kept"


@pytest.mark.parametrize(("one", "other"), [*TOLD_APART, *OF_ANOTHER])
def test_nor_the_other_way_round(one: str, other: str) -> None:
    assert likeness_of(one, other) != "same"
    assert likeness_of(other, one) != "same"


@pytest.mark.parametrize(("one", "other"), OF_ANOTHER)
def test_what_is_told_of_another_ends_nothing(ada: Agent, one: str, other: str) -> None:
    for text in (one, other):
        ada.remember(text)
    assert {memory.text for memory in ada.memories()} == {one, other}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_in_what_tells_nothing_is_one(one: str, other: str) -> None:
    assert likeness_of(one, other) == likeness_of(other, one) == "same"


SAID_OTHERWISE = [pair for pair in (*TOLD_APART, *OF_ANOTHER) if not stands_in(*pair)]
"""What is said word for word goes with what is forgotten, in whatever case."""


@pytest.mark.parametrize(("one", "other"), SAID_OTHERWISE)
def test_forgetting_leaves_what_says_otherwise(one: str, other: str) -> None:
    assert not is_echoed(one, other)


def test_a_message_that_says_the_opposite_is_found_though_the_memory_is_forgotten(
    ada: Agent,
) -> None:
    later = "Do not use tabs, use spaces"
    known = ada.remember("Use tabs, do not use spaces")
    ada.record([{"id": "9", "role": "user", "content": later}])
    assert texts(ada, "tabs or spaces") == {known.text, later}
    ada.forget(known.id)
    assert texts(ada, "tabs or spaces") == {later}


# ---- any statement, and any change of what tells

WORD = st.sampled_from(
    ["server", "port", "alert", "load", "deploys", "build", "cache", "key", "shed"]
)
SIGN = st.sampled_from([*"><=-+*/~^%👍👎", "==", "!=", ">=", "&&", "||"])
FIGURE = st.sampled_from(["5", "-5", "+5", "0.5", "-0.5", "18", "1.10", "1.1"])
IDENTIFIER = st.sampled_from(["DEBUG", "debug", "a.py", "A.py", "node_1", "node-1", "K1", "k1"])
NEGATOR = st.sampled_from(["not", "never", "without", "no"])
TOKEN = st.one_of(WORD, SIGN, FIGURE, IDENTIFIER, NEGATOR)
ROW = st.lists(TOKEN, min_size=3, max_size=9)


@given(ROW, ROW, TOKEN)
def test_a_token_more_is_never_merged(head: list[str], tail: list[str], more: str) -> None:
    short = " ".join(["the", *head, *tail, "end"])
    long = " ".join(["the", *head, more, *tail, "end"])
    assert likeness_of(long, short) != "same"
    assert likeness_of(short, long) != "same"
    assert not rows_agree(whole_row(short), whole_row(long))


@given(ROW, ROW, TOKEN, TOKEN)
def test_another_token_in_its_place_is_never_merged(
    head: list[str], tail: list[str], one: str, other: str
) -> None:
    assume(one != other)
    first, second = (" ".join(["the", *head, each, *tail, "end"]) for each in (one, other))
    assert likeness_of(first, second) is None
    assert not rows_agree(whole_row(first), whole_row(second))


@given(ROW, st.randoms(use_true_random=False))
def test_another_order_is_never_merged(row: list[str], chance: Random) -> None:
    turned = [*row]
    chance.shuffle(turned)
    assume(turned != row)
    one, other = " ".join(["the", *row, "end"]), " ".join(["the", *turned, "end"])
    assert likeness_of(one, other) is None


@given(ROW, st.sampled_from(["please {}", "{} now", '"{}"', "- {}", "{}.", "{}!!", "Note that {}"]))
def test_what_carries_nothing_makes_no_other(row: list[str], form: str) -> None:
    said = " ".join(["the", *row, "end"])
    assert likeness_of(form.format(said), said) == "same"


@given(st.text(max_size=300))
def test_every_text_agrees_with_itself(text: str) -> None:
    assert rows_agree(telling_row(text), telling_row(text))
    assert rows_agree(whole_row(text), whole_row(text))


# ---- recall

SHOWN = [
    ("Alice manages Bob", "Bob manages Alice"),
    ("Tom owes Eva 20 euros", "Eva owes Tom 20 euros"),
    ("The train goes from Berlin to Paris", "The train goes from Paris to Berlin"),
    *TOLD_APART,
]


@pytest.mark.parametrize(("one", "other"), SHOWN)
def test_recall_shows_both_of_two_that_differ(ada: Agent, one: str, other: str) -> None:
    ada.record(
        [{"role": "user", "content": one}, {"role": "assistant", "content": "ok"},
         {"role": "user", "content": other}, {"role": "assistant", "content": "fine"}]
    )  # fmt: skip
    assert {one, other} <= texts(ada, one)


def test_recall_shows_every_version_of_a_long_text(ada: Agent) -> None:
    code = "\n".join(f"def func_{n}(alpha_{n}): return beta_{n}" for n in range(60))
    versions = [f"{code}\nRETRIES = {n}" for n in (3, 5, 3)]
    ada.record([{"role": "user", "content": text} for text in versions])
    assert {text[-1] for text in texts(ada, "RETRIES 3")} == {"3", "5"}
    assert len(ada.recall("RETRIES 3", limit=50)) == 2, "the same is told once"


def test_versions_leave_room_for_what_else_is_found(ada: Agent) -> None:
    code = "\n".join(f"def func_{n}(alpha_{n}): return beta_{n}" for n in range(60))
    other = "RETRIES is read by the uploader"
    said = [other, *(f"{code}\nRETRIES = {n}" for n in range(40))]
    ada.record([{"role": "user", "content": text} for text in said])
    assert other in {hit.text for hit in ada.recall("RETRIES func_1", limit=2)}
