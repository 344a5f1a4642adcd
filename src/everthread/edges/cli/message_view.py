"""A message as people read it on a terminal: who said it, when, and what; calls and results in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.edges.documents.block_lines import lines_of

from .base.remote import Document
from .base.terminal import clean, iso_time_text, plural, styled

if TYPE_CHECKING:
    from rich.console import RenderableType

LONGEST_SHOWN = 2_000
LONGEST_CALL = 160


def message_view(agent: str, message: Document) -> list[RenderableType]:
    """Who said it and when, and below it what was said."""
    from rich.padding import Padding

    from everthread.domain.redaction.json_values import Redactor

    theirs = message["role"] == "assistant"
    who = message["name"] or (agent if theirs else message["origin"])
    # Before anything is cut: half a secret is a secret still.
    redactor = Redactor()
    content = redactor.value(message["content"])
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said = redactor.text(lines_of(blocks, one_line)) or "[nothing]"
    if len(said) > LONGEST_SHOWN:
        more = len(said) - LONGEST_SHOWN
        said = f"{said[:LONGEST_SHOWN]}\n… {plural(more, 'more character')}; --json shows all"
    return [
        styled(
            (who, "bold cyan" if theirs else "bold"), (f"  {iso_time_text(message['at'])}", "dim")
        ),
        Padding(styled((said, "")), (0, 0, 0, 2)),
    ]


def one_line(text: str) -> str:
    line = clean(text).replace("\n", " ")
    return line if len(line) <= LONGEST_CALL else f"{line[: LONGEST_CALL - 1]}…"
