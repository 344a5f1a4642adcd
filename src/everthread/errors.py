"""The errors that Everthread raises on purpose, for `except` clauses: `everthread.errors.ThreadBusy`."""

from everthread.domain.errors import *  # noqa: F403 - the whole of it is public
