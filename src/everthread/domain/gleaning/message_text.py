"""The own words of a message: without what a harness, a quotation or we ourselves put into it."""

from __future__ import annotations

import re
from functools import lru_cache

from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.given.packing import strip_frames
from everthread.domain.pauses import step_aside
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.editor_prompts import after_editor
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import bound_text
from everthread.domain.text.words import STOP

_HARNESS = (
    r"<(system[-_]reminder|command-[a-z]+|local-command-[a-z]+|environment_context|user_instructions|"
    r"user-prompt-submit-hook|persisted-output|task-notification|ide_\w+|system_warning|tool-use|"
    r"bash-(?:input|stdout|stderr))\b[^>]*>"
)
_TAGGED = lazy_pattern(
    rf"{_HARNESS}.*?</\1>|^[^\S\n]*{_HARNESS.replace('(', '(?:', 1)}.*\Z|"
    r"^[^\S\n]*<(summary|think(?:ing)?)\b[^>]*>.*?</\2>|\A\s*<think(?:ing)?>.*\Z",
    re.DOTALL | re.MULTILINE,
)
"""Blocks that a harness adds. One without an end goes on to the end of the text, but only where it begins
a line: in the middle of one, somebody writes about such a tag."""

_NOTICE = lazy_pattern(
    r"^\[Request interrupted[^\]\n]*\]|^\[Image[^\]\n]*\]|^\[Pasted text[^\]\n]*\]", re.MULTILINE
)
_CARRIED = lazy_pattern(
    r"\s*(?:This session is being continued from a previous conversation|Conversation Summary "
    r"\(Distillation #|Caveat: The messages below were generated)",
    re.IGNORECASE,
)
_TYPED = lazy_pattern(r"\s*/[\w:-]+(?:\s+|$)")
_MODES = frozenset(("ask", "code", "chat", "architect", "plan", "act", "btw", "think", "context"))
"""Commands that only say how to answer: what follows them is said."""

_IMAGE = lazy_pattern(r"!\[[^\]\n]*\]\([^)\n]*\)")
"""A picture shown beside the words says none."""

_SHELL = lazy_pattern(r"\s*!\s?[\w./~$-]")
FEWEST = 4
"""Words after a slash command that make a request; fewer are its arguments."""

_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_SPECIFIC = lazy_pattern(
    r"`[^`\n]+`|https?://\S+|[\w.-]+/[\w./-]+|\b\w+(?:_\w+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w*\b|"
    r"\b\w+\.[a-z]{1,4}\b|[$€£]?\d[\d.,:/-]*\w*%?|\"[^\"\n]{2,60}\"|\b[A-Z]{2,}\d*\b|"
    r"\b(?:[Yy]esterday|[Tt]omorrow|[Tt]onight|"
    r"(?:last|next|this) (?:week|weekend|month|year|night|spring|summer|fall|autumn|winter|[A-Z]\w+)|"
    r"\w+ ago|gestern|morgen|hier|demain|ayer|mañana)\b|"
    r"\bI(?:['’]ve| have| just| also| recently| finally)* (?:\w{3,}ed|went|got|made|took|bought|"
    r"won|met|saw|began|found|gave|ran|wrote|lost|left|chose|taught|built|read|sold|spent)\b"
)
_NAME = lazy_pattern(r"(?<=\w )[A-Z][\w'’-]+")


def own_words(message: Message) -> str:
    """What was really said, without secrets; both ends of what is very long.

    Secrets go before anything is cut out of the text, for half of one is not known as one.
    """
    text = bound_text(message.content if message.form == TEXT else message.text)
    if _CARRIED.match(text):
        return ""
    if "<" in text:
        text = _TAGGED.sub("\n", strip_frames(text))
    if "[" in text:
        text = _IMAGE.sub(" ", _NOTICE.sub("", text))
    text = after_editor(text)
    return strip_secrets(text) if text.strip() else ""


def typed_request(text: str) -> str:
    """What a person asks for in a line typed to a tool: `/ask how …` asks, `/undo` and `!ls` do not.

    Where what follows the command neither asks nor orders, the command is its verb: `/review my branch`.
    """
    if _SHELL.match(text):
        return ""
    command = _TYPED.match(text)
    if command is None:
        return text
    rest = text[command.end() :]
    if _TYPED.match(rest) or ("\n" in command[0] and " " in rest.strip().partition("\n")[0]):
        return typed_request(rest)  # one command after the other, or words on lines of their own
    mode = command[0].strip("/ \t\n") in _MODES
    first, _, below = rest.partition("\n")
    if _is_argument(rest if mode else first):
        return "" if mode else typed_request(below)
    if mode:
        return _once(rest)
    said = parse_sentence(rest[:400].partition("\n")[0])
    return rest if said.asks or said.orders else text


def _is_argument(rest: str) -> bool:
    return len(_WORD.findall(rest[:400])) < FEWEST or " " not in rest.strip()


def _once(text: str) -> str:
    """Some clients show what was typed, and below it once more, as it was sent."""
    text = text.strip()
    half = text.find("\n", len(text) // 2 - 2, len(text) // 2 + 3)
    first, again = (" ".join(part.split()) for part in (text[:half], text[half:]))
    return text[:half].rstrip() if half > 0 and first == again else text


def bag_of(text: str) -> frozenset[str]:
    """The telling words of a text, by which two are compared."""
    step_aside()
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(w for w in words if w not in STOP and (len(w) > 2 or w.isdigit()))  # noqa: PLR2004 - shorter words tell nothing


@lru_cache(maxsize=2_048)  # a sentence is weighed by all who may carry it
def density(text: str) -> float:
    """How specific a text is, from 0 to 1: names, numbers, paths and long words, not their topic."""
    step_aside()
    sharp = len(_SPECIFIC.findall(text))
    names = len(_NAME.findall(text))
    long = sum(len(word) > 6 for word in _WORD.findall(text))  # noqa: PLR2004 - longer is rarer
    signs = 0.0 if text.isascii() else sum(c > "\u2e80" for c in text) / 12
    score = sharp + 0.7 * names + 0.2 * long + signs
    return score / (score + 3.0)


def uses_tool(message: Message) -> bool:
    """Does the agent do something by it, beside what it says?"""
    return message.origin == "agent" and message.form != TEXT and '"tool_use"' in message.content
