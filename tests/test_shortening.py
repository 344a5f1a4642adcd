"""Old tool output is cut to its two ends in the view; nothing else of a message changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.shortening import IMAGE, SHORT, cut_text, shorten_message
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("LA-21")


def result_of(message: Message) -> object:
    return message.blocks[0]["content"]


def test_a_result_of_one_character_too_many_is_cut():
    assert shorten_message(whole := resulted("x" * SHORT), limit=SHORT) is whole
    cut = result_of(shorten_message(resulted("x" * (SHORT + 1)), limit=SHORT))
    assert isinstance(cut, str)
    assert len(cut) <= SHORT


def test_the_line_says_how_much_is_missing():
    text = "".join(f"line {n}\n" for n in range(5_000))
    cut = result_of(shorten_message(resulted(text), limit=1_000))
    assert isinstance(cut, str)
    head, told, tail = cut.partition("[… ")
    assert text.startswith(head)
    missing = int(tail.partition(" ")[0].replace(",", ""))
    rest = tail.partition("brings them back]\n")[2]
    assert text.endswith(rest)
    assert len(head) + missing + len(rest) == len(text)
    assert told
    assert head.endswith("\n")
    assert len(head) > 2 * len(rest)


def test_ids_errors_and_all_other_blocks_stay():
    message = spoken(
        [
            {"type": "tool_result", "tool_use_id": "a", "is_error": True, "content": "y" * 900},
            {"type": "text", "text": "z" * 900},
            {"type": "tool_result", "tool_use_id": "b", "content": "short"},
        ],
        "tool",
    )
    first, text, second = shorten_message(message, limit=300).blocks
    assert (first["tool_use_id"], first["is_error"]) == ("a", True)
    assert len(first["content"]) <= 300
    assert [text, second] == message.blocks[1:]


@pytest.mark.parametrize(
    "message",
    [
        spoken("x" * 9_000),
        called("Write", file_path="a.py", content="x" * 9_000),
        resulted("short"),
        resulted([{"type": "text", "text": "short"}]),
        resulted(None),
    ],
)
def test_what_is_no_long_result_comes_back_as_the_same_message(message):
    assert shorten_message(message, limit=400) is message


def test_texts_of_a_result_are_cut_together_and_an_image_gives_way_to_a_line():
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "A" * 900},
    }
    small = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "A" * 9},
    }
    parts = [
        {"type": "text", "text": "a" * 300},
        picture,
        small,
        {"type": "text", "text": "b" * 300},
    ]
    cut = shorten_message(resulted(parts), limit=400)
    text, kept = cut.blocks[0]["content"]
    assert kept == small
    assert len(text["text"]) <= 400
    assert shorten_message(cut, limit=400) is cut
    only = shorten_message(resulted([picture]), limit=400)
    assert only.blocks[0]["content"] == [{"type": "text", "text": IMAGE}]


SIGNS = ["a", "é", "e\u0301", "漢", "👩‍👩‍👧", "🏳️‍🌈", "\n", " "]
texts = st.lists(st.sampled_from(SIGNS), max_size=400).map("".join)


@given(texts, st.integers(0, 300))
def test_cutting_is_idempotent_and_keeps_both_ends_whole(text, limit):
    cut = cut_text(text, limit)
    assert cut_text(cut, limit) == cut
    message = resulted(text)
    once = shorten_message(message, limit=limit)
    assert shorten_message(once, limit=limit) is once
    if cut != text:
        head, _, rest = cut.partition("[… ")
        tail = rest.partition("recall brings them back]")[2].removeprefix("\n")
        assert text.startswith(head.removesuffix("\n"))
        assert text.endswith(tail)
        cut.encode()


@pytest.mark.parametrize("size", range(150, 175))
def test_no_sign_is_cut_in_two_at_any_boundary(size):
    family = "👩‍👩‍👧"
    cut = cut_text(family * 200, size)
    head, _, rest = cut.partition("\n[… ")
    tail = rest.partition("back]\n")[2]
    assert head.replace(family, "") == ""
    assert tail.replace(family, "") == ""
