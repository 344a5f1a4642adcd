"""Codex writes tags around an image that goes with a prompt, and skills beside it: nobody said them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.harnesses.codex import Codex

ASKED = "Why does make fail? [Image #1]"
OPENING = ("<image>", "<image name=[Image #1]>", '<image name=[Image #1] path="/tmp/a b.png">')
SKILL = "<skill>\n<name>review</name>\n<path>/home/ada/SKILL.md</path>\nNever guess.\n</skill>"

pytestmark = pytest.mark.req("B-21", "LB-16")


def read(folder: Path, *texts: str | None, kinds: list[str] | None = None) -> list[Any]:
    """What is read of a prompt; None is the image itself."""
    content = [
        {"type": "input_image", "image_url": "data:image/png;base64,iVBO"}
        if text is None
        else {"type": "input_text", "text": text}
        for text in texts
    ]
    told = {"turn_id": "t-1"} | ({} if kinds is None else {"content_item_kinds": kinds})
    message: dict[str, Any] = {"type": "message", "role": "user", "content": content}
    message["internal_chat_message_metadata_passthrough"] = told
    row = {"timestamp": "2026-11-15T13:00:00Z", "type": "response_item", "payload": message}
    file = folder / "rollout.jsonl"
    file.write_text(json.dumps(row) + "\n")
    return [line.entry["content"] for line in Codex().read(str(file), "").lines]


@pytest.mark.parametrize("kinds", [None, ["user.text", "user.image", "user.text", "user.text"]])
@pytest.mark.parametrize("opening", OPENING)
def test_the_rollout_tells_the_words_that_the_hook_tells(
    tmp_path: Path, opening: str, kinds: list[str] | None
):
    assert read(tmp_path, opening, None, "</image>", ASKED, kinds=kinds) == [ASKED]
    told = {"session_id": "s-1", "cwd": "/home/ada/project", "prompt": ASKED}
    happening = Codex().parse("UserPromptSubmit", told, {})
    assert happening is not None and happening.text == ASKED


def test_an_image_alone_says_nothing(tmp_path: Path):
    assert read(tmp_path, "<image>", None, "</image>") == []


def test_who_asks_about_the_tag_is_heard(tmp_path: Path):
    assert read(tmp_path, "<image>") == ["<image>"]
    asked = "What is <image> for?"
    assert read(tmp_path, asked) == [asked]
    assert read(tmp_path, "<image>", None, "</image>", asked) == [asked]


def test_a_skill_that_is_read_out_to_the_agent_is_no_prompt(tmp_path: Path):
    assert read(tmp_path, SKILL) == []
    assert read(tmp_path, SKILL, ASKED) == [ASKED]
    assert read(tmp_path, "Write a <skill> for reviews.") == ["Write a <skill> for reviews."]
