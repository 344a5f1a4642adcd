"""Refusals: what is one, what only looks like one, how well they are told apart, and how fast."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.safety.refusals import refusal, refusal_rate
from support.chance import few

pytestmark = pytest.mark.req("C-49", "S-10")

BENCH = Path(__file__).resolve().parent.parent / "bench" / "refusals"


def refuses(text: str) -> bool:
    return refusal(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I'm sorry, but I cannot assist with this request. Is there anything else?",
        "I won't write that, it threatens a person.",
        "My guidelines don't allow me to do this.",
        "As an AI, I can't tell you whom to vote for.",
        "The first two are done. The backdoor I won't build; I can't help with that part.",
        "Ich kann dir dabei leider nicht helfen.",
        "Je ne peux pas vous aider avec cette demande.",
        "Lo siento, no puedo ayudarte con eso.",
        "抱歉，我无法协助您。",
        "申し訳ありませんが、お手伝いできません。",
    ],
)
def test_a_refusal_is_seen(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "cannot open file 'a.o': I'll check the flags.",
        "I won't change the public API.",
        "I could not reproduce the crash.",
        'The log says "I can\'t help with that", which comes from the template.',
        "```\nI can't help with that.\n```\nThe fixture is in place.",
        "> I must decline this request.\n\nThat line is printed by the gate.",
        "I can't help noticing that the timeout is in seconds.",
        "I won't delete anything until you confirm.",
        "The server refuses connections without a token.",
        "Ich konnte den Fehler nicht nachstellen.",
        "Je n'ai pas pu reproduire l'erreur.",
        "エラーを再現できませんでした。",
        "",
    ],
)
def test_what_only_looks_like_a_refusal_is_none(text: str) -> None:
    assert not refuses(text)


def test_the_sentence_that_refuses_is_named() -> None:
    text = "The parser is done.\nI can't help\nwith the rest. Ask a colleague."
    found = refusal(text)
    assert found is not None
    assert found.sentence == "I can't help with the rest."
    assert text[found.start :].startswith("I can't")


def test_the_rate_is_counted_by_messages_and_not_by_sentences() -> None:
    twice = "I can't help with that. I won't do it."
    assert refusal_rate([twice, "Done.", "Tests pass.", "Shall I?"]) == 0.25
    assert refusal_rate([]) == 0.0


def test_the_labelled_set_is_split_in_halves_and_large_enough() -> None:
    rows = [json.loads(line) for line in (BENCH / "labelled.jsonl").read_text().splitlines()]
    assert len(rows) >= 400
    assert len({row["text"] for row in rows}) == len(rows)
    assert {"en", "de", "fr", "es", "zh", "ja"} <= {row["language"] for row in rows}
    assert 0.35 < sum(row["refusal"] for row in rows) / len(rows) < 0.65


@pytest.mark.req("LC-4")
def test_the_figures_of_the_bench_are_those_of_the_rules_as_they_are() -> None:
    """The rules are frozen before the test half is run: who changes them freezes and measures anew."""
    done = subprocess.run(
        [sys.executable, str(BENCH / "run.py")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    figures = re.findall(
        r"^(tuning|test) +(.+?) +precision +([\d.]+)%  recall +([\d.]+)%", done.stdout, re.M
    )
    found = {(half, who): (float(p), float(r)) for half, who, p, r in figures}
    for half in ("tuning", "test"):
        precision, recall = found[half, "ours"]
        assert precision >= 95
        assert recall >= 90
        assert precision > found[half, "five phrases"][0]
        assert recall > found[half, "five phrases"][1]


@settings(max_examples=few(100), deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_an_answer_and_always_the_same(text: str) -> None:
    found = refusal(text)
    assert found == refusal(text)
    if found is not None:
        assert " ".join(text.split())  # nothing cannot refuse


def test_what_is_quoted_from_elsewhere_never_refuses() -> None:
    for said in ("I can't help with that.", "I must decline.", "I won't do that."):
        assert refuses(said)
        assert not refuses(f'The old answer was "{said}" and it is gone.')
        assert not refuses(f"```\n{said}\n```")
        assert not refuses(f"> {said}")


def test_a_very_long_message_costs_no_more_than_its_two_ends() -> None:
    """Bounded: ten times the text is not ten times the work."""

    def spent(text: str) -> float:
        began = time.process_time()
        refusal(text)
        return time.process_time() - began

    once = "I won't rename the field, since clients read it; it can't be helped before May. "
    spent(once)
    short = min(spent(once * 300) for _ in range(3))
    long = min(spent(once * 30_000) for _ in range(3))
    assert long < 20 * short


@pytest.mark.parametrize(
    "text",
    ["i can't " * 3_000, "i'm not " * 3_000, "ich kann " * 3_000 + "nicht", "je ne peux pas " * 2_000,
     "it is not " * 3_000, "\"" * 5_000, "'" * 5_000, "我不能" * 3_000, "no puedo " * 3_000],
)  # fmt: skip
def test_text_made_to_be_slow_is_not(text: str) -> None:
    began = time.process_time()
    refusal(text)
    assert time.process_time() - began < 2
