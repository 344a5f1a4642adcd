"""Code in a message without a fence round it states nothing (A-40, LA-1)."""

from __future__ import annotations

import pytest

from everthread.domain.text.sentences import stretches
from everthread.domain.text.unfenced_code import unfenced_code

CODE = """\
from pathlib import Path

def load(place: Path, fallback: str | None = None) -> str:
    # Try the folder of the user before ours
    found = place / "garden.toml" or DEFAULT_PLACE
    if not found.exists() and fallback is not None:
        return fallback
    return found.read_text()
"""
CHANGE = """\
- limit = settings.limit or DEFAULT_LIMIT
+ limit = request.limit or settings.limit or DEFAULT_LIMIT
+ try:
+     rows = fetch(limit)
+ except TimeoutError as error:
+     rows = []
"""
SCRIPT = """\
if command -v ruff >/dev/null 2>&1; then
  ruff check src
else
  echo "ruff not found"
fi
"""
STYLE = "h1 { margin: 0 0 16px; font-weight: 700; }\nh2 { margin: 0 0 8px; }\n"


def told(text: str, *, own: bool = False) -> list[str]:
    return [text[place.start : place.end] for place in stretches(text, own=own)]


@pytest.mark.parametrize("code", [CODE, CHANGE, SCRIPT, STYLE])
@pytest.mark.parametrize("own", [False, True], ids=["an agent's", "a person's"])
def test_what_is_code_by_its_form_is_nobodys_statement(code: str, own: bool) -> None:
    before, after = (
        "The loader now looks in two places.",
        "All the tests of the loader pass with it.",
    )
    assert told(f"{before}\n\n{code}\n{after}\n", own=own) == [before, after]


@pytest.mark.parametrize(
    "line",
    [
        "db_path = request.db_path or DB_PATH",
        "assert answer.status == 200, answer.text",
        "parser = ArgumentParser(description='Looks at the backend')",
        "max_tries = asked.tries if asked.tries is not None else TRIES",
        "include_schema: $includeSchema.checked,",
        "raise ValueError(f'The place {place} is missing')",
        "@app.get('/health')",
        "const $button = document.querySelector('#send');",
        "export default function Garden() {",
        "public sealed class ItemData : ScriptableObject",
        "namespace Garden.Beds",
    ],
)
def test_a_line_of_code_alone_is_none_of_an_agents_statements(line: str) -> None:
    assert told(f"The route takes either place.\n{line}\nBoth are read once.") == [
        "The route takes either place.",
        "Both are read once.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Never call eval().",
        "The port is 8443, and DEBUG=1 turns the log on.",
        "If you want the default to be shown: set SHOW_DEFAULT.",
        "While the pump runs, bed 4 stays dry:",
        "Return the books to the library by Friday.",
        "Backend: FastAPI, frontend: plain HTML.",
        "Import the photos of the greenhouse before Sunday.",
        "Class starts at 8:30 (room 12).",
        "Try: half a litre for each pot.",
        "For the beds 3, 4 and 7: compost first.",
        "With Mel (from next week on): two keys, one lock.",
        "Print shop: 42 copies, ready on Monday (paid).",
        "Wir nehmen Port 8080 (wie bisher).",
    ],
)
@pytest.mark.parametrize("own", [False, True], ids=["an agent's", "a person's"])
def test_a_sentence_with_signs_in_it_is_said(said: str, own: bool) -> None:
    assert told(said, own=own) == [said]
    assert [*unfenced_code(said)] == []


def test_what_leads_to_code_is_said() -> None:
    lead = "Added retry logic in client.py:"
    assert told(f"{lead}\nfor _ in range(3):\n    send(request)\n") == [lead]


def test_a_line_of_code_that_a_person_types_alone_is_what_she_says() -> None:
    assert told("print(beds[4])", own=True) == ["print(beds[4])"]
