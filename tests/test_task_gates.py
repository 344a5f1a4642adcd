"""Gates: each asks for its evidence, one after the other; a waiver makes up for what lacks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import BadInput, GateRefused, TaskRefused
from everthread.domain.tasks.gates import (
    ASKED,
    LARGEST_EVIDENCE,
    LAST,
    NAMES,
    gate_number,
    missing_evidence,
    passage,
    read_evidence,
)
from support.task_bench import G0, ONE_PASS, Bench, bench

PARTS = [(number, part) for number, asked in enumerate(ASKED) for part in asked]


def whole(number: int) -> dict[str, str]:
    """All that a gate asks for."""
    return {part: f"the {part} of gate {number}" for part in ASKED[number]}


def passed(at: Bench, upto: int) -> None:
    for number in range(upto):
        at.task.gate(f"G{number}", evidence=whole(number))


# ---- what each asks for


@pytest.mark.req("C-44")
def test_each_gate_asks_for_what_the_protocol_names() -> None:
    asked = {f"G{number}": " + ".join(parts) for number, parts in enumerate(ASKED)}
    assert asked == {
        "G0": "task_definition + acceptance_criteria",
        "G1": "findings + approach_decision",
        "G2": "tdd_plan + checklist",
        "G3": "file_structure + interfaces",
        "G4": "code_changes + test_status",
        "G5": "quality_gates + coverage",
        "G6": "feedback + resolutions",
        "G7": "docs + changelog",
        "G8": "deployment_evidence",
        "G9": "deployment_evidence",
        "G10": "final_summary + lessons",
    }
    assert len(NAMES) == len(ASKED) == LAST + 1


@pytest.mark.req("C-44", "C-13")
@pytest.mark.parametrize(("number", "part"), PARTS)
def test_a_gate_is_not_passed_while_one_part_is_missing(number: int, part: str) -> None:
    """All but one part, all of them, and one more than asked."""
    brought = set(ASKED[number]) - {part}
    assert missing_evidence(number, brought) == (part,)
    with pytest.raises(GateRefused, match=rf"G{number} .*asks for {part}: .*--evidence {part}="):
        passage(number - 1, number, brought, None)
    assert passage(number - 1, number, {*brought, part}, None).missing == ()
    assert passage(number - 1, number, {*brought, part, "extra"}, None).waiver is None


@pytest.mark.req("C-44", "C-13")
def test_a_task_goes_through_all_gates_and_is_done(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        for number in range(LAST + 1):
            assert at.task.row.gate == f"G{number}"
            lacking = dict(list(whole(number).items())[1:])
            with pytest.raises(GateRefused):
                at.task.gate(f"G{number}", evidence=lacking)
            assert at.task.row.passed == number - 1, "a refusal changes nothing"
            done = at.task.gate(f"G{number}", evidence=whole(number))
            assert done.passage.waiver is None
        assert len(at.documents()) == LAST + 1
        for number, document in enumerate(at.documents()):
            assert (document["type"], document["gate"]) == ("gate_transition", f"G{number}")
            assert document["state"]["evidence"] == whole(number)
            assert document["step"] == number
        assert at.task.incidents() == []
        with pytest.raises(GateRefused, match="all gates are passed"):
            at.task.gate("G10", evidence=whole(LAST))
        at.task.end("success", summary="all of it")
        assert at.task.row.status == "complete"
        assert at.et.verify(at.agent).faults == []
        assert at.task.verify().problems == []


def test_the_session_and_the_files_follow_the_task(tmp_path: Path) -> None:
    """(C-4, C-27)"""
    with bench(tmp_path) as at:
        passed(at, 2)
        session = at.task.row.last_session or ""
        assert at.agent.session(session).gate == "G2"
        assert at.file("json/task-status.json")["current_gate"] == "G2"
        assert at.file(f"json/sessions/{session}.json")["current_gate"] == "G2"
        assert at.et.verify(at.agent).faults == []


@pytest.mark.parametrize("wrong", ["G11", "G-1", "11", "G", "", "g١", "G10.5", "Gx"])
def test_there_are_gates_0_to_10(wrong: str) -> None:
    with pytest.raises(BadInput, match="gates are G0 to G10"):
        gate_number(wrong)
    assert [gate_number(f"G{n}") for n in range(11)] == list(range(11))
    assert gate_number(" g7 ") == 7


# ---- one after the other


@pytest.mark.parametrize("to", [0, 1, 3, 10])
def test_going_back_or_jumping_needs_a_waiver(tmp_path: Path, to: int) -> None:
    """(C-44) The task stands at G2; only that is the next."""
    with bench(tmp_path) as at:
        passed(at, 2)
        with pytest.raises(
            GateRefused, match=rf"stands at G2, so G{to} is not the next gate: record"
        ):
            at.task.gate(f"G{to}", evidence=whole(to))
        done = at.task.gate(f"G{to}", evidence=whole(to), waiver="the plan changed")
        assert done.passage.reasons == (f"the task stands at G2, so G{to} is not the next gate",)
        assert at.task.row.passed == to
        assert at.documents()[-1]["gate"] == f"G{to}"


def test_a_waiver_is_recorded_wherever_somebody_may_look(tmp_path: Path) -> None:
    """(C-13, C-44) In the checkpoint, in the timeline, and as an incident."""
    with bench(tmp_path) as at:
        done = at.task.gate("G0", waiver="agreed with the client by phone")
        assert done.passage.missing == ("task_definition", "acceptance_criteria")
        state = at.documents()[-1]["state"]
        assert state["waiver"] == "agreed with the client by phone"
        assert state["waived"] == [
            "G0 (Task Init) asks for task_definition and acceptance_criteria"
        ]
        [found] = at.task.incidents()
        assert (found.kind, found.severity) == ("waiver", "low")
        assert "agreed with the client by phone" in found.summary
        events = [entry.event for entry in at.et.timeline("ada")]
        assert {"task.gate", "checkpoint.made", "incident.logged", "session.gate"} <= set(events)
        assert at.et.verify(at.agent).faults == []


def test_a_waiver_that_is_not_needed_is_none(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        assert at.task.gate("G0", evidence=G0, waiver="just in case").passage.waiver is None
        assert "waiver" not in at.documents()[-1]["state"]
        assert at.task.incidents() == []


@pytest.mark.parametrize("empty", ["", "   "])
def test_a_waiver_says_why(tmp_path: Path, empty: str) -> None:
    with bench(tmp_path) as at, pytest.raises(BadInput, match="waiver must have 1 to"):
        at.task.gate("G0", waiver=empty)


# ---- what has to be told before


@pytest.mark.req("C-16")
def test_a_gate_waits_for_the_recovery_of_what_failed(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.task.fail("scan", "test", "3 of 41 fail")
        at.task.fail("emit", "transient")
        with pytest.raises(GateRefused, match=r"'scan', 'emit' failed.*error_recovery"):
            at.task.gate("G0", evidence=G0)
        told = {"error": "3 of 41 failed", "resolution": "the end of file is a token now"}
        at.task.checkpoint("error_recovery", "The scanner works.", step="scan", **told)
        with pytest.raises(GateRefused, match=r"^'emit' failed"):
            at.task.gate("G0", evidence=G0)
        at.task.checkpoint("error_recovery", "All of it works.", **told)
        assert at.task.row.failures == {}
        assert at.task.gate("G0", evidence=G0).passage.waiver is None


def test_a_failure_can_be_waived(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.task.fail("scan", "test")
        done = at.task.gate("G0", evidence=G0, waiver="it fails upstream, see their tracker")
        assert done.passage.missing == ()
        assert "scan" in done.passage.reasons[0]


def test_a_gate_needs_a_session(tmp_path: Path) -> None:
    with bench(tmp_path, begun=False) as at, pytest.raises(TaskRefused, match="task start"):
        at.task.gate("G0", evidence=G0)


# ---- evidence


def test_evidence_is_named_by_a_word_or_by_a_file() -> None:
    assert read_evidence("findings=two passes are slow") == (
        "findings",
        "two passes are slow",
        None,
    )
    assert read_evidence("findings=a=b") == ("findings", "a=b", None)
    assert read_evidence("docs=@docs/guide.md") == ("docs", "", "docs/guide.md")
    assert read_evidence("plan/tdd-plan.md") == ("tdd_plan", "", "plan/tdd-plan.md")
    assert read_evidence("CHANGELOG.md") == ("changelog", "", "CHANGELOG.md")
    assert read_evidence("context/research.md").name == "findings"
    assert read_evidence("evidence/review-notes.md").name == "feedback"
    for wrong in ("", "123.md", "findings=", "findings=  ", "ü.md", "/"):
        with pytest.raises(BadInput):
            read_evidence(wrong)


def test_a_file_is_read_from_the_project_and_kept_by_its_hash(tmp_path: Path) -> None:
    """(C-44, R-30)"""
    secret = "ghp_" + "a1B2" * 9
    with bench(tmp_path) as at:
        passed(at, 1)
        text = f"Two passes are slow.\ntoken = {secret}\n" + "x " * 5_000
        at.write("context/research.md", text)
        at.task.gate("G1", evidence=["context/research.md", "approach_decision=one pass"])
        found = at.documents()[-1]["state"]["evidence"]["findings"]
        assert found["file"] == "context/research.md"
        assert found["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        assert found["bytes"] == len(text)
        assert found["excerpt"].startswith("Two passes are slow.")
        assert len(found["excerpt"]) <= 2_000 and secret not in found["excerpt"]


def test_several_files_may_be_evidence_for_one_thing(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.write("a.md", "one")
        at.write("b.md", "two")
        words = ["task_definition=@a.md", "task_definition=@b.md", "acceptance_criteria=green"]
        at.task.gate("G0", evidence=words)
        found = at.documents()[-1]["state"]["evidence"]["task_definition"]
        assert [one["file"] for one in found] == ["a.md", "b.md"]


def test_what_is_no_text_is_kept_by_its_hash_alone(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        (at.project / "screen.png").write_bytes(b"\x89PNG\0\0\xff")
        at.task.gate("G0", evidence=["task_definition=@screen.png", "acceptance_criteria=ok"])
        assert at.documents()[-1]["state"]["evidence"]["task_definition"]["excerpt"] is None


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("task_definition=@missing.md", "no file 'missing.md'"),
        ("task_definition=@../outside.md", "no file of the project"),
        ("task_definition=@/etc/passwd", "no file of the project"),
        ("task_definition=@empty.md", "is empty"),
        ("task_definition=@link.md", "a link, and links are not followed"),
        ("task_definition=@folder", "a folder stands where a file should be"),
        ("task_definition=@large.md", "1,000,001 bytes; at most 1,000,000"),
    ],
)
def test_evidence_that_cannot_be_read_passes_no_gate(tmp_path: Path, word: str, why: str) -> None:
    (tmp_path / "outside.md").write_text("mine")
    with bench(tmp_path) as at:
        at.write("empty.md", " \n")
        at.write("large.md", "x" * (LARGEST_EVIDENCE + 1))
        at.write("just.md", "x" * LARGEST_EVIDENCE)
        (at.project / "link.md").symlink_to(tmp_path / "outside.md")
        (at.project / "folder").mkdir()
        with pytest.raises((BadInput, TaskRefused), match=why):
            at.task.gate("G0", evidence=[word, "acceptance_criteria=green"])
        assert at.task.row.passed == -1 and at.kinds() == []
        at.task.gate("G0", evidence=["task_definition=@just.md", "acceptance_criteria=green"])


@pytest.mark.parametrize("wrong", ["one text", {"task_definition": ""}, {"a": 7}, ["x=1"] * 51])
def test_evidence_of_the_wrong_shape_is_refused(tmp_path: Path, wrong: Any) -> None:
    with bench(tmp_path) as at:
        with pytest.raises(BadInput):
            at.task.gate("G0", evidence=wrong)
        assert at.kinds() == []


def test_decisions_brought_to_a_gate_are_in_its_checkpoint(tmp_path: Path) -> None:
    """(C-13, C-21)"""
    with bench(tmp_path) as at:
        at.task.checkpoint("decision", "One pass.", decisions=[ONE_PASS])
        done: Mapping[str, Any] = at.task.gate("G0", evidence=G0, tests="1,0,0")._asdict()
        state = at.documents()[-1]["state"]
        assert done["task"].gate == "G1"
        assert [one["decision"] for one in state["decisions"]] == [ONE_PASS["decision"]]
        assert state["tests"]["passing"] == 1
