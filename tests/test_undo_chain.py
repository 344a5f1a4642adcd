"""Undone and redone, a chain of distillations is what it was: texts, repairs and scores of later ones too."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from everthread.domain.distilling.receipts import Receipt
from everthread.domain.times import text_of
from everthread.services.distilling import view_check
from everthread.services.distilling.review import score_receipt
from everthread.services.distilling.undo import undo
from everthread.testing import FrozenClock
from support.desk import Desk, desk_in
from support.stores import ABOVE, fresh
from support.toys import ToyEmbedder

pytestmark = pytest.mark.req("R-15")

SCORED: dict[str, Any] = {"score_seconds": 30.0, "score_threshold": 99}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, **SCORED) as found:
        yield found


def thrice(desk: Desk, beside: Mapping[int, str] | None = None) -> list[str]:
    """Three distillations of words that summaries lose, so that later ones had to be mended."""
    ids: list[str] = []
    for n in range(3):
        for m in range(12 * n, 12 * n + 12):
            if m in (beside or {}):
                desk.turn((beside or {})[m], "Noted.")
            desk.turn(
                f"Bitte baue Modul mod_{m}.py mit Port {m + 7000} um. 请更新 配置_{m}。",
                f"Fertig: mod_{m}.py, {m} Tests.",
            )
        ids.append(desk.ada.distill().id)
    return ids


BRANDYWINE = "Never write to Dr. Brandywine before noon."
QUILL = "Never call Professor Quillfeather on Fridays."
STORE = "everthread.db"


class Chain(NamedTuple):
    """Three distillations that were made once, for all who begin with them."""

    folder: Path
    until: str
    ids: list[str]


def made_in(folder: Path, beside: Mapping[int, str] | None = None) -> Chain:
    with desk_in(folder, str(folder / STORE), **SCORED) as desk:
        ids = thrice(desk, beside)
        until = text_of(desk.clock.now())
    shutil.copytree(folder, kept(folder))
    return Chain(folder, until, ids)


def kept(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-kept")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    return made_in(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    """With a rule in the first, and one in the second."""
    return made_in(tmp_path_factory.mktemp("ruled"), {0: BRANDYWINE, 12: QUILL})


def again(chain: Chain) -> AbstractContextManager[Desk]:
    """A desk at it as it was made, and where: a store that lies elsewhere has files of its own."""
    shutil.rmtree(chain.folder)
    shutil.copytree(kept(chain.folder), chain.folder)
    place = str(chain.folder / STORE)
    return desk_in(chain.folder, place, clock=FrozenClock(chain.until), **SCORED)


Thriced = tuple[Desk, list[str]]


@pytest.fixture
def thriced(plain: Chain) -> Iterator[Thriced]:
    with again(plain) as found:
        yield found, plain.ids


@pytest.fixture(params=ABOVE)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@contextmanager
def stored(
    engine: str, chain: Chain, folder: Path, beside: Mapping[int, str] | None = None
) -> Generator[Thriced]:
    """That chain on one engine: a file can be copied, a server's has to be made."""
    if engine == "sqlite":
        with again(chain) as desk:
            yield desk, chain.ids
        return
    with fresh(engine, folder) as place, desk_in(folder, place.target, **SCORED) as desk:
        yield desk, thrice(desk, beside)


def told(desk: Desk) -> list[dict[str, Any]]:
    """All that the receipts tell, but for the numbers that every change moves on."""
    found: list[dict[str, Any]] = []
    for receipt in desk.ada.receipts():
        one = receipt._asdict()
        one["effects"] = [len(receipt.detail.get("effects", ()))]
        one["keys"] = sorted(receipt.detail)
        found.append({k: v for k, v in one.items() if k not in ("entry", "detail_json")})
    return found


def state(desk: Desk) -> tuple[Any, ...]:
    texts = [desk.ada.receipt(r.id).text for r in desk.ada.receipts()]
    memories = sorted((m.text, m.valid_to_ms, m.said) for m in desk.ada.memories(limit=999))
    return desk.view(), texts, told(desk), memories, desk.files


def test_a_redone_chain_is_what_it_was_with_its_repairs_and_scores(
    engine: str, plain: Chain, tmp_path: Path
) -> None:
    with stored(engine, plain, tmp_path) as (desk, ids):
        before = state(desk)
        assert any("repaired" in e for r in desk.ada.receipts()[:2] for e in r.errors)
        for name in ids:
            desk.et.undo(name)
            desk.et.redo(name)
            assert state(desk) == before
        assert desk.problems() == []


def test_undone_and_redone_one_within_the_other_it_is_what_it_was(thriced: Thriced) -> None:
    desk, (one, two, _) = thriced
    before = state(desk)
    desk.et.undo(one)
    without = state(desk)
    desk.et.undo(two)
    desk.et.redo(two)
    assert state(desk)[:2] == without[:2]
    desk.et.redo(one)
    assert state(desk) == before


@pytest.mark.parametrize("back", ["older first", "newer first"])
@pytest.mark.parametrize("taken", ["older first", "newer first"])
def test_in_whatever_order_they_are_undone_and_redone_all_is_what_it_was(
    thriced: Thriced, taken: str, back: str
) -> None:
    desk, (one, two, _) = thriced
    before = state(desk)
    for name in (one, two) if taken == "older first" else (two, one):
        desk.et.undo(name)
    for name in (one, two) if back == "older first" else (two, one):
        desk.et.redo(name)
    assert state(desk) == before


def test_what_was_undone_and_redone_in_between_changes_nothing_of_what_it_was(
    thriced: Thriced,
) -> None:
    desk, (one, two, three) = thriced
    before = state(desk)
    for name in (one, two):
        desk.et.undo(name)
    desk.et.redo(one)
    for name in (one, three):
        desk.et.undo(name)
    for name in (three, two, one):
        desk.et.redo(name)
    assert state(desk) == before


def warned(receipt: Receipt) -> list[str]:
    return [error for error in receipt.errors if error.startswith("only ")]


def test_a_later_receipt_compares_two_sizes_of_one_view(desk: Desk) -> None:
    """What an undo brings back was there before a later distillation, and is there after it."""
    ids: list[str] = []
    for n in range(3):
        for m in range(12 * n, 12 * n + 12):
            desk.turn(f"Please rebuild src/mod_{m}.py.", "It is being looked at. " * 60)
        ids.append(desk.ada.distill().id)
    stood = {r.id: r for r in desk.ada.receipts()}
    assert not any(map(warned, stood.values()))
    desk.et.undo(ids[0])
    for receipt in desk.ada.receipts():
        if receipt.id != ids[0]:
            was = stood[receipt.id]
            assert receipt.tokens_before > was.tokens_before + 1_000, "what came back"
            saved = receipt.tokens_before - receipt.tokens_after
            assert saved > (was.tokens_before - was.tokens_after) / 2
            assert not warned(receipt)
    desk.et.redo(ids[0])
    for receipt in desk.ada.receipts():
        assert receipt.tokens_before == stood[receipt.id].tokens_before


def test_a_warning_stands_once_in_a_receipt_however_often_it_is_scored(
    thriced: Thriced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_check, "FLOOR", 100)  # of so little nobody would be warned
    desk, _ = thriced
    receipt = desk.ada.receipts()[-1]
    for _ in range(3):
        assert len(warned(score_receipt(desk.et.house, desk.ada.row, receipt.ref))) == 1


@pytest.mark.parametrize("gone", [0, 1])
def test_what_is_made_anew_has_its_score_at_once(thriced: Thriced, gone: int) -> None:
    """Nobody who reads `receipt.score.kept` after an undo is left without."""
    desk, ids = thriced
    before = desk.ada.context().tokens
    done = desk.et.undo(ids[gone])
    grown = desk.ada.context().tokens - before
    assert grown == done.tokens_after - done.tokens_before, "what was mended is counted, too"
    later = [r for r in desk.ada.receipts() if r.standing and r.id in ids[gone + 1 :]]
    assert later
    for receipt in later:
        assert receipt.score is not None
        assert receipt.score.kept + receipt.score.recoverable > 0


def test_what_breaks_off_before_it_is_scored_is_scored_by_the_worker(
    thriced: Thriced, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, ids = thriced

    def nothing(*_: object, pause: object) -> None:
        """The program ended there."""

    monkeypatch.setattr("everthread.services.distilling.undo.run_score_job", nothing)
    desk.et.undo(ids[0])
    assert desk.ada.receipts()[0].score is None
    desk.work()
    assert desk.ada.receipts()[0].score is None, "whoever undid it may still be at it"
    desk.clock.forward(minutes=1)
    desk.work()
    assert desk.ada.receipts()[0].score is not None


@pytest.mark.parametrize("when", [0, 1, 2])
def test_what_was_forgotten_meanwhile_does_not_come_back(desk: Desk, when: int) -> None:
    """Whether it was said before, in or after the range that is undone."""
    ids = thrice(desk, {12 * when: BRANDYWINE})
    found = next(m for m in desk.ada.memories(limit=99) if "Brandywine" in m.text)
    desk.et.undo(ids[1])
    if desk.ada.memory(found.id).state == "kept":
        assert "Brandywine" in (desk.ada.context().summary or "")
    desk.ada.forget(found.id)
    desk.et.redo(ids[1])
    summary = desk.ada.context().summary or ""
    assert "Brandywine" not in summary
    assert "mod_27.py" in summary
    assert all("Brandywine" not in (desk.ada.receipt(name).text or "") for name in ids)


def test_what_is_redone_carries_nothing_of_one_that_was_undone_meanwhile(
    engine: str, ruled: Chain, tmp_path: Path
) -> None:
    """Its stored summary was made on top of that."""
    beside = {0: BRANDYWINE, 12: QUILL}
    with stored(engine, ruled, tmp_path, beside) as (desk, (one, two, three)):
        assert "Brandywine" in (desk.ada.receipt(two).text or "")
        desk.et.undo(two)
        desk.et.undo(one)
        assert not mentions(desk, "Brandywine")
        done = desk.et.redo(two)
        assert "Quillfeather" in (desk.ada.receipt(two).text or "")
        assert "Quillfeather" in (desk.ada.context().summary or "")
        assert not mentions(desk, "Brandywine")
        numbers = [desk.ada.receipt(name).receipt.number for name in (two, three)]
        assert done.remade == numbers
        redone = desk.ada.receipt(two).receipt
        assert redone.standing and redone.score is not None
        assert desk.problems() == []
        desk.et.redo(one)
        assert "Brandywine" in (desk.ada.receipt(two).text or "")
        assert all(word in (desk.ada.context().summary or "") for word in ("Brandywine", "Quillf"))
        assert desk.problems() == []


def test_what_is_redone_after_an_earlier_one_stands_on_that(ruled: Chain) -> None:
    one, two, _ = ruled.ids
    with again(ruled) as desk:
        desk.et.undo(one)
        desk.et.undo(two)
        desk.et.redo(one)
        desk.et.redo(two)
        assert all(word in (desk.ada.receipt(two).text or "") for word in ("Brandywine", "Quillf"))
        assert all(word in (desk.ada.context().summary or "") for word in ("Brandywine", "Quillf"))
        assert {m.text for m in desk.ada.memories(limit=999)} >= {BRANDYWINE, QUILL}
        assert desk.problems() == []


def mentions(desk: Desk, word: str) -> bool:
    """In a summary that stands, a memory or a file?"""
    standing = [r.id for r in desk.ada.receipts() if r.standing]
    texts = [desk.ada.receipt(name).text or "" for name in standing]
    texts += [desk.ada.context().summary or ""]
    texts += [m.text for m in desk.ada.memories(limit=999)]
    texts += [each.decode() for each in desk.files.values()]
    return any(word in text for text in texts)


class Counting(ToyEmbedder):
    """Counts how often it is asked for each text."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked.update(texts)
        return super().embed(texts)


def test_later_ones_that_are_made_anew_share_the_vectors_of_their_points(desk: Desk) -> None:
    """Most points are in all of them, and a vector takes longer than all else that is made of one."""
    ids = thrice(desk)
    embedder = Counting()
    house = replace(desk.et.house, embedder=embedder)
    undo(house, desk.ada.row, ids[0], dry_run=True)
    assert embedder.asked.most_common(1)[0][1] == 1
