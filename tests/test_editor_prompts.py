"""Codex in an editor writes above a prompt which files are open: that is not what the person said."""

from __future__ import annotations

import json

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.editor_prompts import after_editor
from everthread.edges.harnesses.prompt_words import own_words
from support.spoken import spoken

pytestmark = pytest.mark.req("B-21", "A-13")

ABOVE = (
    "# Context from my IDE setup:\n\n## Active file: boats/berths.py\n\n## Open tabs:\n"
    "- berths.py: boats/berths.py\n- fees.py: boats/fees.py\n\n"
)
ASKED = "Never round the fees. Show the berths by their length."
ATTACHED = "# Files mentioned by the user:\n\n## plan.png: /home/kim/plan.png\n\n"


@pytest.mark.parametrize(
    "above", [ABOVE, ATTACHED, f"<annotations>\n[]\n</annotations>\n\n{ABOVE}"]
)
@pytest.mark.parametrize("mark", ["## My request for Codex:\n", "## My request for Codex: "])
def test_what_stands_below_the_mark_is_hers(above: str, mark: str) -> None:
    assert after_editor(f"{above}{mark}{ASKED}") == ASKED
    assert own_words(f"{above}{mark}{ASKED}\n") == ASKED


@pytest.mark.parametrize(
    "text",
    [
        ABOVE,
        f"{ABOVE}## My request for Codex:\n",
        "My request for Codex: show the berths.",
        f"I wrote this by hand.\n\n## My request for Codex:\n{ASKED}",
        "# My request for more time:\nmay I have a week?",
        "## Plan\n\nMy request for Sunday: no meetings.",
    ],
)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert after_editor(text) == text


def test_no_open_file_becomes_evidence_or_a_statement() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken(f"{ABOVE}## My request for Codex:\n{ASKED}"))
    digest = gleaner.digest()
    told = json.dumps([point.text for point in digest.points])
    assert "Never round the fees." in told
    assert "Open tabs" not in told
    assert "IDE" not in told
    assert not [trace for trace in digest.ledger if trace.kind == "file"]
