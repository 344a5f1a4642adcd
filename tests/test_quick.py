"""The quick run: which files it takes, and that tests wait for no disk where there is memory."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import everthread
from everthread.domain.gleaning import point_changes
from everthread.domain.memory import contradictions
from support import memory_disk, ready_pairs, ready_stores, sheaves, tidings

TESTS = Path(__file__).resolve().parent
LISTED = [
    line for line in (TESTS / "quick").read_text().splitlines() if line and not line.startswith("#")
]
HEAVY = (
    "import anthropic",
    "import openai",
    "import schemathesis",
    "model_clients",
    "support.desk",
)


def test_the_quick_run_takes_files_that_are_there_each_once() -> None:
    assert sorted(set(LISTED)) == LISTED
    assert [name for name in LISTED if not (TESTS / name).is_file()] == []


@pytest.mark.parametrize("name", LISTED)
def test_a_file_of_the_quick_run_loads_nothing_heavy(name: str) -> None:
    text = (TESTS / name).read_text()
    assert [word for word in HEAVY if word in text] == []


def test_whoever_names_a_place_for_temporary_files_is_heeded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    memory_disk.use()
    assert tempfile.gettempdir() == str(tmp_path)


def test_memory_is_used_only_where_there_is_enough_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scarce = tmp_path / "meminfo"
    scarce.write_text("MemTotal: 9000000 kB\nMemAvailable:    1000000 kB\n")
    monkeypatch.setattr(memory_disk, "MEMORY", scarce)
    assert not memory_disk.suits(tmp_path)
    assert not memory_disk.suits(tmp_path / "none")
    monkeypatch.setattr(memory_disk, "ROOM", 1_000)
    assert memory_disk.suits(tmp_path) == (not os.statvfs(tmp_path).f_flag & os.ST_NOEXEC)


def test_a_copied_store_is_what_the_migrations_make(tmp_path: Path) -> None:
    """`ready_stores` spares the tests that way; what people get is migrated."""
    told: list[list[object]] = []
    for begin in (ready_stores.forgo, ready_stores.use):
        begin()
        place = tmp_path / begin.__name__
        everthread.connect(place, background=False).close()
        connection = sqlite3.connect(place)
        tables = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        kept = ("auto_vacuum", "journal_mode", "application_id", "user_version", "page_size")
        values = [connection.execute(f"PRAGMA {name}").fetchone() for name in kept]
        told.append([*tables.fetchall(), *values])
        connection.close()
    assert told[0] == told[1] and len(told[0]) > 100


def test_what_is_known_of_two_statements_is_what_would_be_found_out() -> None:
    """`ready_pairs` spares the tests that way; those who compare the points of a distillation ask there."""
    assert point_changes.contradicts is contradictions.contradicts
    pairs = [
        ("The port is 8081.", "The port is 8080."),
        ("The port is 8080.", "The port is 8080."),
        ("We use tabs over spaces.", "We use spaces over tabs."),
        ("The cat sleeps.", "The port is 8080."),
    ]
    known = [point_changes.contradicts(*pair) for pair in pairs]
    before = ready_pairs.known().hits
    assert [point_changes.contradicts(*pair) for pair in pairs] == known
    assert ready_pairs.known().hits == before + len(pairs)
    assert [ready_pairs.REAL(*pair) for pair in pairs] == known == [True, False, True, False]


def test_the_costs_of_a_file_are_told(tmp_path: Path) -> None:
    busy = "import time\ndef test_it():\n    while time.process_time() < 0.2: pass\n"
    (tmp_path / "test_busy.py").write_text(busy)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "support.costs", "--costs", "."]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        # Loading the plugins that are not in question takes longer than the run.
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "test_busy.py" in done.stdout and "in all" in done.stdout


def test_the_short_tests_of_a_file_go_to_one_worker_together() -> None:
    """And all others test by test: a file of long ones would keep one worker busy to the end."""
    assert sheaves.short_files() == {f"tests/{name}" for name in LISTED}
    assert sheaves.bundle("tests/test_words.py::test_it[a::b]") == "tests/test_words.py"
    alone = "tests/test_distill.py::test_it"
    assert sheaves.bundle(alone) == alone
    assert sheaves.bundle(f"{alone}[a]") == sheaves.bundle(f"{alone}[b[c]]") == alone


def test_the_number_of_a_test_is_where_it_stands() -> None:
    names = [f"tests/test_it.py::test_{n % 4}" for n in range(6)]
    numbered = sheaves.Numbered(names)
    assert numbered == names
    assert [numbered.index(name) for name in names] == [names.index(name) for name in names]
    with pytest.raises(LookupError):
        numbered.index("another")


@pytest.mark.parametrize(
    "file",
    ["tests/test_undo_scores.py", "tests/test_mcp_faults.py", "tests/test_verify_removed.py"],
)
def test_what_a_file_makes_for_all_of_its_tests_is_made_by_one_worker(file: str) -> None:
    """By a fixture of its own, by a daemon that all of them ask, or by a store that each gets a copy of."""
    assert file not in sheaves.short_files()
    assert sheaves.bundle(f"{file}::test_it[a]") == file


def test_whatever_goes_wrong_is_told_by_the_worker(tmp_path: Path) -> None:
    """In the test, before it or after it; of what went well, that it did."""
    (tmp_path / "test_all.py").write_text(
        """import pytest

@pytest.fixture
def before(): assert False, "before it"

@pytest.fixture
def after():
    yield
    assert False, "after it"

def test_well(): pass
def test_begun(before): pass
def test_wrong(): assert False, "in it"
def test_left(after): pass
@pytest.mark.skip(reason="not here")
def test_skipped(): pass
"""
    )
    options = ("-q", "-rs", "-p", "support.tidings", "-p", "no:cacheprovider", "-n", "1")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-c", os.devnull, tmp_path],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in done.stdout
    assert all(why in done.stdout for why in ("before it", "in it", "after it", "not here"))


def test_what_went_well_around_a_test_is_no_news() -> None:
    def told(when: str, outcome: str, *noted: object) -> bool:
        data = {"when": when, "outcome": outcome, "user_properties": [*noted]}
        return tidings.is_news("testreport", {"data": data})

    assert not told("setup", "passed") and not told("teardown", "passed")
    assert told("call", "passed") and told("teardown", "passed", ("cpu_seconds", 1.0))
    assert told("setup", "failed") and told("setup", "skipped") and told("teardown", "failed")
    assert not tidings.is_news("logstart", {}) and tidings.is_news("logfinish", {})
