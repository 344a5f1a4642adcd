"""What is user-wide is one thing for all agents of the user: reconciled, listed, and changed from any."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import everthread
from everthread import Agent
from everthread.errors import MemoryRefused, MemoryUnknown
from everthread.services.memory import remember
from everthread.testing import FrozenClock
from support.commands import Here
from support.stores import EACH, Place, fresh

SIX, ELEVEN = "The office wifi channel is 6", "The office wifi channel is 11"


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(place: Place) -> Iterator[everthread.Everthread]:
    settings = everthread.Settings(embedder="off", recall_seconds=10.0)
    with everthread.connect(place.target, background=False, settings=settings) as engine:
        yield engine
        for agent in engine.agents():
            assert engine.verify(agent).faults == []


@pytest.fixture
def ada(et: everthread.Everthread) -> Agent:
    return et.agent("ada")


@pytest.fixture
def bob(et: everthread.Everthread) -> Agent:
    return et.agent("bob")


def texts(agent: Agent, state: str = "kept") -> list[str]:
    return [memory.text for memory in agent.memories(state=state)]


def found(agent: Agent, query: str) -> list[str]:
    return [hit.text for hit in agent.recall(query)]


def test_what_another_agent_said_later_takes_the_place(ada: Agent, bob: Agent) -> None:
    old = ada.remember(SIX, scope="user")
    new = bob.remember(ELEVEN, scope="user")
    for agent in (ada, bob):
        assert texts(agent) == [ELEVEN]
        assert found(agent, "office wifi channel") == [ELEVEN]
        assert agent.owner(new) == "bob"
        assert [version.memory.text for version in agent.history(new)] == [SIX, ELEVEN]
    assert bob.memory(old.id).superseded_by == new.id


def test_what_another_agent_says_too_is_said_again(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user")
    source = bob.record([{"id": "1", "role": "user", "content": SIX}]) and bob.messages()[-1]
    again = bob.remember(SIX, scope="user", sources=[source])
    assert (again.said, bob.owner(again), texts(ada), texts(bob)) == (2, "ada", [SIX], [SIX])
    assert again.sources == (), "they are messages of another agent"


def test_what_counts_less_overrules_nobody(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user")
    bob.remember(ELEVEN, scope="user", origin="tool")
    assert {*texts(ada)} == {SIX, ELEVEN}


def test_what_is_one_agents_own_touches_no_other(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user")
    bob.remember(ELEVEN)
    assert texts(ada) == [SIX]
    assert texts(bob) == [ELEVEN, SIX]


def test_each_persons_stay_apart(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user", principal="mel")
    bob.remember(ELEVEN, scope="user", principal="eva")
    assert (texts(ada), texts(bob)) == ([SIX], [ELEVEN])
    bob.remember(ELEVEN, scope="user", principal="mel")
    assert texts(ada) == []


def test_it_is_corrected_and_forgotten_from_any_agent(ada: Agent, bob: Agent) -> None:
    old = ada.remember(SIX, scope="user")
    new = bob.edit(old.id[-8:], ELEVEN)
    assert (bob.owner(new), texts(ada), texts(bob)) == ("ada", [ELEVEN], [ELEVEN])
    bob.forget(new.id[-8:])
    assert texts(ada, "all") == ["", ""]
    assert found(ada, "office wifi channel") == found(bob, "office wifi channel") == []


def test_versions_of_other_agents_go_with_it(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user")
    new = bob.remember(ELEVEN, scope="user")
    ada.forget(new.id)
    assert texts(ada, "all") == texts(bob, "all") == [""]


def test_what_took_its_place_may_be_in_another_store(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    """So it is with a file of a version that left it there."""
    old, new = ada.remember(SIX, scope="user"), bob.remember(ELEVEN, scope="user")
    lines = list[str]()
    et.export(lines.append, "ada")
    without = [line for line in "".join(lines).splitlines() if '"successors"' not in line]
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(without, unchecked=True)
        with pytest.raises(MemoryRefused, match=f"{new.id}, which was not brought"):
            other.agent("ada").edit(old.id, ELEVEN)


def exported(et: everthread.Everthread, *names: str) -> list[str]:
    lines = list[str]()
    for name in names:
        et.export(lines.append, name)
    return "".join(lines).splitlines()


def test_what_took_its_place_is_not_doubled_when_it_comes_itself(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    ada.remember(SIX, scope="user")
    new = bob.remember(ELEVEN, scope="user")
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(exported(et, "ada"))
        assert texts(other.agent("ada")) == [ELEVEN]
        other.import_lines(exported(et, "bob"))
        for agent in other.agents():
            assert texts(agent) == [ELEVEN]
            assert agent.memories()[0].id == new.id
            assert other.verify(agent).faults == []
        assert [one.outcome for one in other.import_lines(exported(et, "ada", "bob"))] == [
            "known",
            "known",
        ]


def test_what_replaced_it_since_holds_when_it_comes_itself(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    ada.remember(SIX, scope="user")
    bob.remember(ELEVEN, scope="user")
    first = exported(et, "ada")
    bob.remember("The office wifi channel is 13", scope="user")
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(first)
        other.import_lines(exported(et, "bob"))
        assert texts(other.agent("ada")) == ["The office wifi channel is 13"]


def test_its_versions_are_told_in_their_order_whichever_agent_came_first(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    ada.remember(SIX, scope="user")
    new = bob.remember(ELEVEN, scope="user")
    with everthread.connect("memory://", background=False) as other:
        for name in ("bob", "ada"):
            other.import_lines(exported(et, name))
        told = [version.memory.text for version in other.agent("ada").history(new.id)]
    assert told == [SIX, ELEVEN]


def test_what_took_the_place_of_two_agents_memories_comes_once(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    eve = et.agent("eve").among(["eve"])
    ada.remember(SIX, scope="user")
    eve.remember("The office wifi channel is 4", scope="user")
    bob.remember(ELEVEN, scope="user")
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(exported(et, "ada"))
        other.import_lines(exported(et, "eve"))
        assert texts(other.agent("eve")) == texts(other.agent("ada")) == [ELEVEN]


def test_what_was_forgotten_here_does_not_come_with_another_agent(
    et: everthread.Everthread, ada: Agent, bob: Agent
) -> None:
    eve = et.agent("eve").among(["eve"])
    ada.remember(SIX, scope="user")
    eve.remember("The office wifi channel is 4", scope="user")
    bob.remember(ELEVEN, scope="user")
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(exported(et, "ada"))
        here = other.agent("ada")
        here.forget(here.memories()[0].id)
        other.import_lines(exported(et, "eve"))
        assert texts(other.agent("eve")) == texts(here) == []


def test_what_it_replaces_may_be_named(ada: Agent, bob: Agent) -> None:
    old = ada.remember("We are on the sixth channel", scope="user")
    new = bob.remember(ELEVEN, scope="user", replaces=[old.id])
    assert ada.memory(old).superseded_by == new.id


def test_who_speaks_for_some_agents_sees_no_others(ada: Agent, bob: Agent) -> None:
    old = ada.remember(SIX, scope="user")
    alone = bob.among(["bob"])
    assert texts(alone) == []
    with pytest.raises(MemoryUnknown):
        alone.memory(old.id)
    own = ada.remember("Ada keeps this")
    with pytest.raises(MemoryUnknown):
        bob.memory(own.id)


def test_who_speaks_for_some_agents_changes_no_others(ada: Agent, bob: Agent) -> None:
    old, alone = ada.remember(SIX, scope="user"), bob.among(["bob"])
    same = alone.remember(SIX, scope="user")
    assert (same.id == old.id, texts(alone), found(alone, "wifi channel")) == (False, [SIX], [SIX])
    new = alone.remember(ELEVEN, scope="user")
    with pytest.raises(MemoryUnknown):
        alone.remember("Our channel is another one", scope="user", replaces=[old.id])
    assert (ada.memory(old).state, alone.memory(same).superseded_by) == ("kept", new.id)


def test_who_speaks_for_some_agents_sees_no_versions_of_others(ada: Agent, bob: Agent) -> None:
    ada.remember(SIX, scope="user")
    new = bob.remember(ELEVEN, scope="user")
    assert [version.memory.text for version in bob.among(["bob"]).history(new)] == [ELEVEN]


def test_of_two_who_say_it_at_once_one_keeps_it(
    ada: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where neither has kept anything user-wide before."""
    looked, over, settle = Event(), Event(), remember.settle

    def slowly(*args: Any, **named: Any) -> remember.Remembered:
        if not looked.is_set():
            looked.set()
            over.wait(0.3)  # so long the other has for it, were nothing held
        return settle(*args, **named)

    monkeypatch.setattr(remember, "settle", slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ada.remember, SIX, scope="user")
        assert looked.wait(10)
        second = pool.submit(bob.remember, SIX, scope="user")
        second.add_done_callback(lambda _: over.set())
    assert first.result().id == second.result().id


def test_the_commands_show_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Here(tmp_path, monkeypatch, capsys)
    ada, bob = ("--agent", "ada"), ("--agent", "bob")
    cli("remember", SIX, "--user-wide", *ada)
    with everthread.connect(cli.home / "data" / "everthread.db", background=False) as et:
        et.agent("bob")
    cli("remember", "Bob waters the plants", *bob)
    listed = cli("memories", "list", *bob).out
    assert "user-wide of ada" in listed
    name = next(line for line in listed.splitlines() if "wifi" in line).split()[0]
    shown = cli("memories", "show", name, *bob)
    assert shown.code == 0 and "ada" in shown.out
    said = cli("remember", ELEVEN, "--user-wide", *bob).out
    assert f"supersedes {name}: {SIX}" in said
    assert ELEVEN in cli("memories", "list", *ada).out
    other = said.split()[0]
    assert cli("forget", other, "--yes", *ada).code == 0
    assert "wifi" not in cli("memories", "list", "--state", "all", *bob).out


# ---- when it was said


def test_what_was_said_earlier_does_not_overrule_what_was_said_later(ada: Agent) -> None:
    old, new = "The API listens on port 1000", "The API listens on port 2000"
    ada.record(
        [
            {"id": "old", "role": "user", "content": old, "at": "2024-01-01T00:00:00Z"},
            {"id": "new", "role": "user", "content": new, "at": "2025-01-01T00:00:00Z"},
        ]
    )
    said = {message.external_id: message for message in ada.messages()}
    kept = ada.remember(new, sources=[said["new"]])
    late = ada.remember(old, sources=[said["old"]])
    assert (late.state, late.superseded_by) == ("superseded", kept.id)
    assert texts(ada) == [new]
    below = {hit.text: hit.superseded for hit in ada.recall("API port", limit=9)}
    assert below == {new: False, old: True}
    named = ada.remember("Our gateway is reached by the usual number")
    ada.remember("The API listens on port 1500", sources=[said["old"]], replaces=[named])
    assert (ada.memory(named).superseded_by, texts(ada)) == (kept.id, [new])
    # Who names no message says it now.
    assert ada.remember(old).state == "kept"
    assert texts(ada) == [old]


def test_when_a_superseded_memory_was_said_is_not_when_it_was_superseded() -> None:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    settings = everthread.Settings(embedder="off")
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as et:
        ada = et.agent("ada")
        once = ada.remember("The API listens on port 1000")
        twice = ada.remember("The proxy listens on port 10")
        clock.sleep(2 * 86_400)
        ada.remember("The proxy listens on port 10")
        clock.sleep(30 * 86_400)
        ada.remember("The API listens on port 2000")
        ada.remember("The proxy listens on port 20")
        gone = [ada.memory(once), ada.memory(twice)]
        assert [memory.state for memory in gone] == ["superseded"] * 2
        assert [at.day for at in ada.said_at(gone)] == [20, 22]


def test_who_corrects_an_old_version_is_told_which_one_stands(ada: Agent) -> None:
    first, _, last = (ada.remember(f"The API listens on port {n}000") for n in (1, 2, 3))
    with pytest.raises(MemoryRefused, match=f"take {last.id} instead"):
        ada.edit(first.id, "The API listens on port 4000")
    ada.forget(last.id)
    with pytest.raises(MemoryRefused, match="forgotten"):
        ada.edit(first.id, "The API listens on port 4000")
