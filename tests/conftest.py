"""What every test has at hand."""

import atexit
import os
import shutil
import tempfile

from support import memory_disk

memory_disk.use()

pytest_plugins = ["support.costs", "support.skips"]

# No test writes to the home folder of whoever runs it: neither settings nor an agent's files.
HOME = tempfile.mkdtemp(prefix="everthread-home-")
os.environ["EVERTHREAD_HOME"] = HOME
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
