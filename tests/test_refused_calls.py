"""A call that the person refused, or stopped, has not failed."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.ledger import Ledger
from everthread.domain.text.refused_calls import REFUSED, STOPPED, refusal_note
from everthread.domain.text.specifics import Specifics
from support.spoken import called, resulted

pytestmark = pytest.mark.req("A-6", "LD-17")

CLAUDE = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to "
    "tell you how to proceed."
)


@pytest.mark.parametrize(
    ("printed", "note"),
    [
        (CLAUDE, REFUSED),
        ("The user doesn't want to take this action right now. STOP what you are doing.", REFUSED),
        ("[Request interrupted by user for tool use]", REFUSED),
        ("exec command rejected by user", REFUSED),
        ("[Operation Cancelled] Reason: User did not allow tool call", REFUSED),
        ("The user rejected permission to use this specific tool call.", REFUSED),
        ("Error: The user rejected permission to use this specific tool call.", REFUSED),
        ("[Request interrupted by user]", STOPPED),
        ("aborted by user after 3.2s", STOPPED),
        ("Wall time: 3.2 seconds\naborted by user", STOPPED),
        ("Command was cancelled by user before it could complete. Below is the output", STOPPED),
        ("<error>Command was aborted before completion</error>", STOPPED),
        ("", ""),
        ("rejected by upstream: 403", ""),
        ("error: login rejected by user database", ""),
        ("14 passed\nThe user doesn't want to proceed with this tool use.", ""),
        ("Transaction aborted due to a deadlock", ""),
        ("users: 3", ""),
    ],
)
def test_the_fixed_texts_of_harnesses_are_known(printed, note):
    assert refusal_note(printed) == note


def ledger_of(*messages) -> dict[str, str]:
    ledger, specifics = Ledger(), Specifics()
    for message in messages:
        for found in specifics.read(message):
            ledger.add(found, message)
    return {trace.text: trace.note for trace in ledger}


def test_the_ledger_says_who_would_not_have_it():
    told = ledger_of(
        called("Bash", n=1, command="npm run dev"), resulted(CLAUDE, n=1, is_error=True)
    )
    assert told == {"npm run dev": REFUSED}


def test_a_command_that_is_allowed_later_is_no_longer_refused():
    told = ledger_of(
        called("Bash", n=1, command="npm run dev"),
        resulted(CLAUDE, n=1, is_error=True),
        called("Bash", n=3, command="npm run dev"),
        resulted("ready in 300 ms", n=3, is_error=False),
    )
    assert told["npm run dev"] == "ok"


def test_a_refused_edit_is_not_told_as_an_edit():
    refusal = (
        called("Edit", n=1, file_path="src/a.py", old_string="x", new_string="y"),
        resulted(CLAUDE, n=1, is_error=True),
    )
    assert ledger_of(*refusal) == {"src/a.py": REFUSED}


def test_an_edit_before_the_refused_one_stands():
    told = ledger_of(
        called("Edit", n=1, file_path="src/a.py", old_string="x", new_string="y"),
        resulted("The file src/a.py has been updated.", n=1),
        called("Edit", n=3, file_path="src/a.py", old_string="y", new_string="z"),
        resulted(CLAUDE, n=3, is_error=True),
    )
    assert told == {"src/a.py": "edited"}


def test_what_a_tool_says_went_well_was_not_refused():
    """A tool that prints such a text, and ends well, is believed about its end."""
    told = ledger_of(
        called("Bash", n=1, command="cat notes.txt"), resulted(CLAUDE, n=1, is_error=False)
    )
    assert told["cat notes.txt"] == "ok"
