"""What an agent itself put down of a session is told at the next start, whole; no prompt is told twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from everthread.domain.given.packing import SESSION_CLOSING
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.harness.recovery import (
    PARTS,
    POINTER_CHARS,
    Stand,
    pointer_text,
    recovery_text,
    sections,
    told_chars,
)
from support.harness import Bench, bench

SUMMARY = "Six modules were rewritten to stream; memory use fell from 9 GB to 300 MB."
DECISIONS = ["Keep a window of 64 lines for errors", "No threads in the importer"]
BLOCKERS = ["Waiting for Ola to approve the new dependency"]
STEPS = ["Ask Ola about it", "Benchmark with the 2 GB file", "Write the release note"]
OPEN = "Please also write the migration guide in docs/migrate.md."


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def told(text: str) -> str:
    """Where the last session stood."""
    return text.partition(SESSION_CLOSING)[0]


def told_by_its_agent(
    q: Bench, summary: str = SUMMARY, steps: Sequence[str] = tuple(STEPS)
) -> None:
    w = q.window("s-0")
    w.start()
    for n in range(6):
        w.prompt(f"Please rewrite module number {n} of the importer so that it streams its lines.")
        w.tool(f"pytest tests/test_mod{n}.py", f"{n + 10} passed")
        w.reply(f"Module {n} streams now and its tests pass; the buffer that it had is gone.")
    w.turn(OPEN, "I will do that later.")
    q.agent.checkpoint(
        summary,
        session="s-0",
        kind="agent",
        decisions=DECISIONS,
        state="branch stream-import",
        blockers=BLOCKERS,
        next_steps=steps,
    )
    w.end()
    q.work()


WHOLE = "\n".join(
    (
        "### Told by the agent",
        "Summary:",
        SUMMARY,
        "Decisions:",
        *(f"- {line}" for line in DECISIONS),
        "Blockers:",
        *(f"- {line}" for line in BLOCKERS),
        "State:",
        "branch stream-import",
        "Next Steps:",
        *(f"- {line}" for line in STEPS),
    )
)


@pytest.mark.req("B-5", "B-48")
def test_it_stands_first_and_whole_in_the_reserved_room(q: Bench):
    told_by_its_agent(q)
    given = told(q.window().start())
    assert WHOLE in given
    assert given.index("### ") == given.index("### Told by the agent")
    assert OPEN in given
    assert len(given) + len(SESSION_CLOSING) <= q.et.house.policy.recovery_chars


def test_a_long_one_is_whole_and_leaves_room_for_what_is_open(q: Bench):
    summary = "\n".join(f"Part {n} of the importer reads line by line now." for n in range(100))
    told_by_its_agent(q, summary)
    given = q.window().start()
    assert summary in given
    assert "- Write the release note" in given
    assert OPEN in told(given).partition("### Open requests")[2]
    assert len(given) <= q.et.house.policy.start_chars


def test_the_longest_is_whole_within_what_a_start_is_given(q: Bench):
    summary = "\n".join(f"Part {n:03} of the importer reads on." for n in range(222))
    assert 7_600 < len(summary) < 7_800
    told_by_its_agent(q, summary)
    given = q.window().start()
    assert summary in given
    assert "- Write the release note" in given
    assert len(given) <= q.et.house.policy.start_chars


def test_no_line_and_no_heading_of_its_own_cuts_it(q: Bench):
    step = f"Ask Ola {'again and ' * 60}again whether the dependency may go in."
    told_by_its_agent(q, "### Done\n- All of it.\n\n## Left\n- Nothing.", [step])
    given = told(q.window().start())
    assert "Summary:\nDone\n- All of it.\nLeft\n- Nothing.\nDecisions:" in given
    assert f"- {step}" in given


@pytest.mark.req("R-46")
def test_the_next_day_it_is_whole_too(q: Bench):
    told_by_its_agent(q)
    q.clock.forward(hours=20)
    given = told(q.window().start())
    assert "everthread sessions resume" in given
    assert WHOLE in given
    assert OPEN in given


def test_what_is_open_takes_none_of_its_room():
    asked = [f"Please write chapter {n} of the migration guide in docs/{n}.md." for n in range(20)]
    points = tuple(said("open_item", text, pinned=True) for text in asked)
    stand = Stand("A session.", Digest(points=points), told=TOLD)
    text = pointer_text(stand, POINTER_CHARS + told_chars(stand))
    assert "\n".join(TOLD) in text
    assert len([one for one in asked if one in text]) > 2
    assert len(text) <= POINTER_CHARS + told_chars(stand)


def test_what_is_counted_beside_it_is_no_word_of_its_own(q: Bench):
    told_by_its_agent(q)
    given = told(q.window().start())
    assert "Recent Prompts" not in given
    assert "Evidence" not in given


TOLD = ("Summary:", SUMMARY, "Blockers:", f"- {BLOCKERS[0]}", "Next Steps:", f"- {STEPS[0]}")


def test_no_heading_stands_bare():
    stand = Stand("A session.", told=TOLD)
    texts = [show(stand, n) for n in range(250, 700) for show in (recovery_text, pointer_text)]
    heads = {*(f"{name}:" for name in PARTS), "### Told by the agent"}
    pairs = [pair for text in texts for pair in pairwise(text.split("\n")) if pair[0] in heads]
    assert len({*pairs}) > 3
    assert not [pair for pair in pairs if pair[1] == SESSION_CLOSING]


def line_of(text: str, stand: Stand) -> list[str]:
    return [s.name for s in sections(stand) if any(text in line for line in s.lines)]


def said(kind: str, text: str, *, pinned: bool = False) -> Point:
    return Point(kind, text, (b"k",), "user", 1, pinned=pinned)


PROMPT = "Set the limit of src/poll.py to 40 attempts."


@pytest.mark.parametrize("kind", ["request", "decision", "fact"])
def test_a_prompt_is_told_as_one_of_the_last_and_nowhere_else(kind: str):
    digest = Digest(
        points=(said(kind, PROMPT),),
        ledger=(Trace("number", "40", PROMPT, (b"k",), 1),),
    )
    assert line_of(PROMPT, Stand("A session.", digest, snippets=[PROMPT])) == ["Last prompts"]
    assert "Last prompts" not in line_of(PROMPT, Stand("A session.", digest))


def test_a_part_of_a_prompt_that_is_told_is_not_asked_for_twice():
    digest = Digest(points=(said("request", PROMPT), said("decision", "We keep 40 for good.")))
    stand = Stand("A session.", digest, snippets=[f"{PROMPT} We keep 40 for good."])
    assert line_of(PROMPT, stand) == ["Last prompts"]
    assert "Decisions" in line_of("We keep 40 for good.", stand)


@pytest.mark.parametrize(("kind", "name"), [("rule", "Rules"), ("open_item", "Open requests")])
def test_what_rules_or_is_open_is_no_last_prompt_besides(kind: str, name: str):
    point = said(kind, PROMPT, pinned=True)
    stand = Stand("A session.", Digest(points=(point,)), snippets=["And now?", PROMPT])
    assert line_of(PROMPT, stand) == [name]
    assert line_of("And now?", stand) == ["Last prompts"]


def test_a_long_prompt_is_known_by_its_beginning():
    long = f"Rewrite the importer {'line by line and ' * 15}with care."
    cut = f"{long[:199].rstrip()}…"
    stand = Stand("A session.", Digest(points=(said("open_item", long, pinned=True),)), (), [cut])
    assert line_of("Rewrite the importer", stand) == ["Open requests"]


def test_a_short_answer_hides_no_deed():
    digest = Digest(ledger=(Trace("command", "pytest -q", "ok", (b"k",), 1),))
    stand = Stand("A session.", digest, snippets=["ok"])
    assert line_of("pytest -q", stand) == ["Commands"]
