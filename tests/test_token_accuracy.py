"""How near the computed size comes to the vocabulary's own count, on each kind of conversation."""

from __future__ import annotations

import base64
import inspect
import json
import os
import random
import re
import string
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.conversation.messages import Block, content_column
from everthread.domain.conversation.tokens import content_tokens, system_tokens, tools_tokens
from everthread.providers.tokenizer import EXACT, BpeTokenizer, Vocabulary
from support.skips import needs

Talk = list[str | list[Block]]

TOKENIZER = BpeTokenizer()


def exact(text: str) -> int:
    """The vocabulary's own count of the whole text, however long."""
    return import_module("rs_bpe.bpe").openai.o200k_base().count(text)


def plain(content: str | list[Block]) -> str:
    """What the model reads of a message, as plain text."""
    return content if isinstance(content, str) else "\n".join(map(words, content))


def words(block: Block) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "tool_use", "name": str(name), "input": given}:
            return f"{name} {sent(given)}"
        case {"type": "tool_result", "content": str(text)}:
            return text
        case _:
            raise ValueError(f"no plain text of {block}")


def sent(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def computed(talk: Talk) -> int:
    return sum(content_tokens(TOKENIZER.count, *content_column(content)) for content in talk)


def off(talk: Talk) -> float:
    """By how much the computed size differs from the exact one: 0.1 is ten per cent."""
    reference = sum(exact(plain(content)) for content in talk)
    return computed(talk) / reference - 1


# ---- the reference itself

FUNCTION = (
    'def add(left: int, right: int) -> int:\n    """Sum of both."""\n    return left + right\n'
)
RECORD = '{"id":17,"path":"src/app/main.py","tags":["a","b"],"ratio":0.1875,"ok":true,"next":null}'
LINE = (
    "2026-02-20T10:00:00.123Z WARN [http] id=4f3a9c01 path=/api/v1/items/42 status=404 took=1.20ms"
)
MIXED = "Größe, naïve café – 12,345.67 € · привет, мир · こんにちは世界 · 👩\u200d💻🚀"

# Counted once by tiktoken 0.14.0 with OpenAI's own rank files: o200k_base, cl100k_base.
PINNED = {
    "Hello, world!": (4, 4),
    "The quick brown fox jumps over the lazy dog. It didn't look back; why should it?": (19, 20),
    FUNCTION: (25, 25),
    RECORD: (34, 33),
    "数据库的迁移已经完成了百分之八十，剩下的部分需要在下周之前结束。": (23, 31),
    MIXED: (30, 37),
    LINE: (45, 45),
    "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAHZUlEQVR4nO3VQRHAIADA": (38, 39),
    "<|endoftext|> and <|im_start|>user": (15, 14),
    "a" * 1000: (125, 125),
    " \t\n\n   \r\n" * 20: (60, 60),
}


@pytest.mark.parametrize(("text", "counts"), PINNED.items(), ids=range(len(PINNED)))
def test_the_vocabularies_are_the_ones_that_openai_publishes(text: str, counts: tuple[int, int]):
    """A-35."""
    names: tuple[Vocabulary, Vocabulary] = ("o200k", "cl100k")
    assert tuple(BpeTokenizer(name).count(text) for name in names) == counts


# ---- conversations of each kind

NOUNS = ["cache", "server", "table", "letter", "garden", "engine", "reason", "market", "river"]
VERBS = ["moved", "checked", "wrote", "noticed", "changed", "kept", "followed", "measured", "read"]
SENTENCES = [
    "我们今天讨论一下这个项目的进度安排。",
    "数据库的迁移已经完成了百分之八十，剩下的部分需要在下周之前结束。",
    "请你检查一下测试环境的配置，看看是否还有遗漏的地方。",
    "用户反馈说登录页面加载太慢，可能是因为图片没有压缩。",
    "我建议先分析日志，再决定是否增加缓存服务器。",
    "周末可以一起去爬山，顺便带孩子们看看红叶，谢谢！",
]
CODE = "\n".join(map(inspect.getsource, [inspect, json, random, re, string, base64]))


def english(dice: random.Random) -> str:
    parts = (
        f"The {dice.choice(NOUNS)} {dice.choice(VERBS)} the {dice.choice(NOUNS)}, "
        f"and I {dice.choice(VERBS)} why the {dice.choice(NOUNS)} wasn't {dice.choice(VERBS)}."
        for _ in range(dice.randint(1, 9))
    )
    return " ".join(parts)


def chinese(dice: random.Random) -> str:
    return "".join(dice.choice(SENTENCES) for _ in range(dice.randint(1, 8)))


def code(dice: random.Random) -> str:
    start = dice.randrange(len(CODE) - 5000)
    return CODE[start : start + dice.randint(100, 5000)]


def records(dice: random.Random) -> str:
    rows = [
        {
            "id": dice.getrandbits(32),
            "name": dice.choice(NOUNS),
            "at": f"2026-02-{n:02}",
            "ok": True,
        }
        for n in range(dice.randint(2, 40))
    ]
    return json.dumps(rows)


def log(dice: random.Random) -> str:
    lines = (
        f"2026-02-20T10:{n % 60:02}:07.{dice.randrange(1000):03}Z {dice.choice(['INFO', 'WARN'])} "
        f"id={dice.getrandbits(64):016x} path=/api/items/{dice.randrange(9999)} took={n / 7:.2f}ms"
        for n in range(dice.randint(1, 60))
    )
    return "\n".join(lines)


KINDS: dict[str, Callable[[random.Random], str]] = {
    "English": english,
    "code": code,
    "JSON": records,
    "Chinese": chinese,
}


def talk_of(kind: Callable[[random.Random], str]) -> Talk:
    dice = random.Random(7)
    return [kind(dice) for _ in range(60)]


def tool_talk() -> Talk:
    """Mostly calls and their results, as coding agents talk."""
    dice = random.Random(8)
    return [content for _ in range(40) for content in errand(dice)]


def errand(dice: random.Random) -> Iterator[str | list[Block]]:
    yield english(dice)
    for n in range(dice.randint(1, 5)):
        given = {"command": f"grep -rn 'def {dice.choice(VERBS)}' src | head -{n}", "timeout": 60}
        output = dice.choice([code, log, records, english])(dice)
        yield [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": given},
        ]
        yield [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": output}]
    yield english(dice)


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_is_within_a_tenth_of_o200k(kind: str):
    """A-34, A-35, A-65."""
    assert abs(off(talk_of(KINDS[kind]))) < 0.10


def test_a_conversation_of_tool_calls_is_within_a_tenth_of_o200k():
    """A-65, LA-21: tool blocks are part of the size."""
    talk = tool_talk()
    # Half the allowance: the outputs are long, so the frames round them must hardly show.
    assert abs(off(talk)) < 0.05
    calls = sum(content_tokens(len, *content_column(c)) for c in talk if not isinstance(c, str))
    assert calls > 0.7 * sum(content_tokens(len, *content_column(c)) for c in talk)


def test_system_prompt_and_tool_definitions_are_within_a_tenth_of_o200k():
    """A-34, A-65."""
    system = english(random.Random(1)) * 5
    properties = {noun: {"type": "string", "description": f"The {noun}."} for noun in NOUNS}
    tools: list[dict[str, Any]] = [
        {"name": verb, "description": system[:200], "input_schema": {"properties": properties}}
        for verb in VERBS
    ]
    size = system_tokens(TOKENIZER.count, system) + tools_tokens(TOKENIZER.count, tools)
    assert size == pytest.approx(exact(system) + exact(sent(tools)), rel=0.10)


# ---- long texts, of which only slices are counted


def long_texts() -> dict[str, str]:
    dice = random.Random(9)
    kinds = {**KINDS, "log": log}
    texts = {name: "\n".join(kind(dice) for _ in range(300)) for name, kind in kinds.items()}
    texts["base64"] = base64.b64encode(dice.randbytes(300_000)).decode()
    texts["hex"] = dice.randbytes(200_000).hex()
    texts["one letter"] = "a" * 1_000_000
    texts["English, then base64"] = texts["English"] + texts["base64"][:60_000]
    texts["all of them"] = "".join(
        text[start : start + 3000]
        for start in range(0, 90_000, 3000)
        for text in [dice.choice([*texts.values()])]
    )
    return texts


LONG = long_texts()


@pytest.mark.parametrize("size", [EXACT + 1, 40_000, 10**7])
@pytest.mark.parametrize("kind", LONG)
def test_the_slices_of_a_long_text_stand_for_the_whole(kind: str, size: int):
    """A-35."""
    text = LONG[kind][:size]
    assert TOKENIZER.count(text) == pytest.approx(exact(text), rel=0.05)


# ---- real conversations


def data() -> Path:
    needs("test-data")
    return Path(os.environ["EVERTHREAD_TEST_DATA"])


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def locomo() -> dict[str, Talk]:
    found = {path.stem: read(path)["conversation"] for path in data().glob("locomo/conv-*.json")}
    return {
        name: [said["text"] for part in talk.values() if isinstance(part, list) for said in part]
        for name, talk in found.items()
    }


def beam() -> dict[str, Talk]:
    found = {path.parent.name: read(path) for path in data().glob("beam_*/*/chat.json")}
    return {
        name: [said["content"] for batch in talk for turn in batch["turns"] for said in turn]
        for name, talk in found.items()
    }


def specstory() -> dict[str, Talk]:
    speaker = re.compile(r"^_\*\*(?:User|Agent) .*\*\*_$", re.MULTILINE)
    found = {path.stem: path.read_text() for path in data().glob("transcripts/specstory/*.md")}
    return {name: [*filter(str.strip, speaker.split(text)[1:])] for name, text in found.items()}


def swe_agent() -> dict[str, Talk]:
    found = {path.stem: read(path) for path in data().glob("transcripts/swe-agent/*.json")}
    return {name: [*map(step, run["history"])] for name, run in found.items()}


def step(said: dict[str, Any]) -> str | list[Block]:
    """A step as a client of today would send it: an action is a call, the answer its result."""
    if "action" in said:
        call = {"type": "tool_use", "id": "t", "name": "shell", "input": {"run": said["action"]}}
        return [{"type": "text", "text": said["thought"]}, call]
    if said["role"] == "user" and not said.get("is_demo"):
        return [{"type": "tool_result", "tool_use_id": "t", "content": said["content"]}]
    return said["content"]


@pytest.mark.parametrize("source", [locomo, beam, specstory, swe_agent])
def test_a_real_conversation_is_within_a_tenth_of_o200k(source: Callable[[], dict[str, Talk]]):
    """A-65."""
    talks = source()
    assert talks
    assert {name: error for name, talk in talks.items() if abs(error := off(talk)) >= 0.10} == {}


@pytest.mark.parametrize("source", [locomo, beam, specstory, swe_agent])
def test_the_slices_of_a_long_real_text_stand_for_the_whole(source: Callable[[], dict[str, Talk]]):
    """A-35."""
    for talk in source().values():
        text = "\n".join(map(plain, talk))
        assert TOKENIZER.count(text) == pytest.approx(exact(text), rel=0.06)
