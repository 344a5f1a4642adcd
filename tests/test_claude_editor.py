"""Claude Code in an editor tells its hook which file is open, before the words: those alone are hers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everthread.edges.harnesses.claude_code import ClaudeCode
from support.harness import bench

OPENED = (
    "<ide_opened_file>The user opened the file /home/ada/project/fees.py in the IDE. This may or may "
    "not be related to the current task.</ide_opened_file>"
)
SELECTED = (
    "<ide_selection>The user selected the lines 1 to 2 from /home/ada/project/fees.py:\n"
    "never = round\n\nThis may or may not be related to the current task.</ide_selection>"
)
ASKED = "Show the berths by their length."

pytestmark = pytest.mark.req("B-21", "LB-16")


def by_hook(prompt: str) -> str:
    told = {"session_id": "s-1", "cwd": "/home/ada/project", "prompt": prompt}
    happening = ClaudeCode().parse("UserPromptSubmit", told, {})
    assert happening is not None
    return (happening.text or "") if happening.human else ""


def by_transcript(folder: Path, *texts: str) -> str:
    content = [{"type": "text", "text": text} for text in texts]
    record = {"type": "user", "uuid": "u-1", "message": {"role": "user", "content": content}}
    file = folder / "s-1.jsonl"
    file.write_text(json.dumps(record) + "\n")
    return "".join(line.entry["content"] for line in ClaudeCode().read(str(file), "").lines)


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
@pytest.mark.parametrize("shown", [(OPENED,), (SELECTED,), (OPENED, SELECTED)])
def test_hook_and_transcript_tell_the_same_words(
    tmp_path: Path, shown: tuple[str, ...], between: str
):
    assert by_hook(between.join([*shown, ASKED])) == ASKED
    assert by_transcript(tmp_path, *shown, ASKED) == ASKED


def test_what_the_editor_shows_alone_is_no_prompt_of_hers():
    assert by_hook(OPENED) == ""


@pytest.mark.parametrize(
    "text",
    [
        "What is <ide_opened_file> for?",
        f"Why do I read {OPENED} in my log?",
        "/review fees.py",
        "! ls",
        "Use <command-name> as a tag.",
    ],
)
def test_what_she_types_herself_stays(text: str):
    assert by_hook(text) == text


def test_her_prompt_is_stored_once(tmp_path: Path):
    with bench(tmp_path) as b:
        w = b.window()
        w.start()
        w.prompt(by_hook(f"{OPENED}\n{ASKED}"), written=False)
        w.write("user", by_transcript(tmp_path, OPENED, ASKED), human=True)
        w.reply("Here they are.")
        assert b.words() == [ASKED, "Here they are."]
