"""What every test has at hand."""

import os
import tempfile

pytest_plugins = ["support.skips"]

# No test writes to the home folder of whoever runs it: neither settings nor an agent's files.
os.environ["EVERTHREAD_HOME"] = tempfile.mkdtemp(prefix="everthread-home-")
