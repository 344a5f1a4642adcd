"""A skip that is not listed, or not true, turns the run red."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import skips

pytestmark = pytest.mark.slow  # the quick loop leaves it out; `make test` does not

PROBES = """
from support.skips import PROBES
PROBES["unicorn"] = lambda: "none was ever seen"
PROBES["air"] = lambda: None
PROBES["ghost"] = lambda: "nobody listed it"
pytest_plugins = ["support.skips"]
"""

ALLOWED = """
# a comment
unicorn: an animal; most machines lack one
air: what we breathe  # missing in space
mystery: has no probe
"""


class Project:
    """A throw-away project that loads the plugin."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tests = root / "tests"
        (self.tests / "support").mkdir(parents=True)
        shutil.copy(skips.__file__, self.tests / "support" / "skips.py")
        (root / "pytest.ini").write_text("[pytest]\npythonpath = tests\n")
        (self.tests / "conftest.py").write_text(PROBES)
        (self.tests / "allowed_skips").write_text(ALLOWED)

    def run(self, code: str, *options: str) -> tuple[int, str]:
        (self.tests / "test_it.py").write_text(code)
        (self.tests / "test_other.py").write_text("def test_other(): pass\n")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *options],
            cwd=self.root,
            # Loading the plugins that are not in question takes longer than the run.
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


WAYS = pytest.mark.parametrize(
    "way",
    [
        pytest.param((), id="one process"),
        pytest.param(("-n", "2"), id="two workers", marks=pytest.mark.slow),
    ],
)


@WAYS
def test_a_listed_thing_that_is_missing_is_skipped_loudly(project: Project, way: tuple[str, ...]):
    code, output = project.run(
        "from support.skips import needs\ndef test_it(): needs('unicorn'); assert False\n", *way
    )
    assert code == 0, output
    assert "NOT RUN" in output
    assert "test_it.py::test_it: needs unicorn: none was ever seen" in output


@WAYS
def test_a_skip_for_an_unlisted_thing_turns_the_run_red(project: Project, way: tuple[str, ...]):
    code, output = project.run(
        "from support.skips import needs\ndef test_it(): needs('ghost')\n", *way
    )
    assert code == 1, output
    assert "test_it.py::test_it: ghost is not listed in tests/allowed_skips" in output


@WAYS
def test_a_skip_for_a_listed_thing_that_is_there_turns_the_run_red(
    project: Project, way: tuple[str, ...]
):
    code, output = project.run(
        "import pytest\ndef test_it(): pytest.skip('needs air: I felt like it')\n", *way
    )
    assert code == 1, output
    assert "skipped for want of air, but it is there" in output


WITHOUT_NEEDS = {
    "in_the_test": "import pytest\ndef test_it(): pytest.skip('no time')\n",
    "by_a_mark": "import pytest\n@pytest.mark.skip(reason='no time')\ndef test_it(): pass\n",
    "whole_module": "import pytest\npytest.skip('no time', allow_module_level=True)\n",
    "in_a_fixture": "import pytest\n@pytest.fixture\n"
    "def it(): pytest.skip('no time')\ndef test_it(it): pass\n",
    "unittest": "import unittest\nclass TestIt(unittest.TestCase):\n"
    "    def test_it(self): self.skipTest('no time')\n",
}


@WAYS
def test_a_skip_without_needs_turns_the_run_red(project: Project, way: tuple[str, ...]):
    for name, code in WITHOUT_NEEDS.items():
        (project.tests / f"test_{name}.py").write_text(code)
    status, output = project.run("def test_it(): pass\n", *way)
    assert status == 1, output
    told = [line for line in output.splitlines() if "skipped without `needs(...)`: no time" in line]
    assert len(told) == len(WITHOUT_NEEDS), output
    assert all(any(f"test_{name}.py" in line for line in told) for name in WITHOUT_NEEDS), output


def test_a_listed_thing_without_a_probe_turns_the_run_red(project: Project):
    code, output = project.run(
        "import pytest\ndef test_it(): pytest.skip('needs mystery: whatever')\n"
    )
    assert code == 1, output
    assert "mystery has no probe" in output


def test_asking_for_a_thing_nobody_can_probe_is_an_error_in_the_test(project: Project):
    code, output = project.run(
        "from support.skips import needs\ndef test_it(): needs('unheard-of')\n"
    )
    assert code == 1, output
    assert "no probe for 'unheard-of'" in output


def test_a_whole_module_can_need_a_thing(project: Project):
    code, output = project.run("from support.skips import needs\nneeds('unicorn')\n")
    assert code == 0, output
    assert "test_it.py: needs unicorn: none was ever seen" in output


def test_a_thing_that_is_there_lets_the_test_run(project: Project):
    code, output = project.run("from support.skips import needs\ndef test_it(): needs('air')\n")
    assert code == 0, output
    assert "2 passed" in output


def test_an_expected_failure_is_not_a_skip(project: Project):
    code, output = project.run("import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\n")
    assert code == 0, output


def test_a_line_that_gives_no_reason_is_refused():
    with pytest.raises(ValueError, match="allowed_skips:2"):
        skips.listed("# fine\nunicorn\n")


def test_everything_listed_can_be_probed_and_the_other_way_round():
    assert sorted(skips.listed(skips.LIST.read_text())) == sorted(skips.PROBES)
