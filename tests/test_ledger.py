"""The ledger of a distillation tells what became of each thing last."""

from __future__ import annotations

from itertools import count

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.summaries_lines import trace_line
from everthread.domain.gleaning.ledger import Ledger
from everthread.domain.text.refused_calls import REFUSED
from everthread.domain.text.specifics import Specific, specifics
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("A-6")


@pytest.mark.parametrize(
    ("deeds", "told"),
    [
        (["created", "edited"], "created, then edited"),
        (["created", "edited", "edited", "read"], "created, then edited"),
        (["created", "edited", "deleted"], "deleted"),
        (["deleted", "created"], "created"),
        (["created", "read", "created"], "created"),
        (["edited", "read"], "edited"),
        (["edited", "failed: no such file"], "edited"),
        (["read", "failed: no such file"], "failed: no such file"),
        (["failed: no such file", "read"], "failed: no such file"),
        (["failed: no such file", "edited"], "edited"),
        (["read", "read"], "read"),
        (["created", ""], "created"),
    ],
)
def test_a_file_is_told_with_its_newest_change(deeds, told):
    ledger, numbers = Ledger(), count(1)
    for deed in deeds:
        message = called("edit", n=next(numbers), path="a/b.py")
        ledger.add(Specific("file", "a/b.py", "edit a/b.py", deed), message)
    (trace,) = ledger
    assert (trace.note, trace.times) == (told, len(deeds))


def weight_of(command: str, message: Message, note: str = "") -> float:
    ledger = Ledger()
    ledger.add(Specific("command", command, command, note), message)
    (trace,) = ledger
    return trace.weight


def test_a_command_that_was_run_weighs_more_than_one_that_is_spoken_of():
    run = weight_of("npm run build", called("bash", command="npm run build"))
    assert run == weight_of("npm run build", spoken("It printed that.", "tool"), "ok")
    for message in (spoken("Try `npm run build`.", "agent"), resulted("run `npm run build`")):
        assert weight_of("npm run build", message) < run


def test_a_command_that_is_spoken_of_first_weighs_no_less_once_it_is_run():
    ledger = Ledger()
    for message in (spoken("Try `make`.", "agent"), called("bash", n=2, command="make")):
        ledger.add(Specific("command", "make", "make"), message)
    (trace,) = ledger
    assert trace.weight == weight_of("make", called("bash", command="make"))


@pytest.mark.parametrize("command", ["cd app && make", "cd a; cd b && make", "make"])
def test_who_goes_somewhere_and_does_something_does_not_only_look(command):
    looked = weight_of("cd app && ls", called("bash"))
    assert looked == weight_of("ls", called("bash"))
    assert weight_of(command, called("bash")) > looked


def test_where_a_server_listens_is_no_file():
    ledger = Ledger()
    ledger.add(Specific("file", "/api/v1/files/:id", "GET /api/v1/files/:id"), spoken("x"))
    assert list(ledger) == []


@pytest.mark.parametrize("kinds", [("identifier", "person"), ("person", "identifier")])
def test_who_is_known_as_a_person_is_no_identifier_as_well(kinds):
    ledger = Ledger()
    for n, kind in enumerate(kinds, 1):
        ledger.add(Specific(kind, "Jonas", "I heard from Jonas."), spoken("x", n=n))
    (trace,) = ledger
    assert (trace.kind, trace.text, trace.times) == ("person", "Jonas", 2)


def test_a_file_that_came_up_often_is_not_told_as_created_as_often():
    ledger = Ledger()
    called_for = called("write_file", path="docs/plan.md", content="x")
    ledger.add(Specific("file", "docs/plan.md", "write docs/plan.md", "created"), called_for)
    for n in (2, 3):
        ledger.add(Specific("file", "docs/plan.md", "It is there."), spoken("x", "agent", n=n))
    (trace,) = ledger
    assert trace.times == 3
    assert trace_line(trace) == "- docs/plan.md: created"
    assert trace_line(trace._replace(note="")) == "- docs/plan.md ×3"


def notes_of(kind: str, *found: tuple[Specific, Message]) -> dict[str, str]:
    ledger = Ledger()
    for each, message in found:
        ledger.add(each, message)
    return {trace.text: trace_line(trace) for trace in ledger if trace.kind == kind}


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (["ok", "ok"], "ok ×2"),
        (["exit 1: TypeError: x", "ok"], "ok, failed before"),
        (["TypeError: x", "ok", "ok"], "ok, failed before"),
        (["ok", "exit 1: TypeError: x"], "exit 1, ok before: `TypeError: x`"),
        (["ok", "TypeError: x is null"], "failed, ok before: `TypeError: x is null`"),
        (["ok", "failed"], "failed, ok before"),
        (["failed", "ok", "exit 2"], "exit 2, ok before"),
        (["exit 1", "exit 1"], "exit 1 ×2"),
        (["exit 1", REFUSED], f"{REFUSED} ×2"),
    ],
)
def test_runs_of_a_command_that_ended_otherwise_are_told_apart(ends, told):
    steps = []
    for n, end in enumerate(ends):
        steps.append((Specific("command", "pnpm test", "x"), called("bash", n=3 * n + 1)))
        steps.append((Specific("command", "pnpm test", "x", end), resulted("x", n=3 * n + 1)))
    assert notes_of("command", *steps) == {"pnpm test": f"- `pnpm test`: {told}"}


def test_who_speaks_of_a_command_does_not_run_it():
    spoken_of = [(Specific("command", "make", "x"), spoken("Try `make`.", n=n)) for n in (1, 2, 8)]
    ran = [
        (Specific("command", "make", "x"), called("bash", n=4, command="make")),
        (Specific("command", "make", "x", "ok"), resulted("done", n=4)),
    ]
    told = notes_of("command", *spoken_of[:2], *ran, spoken_of[2])
    assert told == {"make": "- `make`: ok"}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (["config.go", "/src/pkg/config.go"], ["/src/pkg/config.go"]),
        (["src/config.go", "config.go"], ["src/config.go"]),
        (["src/app/main.ts", "/home/me/shop/src/app/main.ts"], ["/home/me/shop/src/app/main.ts"]),
        (["app/main.ts", "src/app/main.ts"], ["app/main.ts", "src/app/main.ts"]),
        (["src/app/main.ts", "app/main.ts"], ["src/app/main.ts", "app/main.ts"]),
        (["a/main.ts", "b/main.ts", "main.ts"], ["a/main.ts", "b/main.ts", "main.ts"]),
        (
            ["a/main.ts", "b/main.ts", "main.ts", "c/main.ts"],
            ["a/main.ts", "b/main.ts", "main.ts", "c/main.ts"],
        ),
        (["README", "README.md"], ["README.md"]),
        (["README.md", "README"], ["README.md"]),
        (["docs/README.md", "docs/README"], ["docs/README.md"]),
        (["docs/README.md", "api/README"], ["docs/README.md", "api/README"]),
        (["README", "/home/me/shop/README.md", "README.md"], ["/home/me/shop/README.md"]),
        (["README.md", "README.rst", "README"], ["README.md", "README.rst", "README"]),
        (["Dockerfile", "Dockerfile.dev"], ["Dockerfile", "Dockerfile.dev"]),
        (["src/test", "src/test.py"], ["src/test", "src/test.py"]),
    ],
)
def test_a_file_is_told_as_it_was_written_and_once(written, told):
    steps = [(Specific("file", path, path), spoken("x", n=n)) for n, path in enumerate(written, 1)]
    assert list(notes_of("file", *steps)) == told


@pytest.mark.parametrize(
    "line", ["diff --git a/src/main.ts b/src/main.ts", "--- a/src/main.ts", "+++ b/src/main.ts"]
)
def test_the_sides_of_a_diff_are_no_folders(line):
    ledger = Ledger()
    for found in specifics(spoken(line, "tool")):
        ledger.add(found, spoken(line, "tool"))
    assert [trace.text for trace in ledger if trace.kind == "file"] == ["src/main.ts"]
