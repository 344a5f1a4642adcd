"""What a person sees on a terminal of any width: ids and figures whole, texts that go on below themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import everthread
from support.commands import Here, Installed

WIDTHS = (60, 80, 120, 200)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SAID = (
    "The staging database runs on port 5433.",
    "会议改到星期五下午三点，请记住这个时间，并且通知所有的参加者。",
    "🎉 The launch party 👩‍👩‍👧‍👦 is on 2026-12-01 🚀",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk" * 4,
    "/very/long/" + "directory_name/" * 14 + "file.py",
)


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    made = Here(tmp_path, monkeypatch, capsys)
    monkeypatch.setitem(made.env, "EVERTHREAD_EMBEDDER", "off")
    return made


@pytest.fixture
def known(here: Here) -> dict[str, str]:
    """A store in which much was said; what its ids are."""
    path = here.home / "data" / "everthread.db"
    path.parent.mkdir()
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        for n in range(30):
            ada.turn(f"{SAID[n % len(SAID)]} ({n})").done(f"Noted {n}.")
        memory = ada.remember(
            "The port of staging is 5433", tags=["数据库", "a-long-name-of-a-tag"]
        )
        receipt = ada.distill()
        session = ada.sessions()[0]
    return {
        "memory": memory.id[-8:],
        "receipt": receipt.id[-8:],
        "session": session.id,
        "path": str(path),
    }


def shown(here: Here, width: int, *words: str) -> list[str]:
    code, text = here.on_terminal(width, *words)
    assert code in (0, 1), text  # doctor may find something
    return [COLOURS.sub("", line) for line in text.split("\n")]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_terminal(here: Here, known: dict[str, str], width: int) -> None:
    for words in (
        ("status",),
        ("doctor",),
        ("receipts",),
        ("sessions", "show", known["session"], "--limit", "12"),
        ("recall", "--explain", "staging port party 会议"),
        ("memories", "list"),
    ):
        wide = [line for line in shown(here, width, *words) if cell_len(line) > width]
        assert not wide, words


@pytest.mark.parametrize("width", WIDTHS)
def test_ids_and_figures_are_whole(here: Here, known: dict[str, str], width: int) -> None:
    receipts = shown(here, width, "receipts")
    assert receipts[1].startswith(f"{known['receipt']}  ")
    assert "…" not in receipts[0] + receipts[1]
    assert "kept/rec./lost %" in receipts[0]
    assert any(known["memory"] in line for line in shown(here, width, "memories", "list"))
    parts = "\n".join(shown(here, width, "recall", "--explain", "staging port"))
    assert re.search(r"^words +\+0\.\d{3}  it has words", parts, re.MULTILINE)
    assert "…" not in parts


@pytest.mark.parametrize("width", WIDTHS)
def test_what_doctor_says_goes_on_below_itself(
    here: Here, known: dict[str, str], width: int
) -> None:
    lines = [line.rstrip() for line in shown(here, width, "doctor")]
    marked = [line for line in lines[: lines.index("")] if line]
    assert all(line.startswith(("fine  ", "look  ", "      ")) for line in marked)
    if len(known["path"]) <= width - 6:
        assert any(known["path"] in line for line in lines), "a path can be copied"


def test_piped_each_finding_is_one_line(here: Here, known: dict[str, str]) -> None:
    lines = here("doctor").out.splitlines()
    assert f"fine  store          can be read and written: {known['path']}" in lines


def test_our_own_signs_are_readable_where_only_ascii_is(here: Here, known: dict[str, str]) -> None:
    ascii_only = {**here.env, "PYTHONIOENCODING": "ascii"}
    told = Installed(here.home)("receipts", env=ascii_only).out
    assert re.search(r"\d -> \d", told) and "?" not in told
    told = Installed(here.home)("messages", "--limit", "2", env=ascii_only).out
    assert "\n... there are more than these" in told
