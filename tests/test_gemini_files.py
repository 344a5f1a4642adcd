"""Who names a file with `@` in Gemini CLI says its name; the client puts what stands in it behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everthread.edges.harnesses.gemini import Gemini

TYPED = "Follow @docs/rules.md and rename the parser."
HEADER, FOOTER = "\n--- Content from referenced files ---", "\n--- End of content ---"
FILES = ["\nContent from @docs/rules.md:\n", "Always write in British English."]
NUDGE = (
    "\n<system_note>\nThe user has explicitly selected the following agent(s): reviewer. Please use "
    "the following tool(s) to delegate the task: 'reviewer'.\n</system_note>\n"
)
GIVEN = "<hook_context>Kept by Everthread</hook_context>\n\n"


def heard(prompt: str) -> str | None:
    told = {"session_id": "s-1", "cwd": "/home/ada/project", "prompt": prompt}
    happening = Gemini().parse("BeforeAgent", told, {})
    assert happening is not None and happening.human
    return happening.text


def written(folder: Path, *parts: str) -> list[object]:
    content = [{"text": part} for part in parts]
    at = "2026-11-15T13:10:30.823Z"
    line = {"id": "m-1", "timestamp": at, "type": "user", "content": content}
    file = folder / "session.jsonl"
    file.write_text(json.dumps(line) + "\n")
    return [line.entry["content"] for line in Gemini().read(str(file), "").lines]


@pytest.mark.parametrize("nudge", ["", NUDGE])
@pytest.mark.parametrize("given", ["", GIVEN])
def test_what_stands_in_a_file_that_she_names_is_not_what_she_said(
    tmp_path: Path, nudge: str, given: str
):
    parts = [given + TYPED, *filter(None, [nudge]), HEADER, *FILES, FOOTER]
    assert heard("".join(parts)) == TYPED
    assert written(tmp_path, *parts) == [TYPED]
    # What another hook gave stands behind it all.
    assert written(tmp_path, *parts, GIVEN.strip()) == [TYPED]


def test_who_says_nothing_but_the_name_said_that(tmp_path: Path):
    parts = ["@docs/rules.md", HEADER, *FILES, FOOTER]
    assert heard("".join(parts)) == "@docs/rules.md"
    assert written(tmp_path, *parts) == ["@docs/rules.md"]


def test_an_agent_that_she_names_is_called_by_the_client_alone(tmp_path: Path):
    assert heard(f"@reviewer look at it.{NUDGE}") == "@reviewer look at it."
    assert written(tmp_path, "@reviewer look at it.", NUDGE) == ["@reviewer look at it."]


@pytest.mark.parametrize(
    "text",
    [
        f"Why does the log say:{HEADER}",
        f"Why does the log say:{HEADER}\nand then nothing?",
        "What is <system_note>\nfor?",
        "\n".join(["Content from @docs/rules.md:", "is what I see."]),
    ],
)
def test_who_writes_about_it_is_heard(tmp_path: Path, text: str):
    assert heard(text) == text
    assert written(tmp_path, text) == [text]
