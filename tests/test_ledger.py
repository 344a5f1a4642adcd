"""The ledger of a distillation tells what became of each thing last."""

from __future__ import annotations

from itertools import count

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.summaries_lines import trace_line
from everthread.domain.gleaning.ledger import Ledger
from everthread.domain.text.specifics import Specific
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
