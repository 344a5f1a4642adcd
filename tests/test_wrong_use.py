"""Wrong use is told by name: an argument of the wrong kind never reaches the store, nor stumbles in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.errors import BadInput, EverthreadError
from everthread.testing import FrozenClock


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as engine:
        yield engine


DEFINITIONS: dict[str, dict[str, Any]] = {
    "a system that is a number": {"system": 5},
    "a system of words": {"system": ["x"]},
    "tools in a text": {"tools": "x"},
    "one tool without a list": {"tools": {"name": "x"}},
    "tools that are numbers": {"tools": [5]},
    "a tool without a name": {"tools": [{"foo": 1}]},
    "a model that is a number": {"model": 5},
    "a window in words": {"window": "big"},
    "half a token": {"window": 1000.5},
    "a zone that is a number": {"time_zone": 5},
    "a zone that is not on earth": {"time_zone": "Mars/Base"},
    "a zone that is a path": {"time_zone": "../zone"},
    "a zone that is a part of the world": {"time_zone": "Europe"},
    "no hours": {"inactivity_hours": 0},
    "hours in words": {"inactivity_hours": "four"},
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_definition_that_makes_no_sense_is_refused_at_once(et: Everthread, name: str) -> None:
    with pytest.raises(BadInput):
        et.agent("ada", **DEFINITIONS[name])
    assert et.agents() == []


CALLS: dict[str, Callable[[Everthread, Agent], object]] = {
    "no name": lambda et, ada: et.agent(None),  # type: ignore[arg-type]
    "a thread without a key": lambda et, ada: ada.thread(None, kind="background"),  # type: ignore[arg-type]
    "a surrogate in a key": lambda et, ada: ada.thread("x\ud800", kind="background"),
    "a speaker that is a number": lambda et, ada: ada.turn("hi", name=42),  # type: ignore[arg-type]
    "a channel that is a number": lambda et, ada: ada.turn("hi", channel=5),  # type: ignore[arg-type]
    "a principal that is a number": lambda et, ada: ada.turn("hi", principal=5),  # type: ignore[arg-type]
    "an origin that is none": lambda et, ada: ada.turn("hi", origin="zzz"),  # type: ignore[arg-type]
    "a text to record": lambda et, ada: ada.record("x"),  # type: ignore[arg-type]
    "one dict to record": lambda et, ada: ada.record({"role": "user", "content": "x"}),  # type: ignore[arg-type]
    "numbers to record": lambda et, ada: ada.record([5]),  # type: ignore[list-item]
    "nothing to record": lambda et, ada: ada.record(None),  # type: ignore[arg-type]
    "a limit that is no number": lambda et, ada: ada.messages(limit=float("nan")),  # type: ignore[arg-type]
    "a limit without end": lambda et, ada: ada.messages(limit=float("inf")),  # type: ignore[arg-type]
    "a turn beyond all": lambda et, ada: ada.sent(10**30),
    "tags that are none": lambda et, ada: ada.remember("the port is 80", tags=None),  # type: ignore[arg-type]
    "tags that are numbers": lambda et, ada: ada.remember("the port is 80", tags=[1]),  # type: ignore[list-item]
    "a word to nobody": lambda et, ada: ada.send(None, "hi"),  # type: ignore[arg-type]
    "no compaction": lambda et, ada: ada.compaction(None),  # type: ignore[arg-type]
    "no scopes": lambda et, ada: et.create_token("t", scopes=None),  # type: ignore[arg-type]
    "scopes in one word": lambda et, ada: et.create_token("t", scopes="read"),
    "no lines": lambda et, ada: et.import_lines(None),  # type: ignore[arg-type]
    "a text of lines": lambda et, ada: et.backfill("ada", "x\n"),
    "an export to a path": lambda et, ada: et.export("out.jsonl"),  # type: ignore[arg-type]
    "a project that is a number": lambda et, ada: ada.record(
        [{"role": "user", "content": "x"}],
        project=5,  # type: ignore[arg-type]
    ),
    "a time in milliseconds": lambda et, ada: ada.record(
        [{"role": "user", "content": "x", "at": 1_794_000_000_000}]
    ),
    "a time that is no number": lambda et, ada: ada.record(
        [{"role": "user", "content": "x", "at": float("nan")}]
    ),
    "a time next year": lambda et, ada: ada.record(
        [{"role": "user", "content": "x", "at": "2027-02-20T10:00:00Z"}]
    ),
    "a limit in words": lambda et, ada: ada.messages(limit="5"),  # type: ignore[arg-type]
    "half a message": lambda et, ada: ada.messages(limit=2.5),  # type: ignore[arg-type]
    "a limit beyond all": lambda et, ada: ada.messages(limit=10**30),
    "fewer than no sessions": lambda et, ada: ada.sessions(limit=-1),
    "fewer than no entries": lambda et, ada: et.timeline("ada", limit=-1),
    "no session": lambda et, ada: ada.session(None),  # type: ignore[arg-type]
    "a backup to nowhere": lambda et, ada: et.backup(None),
    "a reason that is a number": lambda et, ada: et.erase(ada, reason=5),  # type: ignore[arg-type]
    "a store that is a number": lambda et, ada: everthread.connect(5),  # type: ignore[arg-type]
    "settings in a dict": lambda et, ada: everthread.connect("memory://", settings={}),  # type: ignore[arg-type]
    "a clock that is a number": lambda et, ada: everthread.connect("memory://", clock=5),  # type: ignore[arg-type]
    "reading only in words": lambda et, ada: everthread.connect("memory://", read_only="yes"),  # type: ignore[arg-type]
    "a worker in words": lambda et, ada: everthread.connect("memory://", background="x"),  # type: ignore[arg-type]
    "a setting that is none": lambda et, ada: Settings().with_(foo=3),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_named_and_changes_nothing(et: Everthread, name: str) -> None:
    ada = et.agent("ada")
    with pytest.raises(BadInput):
        CALLS[name](et, ada)
    assert ada.messages() == []
    assert et.verify(ada).sound


class WholeResponse:
    """As an SDK gives it without streaming: it gives its fields when it is iterated."""

    def model_dump(self) -> dict[str, str]:
        return {"role": "assistant"}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.model_dump().items())


@pytest.mark.parametrize("stream", [None, 5, "hi", {"role": "assistant"}, WholeResponse()])
def test_what_is_no_stream_is_refused_and_the_turn_stays_open(
    et: Everthread, stream: object
) -> None:
    turn = et.agent("ada").turn("hi")
    with pytest.raises(BadInput, match=r"stream must be .* turn\.done\(response\)"):
        turn.watch(stream)  # type: ignore[arg-type]
    assert turn.state == "open"
    turn.done("hello")
    assert [m.text for m in et.agent("ada").messages()] == ["hi", "hello"]


def test_what_is_sealed_is_what_is_stored(et: Everthread) -> None:
    """A number written another way is the same number to `verify` (R-33)."""
    ada = et.agent("ada", window=1e5, inactivity_hours=4)  # type: ignore[arg-type]
    ada.turn("hello").done("hi")
    assert et.verify("ada").sound
    assert ada.row.window == 100_000


def test_an_agent_may_be_given_by_name_or_as_it_is(et: Everthread) -> None:
    ada = et.agent("ada")
    assert et.verify("ada") == et.verify(ada)
    assert et.timeline(ada) == et.timeline("ada")
    ada.turn("hi").done("hello")
    assert et.sessions("ada") == et.sessions(ada)
    assert et.session("ada", ada.sessions()[0].id) == et.session(ada, ada.sessions()[0].id)
    assert et.report("ada").agents == et.report(ada).agents
    # How much is free on the disk may change in between.
    both = [[f for f in et.diagnose(one) if f.check != "space"] for one in ("ada", ada)]
    assert both[0] == both[1]
    told: dict[str, list[str]] = {"name": [], "agent": []}
    et.export(told["name"].append, "ada")
    et.export(told["agent"].append, ada)
    assert told["name"] == told["agent"]
    with pytest.raises(EverthreadError):
        et.erase("bob")


def test_one_tag_may_be_given_as_it_is(et: Everthread) -> None:
    ada = et.agent("ada")
    assert ada.remember("the port is 80", tags="style").tags == ("style",)
    assert ada.remember("the host is one", tags=["style", "net"]).tags == ("style", "net")


def test_a_refused_file_makes_no_agent(et: Everthread) -> None:
    for lines in (["nonsense\n"], ["\n"], []):
        with pytest.raises(EverthreadError):
            et.import_lines(lines, agent="bob")
    assert et.agents() == []


def test_a_backup_goes_where_a_path_says(et: Everthread, tmp_path: Path) -> None:
    et.agent("ada")
    et.backup(tmp_path / "copy.db")
    with everthread.connect(tmp_path / "copy.db", background=False) as copy:
        assert [agent.name for agent in copy.agents()] == ["ada"]
