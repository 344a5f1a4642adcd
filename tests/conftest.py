"""What every test has at hand."""

import atexit
import gc
import itertools
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.tmpdir import tmppath_result_key

from support import chance, memory_disk, ready_model, ready_pairs, ready_stores

chance.use()
memory_disk.use()
ready_model.use()
ready_pairs.use()
ready_stores.use()

pytest_plugins = ["support.costs", "support.sheaves", "support.skips", "support.tidings"]

NUMBERS = itertools.count()

# No test writes to the home folder of whoever runs it: neither settings nor an agent's files.
HOME = tempfile.mkdtemp(prefix="everthread-home-")
os.environ["EVERTHREAD_HOME"] = HOME
atexit.register(shutil.rmtree, HOME, ignore_errors=True)

# Who runs the tests in the background has interrupts ignored, and so would every command that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    """What is loaded and collected stays until the end: to look for garbage in it takes minutes."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def tmp_path(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """As pytest's own, which reads the names of all folders of the run to find the next number."""
    name = re.sub(r"\W", "_", request.node.name)[:26]
    folder = tmp_path_factory.getbasetemp() / f"{name}_{next(NUMBERS)}"
    folder.mkdir(mode=0o700)
    yield folder
    if request.node.stash[tmppath_result_key].get("call", True):
        shutil.rmtree(folder, ignore_errors=True)
