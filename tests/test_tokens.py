"""What a request weighs: every kind of block, the frame around it, and texts of any length."""

from __future__ import annotations

import base64
import json
import random
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import PRIVATE, Block, Form, content_column
from everthread.domain.conversation.tokens import (
    IMAGE_MOST,
    PAGE,
    PER_CALL,
    PER_MESSAGE,
    PER_RESULT,
    PER_TOOL,
    blocks_tokens,
    content_tokens,
    image_size,
    image_tokens,
    scale_budget,
    system_tokens,
    tools_tokens,
)
from everthread.domain.errors import SettingInvalid
from everthread.providers.tokenizer import EXACT, REACH, SLICES, BpeTokenizer, sample_slices

TOKENIZER = BpeTokenizer()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02" * 9


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(20)


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    app0 = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0\1\1\0\0\1\0\1\0\0"
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + app0 + before + frame + bytes(30)


def riff(kind: bytes, rest: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + len(rest)) + b"WEBP" + kind + rest


def webp_lossy(width: int, height: int) -> bytes:
    return riff(b"VP8 ", bytes(7) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(9))


def webp_lossless(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    return riff(b"VP8L", bytes(4) + b"\x2f" + struct.pack("<I", bits) + bytes(9))


def webp_extended(width: int, height: int) -> bytes:
    edges = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff(b"VP8X", bytes(8) + edges + bytes(9))


MAKERS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


def image(data: str) -> Block:
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


EVERY_KIND: dict[str, Block] = {
    "text": {"type": "text", "text": "Shall we use tabs?"},
    "tool call": {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}},
    "call without input": {"type": "tool_use", "id": "toolu_1", "name": "Now", "input": {}},
    "tool result": {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py b.py"},
    "empty result": {"type": "tool_result", "tool_use_id": "toolu_1"},
    "image": image(b64(png(200, 200))),
    "image by address": {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
    "thinking": {"type": "thinking", "thinking": "Tabs are shorter.", "signature": "EqQB" * 40},
    "thinking withheld": {"type": "thinking", "thinking": "", "signature": "EqQB" * 40},
    "redacted thinking": {"type": "redacted_thinking", "data": "EmwK" * 40},
    "text document": {
        "type": "document",
        "title": "Style",
        "source": {"type": "text", "media_type": "text/plain", "data": "Use tabs."},
    },
    "PDF": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE" * 1000},
    },
    "document of blocks": {
        "type": "document",
        "source": {"type": "content", "content": [{"type": "text", "text": "Use tabs."}]},
    },
    "document by file": {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
    "server tool": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
    "unknown": {"type": "hologram", "depth": 3, "caption": "a rose"},
}


def chars(*blocks: Block) -> int:
    """Tokens where every character is one."""
    return blocks_tokens(len, blocks)


# ---- the tokenizer


def test_counts_are_those_of_the_vocabulary():
    """A-35: a real tokenizer, without a call to anybody."""
    assert TOKENIZER.count("") == 0
    assert TOKENIZER.count("Hello, world!") == 4
    assert BpeTokenizer("cl100k").count("数据库迁移") == 4
    assert TOKENIZER.count("数据库迁移") == 3


def test_an_unknown_vocabulary_is_refused_with_a_hint():
    with pytest.raises(SettingInvalid, match="o200k or cl100k"):
        BpeTokenizer("p50k")  # pyright: ignore[reportArgumentType]


def test_what_looks_like_a_special_token_is_ordinary_text():
    """A-35."""
    assert TOKENIZER.count("<|endoftext|>") == 7
    assert TOKENIZER.count("<|im_start|>user") > 3


@pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "a\udc00b" * 9, "\ud83d\ude00", "\ufffe"])
def test_text_that_utf8_cannot_hold_is_counted_all_the_same(text: str):
    """LA-21."""
    assert TOKENIZER.count(text) > 0
    assert TOKENIZER.count(text * EXACT) > 0


def test_halves_of_a_character_that_fit_together_count_as_that_character():
    assert TOKENIZER.count("\ud83d\ude00") == TOKENIZER.count("\U0001f600")


def test_the_vocabulary_is_not_loaded_before_the_first_count():
    code = (
        "import sys; from everthread.providers.tokenizer import BpeTokenizer as T; t = T();"
        "assert 'rs_bpe' not in sys.modules; t.count('x'); assert 'rs_bpe' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_many_threads_may_make_the_first_count_together():
    fresh = BpeTokenizer("cl100k")
    with ThreadPoolExecutor(8) as pool:
        counts = set(pool.map(fresh.count, ["the same words for everyone"] * 64))
    assert counts == {5}


@given(st.text(max_size=60), st.integers(EXACT, 4 * EXACT))
def test_a_long_text_is_read_in_slices_of_bounded_total(seed: str, size: int):
    """LA-21: bounded work, and cuts between characters only."""
    text = ((seed or "a ") * size)[:size]
    pieces = [*sample_slices(text)]
    assert len(pieces) == SLICES
    assert all(pieces) and all(piece in text for piece in pieces)
    assert sum(map(len, pieces)) <= EXACT + SLICES * REACH


def test_words_are_not_cut_in_two():
    assert all(piece[0] == " " for piece in sample_slices("several words " * 5000))


def test_a_text_that_repeats_itself_is_not_met_at_the_same_place_each_time():
    """A-35: logs and tables have equal lines."""
    dice = random.Random(4)
    rows = [b64(dice.randbytes(192)) + " a quiet afternoon in the garden" * 24 for _ in range(64)]
    text = "".join(row[:1000] for row in rows) * 3
    exact = 3 * sum(TOKENIZER.count(row[:1000]) for row in rows)
    assert TOKENIZER.count(text) == pytest.approx(exact, rel=0.10)


@given(st.text(min_size=1, max_size=40))
def test_multi_byte_text_of_any_length_is_counted(seed: str):
    """LA-21."""
    text = seed * (2 * EXACT // len(seed) + 1)
    assert TOKENIZER.count(text) >= 1
    assert TOKENIZER.count(text) == TOKENIZER.count(text)


@pytest.mark.parametrize("seed", ["a", "word ", "数据", '{"k": 1}, ', "\n", "=-"])
def test_a_megabyte_costs_no_more_than_what_is_counted_exactly(seed: str):
    """LA-21, R-47."""
    short, long = (seed * EXACT)[:EXACT], (seed * 1_000_000)[:1_000_000]
    TOKENIZER.count(short)
    # Generous, because the machine is shared: without slices it would be sixty times as much.
    assert cheapest(long) < 5 * cheapest(short) + 0.002


def cheapest(text: str) -> float:
    def once() -> float:
        start = time.thread_time()
        TOKENIZER.count(text)
        return time.thread_time() - start

    return min(once() for _ in range(7))


@pytest.mark.parametrize("seed", ["the quick brown fox ", "数据库的迁移。", "x = f(y)\n"])
def test_a_text_twice_as_long_has_about_twice_the_tokens(seed: str):
    sizes = [1000, 8000, EXACT, EXACT + 1, 40_000, 400_000]
    rates = [TOKENIZER.count((seed * size)[:size]) / size for size in sizes]
    assert max(rates) < 1.03 * min(rates)


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_weigh_about_what_they_weigh_apart(one: str, other: str):
    together = TOKENIZER.count(one + "\n\n" + other)
    apart = TOKENIZER.count(one) + TOKENIZER.count(other)
    assert 0.8 * apart - 4 <= together <= 1.1 * apart + 4


# ---- messages


def test_a_message_is_its_words_and_a_frame():
    """A-34."""
    assert content_tokens(len, Form.TEXT, "Shall we?") == PER_MESSAGE + 9
    assert (
        content_tokens(len, *content_column([{"type": "text", "text": "a"}] * 3)) == PER_MESSAGE + 3
    )


def test_the_context_is_system_prompt_tools_and_messages():
    """A-34."""
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
    system, definitions = system_tokens(len, "You are Ada."), tools_tokens(len, tools)
    assert system == PER_MESSAGE + 12
    assert definitions == PER_TOOL + len('{"name":"Bash","input_schema":{"type":"object"}}')
    with everthread.connect("memory://", background=False) as et:
        turn = et.agent("ada", system="You are Ada.", tools=tools).turn("Shall we use tabs?")
    count = TOKENIZER.count
    fixed = system_tokens(count, "You are Ada.") + tools_tokens(count, tools)
    assert turn.context_tokens == fixed + content_tokens(
        count, *content_column("Shall we use tabs?")
    )


@pytest.mark.parametrize("nothing", [None, "", []])
def test_no_system_prompt_weighs_nothing(nothing: Any):
    assert system_tokens(len, nothing) == 0


def test_a_system_prompt_of_blocks_weighs_what_its_words_weigh():
    blocks = [{"type": "text", "text": "You are Ada.", "cache_control": {"type": "ephemeral"}}]
    assert system_tokens(len, blocks) == system_tokens(len, "You are Ada.")


@pytest.mark.parametrize("block", EVERY_KIND.values(), ids=EVERY_KIND)
def test_every_kind_of_block_weighs_something(block: Block):
    """LA-21: an estimate over text alone missed most of a conversation with tools."""
    assert blocks_tokens(TOKENIZER.count, [block]) > 0


@pytest.mark.parametrize("block", EVERY_KIND.values(), ids=EVERY_KIND)
def test_what_is_private_to_everthread_weighs_nothing(block: Block):
    assert chars(block | {PRIVATE: {"openai": "x" * 999}}) == chars(block)


def test_a_tool_call_is_its_name_and_its_input():
    assert chars(EVERY_KIND["tool call"]) == PER_CALL + len("Bash") + len('{"command":"ls"}')


def test_a_tool_input_counts_its_letters_and_not_their_escapes():
    call = {"type": "tool_use", "id": "t", "name": "Say", "input": {"text": "数据库"}}
    assert chars(call) == PER_CALL + len("Say") + len('{"text":"数据库"}')


def test_a_tool_result_weighs_the_same_as_text_or_as_blocks():
    parts = [{"type": "text", "text": "a.py "}, {"type": "text", "text": "b.py"}]
    result = EVERY_KIND["tool result"]
    assert chars(result) == PER_RESULT + len("a.py b.py")
    assert chars(result | {"content": parts}) == chars(result)


def test_an_image_inside_a_tool_result_is_priced_as_an_image():
    shot = image(b64(png(750, 100)))
    assert chars(EVERY_KIND["tool result"] | {"content": [shot]}) == PER_RESULT + 100


def test_a_signature_counts_only_where_the_thought_itself_is_withheld():
    seal = "EqQB" * 40
    shown = {"type": "thinking", "thinking": "Tabs.", "signature": seal}
    assert chars(shown) == len("Tabs.")
    assert chars(shown | {"thinking": ""}) == 30
    assert chars({"type": "redacted_thinking", "data": seal}) == 30


def test_a_pdf_is_priced_by_its_bytes_within_bounds():
    def pdf(size: int) -> int:
        source = {"type": "base64", "media_type": "application/pdf", "data": "A" * size}
        return chars({"type": "document", "source": source})

    assert [pdf(100), pdf(400_000), pdf(40_000_000)] == [PAGE, 6 * PAGE, 100 * PAGE]


def test_the_payload_of_an_unknown_block_is_not_read_as_text():
    blob = random.Random(1).randbytes(900_000)
    block = {"type": "hologram", "data": b64(blob), "caption": "a rose"}
    plain = blocks_tokens(TOKENIZER.count, [{"type": "hologram", "data": "", "caption": "a rose"}])
    assert blocks_tokens(TOKENIZER.count, [block]) == plain + IMAGE_MOST
    address = {
        "type": "hologram",
        "data": f"data:image/png;base64,{b64(blob)}",
        "caption": "a rose",
    }
    assert blocks_tokens(TOKENIZER.count, [address]) == plain + IMAGE_MOST


def test_the_long_text_of_an_unknown_block_is_read():
    assert chars({"type": "note", "body": "Use tabs. " * 100}) > 1000


@given(st.permutations([*EVERY_KIND.values()]), st.integers(0, len(EVERY_KIND)))
def test_a_message_weighs_the_sum_of_its_blocks(blocks: list[Block], cut: int):
    """A-34: so that the size of a thread can be kept up message by message."""
    first, rest = blocks[:cut], blocks[cut:]
    assert chars(*blocks) == chars(*first) + chars(*rest) == sum(map(chars, blocks))
    assert content_tokens(len, *content_column(blocks)) == PER_MESSAGE + chars(*blocks)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
FIELDS = ["text", "name", "input", "content", "source", "thinking", "signature", "data", "title"]
KINDS = JSON | st.sampled_from([str(block["type"]) for block in EVERY_KIND.values()])
ODD = st.dictionaries(st.sampled_from(FIELDS), JSON).flatmap(
    lambda rest: KINDS.map(lambda kind: {**rest, "type": kind})
)


@pytest.mark.slow
@given(st.lists(ODD | JSON, max_size=4))
def test_no_block_is_too_odd_to_be_weighed(blocks: list[Any]):
    """LA-21: what came is kept as it came, so it may have any shape."""
    assert blocks_tokens(len, blocks) >= 0
    assert blocks_tokens(TOKENIZER.count, [{"type": "tool_result", "content": blocks}]) > 0


def test_blocks_may_nest_as_deep_as_they_like():
    block: Block = {"type": "text", "text": "at last"}
    for _ in range(5000):
        block = {"type": "tool_result", "tool_use_id": "t", "content": [block]}
    assert chars(block) == 5000 * PER_RESULT + 7
    odd: Any = "x"
    for _ in range(5000):
        odd = {"type": "hologram", "in": odd}
    assert chars(odd) > 0


# ---- images


@pytest.mark.parametrize("make", MAKERS)
@given(width=st.integers(1, 16_383), height=st.integers(1, 16_383))
def test_the_size_of_an_image_is_read_from_its_head(make: Any, width: int, height: int):
    assert image_size(b64(make(width, height))) == (width, height)


def test_the_size_of_a_jpeg_lies_behind_its_thumbnail_and_its_colours():
    segments = b"".join(
        b"\xff" + kind + struct.pack(">H", size + 2) + b"\xff\xc0" * (size // 2)
        for kind, size in [(b"\xe1", 65_000), (b"\xe2", 65_000), (b"\xe2", 30_002), (b"\xdb", 64)]
    )
    for fill in (b"", b"\xff", b"\xff\xff"):
        assert image_size(b64(jpeg(4032, 3024, segments + fill))) == (4032, 3024)


REAL = {
    "UklGRmwCAABXRUJQVlA4IGACAADQQwCdASqAAuABP83m8XO/uDOs": (640, 480),
    "UklGRjAAAABXRUJQVlA4TCQAAAAvf8J3AAdQjyKXp/8BAUnS//9h": (640, 480),
    "UklGRqQCAABXRUJQVlA4WAoAAAAQAAAAfwIA3wEAQUxQSB0AAAAB": (640, 480),
    "R0lGODdhQAAwAIEAAMgePAAAAAAAAAAAACwAAAAAQAAwAEAIWgAB": (64, 48),
    "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAHZUlE": (640, 480),
}


@pytest.mark.parametrize(("head", "size"), REAL.items())
def test_images_written_by_other_programs_tell_their_size(head: str, size: tuple[int, int]):
    assert image_size(head) == size


UNREADABLE = {
    "nothing": "",
    "not base64": "????",
    "too short": "Zm9v",
    "half a character": "\ud800" * 40,
    "another format": b64(b"BM" + bytes(60)),
    "no width": b64(png(0, 9)),
    "cut before its size": b64(png(9, 9))[:9],
    "a JPEG cut before its frame": b64(jpeg(8, 8))[:30],
    "a JPEG of fill bytes": b64(b"\xff\xd8\xff\xe0" + b"\xff" * 900),
    "a WebP of an unknown kind": b64(riff(b"ANIM", bytes(30))),
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_an_image_that_does_not_tell_its_size_has_the_price_of_a_large_one(data: str):
    assert image_size(data) is None
    assert chars(image(data)) == IMAGE_MOST


PRICES = {
    (1, 1): 1,
    (200, 200): 53,
    (1000, 1000): 1333,
    (1092, 1092): 1590,
    (1568, 400): 836,
    (3136, 800): 836,
    (4032, 3024): IMAGE_MOST,
    (30_000, 1): 1,
}


@pytest.mark.parametrize(("size", "tokens"), PRICES.items())
def test_an_image_is_priced_as_its_provider_does(size: tuple[int, int], tokens: int):
    assert image_tokens(*size) == tokens


def test_only_the_head_of_a_large_image_is_decoded():
    data = b64(png(640, 480)) + "A" * 20_000_000

    def took() -> float:
        start = time.thread_time()
        assert chars(image(data)) == round(640 * 480 / 750)
        return time.thread_time() - start

    # Garbage of other tests may be collected in between, but not each time.
    assert min(took() for _ in range(5)) < 0.01


# ---- budgets


@pytest.mark.parametrize(
    ("window", "budget"), [(200_000, 12_000), (1_000_000, 12_000), (8_000, 480), (0, 0), (-1, 0)]
)
def test_a_budget_shrinks_with_the_window_and_never_grows(window: int, budget: int):
    """R-3."""
    assert scale_budget(12_000, window) == budget


def test_a_stored_message_is_weighed_as_it_was_given():
    blocks = [EVERY_KIND["thinking"], EVERY_KIND["tool call"]]
    stored = json.dumps(blocks)
    assert content_tokens(len, Form.BLOCKS, stored) == PER_MESSAGE + chars(*blocks)
