"""Large texts lie packed in an embedded store, and nobody can tell but by its size."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Settings
from everthread.domain.conversation.bodies import body_of
from everthread.domain.errors import BodyDamaged
from everthread.engine import Agent, Everthread
from everthread.services.upkeep import shrink
from everthread.store.bodies import LEAST, content_of, pack_body
from everthread.store.sqlite.link import SqliteLink
from support.commands import Cli, Here
from support.lying import lying
from support.printing import OLD, noise
from support.stores import EACH, Place, fresh
from test_migrations import looks_like

STORY = "The quick wombat digs below the fence, and the fence stays. " * 80
BEFORE = 10
"""The last schema without packed bodies, whose messages went apart from 4,096 bytes on."""


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def opened(place: Place, **chosen: object) -> Everthread:
    settings = Settings(**chosen)  # type: ignore[arg-type]
    return everthread.connect(place.target, background=False, settings=settings)


def packed(place: Place) -> int:
    return place.raw("SELECT count(*) FROM packed")[0][0]


def as_packed(text: str) -> bytes:
    data = pack_body(text, packs=True).data
    assert data is not None
    return data


def spoken(agent: Agent) -> list[str]:
    return [message.text for message in agent.messages(limit=99)]


# ---- one text


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXT, st.integers(1, 400), st.booleans())
def test_any_text_comes_back(piece: str, times: int, packs: bool) -> None:
    """Empty, short or long: what is kept is the text, or smaller than it."""
    text = piece * times
    now = pack_body(text, packs=packs)
    assert content_of(body_of(text).hash, *now) == text
    assert (now.data is not None) == (packs and len(text.encode()) >= LEAST)
    if now.data is None:
        assert now.content == text
    else:
        assert now.content == ""
        assert len(now.data) < len(text.encode())


@given(st.randoms(use_true_random=False), st.integers(LEAST, 9_000))
def test_a_text_drawn_by_chance_comes_back_smaller_too(chance: Random, size: int) -> None:
    text = bytes(chance.choices(range(128), k=size)).decode()
    now = pack_body(text, packs=True)
    assert now.data is not None
    assert len(now.data) < size
    assert content_of(body_of(text).hash, *now) == text


def test_half_a_character_never_comes_this_far() -> None:
    """It is escaped where a message is drafted, and has no hash of its own."""
    with pytest.raises(UnicodeEncodeError):
        body_of("\ud83d" * LEAST)
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "\ud83d" * 3_000}])
        assert spoken(ada) == ["\ud83d" * 3_000]


GOOD = zlib.compress(STORY.encode(), 1)
DAMAGED = {
    "changed": GOOD[:40] + bytes([GOOD[40] ^ 1]) + GOOD[41:],
    "cut-off": GOOD[:-9],
    "empty": b"",
    "gone": None,
    "not-a-text": zlib.compress(b"\xff\xfe" * 900),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_text_is_refused_by_name(data: bytes | None) -> None:
    """(R-33)"""
    key = body_of(STORY).hash
    assert content_of(key, "", GOOD) == STORY
    with pytest.raises(BodyDamaged, match=rf"body {key.hex()[:16]}.*backup.*everthread verify"):
        content_of(key, "", data)


# ---- a store


def test_large_texts_lie_packed_and_small_ones_plain(place: Place) -> None:
    """A server packs by itself, so it is given them as they are (R-49)."""
    with opened(place) as et:
        ada = et.agent("ada", system=STORY)
        ada.record([{"role": "user", "content": text} for text in (STORY, STORY, "Short.")])
        ada.turn("And now?").done(f"Now: {STORY}")
        sent = ada.sent(1)
        assert et.verify(ada).sound
    texts = sorted(lying(place).values(), key=len)
    assert {STORY, f"Now: {STORY}"} <= {*texts}
    assert packed(place) == (3 if place.engine == "sqlite" else 0)
    if place.engine == "sqlite":
        assert b"quick wombat" not in Path(place.target).read_bytes()
    with opened(place) as et:
        ada = et.agent("ada")
        assert spoken(ada) == [STORY, STORY, "Short.", "And now?", f"Now: {STORY}"]
        assert ada.sent(1) == sent, "rebuilt as it was sent"


def test_an_export_a_backup_and_an_import_carry_the_whole_texts(
    place: Place, tmp_path: Path
) -> None:
    """From any engine into an embedded store, which packs them again (R-37)."""
    lines: list[str] = []
    with opened(place) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": STORY}])
        et.export(lines.append)
        et.backup(str(tmp_path / "backup.db"))
    assert any(STORY in line for line in lines)
    with everthread.connect(tmp_path / "import.db", background=False) as et:
        et.import_lines(lines)
    for name in ("backup.db", "import.db"):
        copy = Place("sqlite", str(tmp_path / name))
        assert packed(copy) == 1
        with opened(copy) as et:
            again: list[str] = []
            et.export(again.append)
            assert [*map(str.strip, again)][1:] == [*map(str.strip, lines)][1:]
            assert et.verify("ada").sound
            assert spoken(et.agent("ada")) == [STORY]


def test_what_is_erased_is_gone_packed_or_not(place: Place) -> None:
    """No row and, in the file, no byte of it (R-33)."""
    with opened(place) as et:
        ada = et.agent("ada")
        ada.thread("other", kind="background").turn(STORY).done(noise("gone", 3_000))
        ada.turn(f"Mine: {STORY}").done("ok")
        et.erase(ada, thread="other")
        assert packed(place) == (place.engine == "sqlite")
        assert [*lying(place).values()] == [f"Mine: {STORY}"]
        assert et.verify(ada).sound
    if place.engine == "sqlite":
        files = b"".join(
            p.read_bytes() for p in Path(place.target).parent.glob("everthread.db*") if p.is_file()
        )
        assert (as_packed(f"Mine: {STORY}") in files, as_packed(STORY) in files) == (True, False)
        assert as_packed(noise("gone", 3_000)) not in files


def test_what_can_be_packed_well_comes_below_the_budget_too(tmp_path: Path) -> None:
    """It frees less than its length, so more of it has to give way (R-40)."""
    settings = Settings(home=tmp_path, disk_budget_mb=2)
    with everthread.connect(tmp_path / "s.db", background=False, settings=settings) as et:
        et.agent("ada").record([row for n in range(60) for row in printed(n)])
        before = shrink.disk(et.house)
        assert before.over
        shrink.keep_within(et.house, lambda: None)
        after = shrink.disk(et.house)
        assert after.used <= shrink.ENOUGH * after.budget
        assert after.shrunk.bodies < 60, "and no more than has to"
        assert et.verify("ada").sound


def test_what_shrinks_to_a_few_words_lies_plain_and_comes_back_packed(tmp_path: Path) -> None:
    """(R-40, R-49)"""
    place = Place("sqlite", str(tmp_path / "everthread.db"))
    with opened(place) as et:
        ada, store = et.agent("ada"), et.house.store
        ada.record(printed(1))
        shrink.weigh(et.house, lambda: None)
        (output,) = store.read(lambda r: r.outputs.oldest(before=2**62, limit=9))
        (whole,) = lying(place).values()
        assert packed(place) == 1
        store.write(lambda r: r.outputs.shrink(ada.scope, output, '"kept"', now=1))
        assert (packed(place), [*lying(place).values()]) == (0, ['"kept"'])
        ada.record([{**row, "id": f"again {row['id']}"} for row in printed(1)])
        assert (packed(place), [*lying(place).values()]) == (1, [whole])
        assert et.verify(ada).sound


def printed(n: int) -> list[dict[str, object]]:
    """A call whose answer packs to a third of its length or so."""
    call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"run {n}"}}
    text = "".join(f"{line} and some words that come again and again\n" for line in lines_of(n))
    result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
    return [
        {"id": f"c{n}", "role": "assistant", "content": [call], "at": OLD},
        {"id": f"r{n}", "role": "user", "content": [result], "at": OLD},
    ]


def lines_of(n: int) -> Iterator[str]:
    drawn = noise(f"n{n}", 48_000)
    return (drawn[at : at + 24] for at in range(0, len(drawn), 24))


# ---- a store from before


def test_a_store_from_before_packing_is_read_and_goes_on(place: Place, tmp_path: Path) -> None:
    """Its texts stay plain where they lie; what comes is packed (R-37, R-49)."""
    middling = "A message that was stored beside its row. " * 60
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SqliteLink, "packs", False)
        with opened(place, body_bytes=4_096) as et:
            ada = et.agent("ada", system=STORY)
            for text in (middling, STORY):
                ada.turn(text).done(f"{text} Indeed.")
            told, sent = spoken(ada), [ada.sent(n) for n in (1, 2)]
    version = "PRAGMA user_version = 10"
    if place.engine == "postgres":
        version = f"DELETE FROM everthread_schema WHERE number > {BEFORE}"
    later = ("receipts_newest", "receipts_of_thread", "session_memories_withheld")
    later += ("threads_by_tail", "memories_standing")
    gone = [f"DROP INDEX {index}" for index in later]
    place.raw("DROP TABLE packed", "ALTER TABLE marks DROP COLUMN kept", *gone, version)
    assert looks_like(place, BEFORE, tmp_path / "old"), "this is how it was before"
    with opened(place) as et:
        ada = et.agent("ada")
        assert spoken(ada) == told
        assert [ada.sent(n) for n in (1, 2)] == sent
        assert et.verify(ada).sound
        ada.turn(middling).done(STORY)
        assert spoken(ada) == [*told, middling, STORY]
        assert packed(place) == (place.engine == "sqlite"), "the story has one use more, no more"
        et.erase(ada, thread=ada.primary.row.key)
        assert [json.loads(text) for text in lying(place).values()] == [STORY], "its system prompt"
        assert et.verify(ada).sound


# ---- damage


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("damage", ["UPDATE packed SET data = zeroblob(99)", "DELETE FROM packed"])
def test_the_command_names_a_damaged_text(cli: Cli, damage: str) -> None:
    """`verify` ends with 1; whoever reads it is told what to do (R-33)."""
    store = cli.home / "data" / "everthread.db"
    store.parent.mkdir()
    with everthread.connect(store, background=False) as et:
        et.agent("ada").turn(STORY).done("ok")
        et.agent("bob").turn("Hello.").done("ok")
    with closing(sqlite3.connect(store)) as db, db:
        assert db.execute(damage).rowcount == 1
    answer = cli("verify")
    assert answer.code == 1
    assert "ada is not sound: 1 fault" in answer.out and "bob is sound" in answer.out
    (fault,) = cli("verify", "--agent", "ada", "--json").json["agents"][0]["faults"]
    name = body_of(STORY).hash.hex()[:16]
    assert (fault["subject"], fault["problem"]) == (name, "its content was changed or is gone")
    for said in (("context", "--agent", "ada"), ("export", "--agent", "ada")):
        refused = cli(*said)
        assert refused.code == 5
        assert f"body {name}" in refused.err and "Restore a backup" in refused.err
    assert cli("context", "--agent", "bob").code == 0
