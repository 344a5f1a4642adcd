"""BEAM: one person and an assistant, long answers; evidence is mostly what the person said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from talks import Question, Said, Talk, clock


def load(folder: Path, size: str) -> list[Talk]:
    """The chats of `beam_<size>`, each with its questions; those without evidence are left out."""
    return [_talk(path) for path in sorted((folder / f"beam_{size}").iterdir()) if path.is_dir()]


def _talk(path: Path) -> Talk:
    batches = json.loads((path / "chat.json").read_text("utf-8"))
    talk = Talk(path.name, [said for batch in batches for said in _said(batch)])
    known = {said.id for said in talk.said}
    asked = json.loads((path / "probing_questions.json").read_text("utf-8"))
    for kind, questions in asked.items():
        for n, question in enumerate(questions):
            gold = ids_of(question.get("source_chat_ids")) & known
            if gold:
                name = f"{path.name}/{kind}/{n}"
                talk.questions.append(Question(name, kind, question["question"], gold))
    return talk


def _said(batch: dict[str, Any]) -> Iterator[Said]:
    messages = [message for turn in batch["turns"] for message in turn]
    anchor = batch.get("time_anchor") or messages[0]["time_anchor"]
    start = datetime.strptime(anchor, "%B-%d-%Y").replace(hour=9)
    for message, at in zip(messages, clock(start), strict=False):
        yield Said(str(message["id"]), message["role"], None, message["content"], at)


def ids_of(source: Any) -> frozenset[str]:
    """Ids of messages, however the labels nest them."""
    if isinstance(source, dict):
        source = list(source.values())
    if isinstance(source, list):
        return frozenset().union(*(ids_of(inner) for inner in source))
    return frozenset() if source is None else frozenset({str(source)})
