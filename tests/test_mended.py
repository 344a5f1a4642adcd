"""An error is known by its command: when that goes well, the error is past."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.distilling.summaries_lines import trace_line
from everthread.domain.gleaning.command_marks import checks_everything, command_mark
from everthread.domain.gleaning.digest import MENDED, Digest, Trace, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.ledger import Ledger
from everthread.domain.gleaning.trace_weight import trace_value
from everthread.domain.harness.recovery import Stand, sections
from everthread.domain.text.specifics_shapes import ERROR
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("A-6")

FAULT = "TypeError: x is not a list"


def talk(*runs: tuple[str, str, bool], parts: int = 1) -> dict[str, Trace]:
    """The errors of the ledger after commands that printed something, and failed or not."""
    messages = []
    for n, (command, printed, failed) in enumerate(runs):
        at = 2 * n + 1
        messages += [
            called("Bash", n=at, command=command),
            resulted(printed, n=at, is_error=failed),
        ]
    digest = Digest()
    size = -(-len(messages) // parts)
    for start in range(0, len(messages), size):
        gleaner = Gleaner(digest)
        for message in messages[start : start + size]:
            gleaner.read(message)
        digest = read_digest(digest_text(gleaner.digest()))
    return {trace.text: trace for trace in digest.ledger if trace.kind == "error"}


@pytest.mark.parametrize("parts", [1, 2])
def test_a_command_that_goes_well_mends_what_it_printed(parts):
    before = talk(("make test", FAULT, True))[FAULT]
    after = talk(("make test", FAULT, True), ("make test", "14 passed", False), parts=parts)[FAULT]
    assert (before.note, after.note) == ("", MENDED)
    assert trace_value(after) < trace_value(before) / 2
    assert trace_line(after) == f"- `{FAULT}`: {MENDED}"


def test_an_error_that_is_there_again_is_not_mended():
    runs = (("make test", FAULT, True), ("make test", "ok", False), ("make test", FAULT, True))
    error = talk(*runs)[FAULT]
    assert (error.note, error.times) == ("", 2)
    assert error.weight == talk(runs[0])[FAULT].weight


@pytest.mark.parametrize(
    "later",
    [
        ("make lint", "clean", False),
        ("make test", "ValueError: another one", True),
        ("make test", FAULT, False),
    ],
)
def test_another_command_another_error_or_the_same_again_mends_nothing(later):
    assert talk(("make test", FAULT, True), later)[FAULT].note == ""


def test_how_much_of_the_output_is_looked_at_does_not_matter():
    runs = (("npm run lint 2>&1 | tail -20", FAULT, True), ("npm run lint", "clean", False))
    assert talk(*runs)[FAULT].note == MENDED


def test_a_check_of_everything_mends_what_a_part_printed():
    assert (
        talk(("pytest tests/a.py", FAULT, True), ("pytest -q", "9 passed", False))[FAULT].note
        == MENDED
    )
    assert (
        talk(("pytest tests/a.py", FAULT, True), ("pytest -k b", "1 passed", False))[FAULT].note
        == ""
    )
    assert talk(("python a.py", FAULT, True), ("python --version", "3.12", False))[FAULT].note == ""


def test_of_several_commands_in_one_message_each_has_its_own_errors():
    calls = [
        {"type": "tool_use", "id": f"call-{n}", "name": "Bash", "input": {"command": command}}
        for n, command in enumerate(("make a", "make b"))
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "call-0", "content": FAULT, "is_error": True},
        {"type": "tool_result", "tool_use_id": "call-1", "content": "built", "is_error": False},
    ]
    gleaner = Gleaner()
    gleaner.read(spoken(calls, "agent", n=1))
    gleaner.read(spoken(results, "tool", n=2))
    for message in (called("Bash", n=3, command="make b"), resulted("built", n=3, is_error=False)):
        gleaner.read(message)
    (error,) = [trace for trace in gleaner.digest().ledger if trace.kind == "error"]
    assert error.note == ""


def test_what_a_tool_points_at_is_known_by_its_command_too():
    pointed = "src/a.py:3: undefined name 'x'"
    runs = (("flake8 src/a.py", pointed, True), ("flake8 src/a.py", "fine", False))
    assert [error.note for error in talk(*runs).values()] == [MENDED]


def test_a_digest_of_old_is_read():
    """What was stored before errors knew their commands."""
    row = '["error","TypeError: x","",["00"],5,1,0.8]'
    told = f'{{"points":[],"ledger":[{row}],"messages":1,"first":5,"last":5}}'
    (error,) = read_digest(told).ledger
    assert digest_text(read_digest(told)) == told, "and keeps its text, by which redo knows it"
    assert error == Trace("error", "TypeError: x", "", (b"\x00",), 5, 1, 0.8, "")
    ledger = Ledger([error])
    assert [trace.note for trace in ledger] == [""]


def test_who_comes_back_is_not_told_of_what_is_mended():
    other = "KeyError: 'port'"
    runs = (("make test", FAULT, True), ("make test", "ok", False), ("make run", other, True))
    ledger = tuple(talk(*runs).values())
    (errors,) = [s for s in sections(Stand("", Digest(ledger=ledger))) if s.name == "Errors"]
    assert errors.lines == [f"- `{other}`"]


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("npm error code 2", False),
        ("npm ERR! code ELIFECYCLE", False),
        ("npm error location /srv/app", False),
        ("npm error workspace docs@0.1.0", False),
        ("npm error Lifecycle script `build` failed with error:", False),
        ("npm ERR! Exit status 1", False),
        ("npm error code E404", True),
        ("npm error 404 Not Found - GET https://example.org/x", True),
        ('npm error Missing script: "typecheck"', True),
        ("npm ERR! ERESOLVE unable to resolve dependency tree", True),
    ],
)
def test_the_frame_of_npm_is_no_error(line, tells):
    assert (ERROR.search(line) is not None) is tells


@pytest.mark.parametrize(
    ("command", "everything"),
    [
        ("go test ./...", True),
        ("npm run lint", True),
        ("pytest -q -n 2", True),
        ("cargo build --release", True),
        ("pytest tests/a.py", False),
        ("npm run lint -w docs", False),
        ("cd web && npm test", False),
        ("make build && make test", False),
        ("npm install", False),
        ("tsc --version", False),
    ],
)
def test_what_checks_everything_names_no_part(command, everything):
    assert checks_everything(command) is everything


@given(st.text(max_size=80))
def test_a_mark_tells_nothing_of_the_command_and_is_always_of_one_shape(command):
    exact, head = command_mark(command).split()
    assert len(exact) == len(head) == 8
    assert command_mark(f"{command} ") == command_mark(command)
