"""`make trace` tells which tests show which requirement."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

REQUIREMENTS = """
# Requirements

| id | requirement | state |
|---|---|---|
| A-1 | Threads go on. | built |
| A-2 | Threads | have bars. | built |
| A-3 | Threads end. | partly |
| A-4 | Threads sing. | planned |
| LA-1 | A lesson. | built |
| R-10 | A decision. | built |
"""

TESTS = '''
"""About threads: R-10."""
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.req("LA-1")]

class TestThreads:
    """A-1 … A-2, not UTF-8 and not BA-4."""

    @pytest.mark.req("A-2", "A-3")
    def test_marked(self):
        """Says nothing."""
        nothing = "A-4"

    def helper(self):
        """A-4 is not shown by a helper."""

async def test_async():
    """A-1…A-3"""
'''


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "support").mkdir(parents=True)
    (tmp_path / "docs" / "requirements.md").write_text(REQUIREMENTS)
    (tmp_path / "tests" / "test_threads.py").write_text(TESTS)
    (tmp_path / "tests" / "support" / "tool.py").write_text('"""Helps with A-4."""\n')
    return tmp_path


def trace(root: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "trace.py"), "--root", str(root), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_docstrings_marks_and_ranges_are_read(repository: Path):
    code, output = trace(repository, "--json", "--strict")
    shown = json.loads(output)
    tests = {name: entry["tests"] for name, entry in shown["requirements"].items()}
    module = "tests/test_threads.py"
    assert tests == {
        "A-1": [f"{module}::TestThreads", f"{module}::test_async"],
        "A-2": [
            f"{module}::TestThreads",
            f"{module}::TestThreads::test_marked",
            f"{module}::test_async",
        ],
        "A-3": [f"{module}::TestThreads::test_marked", f"{module}::test_async"],
        "A-4": [],
        "LA-1": [module],
        "R-10": [module],
    }
    assert shown["uncovered"] == {"built": [], "partly": [], "planned": ["A-4"]}
    assert shown["unknown"] == {}
    assert code == 0


def test_the_listing_names_state_and_tests_and_then_what_is_uncovered(repository: Path):
    code, output = trace(repository)
    assert code == 0
    assert "A-1     built    → tests/test_threads.py::TestThreads\n" in output
    assert "A-4     planned  → -\n" in output
    assert "planned, and no test names them: 1\n  A-4" in output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("| A-5 | New. | built |\n", "built, and no test names them: 1\n  A-5"),
        ("| A-5 | New. | partly |\n", None),
    ],
    ids=["built", "partly"],
)
def test_strict_minds_what_is_built_and_not_shown(repository: Path, change: str, said: str | None):
    (repository / "docs" / "requirements.md").write_text(REQUIREMENTS + change)
    code, output = trace(repository, "--strict")
    assert code == (1 if said else 0)
    assert said is None or said in output
    assert trace(repository)[0] == 0


def test_strict_minds_an_id_that_nobody_wrote_down(repository: Path):
    (repository / "tests" / "test_more.py").write_text('def test_it():\n    """X-99"""\n')
    code, output = trace(repository, "--strict")
    assert code == 1
    assert "X-99: tests/test_more.py::test_it" in output


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| A-9 | Odd. | done |\n", "A-9 is 'done', not one of built, partly, planned"),
        ("| A-1 | Again. | built |\n", "A-1 is there twice"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(repository: Path, row: str, said: str):
    (repository / "docs" / "requirements.md").write_text(REQUIREMENTS + row)
    code, output = trace(repository)
    assert code == 1
    assert said in output


def test_everything_built_in_this_repository_is_shown_by_a_test():
    code, output = trace(ROOT, "--json", "--strict")
    shown = json.loads(output)
    assert shown["uncovered"]["built"] == []
    assert shown["unknown"] == {}
    assert code == 0
