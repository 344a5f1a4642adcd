"""The charter: how far an agent goes before it sums up, how often it asks, how long a recap is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.ending.retelling import LEAST_WORDS
from everthread.domain.errors import BadInput, GateRefused, TaskRefused
from everthread.domain.tasks.charter import (
    MOST_QUESTIONS,
    MOST_STEPS,
    RECAP_TOKENS,
    Arc,
    Frame,
    RecapPart,
    arc_of,
    checked_plan,
    may_ask,
    recap,
)
from support.tasking import Site, Work, work

G0 = {"task_definition": "Read it in one pass", "acceptance_criteria": "all tests pass"}


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Work]:
    made = work(Site(tmp_path), smoke=None)
    with made.engine:
        made.task.start()
        yield made


def step(at: Work, number: int, **carried: Any) -> Arc:
    return at.task.checkpoint("explicit", f"Step {number} is done.", **carried).arc


# ---- steps


@pytest.mark.req("C-53")
@pytest.mark.parametrize("steps", [MOST_STEPS - 1, MOST_STEPS, MOST_STEPS + 1])
def test_a_plan_has_seven_steps_at_most(steps: int) -> None:
    """Just below, at and above."""
    named = [f"step {n}" for n in range(steps)]
    if steps > MOST_STEPS:
        with pytest.raises(BadInput, match="a plan has at most 7 steps; got 8"):
            checked_plan(named)
    else:
        assert checked_plan(named) == named


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_a_longer_plan_is_refused_by_every_verb_that_takes_one(at: Work) -> None:
    """Nothing is stored of what was refused, and the session goes on."""
    long = [f"step {n}" for n in range(8)]
    with pytest.raises(BadInput, match="at most 7 steps"):
        at.task.checkpoint("explicit", "x", next_steps=long)
    with pytest.raises(BadInput, match="at most 7 steps"):
        at.task.gate("G0", evidence=G0, next_steps=long)
    with pytest.raises(BadInput, match="at most 7 steps"):
        at.task.end("partial", next_steps=long)
    assert at.kinds() == []
    at.task.end("partial", summary="x", next_steps=long[:7])
    assert at.task.row.next_steps == long[:7]


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_the_eighth_step_of_an_arc_is_put_down_and_told(at: Work) -> None:
    """What happened is never refused: the log says it once, the answer and the status each time."""
    for number in range(1, MOST_STEPS + 1):
        arc = step(at, number)
    assert (arc.steps, arc.over) == (MOST_STEPS, False)
    assert not [line for line in at.lines if "Step budget" in line]
    assert step(at, 8).over
    assert step(at, 9).steps == 9
    told = [line for line in at.log if "Step budget" in line["message"]]
    assert [line["message"] for line in told] == [
        "[everthread] Step budget exceeded: 8 of 7 steps at G0"
    ]
    assert (told[0]["level"], told[0]["steps"], told[0]["most_steps"]) == ("warning", 8, 7)
    assert (
        at.task.status().arc.summary_line == "9 of 7 steps, 0 of 3 questions since the last recap"
    )
    assert len(at.kinds()) == 9


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_an_arc_ends_with_a_recap(at: Work) -> None:
    """A gate, the end of a session, and a refresh sum up; then it begins anew."""
    step(at, 1, questions=["Which dialect?"])
    at.task.gate("G0", evidence=G0)
    assert at.task.status().arc == Arc()
    assert step(at, 2).steps == 1
    at.task.checkpoint("context_refresh", "All of it, summed up.")
    assert at.task.status().arc == Arc()
    step(at, 3)
    at.task.end("partial", summary="x")
    at.task.start()
    assert at.task.status().arc == Arc()


def test_files_that_change_close_together_are_one_step() -> None:
    """LC-5: the coalesced checkpoint counts once; recaps and what the sweep writes count nothing."""
    rows: Any = [
        ("file_change", ()),
        ("decision", ("a?",)),
        ("interrupted", ()),
        ("agent", ("b?",)),
    ]
    assert arc_of(rows) == Arc(2, ("a?",))


# ---- questions


@pytest.mark.req("C-53")
@pytest.mark.parametrize(
    ("asked", "more", "refused"),
    [(2, 0, False), (2, 1, False), (3, 0, False), (2, 2, True), (3, 1, True)],
)
def test_three_questions_are_asked_between_two_recaps(
    asked: int, more: int, *, refused: bool
) -> None:
    arc = Arc(questions=("?",) * asked)
    if refused:
        with pytest.raises(TaskRefused, match=f"at most {MOST_QUESTIONS} clarifying questions"):
            may_ask(arc, ["?"] * more)
    else:
        may_ask(arc, ["?"] * more)


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_the_fourth_question_is_refused_until_the_next_recap(at: Work) -> None:
    """They are part of the checkpoint and of the recap; the refusal stores nothing."""
    step(at, 1, questions=["Which dialect?", "Which encoding?"])
    step(at, 2, questions=["How large are the files?"])
    with pytest.raises(TaskRefused, match="decide yourself"):
        step(at, 3, questions=["Who reads the log?"])
    assert len(at.kinds()) == 2
    passed = at.task.gate("G0", evidence=G0)
    file = at.json(f"json/checkpoints/{passed.checkpoint.alias}.json")
    assert file["state"]["questions"] == [
        "Which dialect?",
        "Which encoding?",
        "How large are the files?",
    ]
    assert step(at, 3, questions=["Who reads the log?"]).questions == ("Who reads the log?",)
    at.task.end("partial", summary="x")
    assert "Who reads the log?" in at.task.start().context
    assert at.task.verify().ok


@pytest.mark.slow
def test_a_question_does_not_wait_with_files(at: Work) -> None:
    at.site.write("new.py", "two = 2\n")
    with pytest.raises(BadInput, match="another type"):
        at.task.checkpoint("file_change", "x", questions=["Which dialect?"])


# ---- gates


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_gates_are_passed_one_at_a_time(at: Work) -> None:
    with pytest.raises(GateRefused, match="G1 is not the next gate"):
        at.task.gate("G1", evidence={"findings": "x", "approach_decision": "y"})
    at.task.gate("G0", evidence=G0)
    assert at.task.row.gate == "G1"


# ---- the recap


def words(text: str) -> int:
    return len(text.split())


FRAME = Frame(["head"], "tail", "all of it elsewhere")


@pytest.mark.req("C-53")
@pytest.mark.parametrize(("extra", "whole"), [(-1, True), (0, True), (1, False)])
def test_a_recap_has_500_tokens_at_most(extra: int, *, whole: bool) -> None:
    """Just below, at and above: what finds no room is left out, and that is said."""
    around = len(["head", "Summary:", "-", "short", "Next:", "-", "first", "-", "tail"])
    filler = " ".join("w" for _ in range(RECAP_TOKENS - around + extra))
    told = recap(
        FRAME, [RecapPart("Summary", ["short"]), RecapPart("Next", ["first", filler])], words
    )
    assert words(told) <= RECAP_TOKENS
    assert (filler in told) is whole
    assert ("Left out for room: 1. all of it elsewhere" not in told) is whole


def test_a_long_summary_is_cut_before_the_rest_is_left_out() -> None:
    told = recap(
        FRAME, [RecapPart("Summary", ["word " * 2_000]), RecapPart("Next", ["go on"])], words
    )
    assert "- go on" in told
    assert words(told) <= RECAP_TOKENS


@pytest.mark.slow
@pytest.mark.req("C-53")
@pytest.mark.parametrize("letter", ["word ", "die Straße ", "字"])
def test_what_a_start_says_of_a_long_task_is_a_recap(at: Work, letter: str) -> None:
    """By the tokenizer, in any script; the newest decision is among it."""
    for n in range(12):
        decided = {
            "decision": f"number {n}: {letter * 60}",
            "rationale": "so",
            "alternatives": ["none"],
        }
        at.task.checkpoint("decision", letter * 300, decisions=[decided])
    at.task.end(
        "partial", summary=letter * 700, next_steps=[f"{n} {letter * 90}" for n in range(7)]
    )
    context = at.task.start().context
    frame = context[: context.index("</everthread-session>") + len("</everthread-session>")]
    count = at.engine.house.tokenizer.count
    assert 200 < count(frame) <= RECAP_TOKENS
    assert "Left out for room:" in frame
    assert "everthread checkpoints show ckpt-" in frame


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_what_a_harness_is_told_of_a_task_is_a_recap_too(at: Work) -> None:
    from everthread.services.tasks.current_task import current_task_text

    at.task.end("partial", summary="字" * 3_000, next_steps=["字" * 900 for _ in range(7)])
    house, desk = at.engine.house, at.task._desk  # pyright: ignore[reportPrivateUsage] - a look behind the door
    count = house.tokenizer.count
    told, left = house.store.read(
        lambda r: current_task_text(r, desk.scope, desk.project, chars=100_000, count=count)
    )
    assert 0 < count(told) <= RECAP_TOKENS
    assert left
    assert json.dumps(told)


# ---- what is written about it


@pytest.mark.req("LC-1", "C-53")
def test_what_the_protocol_leaves_open_is_decided_and_written_down() -> None:
    """No earlier system is imitated: each reading stands in a decision, with the figures of the code."""
    decisions = Path(__file__).parents[1] / "docs" / "decisions"
    told = (decisions / "0019-charter-and-fork.md").read_text()
    assert f"{MOST_STEPS} steps per arc, {MOST_QUESTIONS} clarifying questions" in told
    assert f"recaps of {RECAP_TOKENS} tokens" in told
    assert "five words or more" in told and LEAST_WORDS == 5
    rows = (decisions / "0018-tasks-are-rows.md").read_text()
    assert all(word in rows for word in ("store is the record", "Alive means", "A gate asks for"))
