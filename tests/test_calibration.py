"""What a provider reports corrects what was computed: within a few turns, and for good."""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Block, content_column
from everthread.domain.conversation.tokens import (
    FACTOR_LEAST,
    FACTOR_MOST,
    OVERHEAD_MOST,
    Calibration,
    content_tokens,
)
from everthread.providers.tokenizer import BpeTokenizer
from support.skips import needs

pytestmark = pytest.mark.slow  # the quick loop leaves it out; `make test` does not

Content = str | list[Block]
Turn = list[Content]
"""What a turn adds: the user's message first, the reply last."""

OURS = BpeTokenizer("o200k")
OTHER = BpeTokenizer("cl100k")


@dataclass(frozen=True)
class Server:
    """A provider that counts in its own way and adds what it does not show."""

    count: Callable[[str], float]
    constant: int
    each: int

    def report(self, request: Iterable[Content]) -> int:
        return self.constant + sum(self.each + round(self.count(spelt(c))) for c in request)


def spelt(content: Content) -> str:
    if isinstance(content, str):
        return content
    ours = {"type", "id", "tool_use_id"}
    shown = [{k: v for k, v in block.items() if k not in ours} for block in content]
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


SERVERS = {
    "cl100k": Server(OTHER.count, 300, 5),
    "cl100k and much of its own": Server(OTHER.count, 900, 8),
    # By bytes: what has one token for three Chinese characters is no vocabulary, and its factor
    # would lie far outside the bounds.
    "a token each 3.2 bytes": Server(lambda text: len(text.encode()) / 3.2, 600, 6),
    "a third more than ours": Server(lambda text: 1.35 * OURS.count(text), 450, 7),
    "a fifth less than ours": Server(lambda text: 0.8 * OURS.count(text), 300, 5),
}


# ---- conversations

COMMON = """
the of and to in is that it was for on are as with they at be this have from or had by but some
what there we can out other were all your when up use word how said each she which their time will
way about many then them would write like so these her long make thing see him two
"""
WORDS = COMMON.split()
SENTENCES = [
    "我们今天讨论一下这个项目的进度安排。",
    "数据库的迁移已经完成了百分之八十，剩下的部分需要在下周之前结束。",
    "请你检查一下测试环境的配置，看看是否还有遗漏的地方。",
    "用户反馈说登录页面加载太慢，可能是因为图片没有压缩。",
    "我建议先分析日志，再决定是否增加缓存服务器。",
]


def english(dice: random.Random) -> str:
    return " ".join(dice.choices(WORDS, k=dice.randint(10, 300))).capitalize() + "."


def code(dice: random.Random) -> str:
    lines = (
        f"    {dice.choice(WORDS)}_{n} = self.{dice.choice(WORDS)}({dice.choice(WORDS)!r}, "
        f"limit={dice.randint(0, 999)})  # {dice.choice(WORDS)} {dice.choice(WORDS)}"
        for n in range(dice.randint(2, 60))
    )
    return "\n".join(chain([f"def {dice.choice(WORDS)}_all(self) -> None:"], lines))


def records(dice: random.Random) -> str:
    rows = [
        {"id": dice.getrandbits(24), "title": english(dice)[:60], "done": dice.random() < 0.5}
        for _ in range(dice.randint(1, 40))
    ]
    return json.dumps(rows)


def chinese(dice: random.Random) -> str:
    return "".join(dice.choice(SENTENCES) for _ in range(dice.randint(1, 12)))


def said(kind: Callable[[random.Random], str]) -> Callable[[random.Random], Turn]:
    return lambda dice: [kind(dice), kind(dice)]


def tools(dice: random.Random) -> Turn:
    turn: Turn = [english(dice)[:200]]
    for n in range(dice.randint(1, 5)):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"path": f"src/{n}.py"}}
        output = dice.choice([code, records, english])(dice)
        turn.append([{"type": "text", "text": "Let me look."}, use])
        turn.append([{"type": "tool_result", "tool_use_id": f"t{n}", "content": output}])
    return [*turn, english(dice)]


KINDS = {
    "English": said(english),
    "code": said(code),
    "JSON": said(records),
    "Chinese": said(chinese),
    "tools": tools,
}


def talk_of(kind: str, turns: int = 60, seed: int = 11) -> list[Turn]:
    dice = random.Random(seed)
    return [KINDS[kind](dice) for _ in range(turns)]


def requests_of(turns: Sequence[Turn], server: Server) -> list[tuple[int, int]]:
    """Of each turn's last call: what we compute, and what the server reports."""
    pairs: list[tuple[int, int]] = []
    computed, reported = 0, server.constant
    for turn in turns:
        for content in turn[:-1]:
            computed += content_tokens(OURS.count, *content_column(content))
            reported += server.report([content]) - server.constant
        pairs.append((computed, reported))
        computed += content_tokens(OURS.count, *content_column(turn[-1]))
        reported += server.report(turn[-1:]) - server.constant
    return pairs


def errors(pairs: Iterable[tuple[int, int]], known: Calibration | None = None) -> list[float]:
    """How far each prediction was off, made before its report was seen."""
    found: list[float] = []
    calibration = known or Calibration()
    for computed, reported in pairs:
        found.append(abs(calibration.apply(computed) / reported - 1))
        calibration = calibration.learn(computed, reported)
    return found


def taught(pairs: Iterable[tuple[int, int]]) -> Calibration:
    calibration = Calibration()
    for computed, reported in pairs:
        calibration = calibration.learn(computed, reported)
    return calibration


# ---- how soon, how near


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_after_ten_turns_the_size_is_within_a_twentieth_of_the_report(kind: str, server: str):
    """A-65, LA-4, X-12."""
    found = errors(requests_of(talk_of(kind), SERVERS[server]))
    assert max(found[10:]) < 0.05


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(("before", "after"), [("English", "Chinese"), ("Chinese", "code")])
def test_it_follows_when_the_conversation_changes_its_kind(before: str, after: str, server: str):
    """X-12."""
    turns = [*talk_of(before, 30), *talk_of(after, 60)]
    assert max(errors(requests_of(turns, SERVERS[server]))[10:]) < 0.05


@pytest.mark.parametrize("server", SERVERS)
def test_another_conversation_of_the_same_model_soon_fits_too(server: str):
    """X-12: a model's calibration serves all threads of an agent."""
    known = taught(requests_of(talk_of("English"), SERVERS[server]))
    fresh = requests_of(talk_of("Chinese", seed=12), SERVERS[server])
    assert max(errors(fresh, known)[10:]) < 0.05


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_after_the_context_shrank_the_size_is_within_a_tenth(kind: str, server: str):
    """A-65: a distillation leaves a fraction of what the line was fitted to."""
    pairs = requests_of(talk_of(kind, 80), SERVERS[server])
    calibration = taught(pairs)
    computed, reported = pairs[16]
    # cl100k has more than 1.5 tokens for one of ours in Chinese: what the bounded factor cannot
    # hold stays in the overhead, and the shrunken context looks larger than it is.
    allowed = 0.10 if calibration.factor < FACTOR_MOST else 0.20
    # A small context is nowhere near any limit; there a few hundred tokens are no matter.
    assert abs(calibration.apply(computed) - reported) < allowed * max(reported, 10_000)


def test_reports_that_waver_do_not_shake_it():
    """X-12."""
    dice = random.Random(5)
    pairs = requests_of(talk_of("tools"), SERVERS["a third more than ours"])
    noisy = [(computed, round(reported * dice.uniform(0.98, 1.02))) for computed, reported in pairs]
    assert max(errors(noisy)[10:]) < 0.05


# ---- single reports


def test_before_any_report_the_size_is_what_was_computed():
    assert Calibration().apply(12_345) == 12_345
    assert (Calibration().factor, Calibration().overhead) == (1.0, 0.0)


def test_one_report_already_helps():
    calibration = Calibration().learn(50_000, 60_000)
    assert calibration.apply(50_000) == pytest.approx(60_000, rel=0.01)
    assert 1.15 < calibration.factor <= 1.2


def test_a_small_first_report_is_taken_as_overhead_rather_than_as_a_factor():
    """X-12: 800 tokens of hidden prompt do not double the price of everything that follows."""
    calibration = Calibration().learn(900, 1_700)
    assert calibration.apply(900) == pytest.approx(1_700, rel=0.05)
    assert calibration.apply(50_000) < 56_000


def test_reports_of_one_size_give_their_ratio():
    calibration = taught([(40_000, 44_000)] * 20)
    assert calibration.factor == pytest.approx(1.1, abs=0.01)
    assert calibration.overhead < 1_000


SMALL = [(25_000, reported) for reported in (3, 0, -1, 12_000)]
STRANGE = [(25_000, 900_000), (0, 500), (-5, 500), (10**9, 10**9), (10**400, 10**400)]


@pytest.mark.parametrize(("computed", "reported"), [*SMALL, *STRANGE])
def test_a_report_that_cannot_be_true_is_counted_and_ignored(computed: int, reported: int):
    """A-33, LA-4: 3 is what remains when nearly the whole prompt was read from the cache."""
    known = taught([(20_000, 23_000), (25_000, 28_600)])
    after = known.learn(computed, reported)
    assert after.rejected == known.rejected + 1
    assert (after.samples, after.factor, after.overhead) == (2, known.factor, known.overhead)


def test_one_wild_report_is_forgiven_within_three_turns():
    """A-33: some kinds of turn report what is not so."""
    pairs = requests_of(talk_of("tools"), SERVERS["cl100k"])
    computed, reported = pairs[30]
    wild = [*pairs[:30], (computed, round(reported * 0.55)), *pairs[31:]]
    found = errors(wild)
    assert found[31] < 0.15
    assert max(found[34:]) < 0.05


# ---- always


ANY = st.integers(-10, 10**7) | st.integers()
REPORTS = st.lists(st.tuples(ANY, ANY) | st.integers(1, 10**6).map(lambda n: (n, n + 700)))


@given(REPORTS)
def test_the_line_stays_within_its_bounds_whatever_is_reported(reports: list[tuple[int, int]]):
    """X-12."""
    calibration = taught(reports)
    assert calibration.samples + calibration.rejected == len(reports)
    assert FACTOR_LEAST <= calibration.factor <= FACTOR_MOST
    assert 0 <= calibration.overhead <= OVERHEAD_MOST
    assert all(math.isfinite(number) for number in calibration.as_row())


@given(REPORTS, st.integers(0, 10**7), st.integers(0, 10**7))
def test_more_content_never_counts_as_less(reports: list[tuple[int, int]], one: int, more: int):
    calibration = taught(reports)
    assert calibration.apply(one) <= calibration.apply(one + more)


@given(REPORTS)
def test_it_can_be_kept_as_plain_numbers(reports: list[tuple[int, int]]):
    calibration = taught(reports)
    assert Calibration.from_row(json.loads(json.dumps(calibration.as_row()))) == calibration


@pytest.mark.parametrize("row", [[], [1.0] * 6, [1.0] * 6 + [math.nan], [math.inf] * 7, [-1.0] * 7])
def test_damaged_numbers_start_anew(row: list[float]):
    assert Calibration.from_row(row) == Calibration()


def test_what_was_learnt_never_changes_what_it_was_learnt_from():
    known = taught([(20_000, 23_000)])
    known.learn(30_000, 34_000)
    assert known == taught([(20_000, 23_000)])


# ---- real conversations


def paired(messages: Sequence[str]) -> list[Turn]:
    return [[*messages[n : n + 2]] for n in range(0, len(messages) - 1, 2)][:120]


def beam(folder: Path) -> list[list[Turn]]:
    chats: list[Any] = [json.loads(path.read_text()) for path in folder.glob("beam_*/*/chat.json")]
    return [
        paired([said["content"] for batch in chat for turn in batch["turns"] for said in turn])
        for chat in chats
    ]


def locomo(folder: Path) -> list[list[Turn]]:
    talks = [json.loads(p.read_text())["conversation"] for p in folder.glob("locomo/conv-*.json")]
    return [
        paired([said["text"] for part in talk.values() if isinstance(part, list) for said in part])
        for talk in talks
    ]


def swe_agent(folder: Path) -> list[list[Turn]]:
    runs = [json.loads(path.read_text()) for path in folder.glob("transcripts/swe-agent/*.json")]
    return [paired([step["content"] for step in run["history"]]) for run in runs]


def specstory(folder: Path) -> list[list[Turn]]:
    speaker = re.compile(r"^_\*\*(?:User|Agent) .*\*\*_$", re.MULTILINE)
    texts = [path.read_text() for path in folder.glob("transcripts/specstory/*.md")]
    return [paired([*filter(str.strip, speaker.split(text)[1:])]) for text in texts]


@pytest.mark.parametrize("source", [beam, locomo, swe_agent, specstory])
@pytest.mark.parametrize("server", SERVERS)
def test_real_conversations_are_within_a_twentieth_after_ten_turns(
    source: Callable[[Path], list[list[Turn]]], server: str
):
    """A-65, LA-4, X-12."""
    needs("test-data")
    talks = source(Path(os.environ["EVERTHREAD_TEST_DATA"]))
    assert talks
    for turns in talks:
        assert max(errors(requests_of(turns, SERVERS[server]))[10:]) < 0.05
