"""What a text is found by, and what a question looks for."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.recall import cards
from everthread.domain.recall.cards import (
    ASKS,
    MACHINE,
    ONLY_ASKS,
    RULE,
    TIME,
    describe,
)
from everthread.domain.text import words
from everthread.domain.text.words import LIMIT, LONGEST, index_text, query_words
from support.processor import seconds_of


def found(text: str, question: str) -> bool:
    """Does the full-text index find the text by the words of the question?"""
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    index.execute("INSERT INTO t VALUES (?)", (index_text(text),))
    query = " OR ".join(f'"{word}"' for word in query_words(question))
    return bool(query) and index.execute(
        "SELECT 1 FROM t WHERE t MATCH ?", (query,)
    ).fetchone() == (1,)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("we call parseConfigFile at the start", "where is the config parsed?"),
        ("we call parseConfigFile at the start", "who calls parseConfigFile?"),
        ("HTTPServer refuses the port", "what does the server refuse?"),
        ("see max_retry_count in src/net/retry_policy.py", "which retry policy?"),
        ("see max_retry_count in src/net/retry_policy.py", "src/net/retry_policy.py"),
        ("she painted a sunrise", "did anyone paint?"),
        ("the deployment window is on Thursday", "when do we deploy?"),
        ("it is deployed on Thursday", "which deployments are there?"),
        ("the payments are late", "who pays?"),
        ("我们的知识库在上海", "知识库在哪里"),
        ("東京タワーに行きました", "東京で何をしましたか"),
        ("우리는 데이터베이스를 골랐다", "데이터베이스는 무엇입니까"),
        ("Die Prüfung war am Montag", "Wann war die Prüfung?"),
    ],
)
def test_a_text_is_found_by_words_that_are_in_it(text: str, question: str) -> None:
    assert found(text, question)


def test_a_text_is_not_found_by_words_that_only_put_the_question() -> None:
    assert not found("the two of us said so", "what did you say about it?")


def test_plain_prose_is_indexed_as_it_is() -> None:
    prose = "Nothing is glued together here, not even the 2nd version (v2)."
    assert index_text(prose) is prose


def test_glued_names_keep_their_whole_form() -> None:
    assert index_text("parseHTTPResponse") == "parseHTTPResponse\nparse HTTP Response"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What did parseHTTPResponse say?", ["parsehttpresponse", "parse", "http", "response"]),
        ('"a" OR NEAR(b, c) * ^d: -e', ["b", "c", "near", "e"]),
        ("知识库", ["知识", "识库"]),
        ("", []),
        ("?!\x00\x07 \ud800", []),
    ],
)
def test_the_words_of_a_question(question: str, words: list[str]) -> None:
    assert sorted(query_words(question)) == sorted(words)


def test_a_question_of_common_words_only_keeps_its_longest() -> None:
    assert query_words("who are they?") == ["they", "who", "are"]


def test_data_is_not_taken_for_words() -> None:
    assert query_words("token " + "aB3" * 100) == ["token"]


def test_of_a_long_question_both_ends_are_read() -> None:
    pasted = "sunrise " + "x1 " * 400_000 + "lighthouse"
    assert {"sunrise", "lighthouse"} <= set(query_words(pasted))


def test_a_megabyte_is_read_at_once() -> None:
    said = 'parseConfig \u77e5\u8bc6 \x00 " OR ' * 50_000
    assert seconds_of(lambda: query_words(said)) < 0.5


@given(st.text(max_size=300), st.integers(min_value=1, max_value=20))
def test_any_question_gives_few_clean_words(question: str, limit: int) -> None:
    words = query_words(question, limit)
    assert len(words) <= limit
    assert len(set(words)) == len(words)
    assert all(word.isalnum() and len(word) <= 2 * LONGEST for word in words)


@given(st.text(max_size=300))
def test_any_text_can_be_indexed_and_any_question_asked(text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    found(clean, clean)


@given(
    st.lists(
        st.from_regex(r"[a-z]{3,9}[A-Z][a-z]{3,9}", fullmatch=True), min_size=1, max_size=LIMIT
    )
)
def test_every_glued_name_is_found_by_its_parts(names: list[str]) -> None:
    text = " ".join(names)
    for name in names:
        head = name.rstrip("abcdefghijklmnopqrstuvwxyz")[:-1]
        assert head in index_text(text).split()


GLUE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]*[a-z](?=[A-Z])[A-Za-z0-9]*")
PART = re.compile(r"[A-Z]+(?![a-z]{2})|[A-Z]?[a-z]+|[0-9]+|[A-Z]+")


PIECES = [
    "parse",
    "Config",
    "HTTP",
    "a",
    "Z",
    "9",
    "_",
    " ",
    ".",
    "\n",
    "é",
    "\u0130",
    "知",
    "\U0001f600",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_glued_names_are_those_that_the_pattern_names(text: str) -> None:
    """By bytes it is ten times as fast; what is found is the same, in any script around it."""
    names = [name for name in GLUE.findall(text) if len(name) <= LONGEST]
    parts = [part for name in names for part in PART.findall(name) if len(part) > 1]
    told = index_text(text).split("\n")[text.count("\n") + 1 :]
    assert " ".join(told).split(" ") == (parts or [""])


def test_data_that_looks_like_one_long_name_is_not_remembered() -> None:
    """What is longer than a name would fill the memory of names with what never comes again."""
    before = words._glued_parts.cache_info().currsize
    assert "\n" not in index_text("aB" * LONGEST)
    assert words._glued_parts.cache_info().currsize == before


# What is noted of a text when it is indexed


@pytest.mark.parametrize(
    ("text", "role", "flags"),
    [
        ("ok", "user", 0),
        ("Did you see it?", "user", ASKS | ONLY_ASKS),
        ("I painted all night and it went well. Did you see it?", "user", ASKS),
        ("why? because", "user", ASKS),
        ("how many orders did we lose", "user", ASKS | ONLY_ASKS),
        ("and when is the launch", "user", ASKS | ONLY_ASKS),
        ("did he answer", "user", ASKS | ONLY_ASKS),
        ("what's the voucher code", "user", ASKS | ONLY_ASKS),
        ("how many orders did we lose", "assistant", MACHINE),
        ("what I like is tea", "user", 0),
        ("when we deploy, we tell Tom", "user", 0),
        ("do the dishes", "user", 0),
        ("Will is my brother", "user", 0),
        ("we leave on Monday, I think", "user", TIME),
        ("we leave tomorrow!", "user", TIME),
        ("it took 12 minutes", "assistant", MACHINE),
        ("Always use tabs.", "user", RULE),
        ("Always use tabs.", "assistant", MACHINE),
        ("Fine. I prefer short answers", "user", RULE),
        ("I have always liked it", "user", 0),
    ],
)
def test_what_is_noted_of_a_text(text: str, role: str, flags: int) -> None:
    assert describe(text, role)[0] == flags


def test_words_are_counted() -> None:
    assert describe("one two\nthree", "user")[1] == 3


@given(st.text(max_size=500), st.sampled_from(["user", "assistant", "tool", "memory"]))
def test_any_text_can_be_described(text: str, role: str) -> None:
    flags, words = describe(text, role)
    assert 0 <= flags < 2 * RULE
    assert words >= 1
    assert bool(flags & MACHINE) == (role != "user")


def test_describing_is_cheap_enough_for_every_write() -> None:
    text = "Hey, good to see you again after all the work that we did in the old house. " * 8

    def written() -> None:
        for _ in range(1_000):
            describe(text, "user")
            index_text(text)

    assert seconds_of(written) < 0.2


RULES = ["Always", "Never", "From now on", "Please always", "Please never", "I prefer", "Don't"]


@given(st.lists(st.sampled_from([*RULES, "I'd prefer", "from", "never", ". ", ": ", "\n", " x "])))
def test_a_rule_is_a_rule_whatever_stands_beside_it(said: list[str]) -> None:
    """The pattern is asked only where one of its words stands; that takes no rule away."""
    text = "".join(said)
    known = not cards._RULES.isdisjoint(text.lower().split())
    assert bool(describe(text, "user")[0] & RULE) == (known and bool(cards._RULE.search(text)))
