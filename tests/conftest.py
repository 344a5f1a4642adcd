"""What every test has at hand."""

import atexit
import gc
import os
import shutil
import signal
import tempfile

import pytest

from support import chance, memory_disk, ready_stores

chance.use()
memory_disk.use()
ready_stores.use()

pytest_plugins = ["support.costs", "support.skips"]

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
