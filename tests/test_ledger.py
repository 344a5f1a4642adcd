"""The ledger of a distillation tells what became of each thing last."""

from __future__ import annotations

from itertools import count

import pytest

from everthread.domain.gleaning.ledger import Ledger
from everthread.domain.text.specifics import Specific
from support.spoken import called

pytestmark = pytest.mark.req("A-6")


@pytest.mark.parametrize(
    ("deeds", "told"),
    [
        (["created", "edited"], "created, then edited"),
        (["created", "edited", "edited", "read"], "created, then edited"),
        (["created", "edited", "deleted"], "deleted"),
        (["deleted", "created"], "created"),
        (["created", "read", "created"], "created"),
        (["edited", "read"], "edited"),
        (["edited", "failed: no such file"], "edited"),
        (["read", "failed: no such file"], "failed: no such file"),
        (["failed: no such file", "read"], "failed: no such file"),
        (["failed: no such file", "edited"], "edited"),
        (["read", "read"], "read"),
        (["created", ""], "created"),
    ],
)
def test_a_file_is_told_with_its_newest_change(deeds, told):
    ledger, numbers = Ledger(), count(1)
    for deed in deeds:
        message = called("edit", n=next(numbers), path="a/b.py")
        ledger.add(Specific("file", "a/b.py", "edit a/b.py", deed), message)
    (trace,) = ledger
    assert (trace.note, trace.times) == (told, len(deeds))
