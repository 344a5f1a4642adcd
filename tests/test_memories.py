"""Memories and notes through the library, on every engine: kept, merged, superseded, forgotten."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import BadInput, MemoryRefused, MemoryUnknown, NoteUnknown
from everthread.domain.given.packing import pack
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.edges.documents.rows import memory_document
from everthread.services.distilling.prime import consume, prime
from everthread.services.memory.remember import Wish, remember
from everthread.testing import FrozenClock
from support.born import ran
from support.stores import ABOVE, ENGINES, Place, fresh

SECRET = "the vault code is heliotrope seventeen"


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[everthread.Everthread]:
    with everthread.connect(place.target, background=False, clock=clock) as engine:
        yield engine
        for agent in engine.agents():
            assert engine.verify(agent).faults == []


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada")


def texts(agent: everthread.Agent, **wanted: Any) -> list[str]:
    return [memory.text for memory in agent.memories(**wanted)]


def said(agent: everthread.Agent, text: str) -> str:
    """The id of a message with that text."""
    agent.turn(text).done("Noted.")
    return next(m.id for m in agent.messages() if m.text == text)


def entries(et: everthread.Everthread, agent: everthread.Agent) -> int:
    return len(et.timeline(agent.name, limit=9_999))


# ---- remember


@pytest.mark.req("LA-18", "X-25")
def test_a_memory_carries_where_it_came_from_and_how_sure_it_is(
    ada: everthread.Agent, clock: FrozenClock
) -> None:
    source = said(ada, "I like tabs, you know")
    kept = ada.remember(
        "critical: [Style, python]:  Prefers   tabs ",
        kind="preference",
        sources=[source],
        principal="mel",
        valid_from="2026-01-01",
        valid_to="2027-01-01",
    )
    assert (kept.text, kept.kind, kept.state, kept.origin) == (
        *("Prefers tabs", "preference", "kept", "user"),
    )
    assert (bool(kept.pinned), kept.tags, kept.principal) == (True, ("style", "python"), "mel")
    assert (kept.confidence, kept.importance, kept.said) == (0.9, 0.8, 1)
    (message,) = (m for m in ada.messages() if m.id == source)
    assert kept.sources == (message.key,)
    assert kept.session_ref == message.session_ref
    assert kept.valid_from is not None and kept.valid_from.year == 2026
    assert ada.memory(kept.id) == ada.memory(kept.id[-8:]) == kept
    by_hand = ada.remember("The port is 8080", confidence=0.25, importance=0.125, sources=[message])
    assert (by_hand.confidence, by_hand.importance) == (0.25, 0.125)


def test_memories_are_listed_last_said_first_and_by_kind_tag_state_and_project(
    ada: everthread.Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    ada.remember("[a]: The port is 8080")
    clock.forward(seconds=1)
    ada.remember("[a, b]: Prefers tabs", kind="preference")
    clock.forward(seconds=1)
    ada.remember("Use ruff", kind="rule", scope="project", project=str(tmp_path))
    clock.forward(seconds=1)
    ada.remember("The port is 8081")
    assert texts(ada) == ["The port is 8081", "Use ruff", "Prefers tabs"]
    assert texts(ada, limit=1) == ["The port is 8081"]
    assert texts(ada, kind="preference") == texts(ada, tag="B") == ["Prefers tabs"]
    assert texts(ada, state="superseded") == ["The port is 8080"]
    assert len(texts(ada, state="all")) == len(texts(ada, state=None)) == 4
    assert texts(ada, project=str(tmp_path)) == ["Use ruff"]


def test_of_all_states_what_lives_leads(ada: everthread.Agent, clock: FrozenClock) -> None:
    """What was forgotten has no words any more, and was touched last."""
    for text in ("The port is 8080", "Prefers tabs", "Tea is at four", "The port is 8081"):
        ada.remember(text)
        clock.forward(seconds=1)
    ada.forget(next(memory for memory in ada.memories() if memory.text == "Prefers tabs"))
    states = [memory.state for memory in ada.memories(state="all")]
    assert states == ["kept", "kept", "superseded", "forgotten"]
    assert texts(ada, state="all")[:3] == ["The port is 8081", "Tea is at four", "The port is 8080"]
    assert [memory.state for memory in ada.memories(state="all", limit=3)] == states[:3]


@pytest.mark.req("LA-18")
def test_what_is_said_again_is_merged(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    first, second = said(ada, "tabs!"), said(ada, "tabs again")
    one = ada.remember("[a]: Prefers tabs", sources=[first])
    clock.forward(hours=72)
    two = ada.remember("[b]: The user prefers tabs.", sources=[second])
    assert two.id == one.id
    assert (two.said, two.text, two.tags) == (2, "Prefers tabs", ("a", "b"))
    assert len(two.sources) == 2
    assert two.confidence > one.confidence
    assert two.updated_at > one.updated_at and two.created_at == one.created_at
    assert texts(ada, state="all") == ["Prefers tabs"]
    (version,) = ada.history(one.id)
    assert [e.event for e in version.events] == ["memory.kept", "memory.merged"]


@pytest.mark.req("LB-19")
def test_a_replay_records_nothing(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    source = said(ada, "I like tabs")
    one = ada.remember("Prefers tabs", sources=[source])
    before = entries(et, ada)
    clock.forward(minutes=5)
    assert ada.remember("Prefers tabs", sources=[source]) == one
    assert ada.remember("Prefers tabs") == one
    assert entries(et, ada) == before
    told = remember(et.house, ada.row, Wish("Prefers tabs", sources=[source]))
    assert told.outcome == "known"


def test_many_who_say_the_same_at_once_make_one_memory(
    place: Place, et: everthread.Everthread, ada: everthread.Agent
) -> None:
    def say(i: int) -> None:
        ada.remember(f"[t{i}]: Prefers tabs")

    threads = [threading.Thread(target=say, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (one,) = ada.memories(state="all")
    assert one.said == 6
    assert set(one.tags) == {f"t{i}" for i in range(6)}


@pytest.mark.req("R-43")
def test_a_later_contradiction_supersedes_and_both_stay_auditable(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    was, now = said(ada, "We serve on 8080"), said(ada, "We moved to 8081")
    old = ada.remember("The port is 8080", sources=[was])
    clock.forward(hours=1)
    new = ada.remember("The port is 8081", sources=[now])
    assert texts(ada) == ["The port is 8081"]
    seen = ada.memory(old.id)
    assert (seen.state, seen.text, seen.superseded_by) == ("superseded", old.text, new.id)
    for name in (old.id, new.id):
        versions = ada.history(name)
        assert [v.memory.text for v in versions] == ["The port is 8080", "The port is 8081"]
        assert [[e.event for e in v.events] for v in versions] == [
            ["memory.kept", "memory.superseded"],
            ["memory.kept"],
        ]
    withheld = et.house.store.read(lambda r: r.memories.withheld(ada.scope))
    (message,) = (m for m in ada.messages() if m.id == was)
    assert withheld == {message.key: "superseded"}


def test_every_memory_that_is_contradicted_goes(ada: everthread.Agent) -> None:
    ada.remember("Mel uses Vim", kind="fact")
    ada.remember("Mel uses Vim", kind="note")
    new = ada.remember("Mel no longer uses Vim", kind="correction")
    assert texts(ada) == [new.text]


def test_a_fuller_statement_takes_over_what_the_first_had(ada: everthread.Agent) -> None:
    source = said(ada, "invoices go to the archive bucket")
    one = ada.remember(
        "[billing]: The billing service stores its invoices in the archive bucket", sources=[source]
    )
    two = ada.remember("The billing service stores its invoices in the archive bucket nightly")
    assert texts(ada) == [two.text]
    assert (two.sources, two.tags, two.said) == (one.sources, one.tags, 2)
    assert ada.memory(one.id).superseded_by == two.id
    # What says less takes nothing away. It may be meant more widely, so that it stands beside.
    less = ada.remember(one.text, confidence=0.1)
    assert texts(ada) == [less.text, two.text]


@pytest.mark.req("R-44")
def test_contradictions_and_merges_stay_within_their_readers(
    ada: everthread.Agent, tmp_path: Path
) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    ada.remember("The port is 8080", scope="project", project=here)
    ada.remember("The port is 8081", scope="project", project=there)
    ada.remember("The port is 8082")
    ada.remember("The port is 8083", scope="user")
    assert len(ada.memories()) == 4


def test_what_a_tool_read_cannot_overrule_a_person(ada: everthread.Agent) -> None:
    """Poisoned content: it is kept as what it is, beside what was said (field.md)."""
    own = ada.remember("The deploy branch is main")
    poison = ada.remember("The deploy branch is evil", origin="tool")
    assert ada.memory(own.id).state == "kept"
    assert (poison.origin, poison.confidence) == ("tool", 0.5)
    assert ada.memory(poison.id).confidence < own.confidence
    # Nor can it be repeated into a person's words.
    again = ada.remember("The deploy branch is evil", origin="tool", importance=0.9)
    assert again.origin == "tool"
    word = ada.remember("The deploy branch is evil.")
    assert word.origin == "user" and ada.memory(poison.id).superseded_by == word.id
    assert ada.memory(own.id).superseded_by == word.id  # she has changed her mind


def test_what_a_machine_repeats_gets_neither_truer_nor_weightier(
    ada: everthread.Agent, clock: FrozenClock
) -> None:
    """(field.md, poisoned content)"""
    own = ada.remember("The deploy branch is main")
    for _ in range(9):
        clock.forward(hours=2)
        told = ada.remember("critical: The deploy branch is main", origin="tool", importance=1.0)
        lie = ada.remember("critical: The deploy branch is evil", origin="tool", importance=1.0)
    assert (told.id, bool(told.pinned), told.importance) == (own.id, False, own.importance)
    assert not lie.pinned and lie.confidence <= 0.7 < own.confidence


def test_what_holds_later_leaves_what_holds_until_then(
    ada: everthread.Agent, clock: FrozenClock
) -> None:
    now = ada.remember("The port is 8080")
    later = ada.remember("The port is 8081", valid_from="2026-03-01T00:00:00Z")
    seen = ada.memory(now.id)
    assert seen.state == "kept" and seen.valid_to == later.valid_from
    assert [e.event for v in ada.history(now.id) for e in v.events] == [
        *("memory.kept", "memory.bounded"),
    ]


def test_what_has_ended_is_listed_only_where_it_is_asked_for(ada: everthread.Agent) -> None:
    ended = ada.remember("The office is closed", valid_to="2026-02-19")
    planned = ada.remember("The canteen serves soup", valid_from="2027-01-01")
    kept = ada.remember("The lift works")

    def listed(**asked: str) -> set[str]:
        return {memory.id for memory in ada.memories(**asked)}  # pyright: ignore[reportArgumentType]

    assert listed() == listed(state="current") == {planned.id, kept.id}
    assert listed(state="kept") == listed(state="all") == {ended.id, planned.id, kept.id}


def test_what_has_expired_is_said_anew(ada: everthread.Agent, clock: FrozenClock) -> None:
    old = ada.remember("The office is closed", valid_to="2026-02-21")
    clock.forward(hours=48)
    new = ada.remember("The office is closed")
    assert new.id != old.id and new.valid_to is None


def test_junk_is_refused_unless_a_person_asks(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    before = entries(et, ada)
    with pytest.raises(MemoryRefused, match="being done, not what is so"):
        ada.remember("I'll now look at the file", origin="agent")
    with pytest.raises(MemoryRefused, match="restates a question"):
        ada.remember("The user asked about the parser", origin="tool")
    with pytest.raises(MemoryRefused, match="our own text, come back"):
        ada.remember("<everthread-recall>Prefers tabs</everthread-recall>")
    with pytest.raises(MemoryRefused, match="empty"):
        ada.remember("critical: [a]:")
    packed = pack([Hit("1", "Prefers tabs", 1.0, "fact", 0, "words")], tokens=999, count=len)
    assert packed is not None
    block = packed.text
    with pytest.raises(MemoryRefused, match="our own text, come back"):
        ada.remember(block)
    assert ada.remember(f"{block}\nThe port is 8080").text == "The port is 8080"
    assert ada.forget(ada.memories()[0].id) == []
    before = entries(et, ada)
    assert entries(et, ada) == before
    assert ada.remember("Why?").text == "Why?"


@pytest.mark.req("R-30", "X-19", "X-18", "B-57")
def test_secrets_are_taken_out_before_anything_is_written(
    place: Place, ada: everthread.Agent
) -> None:
    token = "ghp_" + "Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"
    memory = ada.remember(f"The deploy token is {token}", scope="user")
    assert token not in memory.text and "REDACTED" in memory.text
    assert "redacted" in memory.tags
    # What held a secret is kept, but not mirrored to every agent.
    assert memory.reach == "agent"
    note = ada.note(f"use {token}")
    assert token not in note.text
    edited = ada.edit(memory.id, f"The new token is {token}")
    assert token not in edited.text
    for table in ("memories", "notes"):
        assert token not in str(place.raw(f"SELECT text FROM {table}"))


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"text": ""}, "1 to 8,000 characters"),
        ({"text": "x" * 8_001}, "1 to 8,000 characters"),
        ({"text": None}, "must be text"),
        ({"kind": "opinion"}, "kind must be one of"),
        ({"scope": "world"}, "scope must be one of agent, project, user"),
        ({"scope": "project"}, "give project="),
        ({"origin": "god"}, "origin must be one of"),
        ({"confidence": 2}, "confidence must be a number from 0 to 1"),
        ({"importance": "high"}, "importance must be a number"),
        ({"valid_from": "soon"}, "is not a time"),
        ({"valid_from": "0001-01-01T00:00:00+14:00"}, "outside the years 1 to 9999"),
        ({"valid_to": "0001-01-01T00:00:00+14:00"}, "outside the years 1 to 9999"),
        ({"valid_from": "9999-12-31T23:59:59-12:00"}, "outside the years 1 to 9999"),
        ({"valid_from": -100_000_000_000}, "no time in seconds"),
        ({"valid_from": "2026-01-02", "valid_to": "2026-01-01"}, "valid_to must be after"),
        ({"sources": "018f"}, "sources must be a list"),
        ({"sources": ["018f"]}, "ids are given whole"),
        ({"sources": ["0" * 32]}, "has no message 00000000-"),
        ({"text": "a\x00b"}, "cannot be stored"),
    ],
)
def test_wrong_use_is_named_and_stores_nothing(
    et: everthread.Everthread, ada: everthread.Agent, wrong: dict[str, Any], match: str
) -> None:
    before = entries(et, ada)
    with pytest.raises(BadInput, match=match):
        ada.remember(**{"text": "Prefers tabs", **wrong})
    assert entries(et, ada) == before


@pytest.mark.parametrize(
    "end", ["9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59.9999Z", datetime.max]
)
def test_the_end_of_the_last_day_there_is_means_for_ever(ada: everthread.Agent, end: Any) -> None:
    """Wherever that day ends: a date there is none after is what people write who mean no end."""
    kept = ada.remember("Prefers tabs", valid_to=end)
    assert [memory.id for memory in ada.memories()] == [kept.id]
    assert memory_document(kept)["valid_to"] == "9999-12-31T23:59:59.999Z"


def test_a_memory_of_the_first_year_is_shown_with_its_date(ada: everthread.Agent) -> None:
    kept = ada.remember("Prefers tabs", valid_from="0001-01-01")
    assert memory_document(kept)["valid_from"] == "0001-01-01T00:00:00.000Z"


def test_an_unknown_or_ambiguous_id_is_named(ada: everthread.Agent) -> None:
    ids = [ada.remember(f"The port of host{i} is {i}").id for i in range(17)]
    for ask in (ada.memory, ada.forget, ada.history, lambda name: ada.edit(name, "x")):
        with pytest.raises(MemoryUnknown, match="memories list"):
            ask("not hexadecimal")
        with pytest.raises(MemoryUnknown, match="too short to name a memory"):
            ask(ids[0][-3:])
    assert len(ada.memories()) == 17


@pytest.mark.req("R-44")
def test_agents_do_not_see_each_others_memories(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    bob = et.agent("bob")
    mine, note = ada.remember("Prefers tabs"), ada.note("mine")
    assert bob.memories(state="all") == [] and bob.notes() == []
    for ask in (bob.memory, bob.forget, bob.history, bob.owner):
        with pytest.raises(MemoryUnknown):
            ask(mine.id)
    with pytest.raises(NoteUnknown):
        bob.unnote(note.id)
    with pytest.raises(BadInput, match="has no message"):
        bob.remember("x", sources=[said(ada, "hello")])
    shared = ada.remember("Prefers spaces in YAML", scope="user")
    (wide,) = et.house.store.read(lambda r: r.memories.user_wide())
    assert wide.id == shared.id and wide.agent_ref == ada.row.ref
    assert bob.memories(state="all") == [wide] and bob.owner(wide) == "ada"


# ---- edit


def test_an_edit_is_a_new_version(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    source = said(ada, "I like tabs")
    old = ada.remember("critical: [style]: Prefers tabs", kind="preference", sources=[source])
    clock.forward(hours=1)
    new = ada.edit(old.id[-8:], "Prefers spaces in YAML")
    assert (new.text, new.kind, new.tags, bool(new.pinned)) == (
        *("Prefers spaces in YAML", "preference", ("style",), True),
    )
    assert new.sources == ()  # the message said something else
    assert ada.memory(old.id).superseded_by == new.id
    with pytest.raises(MemoryRefused, match=f"take {new.id} instead"):
        ada.edit(old.id, "again")
    typo = ada.edit(new.id, "Prefers spaces in YAML!")
    assert ada.edit(typo.id, typo.text) == typo
    assert [v.memory.text for v in ada.history(old.id)] == [
        *("Prefers tabs", "Prefers spaces in YAML", "Prefers spaces in YAML!"),
    ]
    ada.forget(typo.id)
    with pytest.raises(MemoryRefused, match="was forgotten"):
        ada.edit(typo.id, "back")


def test_an_edit_that_says_the_same_rests_on_the_same_messages(ada: everthread.Agent) -> None:
    old = ada.remember("Prefers tabz", sources=[said(ada, "I like tabs")])
    other = ada.edit(old.id, "The user prefers tabz.")
    assert other.sources == old.sources


def test_an_edit_that_only_pins_or_tags_leaves_the_same_memory(ada: everthread.Agent) -> None:
    old = ada.remember("Prefers tabs", tags=["style"])
    pinned = ada.edit(old.id, "critical: [code]: Prefers tabs")
    assert (pinned.id, pinned.text, pinned.said) == (old.id, old.text, old.said)
    assert (bool(pinned.pinned), set(pinned.tags)) == (True, {"style", "code"})
    assert ada.memories() == [pinned]
    assert ada.edit(old.id, "[style]: Prefers tabs") == pinned


# ---- freshness


@pytest.mark.req("LA-18")
def test_a_memory_knows_whether_its_files_have_changed(
    ada: everthread.Agent, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    source, readme = project / "src" / "parse.py", project / "README.md"
    source.write_text("one")
    readme.write_text("two")
    (tmp_path / "outside.txt").write_text("three")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    memory = ada.remember(
        "src/parse.py and README.md matter, src/none.py does not exist, link.txt leads out; "
        "see commit abcdef1",
        project=str(project),
    )
    assert dict(memory.files) == {
        "src/parse.py": hashlib.sha256(b"one").hexdigest(),
        "README.md": hashlib.sha256(b"two").hexdigest(),
    }
    assert memory.commits == ("abcdef1",)
    assert ada.freshness(memory.id) == "fresh"
    source.write_text("uno")
    for _ in range(2):  # looking refreshes nothing
        assert ada.freshness(memory.id) == "changed"
    ada.remember(memory.text, project=str(project), origin="agent", sources=[said(ada, "x")])
    assert ada.freshness(memory.id) == "changed"
    ada.remember(memory.text, project=str(project), sources=[said(ada, "y")])
    assert ada.freshness(memory.id) == "fresh"  # a person said it again, of the files as they are
    source.unlink()
    assert ada.freshness(memory.id) == "changed"
    readme.unlink()  # also where all of them are gone: the folder is here, so they were removed
    assert ada.freshness(memory.id) == "changed"
    assert ada.freshness(memory.id, project=str(tmp_path / "elsewhere")) == "unknown"
    assert ada.freshness(ada.remember("Prefers tabs").id) == "unknown"


def test_who_says_it_again_at_once_says_it_of_the_files_as_they_are(
    ada: everthread.Agent, tmp_path: Path
) -> None:
    text, conf = "The settings are in conf.toml", tmp_path / "conf.toml"
    conf.write_text("one")
    memory = ada.remember(text, project=str(tmp_path))
    assert ada.remember(text, project=str(tmp_path)) == memory  # a repeated call
    conf.write_text("two")
    assert ada.freshness(memory.id) == "changed"
    again = ada.remember(text, project=str(tmp_path))
    assert (again.id, again.said, ada.freshness(memory.id)) == (memory.id, 2, "fresh")


def test_a_huge_or_strange_file_is_no_evidence(ada: everthread.Agent, tmp_path: Path) -> None:
    with (tmp_path / "huge.bin").open("wb") as huge:
        huge.truncate(20_000_000)
    (tmp_path / "folder.d").mkdir()
    memory = ada.remember("huge.bin and folder.d are there", project=str(tmp_path))
    assert dict(memory.files) == {}


# ---- priming


@pytest.mark.req("S-5", "LA-7")
def test_what_is_primed_waits_for_a_turn_that_completes(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    store, scope, thread = et.house.store, ada.scope, ada.primary.ref
    facts = [ada.remember(f"The port of host{i} is {i}") for i in range(3)]
    now = clock.now()
    store.write(lambda r: prime(r, scope, thread, facts, now=now, receipt=1))

    def waiting() -> list[Memory]:
        return list(store.read(lambda r: r.memories.primed(scope, thread)))

    assert waiting() == facts
    clock.forward(seconds=1)
    ada.turn("hello").failed("the model is away")
    failed = ada.turns(limit=1)[0]
    assert store.write(lambda r: consume(r, scope, failed)) == 0
    assert waiting() == facts
    ada.turn("hello again").done("hi")
    assert waiting() == []


def test_no_more_is_primed_than_is_read(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    made = [
        ada.remember(f"The port of {kind}{i} is {i}", kind=kind, importance=i / 40)
        for kind in ("fact", "decision", "open_item")
        for i in range(25)
    ]
    gone = made[24]
    ada.forget(gone.id)
    now, scope, thread = clock.now(), ada.scope, ada.primary.ref
    made[24] = ada.memory(gone.id)
    chosen = et.house.store.write(lambda r: prime(r, scope, thread, made, now=now))
    kinds = [memory.kind for memory in chosen]
    assert [kinds.count(kind) for kind in ("fact", "decision", "open_item")] == [20, 10, 10]
    assert gone.id not in {memory.id for memory in chosen}
    assert min(m.importance for m in chosen if m.kind == "decision") == 15 / 40


# ---- notes


@pytest.mark.req("R-19")
def test_notes_are_written_listed_and_deleted(ada: everthread.Agent, clock: FrozenClock) -> None:
    first = ada.note("Ask Mel", category="Question")
    clock.forward(seconds=1)
    second = ada.note("We use tabs", category="decision", origin="user")
    assert (first.category, first.origin, second.origin) == ("question", "agent", "user")
    assert ada.notes() == [second, first]
    assert ada.notes(category="question") == [first]
    assert ada.notes(limit=1) == [second]
    ada.unnote(second.id[-8:])
    assert ada.notes() == [first]
    with pytest.raises(NoteUnknown, match="notes list"):
        ada.unnote(second.id)
    for wrong in ({"text": " "}, {"text": 3}, {"category": ""}, {"origin": "god"}):
        with pytest.raises(BadInput):
            ada.note(**{"text": "x", **wrong})  # type: ignore[arg-type]


# ---- carried along


@pytest.mark.slow
def test_memories_travel_with_an_export_to_the_other_engine(
    place: Place, et: everthread.Everthread, ada: everthread.Agent, tmp_path: Path
) -> None:
    """(R-37)"""
    old = ada.remember("The port is 8080", sources=[said(ada, "8080")])
    ada.remember("The port is 8081")
    ada.forget(ada.remember(SECRET, sources=[said(ada, "psst")]).id)
    ada.note("Ask Mel")
    ada.unnote(ada.note("nothing").id)
    turn = ada.turns(limit=1)[0]
    scope, thread = ada.scope, ada.primary.ref
    now = turn.opened_ms
    et.house.store.write(lambda r: prime(r, scope, thread, ada.memories(), now=now))
    lines: list[str] = []
    et.export(lines.append)
    assert {json.loads(line).get("table") for line in lines} >= {
        *("memories", "withheld", "notes", "primed"),
    }
    engine = next(name for name in ENGINES if name != place.engine)
    with (
        fresh(engine, tmp_path / "to") as other,
        everthread.connect(other.target, background=False) as there,
    ):
        there.import_lines(lines)
        back: list[str] = []
        there.export(back.append)
        assert back == lines
        assert there.verify("ada").faults == []
        brought = there.known_agent("ada")
        assert texts(brought) == ["The port is 8081"]
        assert [v.memory.text for v in brought.history(old.id)] == texts(
            ada, state="superseded"
        ) + texts(ada)
        brought.forget(old.id)
        assert there.verify("ada").faults == []


def test_what_another_agent_put_in_its_place_goes_along_with_an_export(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    bob = et.agent("bob")
    old = ada.remember("I live in Ulm", scope="user")
    for now in ("I live in Bonn", "I live in Kiel"):
        bob.remember(now, scope="user", tags=["home"])
    assert (texts(ada, state="superseded"), texts(bob)) == (["I live in Ulm"], ["I live in Kiel"])
    alone: list[str] = []
    together: list[str] = []
    et.export(alone.append, "ada")
    et.export(together.append)
    for lines, owner in ((alone, "ada"), (together, "bob")):
        with everthread.connect("memory://", background=False) as there:
            there.import_lines(lines)
            assert there.import_lines(lines)[0].outcome == "known"
            brought = there.known_agent("ada")
            (kept,) = brought.memories()
            assert (kept.text, kept.tags) == ("I live in Kiel", ("home",))
            assert kept.agent_ref == there.known_agent(owner).scope.agent
            assert [v.memory.text for v in brought.history(old.id)][-1] == "I live in Kiel"
            assert "I live in Kiel" in found(brought, "Where do I live?")
            assert there.verify("ada").faults == []


def test_what_was_replaced_or_forgotten_here_does_not_come_back_with_an_import(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """Whoever kept what replaced it is here, or follows in the same file."""
    bob, exports = et.agent("bob"), list[list[str]]()

    def export(agent: str) -> None:
        exports.append([])
        et.export(exports[-1].append, agent)

    ada.remember("I live in Ulm", scope="user")
    bob.remember("I live in Bonn", scope="user")
    export("ada")
    export("bob")
    kept = bob.remember("I live in Kiel", scope="user")
    export("bob")
    bob.forget(kept.id)
    export("bob")
    first, same, replaced, forgotten = exports
    for files, held in (
        ([first + same], ["I live in Bonn"]),
        ([same, first], ["I live in Bonn"]),
        ([replaced, first], ["I live in Kiel"]),
        ([forgotten, first], []),
    ):
        with everthread.connect("memory://", background=False) as there:
            for lines in files:
                there.import_lines(lines)
            assert texts(there.known_agent("ada")) == held
            assert there.verify("ada").faults == []


@pytest.mark.parametrize(
    "change", [{"over": ["00" * 16]}, {"over": None}, {"id": "x"}, {"kind": 7}]
)
def test_a_file_that_tells_a_successor_otherwise_than_an_export_is_refused(
    et: everthread.Everthread, ada: everthread.Agent, change: dict[str, Any]
) -> None:
    ada.remember("I live in Ulm", scope="user")
    et.agent("bob").remember("I live in Bonn", scope="user")
    lines: list[str] = []
    et.export(lines.append, "ada")
    at = next(n for n, line in enumerate(lines) if '"table":"successors"' in line)
    lines[at] = json.dumps(json.loads(lines[at]) | change)
    with everthread.connect("memory://", background=False) as there:
        with pytest.raises(everthread.errors.ImportRefused):
            there.import_lines(lines, unchecked=True)
        assert not there.agents()


FORGERIES = {
    "a memory's text": "UPDATE memories SET text = 'Prefers spaces' WHERE state = 'kept'",
    "a memory's origin": "UPDATE memories SET origin = 'tool' WHERE state = 'kept'",
    "a memory's reach": "UPDATE memories SET reach = 'user' WHERE state = 'kept'",
    "a note": "UPDATE notes SET text = 'We use spaces'",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_verify_finds_a_changed_memory_or_note(tmp_path: Path, what: str) -> None:
    """(R-33)"""
    with fresh("sqlite", tmp_path) as place:
        with everthread.connect(place.target, background=False) as et:
            et.agent("ada").remember("Prefers tabs")
            et.agent("ada").note("We use tabs")
        place.without_triggers()
        place.raw(FORGERIES[what])
        with everthread.connect(place.target, background=False) as et:
            (fault,) = et.verify("ada").faults
            assert fault.problem == "the row was changed"
            assert fault.event == ("note.added" if what == "a note" else "memory.kept")


@pytest.mark.parametrize("statement", ["DELETE FROM memories", "UPDATE memories SET text = 'x'"])
def test_the_database_itself_refuses_to_delete_or_rewrite_a_memory(
    place: Place, et: everthread.Everthread, ada: everthread.Agent, statement: str
) -> None:
    ada.remember("Prefers tabs")
    with pytest.raises(Exception, match="everthread: "):
        place.raw(statement)
    assert texts(ada) == ["Prefers tabs"]


def test_what_one_process_remembers_another_reads_at_once(
    place: Place, ada: everthread.Agent
) -> None:
    code = (
        "import sys, everthread\n"
        "with everthread.connect(sys.argv[1], background=False) as et:\n"
        "    ada = et.agent('ada')\n"
        "    print(*(m.text for m in ada.memories()), sep='\\n')\n"
        "    ada.remember('The port is 8081')\n"
    )
    ada.remember("The port is 8080")
    done = ran(code, place.target)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["The port is 8080"]), done.stderr
    assert texts(ada) == ["The port is 8081"]


# ---- together with recall


def found(agent: everthread.Agent, query: str) -> list[str]:
    return [hit.text for hit in agent.recall(query, limit=20)]


@pytest.mark.req("R-43", "A-14")
def test_what_is_remembered_is_recalled_at_once_and_what_is_forgotten_never(
    ada: everthread.Agent,
) -> None:
    source = said(ada, "By the way, the vault code is heliotrope seventeen.")
    said(ada, "The vault is in the cellar")
    memory = ada.remember("The vault code is heliotrope seventeen", sources=[source])
    assert memory.text in found(ada, "which vault code?")
    ada.forget(memory.id)
    for query in ("which vault code?", "heliotrope", "heliotrope seventeen"):
        assert not [text for text in found(ada, query) if "heliotrope" in text]
    assert "The vault is in the cellar" in found(ada, "where is the vault?")


@pytest.mark.req("R-43")
def test_what_was_superseded_is_recalled_below_its_successor(ada: everthread.Agent) -> None:
    was = said(ada, "The staging port of the gateway is 8080")
    ada.remember("The staging port is 8080", sources=[was])
    now = ada.remember("The staging port is 8081")
    hits = ada.recall("what is the staging port?", limit=20)
    assert hits[0].id == now.id
    (stale,) = (hit for hit in hits if hit.id == was)
    assert stale.superseded
    assert "The staging port is 8080" not in [hit.text for hit in hits]


@pytest.mark.req("R-44")
def test_a_user_wide_memory_is_recalled_by_other_agents_until_it_is_forgotten(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    bob = et.agent("bob")
    said(bob, "hello")
    wide = ada.remember("Prefers the metric system", scope="user")
    own = ada.remember("The metric exporter listens on port 9100")
    assert wide.text in found(bob, "metric system")
    assert own.text not in found(bob, "metric exporter")
    ada.forget(wide.id)
    assert found(bob, "metric system") == []
