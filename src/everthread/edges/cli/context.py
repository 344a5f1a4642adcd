"""`context`: exactly what the agent is given, now or at any turn before."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

import click

from everthread.edges.documents.recall import context_document

from .base.options import Choice, WholeNumber, agent_of, common, examples, open_to_read
from .base.terminal import clean, escaped, meter, plural, say, show, show_json, styled

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.services.archive.context import Context

TURN = WholeNumber(1, meant="the number of a turn")
CALL = WholeNumber(1, meant="a request of a turn, from 1")
TWO = WholeNumber(1, meant="the number of a turn; two are compared, as in --diff 12 40")
NOTHING = "(nothing)"
"""In the place of a message without content, which would look like a heading alone."""
STYLES = {"+": "green", "-": "red", "@": "cyan"}


@click.command(
    "context",
    short_help="What the agent is given: now, or at any turn before.",
    epilog=examples(
        "everthread context",
        "everthread context --at 12",
        "everthread context --at 12 --call 1",
        "everthread context --diff 12 40",
        "everthread context --at 12 --json --raw",
    ),
)
@click.option("--at", type=TURN, metavar="TURN", help="What it was given at this turn.")
@click.option(
    "--call",
    type=CALL,
    metavar="N",
    help="With --at, its N-th request. Without it the last, which holds what tools gave back.",
)
@click.option(
    "--diff", type=TWO, nargs=2, metavar="TURN TURN", help="What changed between these two."
)
@click.option("--thread", metavar="KEY", help="This thread instead of the primary one.")
@click.option("--raw", is_flag=True, help="Faithfully: every byte of it, secrets too.")
@common
def context_command(
    choice: Choice,
    at: int | None,
    call: int | None,
    diff: tuple[int, int] | None,
    thread: str | None,
    *,
    raw: bool,
) -> None:
    """Exactly what the agent is given: system prompt, tools, the summary of what was distilled, what
    was recalled, and the messages. Without --at, what a turn that begins now would find. A turn with
    tools made several requests: the last is shown, unless you name another with --call.

    Secrets are taken out unless you say --raw. With --json it is the request as it was sent.
    """
    if at is not None and diff is not None:
        raise click.UsageError("--at and --diff do not go together: --diff names both turns")
    if call is not None and at is None:
        raise click.UsageError("--call names a request of a turn: say which with --at TURN")
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        wanted = [at] if diff is None else diff
        found = [agent.context(turn, call=call, thread=thread) for turn in wanted]
        key = agent.primary.key if thread is None else thread
    shown = [_document(each, raw=raw) for each in found]
    about = {"agent": agent.name, "thread": key}
    if diff is not None:
        _compare(choice, about, shown, raw=raw)
    elif choice.as_json:
        show_json({**about, **shown[0]}, raw=raw)
    else:
        show(_head(found[0], key))
        _say_lines(["", *request_lines(shown[0])], raw=raw)


def _document(context: Context, *, raw: bool) -> dict[str, Any]:
    """The request; without secrets, unless they are asked for."""
    from everthread.domain.redaction.json_values import Redactor

    whole = context_document(context)
    return whole if raw else Redactor().value(whole)


def _head(context: Context, thread: str) -> RenderableType:
    turn = "as it is now" if context.turn is None else f"at {_turn_name(context._asdict())}"
    count = plural(len(context.messages), "message")
    line = styled((thread, "bold"), (f"  {turn}, {count}  ", "dim"))
    return line.append_text(meter(context.tokens, context.window))


def _turn_name(document: Mapping[str, Any]) -> str:
    """The turn, and which of its requests where it made several."""
    turn, call, calls = (document[name] for name in ("turn", "call", "calls"))
    return f"turn {turn:,}, request {call} of {calls}" if calls > 1 else f"turn {turn:,}"


def request_lines(document: dict[str, Any]) -> list[str]:
    """A request for people, line by line: who says what, with tools in their own form."""
    lines: list[str] = []
    if document["system"]:
        lines += ["system:", *_words(document["system"]), ""]
    if document["tools"]:
        lines += ["tools:", *(_compact(tool) for tool in document["tools"]), ""]
    for message in document["messages"]:
        lines += [f"{message['role']}:", *_words(message["content"]), ""]
    return lines[:-1]


def _words(content: Any) -> list[str]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    lines = [line for block in blocks for line in _block(block)]
    return lines if any(line.strip() for line in lines) else [NOTHING]


def _block(block: dict[str, Any]) -> list[str]:
    """Plain words as they are; whatever else in its own form."""
    if set(block) <= {"type", "text"} and block.get("type") == "text":
        return str(block["text"]).split("\n")
    return [_compact(block)]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _compare(
    choice: Choice, about: dict[str, str], shown: Sequence[dict[str, Any]], *, raw: bool
) -> None:
    one, other = shown
    names = [_turn_name(each) for each in shown]
    texts = request_lines(one), request_lines(other)
    lines = list(unified_diff(*texts, names[0], names[1], lineterm=""))
    if choice.as_json:
        sizes = {"tokens": [one["tokens"], other["tokens"]], "turns": [one["turn"], other["turn"]]}
        show_json({**about, **sizes, "diff": lines}, raw=raw)
    elif not lines:
        say(f"the same was given at {names[0]} and {names[1]}")
    elif sys.stdout.isatty():
        _show_diff(lines, raw=raw)
    else:
        _say_lines(lines, raw=raw)


def _say_lines(lines: Sequence[str], *, raw: bool) -> None:
    """Never folded. What is piped raw is piped as it is; a terminal is not commanded."""
    piped = raw and not sys.stdout.isatty()
    safe = str if piped else escaped if raw else clean
    say("\n".join(map(safe, lines)), raw=raw, verbatim=piped)


def _show_diff(lines: Sequence[str], *, raw: bool) -> None:
    from rich.text import Text

    safe = escaped if raw else clean
    show(*(Text(safe(line), STYLES.get(line[:1], ""), overflow="fold") for line in lines))
