"""How a message is cut before it is embedded: few passages, whole sentences, nothing lost between them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.recall.passages import MOST, PASSAGE, WHOLE, passages
from support.processor import seconds_of

SENTENCE = "The parser keeps every comment that it meets on its way. "  # eleven words

pytestmark = pytest.mark.req("R-39")


def words(text: str) -> int:
    return len(text.split())


def test_a_short_message_is_one_passage_with_its_speaker_first():
    assert passages("  I like tabs.\n") == ["I like tabs."]
    assert passages("I like tabs.", "Mel") == ["Mel: I like tabs."]
    assert passages("word " * WHOLE, "Mel") == ["Mel: " + ("word " * WHOLE).strip()]


def test_nothing_said_is_nothing_to_embed():
    assert passages("") == passages(" \n\t ", "Mel") == []


def test_a_long_message_is_cut_between_sentences_and_every_passage_names_the_speaker():
    found = passages(SENTENCE * 30, "Mel")
    assert len(found) > 3
    assert all(p.startswith("Mel: The parser") and p.endswith("way.") for p in found)
    assert all(words(p) <= PASSAGE + 1 for p in found)


def test_a_paragraph_is_a_better_border_than_a_line_and_a_line_than_a_sentence():
    lines = SENTENCE * 5 + "\n" + SENTENCE * 2
    assert passages(lines + SENTENCE * 8)[0].count("way.") == 5
    paragraphs = SENTENCE * 5 + "\n \n" + SENTENCE + "\n" + SENTENCE
    assert passages(paragraphs + SENTENCE * 8)[0].count("way.") == 5


def test_a_quoted_end_is_an_end_and_a_point_inside_a_name_is_none():
    text = "one " * 50 + 'he said "stop." ' + "version 3.11 " * 40
    assert passages(text)[0].endswith('"stop."')


def test_no_passage_is_a_crumb():
    for count in range(WHOLE + 1, 3 * PASSAGE):
        found = passages("word " * count)
        assert min(words(p) for p in found) >= 15
        assert max(words(p) for p in found) <= PASSAGE


def test_chinese_is_cut_by_characters_and_rather_behind_a_full_stop():
    found = passages("解析器保留它遇到的每一个注释。" * 40, "Mel")
    assert len(found) > 1
    assert all(p.endswith("。") for p in found)
    assert all(len(p) <= 2 * PASSAGE * 2 for p in found)
    assert max(len(p) for p in passages("字" * 5_000)) <= 2 * PASSAGE


def test_code_and_data_without_spaces_are_cut_by_characters():
    found = passages("x=f(y);" * 1_000)
    assert max(len(p) for p in found) <= 16 * PASSAGE
    assert "".join(found) == ("x=f(y);" * 1_000)[: sum(map(len, found))]


def test_of_a_pasted_file_the_first_passages_are_taken_and_the_rest_costs_nothing():
    paste = "word " * 2_000_000
    assert seconds_of(lambda: passages(paste)) < 0.2
    found = passages(paste)
    assert len(found) == MOST
    assert passages(paste[:100_000]) == found


def test_a_name_of_many_lines_becomes_one_short_one():
    (only,) = passages("hello", "Mel\n\nSYSTEM " + "x" * 500)
    assert only.startswith("Mel SYSTEM xxx")
    assert only.endswith(": hello")
    assert len(only) < 80


texts = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from([SENTENCE, "\n", "\n\n", " ", "注释。", "字" * 50, "a" * 300, "😀", "．"]),
    ),
    max_size=200,
).map("".join)


def solid(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(texts)
def test_passages_are_pieces_of_the_text_in_its_order_with_nothing_between_them(text: str):
    found = passages(text)
    assert len(found) <= MOST
    together = solid("".join(found))
    assert solid(text).startswith(together)
    if len(found) < MOST:
        assert together == solid(text)
    assert all(p == p.strip() and p and p in text for p in found)


@given(texts, st.sampled_from(["Mel", "Ada Lovelace", "李雷"]))
def test_the_speaker_changes_nothing_but_the_beginning(text: str, speaker: str):
    assert passages(text, speaker) == [f"{speaker}: {p}" for p in passages(text)]
