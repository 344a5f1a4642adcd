"""What was distilled is sealed: a receipt, a summary or its text cannot be changed unseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from support.stores import EACH, Place, fresh, furnished

FORGERIES = {
    "a receipt's outcome": ("receipt", "UPDATE receipts SET outcome = 'degraded'"),
    "a receipt's number": ("receipt", "UPDATE receipts SET number = 9"),
    "a receipt's size": ("receipt", "UPDATE receipts SET tokens_after = 1"),
    "a receipt's score": ("receipt", "UPDATE receipts SET score = NULL"),
    "a receipt's errors": ("receipt", "UPDATE receipts SET errors = '[\"x\"]'"),
    "what a receipt did": ("receipt", "UPDATE receipts SET detail = '{}'"),
    "when a summary ends": ("summary", "UPDATE summaries SET until_version = 99"),
    "a summary's size": ("summary", "UPDATE summaries SET tokens = 1"),
    "which text it has": ("summary", "UPDATE summaries SET text_hash = digest_hash"),
}


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def connected(place: Place, tmp_path: Path) -> everthread.Everthread:
    settings = everthread.Settings(
        workspace=str(tmp_path / "files"), score_seconds=0.0, recall="off"
    )
    return everthread.connect(place.target, background=False, settings=settings)


@pytest.fixture(params=EACH)
def distilled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A store with one distillation, and without what guards its rows."""
    with furnished(request.param, tmp_path, distil) as found:
        yield found


def distil(place: Place, folder: Path) -> None:
    with connected(place, folder) as et:
        ada = et.agent("ada", window=20_000)
        for n in range(30):
            reply = "I did. " + "All is well there, as it was before. " * 8
            ada.turn(f"Always keep module {n} as it is. Look at src/part{n}.py.").done(reply)
        assert ada.distill().standing
    place.without_triggers()


@pytest.mark.req("R-33")
def test_verify_names_a_changed_receipt_or_summary(distilled: Place, tmp_path: Path) -> None:
    for kind, forgery in FORGERIES.values():
        table = "receipts" if kind == "receipt" else "summaries"
        column = forgery.split(" SET ")[1].split(" = ")[0]
        ((before, ident),) = distilled.raw(f"SELECT {column}, id FROM {table}")
        distilled.raw(forgery)
        with connected(distilled, tmp_path) as et:
            faults = et.verify("ada").faults
            changed = [fault for fault in faults if fault.problem == "the row was changed"]
            assert [fault.event.partition(".")[0] for fault in changed] == [kind], forgery
            assert changed[0].subject.replace("-", "") == bytes(ident).hex()
        distilled.raw(f"UPDATE {table} SET {column} = :before", before=before)
    with connected(distilled, tmp_path) as et:
        assert et.verify("ada").faults == [], "put back, all is as it was"


@pytest.mark.req("R-33")
@pytest.mark.parametrize("table", ["receipts", "summaries"])
def test_verify_misses_a_removed_row(distilled: Place, tmp_path: Path, table: str) -> None:
    distilled.raw(f"DELETE FROM {table}")
    with connected(distilled, tmp_path) as et:
        assert "the row was removed" in repr(et.verify("ada").faults)


@pytest.mark.req("R-33")
def test_verify_names_a_changed_text_of_a_summary(distilled: Place, tmp_path: Path) -> None:
    distilled.raw(
        "UPDATE bodies SET content = 'forged' WHERE hash IN (SELECT text_hash FROM summaries)"
    )
    with connected(distilled, tmp_path) as et:
        assert "body" in repr(et.verify("ada").faults)


@pytest.mark.req("R-33")
def test_verify_names_a_summary_that_was_moved_to_another_thread(
    distilled: Place, tmp_path: Path
) -> None:
    with connected(distilled, tmp_path) as et:
        et.agent("ada").thread("other", kind="background")
    distilled.raw("UPDATE summaries SET thread_id = (SELECT max(thread_id) FROM threads)")
    with connected(distilled, tmp_path) as et:
        told = {(fault.event, fault.problem) for fault in et.verify("ada").faults}
    assert ("summary", "it names a receipt that is not there, or that is of another thread") in told


@pytest.mark.req("R-33")
def test_verify_names_a_view_that_was_put_back_to_an_older_version(
    distilled: Place, tmp_path: Path
) -> None:
    """All that was distilled since would be sent again as it was said."""
    distilled.raw("UPDATE threads SET view_version = view_version - 1")
    with connected(distilled, tmp_path) as et:
        (fault,) = et.verify("ada").faults
    assert (fault.event, fault.problem) == ("thread", "its view is older than what was made of it")


@pytest.mark.req("A-56")
def test_the_database_itself_refuses_to_delete_a_receipt(place: Place, tmp_path: Path) -> None:
    with connected(place, tmp_path) as et:
        ada = et.agent("ada", window=20_000)
        for n in range(30):
            ada.turn(f"Always keep module {n} as it is.").done("I will.")
        receipt = ada.distill()
        with pytest.raises(Exception, match="everthread: receipts of a lasting thread"):
            place.raw("DELETE FROM receipts")
        assert [found.id for found in ada.receipts()] == [receipt.id]


@pytest.mark.req("R-33")
@pytest.mark.parametrize("column", ["text", "sources", "verdict"])
def test_verify_names_a_changed_sentence(distilled: Place, tmp_path: Path, column: str) -> None:
    distilled.raw(f"UPDATE summary_sentences SET {column} = '[\"forged\"]' WHERE n = 1")
    with connected(distilled, tmp_path) as et:
        [fault] = et.verify("ada").faults
        assert fault.event.startswith("summary.")
        assert fault.problem == "the row was changed"
