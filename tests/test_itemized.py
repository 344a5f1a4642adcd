"""What a distillation lost is told item by item; the words are read from the messages when asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.continuity import KINDS, Item
from everthread.domain.distilling.losses import importance_of
from everthread.domain.distilling.receipts import Receipt
from everthread.services.distilling.itemize import FORGOTTEN, GONE, words_around_number
from everthread.services.distilling.stages import nothing
from everthread.services.upkeep.purge import purge
from support.commands import Cli, Here, Terminal
from support.desk import Desk, desk_in
from test_cli_distill import connected

LOST = "The wharf of step {n} is done.\nCommit abc{n:05} holds it.\nThe job id is JOB-{n}77."
"""Of so many such lines, a question without the name finds five at most."""


def lossy(desk: Desk) -> Receipt:
    """A distillation that cannot keep all: nothing is mended, and few tokens are left for a summary."""
    for n in range(25):
        desk.turn(f"Please open src/part_{n}.py and keep port 70{n:02}.", LOST.format(n=n))
    receipt = desk.ada.distill()
    assert receipt.score is not None
    assert receipt.score.lost_items
    assert receipt.score.recoverable_items
    return receipt


CHOSEN: dict[str, Any] = {
    **{"score_seconds": 20.0, "score_threshold": 0.0, "summary_tokens": 300},
    "primary_keep_days": 1,
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, **CHOSEN) as found:
        yield found


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, Receipt]]:
    """One that is only looked at."""
    with desk_in(tmp_path_factory.mktemp("scored"), **CHOSEN) as found:
        yield found, lossy(found)


@pytest.mark.req("R-16")
def test_the_score_names_each_item_that_is_lost_or_recoverable(
    scored: tuple[Desk, Receipt],
) -> None:
    desk, receipt = scored
    score = receipt.score
    assert score is not None
    for items, count in ((score.lost_items, "lost"), (score.recoverable_items, "recoverable")):
        told = {kind: sum(one.kind == kind for one in items) for kind in KINDS}
        counted = {kind: getattr(each, count) for kind, each in score.by_kind.items()}
        assert {kind: n for kind, n in told.items() if n} == {k: n for k, n in counted.items() if n}
    known = {message.id for message in desk.ada.messages(limit=999)}
    assert {one.source for one in score.lost_items} <= known


@pytest.mark.req("R-16")
def test_each_is_told_in_the_words_of_its_message(scored: tuple[Desk, Receipt]) -> None:
    desk, receipt = scored
    shown = desk.ada.receipt(receipt.id)
    texts = {message.id: message.text for message in desk.ada.messages(limit=999)}
    for item in (*shown.lost, *shown.recoverable):
        assert item.text is not None
        assert item.text in texts[item.source]
        assert item.why == ""
    assert all(item.ask is None for item in shown.lost)


@pytest.mark.req("R-16")
def test_what_is_recoverable_comes_back_by_the_question_it_is_told_with(
    scored: tuple[Desk, Receipt],
) -> None:
    desk, receipt = scored
    shown = desk.ada.receipt(receipt.id)
    asked = [item for item in shown.recoverable if item.ask is not None]
    assert asked
    for item in asked[:10]:
        assert item.text is not None and item.ask is not None
        assert item.text not in item.ask
        hits = desk.ada.recall(item.ask, limit=5)
        around = [text for hit in hits for text in (hit.text, *(m.text for m in hit.context))]
        assert any(item.text in text for text in around)


@pytest.mark.req("R-16", "LA-18")
def test_no_word_of_an_item_is_kept_in_the_receipt(scored: tuple[Desk, Receipt]) -> None:
    """What was forgotten or purged since is in no receipt."""
    desk, receipt = scored
    shown = desk.ada.receipt(receipt.id)
    stored = " ".join((receipt.score_json or "", receipt.detail_json))
    words = {item.text for item in shown.lost if item.text and len(item.text) > 4}
    assert words
    assert [word for word in words if word in stored] == []


@pytest.mark.slow
@pytest.mark.req("X-2", "R-16")
def test_items_of_messages_that_were_purged_say_so(desk: Desk) -> None:
    receipt = lossy(desk)
    desk.clock.forward(hours=25)
    assert purge(desk.et.house, nothing) > 0
    shown = desk.ada.receipt(receipt.id)
    assert {(item.text, item.why) for item in shown.lost} == {(None, GONE)}


@pytest.mark.slow
@pytest.mark.req("R-16")
def test_items_of_what_was_forgotten_say_so(desk: Desk) -> None:
    receipt = lossy(desk)
    first = desk.ada.receipt(receipt.id).lost[0]
    message = next(m for m in desk.ada.messages(limit=999) if m.id == first.source)
    kept = desk.ada.remember(message.text, sources=[message])
    desk.ada.forget(kept.id)
    now = desk.ada.receipt(receipt.id).lost[0]
    assert (now.text, now.why) == (None, FORGOTTEN)


# ---- through the door


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


def distilled_with_loss(cli: Cli) -> str:
    given = {"score_threshold": 0.0, "summary_tokens": 300, "score_seconds": 20.0}
    # By words alone: what has no vectors yet would not be told as lost.
    with connected(cli, embedder="off", **given) as engine:
        ada = engine.agent("ada")
        for n in range(25):
            asked = f"Please open src/part_{n}.py and keep port 70{n:02}."
            ada.turn(asked).done(LOST.format(n=n))
        return ada.distill().id[-8:]


@pytest.mark.req("R-16")
def test_receipts_show_lists_what_is_lost_and_what_can_be_asked_for(cli: Cli) -> None:
    name = distilled_with_loss(cli)
    found = cli("receipts", "show", name, "--json").json
    assert found["lost"] and found["recoverable"]
    assert set(found["lost"][0]) == {"kind", "text", "source", "ask", "why", "around"}
    short = cli("receipts", "show", name).out
    assert f"Lost ({len(found['lost'])})" in short
    every = cli("receipts", "show", name, "--lost").out
    assert all(item["text"] in every for item in found["lost"])
    assert "--lost lists all" not in every
    assert "--recoverable" in short
    whole = cli("receipts", "show", name, "--recoverable").out
    assert f"Recoverable ({len(found['recoverable'])})" in whole
    assert all(item["source"].replace("-", "")[-8:] in whole for item in found["recoverable"])


@pytest.mark.req("R-16")
def test_what_matters_most_leads_and_numbers_come_last_in_their_words(cli: Cli) -> None:
    """A bare figure out of some output tells nobody what was lost."""
    given = {"score_threshold": 0.0, "summary_tokens": 300, "score_seconds": 20.0}
    with connected(cli, embedder="off", **given) as engine:
        ada = engine.agent("ada")
        for n, shelf in enumerate("abcdefghijklmnopqrstuvwxy"):
            with ada.turn(f"Please look at part {n}.") as turn:
                call = {"type": "tool_use", "id": f"c{n}", "name": "run", "input": {"n": n}}
                turn.add({"role": "assistant", "content": [call]})
                used = f"Mem use of shelf {shelf}: {n * 77 + 1013}"
                turn.tool_result(f"c{n}", f"gauge {n}\n{n + 0.35}\n{used}")
                turn.done(LOST.format(n=n))
        receipt = ada.distill()
        lost = ada.receipt(receipt.id).lost
    kinds = [item.kind for item in lost]
    assert "numbers" in kinds and len({*kinds}) > 1
    assert kinds == sorted(kinds, key=importance_of)
    assert all(item.around is None for item in lost if item.kind != "numbers")
    for item in lost:
        if item.kind == "numbers":
            assert item.text is not None and item.around is not None
            assert item.text in item.around and len(item.around) > len(item.text)
    out = cli("receipts", "show", receipt.id, env={"COLUMNS": "200"}).out
    more = len(lost) - 20
    assert more > 0 and re.search(rf"and {more} more \(.*numbers\): --lost lists all", out)


def test_a_number_alone_on_its_line_is_told_with_the_line_before() -> None:
    alone = Item("numbers", "17", "17", b"k" * 16, "", "The gauge of shelf four reads")
    assert words_around_number(alone) == "The gauge of shelf four reads 17"
    among = Item("numbers", "17", "row 17 is dry", b"k" * 16, "", "The gauge reads")
    assert words_around_number(among) == "row 17 is dry"


@pytest.mark.req("R-16")
def test_a_secret_in_the_words_round_a_number_is_not_told() -> None:
    """Though what names it as one is cut off."""
    before = f"the password: Tr0ub4dor&3xyz {'word ' * 12}".strip()
    shown = words_around_number(Item("numbers", "48213", "48213", bytes(16), "", before))
    assert shown is not None and "48213" in shown and "Tr0ub4dor" not in shown


@pytest.mark.req("R-16")
@pytest.mark.parametrize(("share", "told"), [(0.0, True), (100.0, False)])
def test_a_loss_within_the_share_is_told_as_such(cli: Cli, share: float, told: bool) -> None:
    name = distilled_with_loss(cli)
    out = cli("receipts", "show", name, env={"EVERTHREAD_SCORE_THRESHOLD": str(share)}).out
    assert ("within the 100 % that may be lost" in out) == told


@pytest.mark.req("R-16")
@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_what_is_lost_fits(cli: Cli, width: int) -> None:
    name = distilled_with_loss(cli)
    words = ["receipts", "show", name, "--recoverable"]
    code, shown = Terminal(words, cli.env, cli.home, width).end()
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "Lost (" in plain
    assert max(len(line.rstrip()) for line in plain.splitlines()) <= width
