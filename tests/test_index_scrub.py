"""Words that were taken out of an index leave its files too, in steps: nobody waits for all of it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from everthread.store.sqlite import catalogue as module
from everthread.store.sqlite import filed_words
from everthread.store.sqlite.catalogue import SqliteCatalogue
from everthread.testing.promises.index_cards import a_filing, an_agent

TEXTS, WORDS = 3_000, 60
FIRST = 2**37

ADA = an_agent()


def noise(n: int) -> str:
    chance = random.Random(n)
    return " ".join(
        f"{chance.choice('bcdfgklmnprst')}a{chance.randrange(4_000)}" for _ in range(WORDS)
    )


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[SqliteCatalogue]:
    made = SqliteCatalogue(tmp_path / "a.db", ADA)
    made.file([a_filing(FIRST, "the quokka has agreed")], threads={})
    for at in range(1, TEXTS, 500):
        made.file([a_filing(FIRST + n, noise(n)) for n in range(at, at + 500)], threads={})
    yield made
    made.close()


def lying(catalogue: SqliteCatalogue) -> bytes:
    """All that is on disk."""
    assert catalogue._path is not None
    return b"".join(path.read_bytes() for path in catalogue._path.parent.iterdir())


def found(catalogue: SqliteCatalogue, word: str) -> list[int]:
    return [card for card, _ in catalogue.search([word], limit=9)]


@pytest.mark.req("X-2", "R-43")
def test_a_scrub_goes_in_steps_and_others_work_between(
    catalogue: SqliteCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filed_words, "MERGED", 10)
    other = SqliteCatalogue(catalogue._path, ADA)
    steps: list[int] = []

    def pause() -> None:
        steps.append(len(steps))
        if len(steps) < 5:
            other.file([a_filing(FIRST - len(steps), "a word of somebody else")], threads={})

    catalogue.withdraw([a_filing(FIRST, "the quokka has agreed")])
    assert b"uokka" in lying(catalogue)
    catalogue.scrub(pause)
    assert len(steps) > 10
    assert b"uokka" not in lying(catalogue)
    assert len(found(catalogue, "somebody")) == 4
    assert len(found(catalogue, noise(7).split()[0])) > 0
    assert catalogue.counts().cards == TEXTS + 4
    other.close()


class Killed(Exception):
    pass


@pytest.mark.req("R-43")
def test_a_scrub_that_was_stopped_is_finished_by_the_check(
    catalogue: SqliteCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue.file([a_filing(7, "a wombat to forget", "fact")], threads={})
    with monkeypatch.context() as patch:

        def killed(*_: object, **__: object) -> bool:
            raise Killed

        patch.setattr(module, "merge_step", killed)
        with pytest.raises(Killed):
            catalogue.take_out([7], scrub=True)
    catalogue.settle()
    assert found(catalogue, "wombat") == []
    assert b"ombat" in lying(catalogue)
    catalogue.check()
    assert b"ombat" not in lying(catalogue)
    merges = list[bool]()
    monkeypatch.setattr(module, "merge_step", lambda _db, *, first: merges.append(first))
    catalogue.check()
    assert merges == [], "once is enough"


@pytest.mark.req("X-2")
def test_words_whose_text_is_gone_are_looked_up_in_steps(
    catalogue: SqliteCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    plain = catalogue.read

    def counted(work: Callable[..., object]) -> object:
        reads.append(1)
        return plain(work)

    monkeypatch.setattr(catalogue, "read", counted)
    gone = [FIRST, *range(FIRST + 1, FIRST + 50)]
    assert catalogue.withdraw([a_filing(card, "") for card in gone]) == 50
    assert len(reads) > 10
    monkeypatch.undo()
    catalogue.scrub(lambda: None)
    assert b"uokka" not in lying(catalogue)
    assert catalogue.withdraw([a_filing(FIRST + n, noise(n)) for n in range(50, TEXTS)]) > 2_900
    catalogue.check()
    catalogue.scrub(lambda: None)
    for n in (1, 20, 49):
        for word in noise(n).split():
            assert set(found(catalogue, word)) <= {FIRST + TEXTS}, word


@pytest.mark.req("X-2")
def test_an_index_that_is_made_anew_meanwhile_keeps_its_new_words(
    catalogue: SqliteCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, looked = module.filed_words, list[Sequence[int]]()

    def meddled(read: filed_words.Run, ids: Sequence[int]) -> Mapping[int, str]:
        words = plain(read, ids)
        looked.append(ids)
        if len(looked) == 1:
            catalogue.discard()
            catalogue.file([a_filing(FIRST, "the wombat disagreed")], threads={})
        return words

    monkeypatch.setattr(module, "filed_words", meddled)
    assert catalogue.withdraw([a_filing(FIRST, "")]) == 1
    assert len(looked) == 2
    assert found(catalogue, "wombat") == []
    catalogue.scrub(lambda: None)
    assert b"ombat" not in lying(catalogue)
    catalogue.check()


BASES = "sys res pros agree univers gener relat bos ski dying feed cat hop troubl"
ENDS = "s es ed ing eed ness ful ation ational ment ement ion ive ize al ly ousli y e"


@pytest.mark.parametrize("seed", range(4))
def test_there_is_a_word_for_every_stem(seed: int) -> None:
    """Also for those that no dictionary has: endings upon endings."""
    chance = random.Random(seed)
    made = [
        "".join(
            [chance.choice(BASES.split()), *chance.choices(ENDS.split(), k=chance.randint(0, 3))]
        )
        for _ in range(2_000)
    ]
    db = sqlite3.connect(":memory:")
    db.execute(
        f"CREATE VIRTUAL TABLE t USING fts5 (text, content='', tokenize='{filed_words.TOKENIZER}')"
    )
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
    db.executemany("INSERT INTO t (text) VALUES (?)", [(word,) for word in made])
    terms = {term for (term,) in db.execute("SELECT term FROM v")}
    db.close()
    assert filed_words._leading_to(terms).keys() == terms
