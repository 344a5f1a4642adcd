"""What must never leave in clear: secrets are found in a text and replaced by a marker that names them.

`[REDACTED: github token]` stands where a secret stood; the name before it and all else stay. The rules
are in `rules` and `values`. Redacting twice changes nothing, and a text that
holds no secret comes back as the very same object.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from everthread.domain.text.fences import strip_unseen

from . import rules, spoken_secrets, typed_secrets
from .columns import columns
from .named_secrets import secrets_by_name, variables
from .numbers import numbers
from .private_keys import key_tails
from .rules import Rule
from .seed_phrases import seed_phrases


class SecretSpan(NamedTuple):
    """Where a secret stands, and what it is."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text without its secrets, how many there were, and of which kinds."""

    text: str
    count: int
    kinds: tuple[str, ...]


MARKER = re.compile(r"\[REDACTED: [a-z0-9 ]{2,40}\]")

# What was replaced can bare something that clung to it; this often is always enough, or nearly.
_ROUNDS = 6
_NEAR = 400

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_SHORT, _MOST = 1_000, 4_096
_clean: dict[str, None] = {}
"""Short texts in which nothing was found: most are shown again and again. What holds a secret is not kept."""


def marker(kind: str) -> str:
    """What stands where a secret of that kind stood."""
    return f"[REDACTED: {kind}]"


def strip_secrets(text: str) -> str:
    """The text without its secrets."""
    return redact(text).text


def redact(text: str) -> Redaction:
    """The text without its secrets, and what they were.

    What nobody sees would hide a secret that it stands in, and whoever shows the text later leaves it
    out. So the text is also looked through as it will be seen; where that bares a secret, it stays so.
    """
    if text in _clean:
        return Redaction(text, 0, ())
    found = _redacted(text)
    if found.text == text and len(text) <= _SHORT:
        if len(_clean) >= _MOST:
            _clean.clear()
        _clean[text] = None
    return found


def _redacted(text: str) -> Redaction:
    kinds: list[str] = []
    if _CONTROL.search(text):
        # A control may also part two values: first each by itself.
        text = _strip_kinds(text, kinds)
        text = _strip_kinds(_visible_text(text), kinds)
    else:
        text = _strip_kinds(text if text.isascii() else _visible_text(text), kinds)
    return Redaction(text, len(kinds), tuple(sorted(set(kinds))))


def _strip_kinds(text: str, kinds: list[str]) -> str:
    for _ in range(_ROUNDS):
        found = secrets_in(text)
        if not found:
            break
        text = _replace_spans(text, found)
        kinds += (each.kind for each in found)
    return text


def _visible_text(text: str) -> str:
    """The text as it is seen, if that holds a secret and is another; else the same object."""
    bare = strip_unseen(text)
    if len(bare) + text.count("\r\n") == len(text):
        return text
    return bare if secrets_in(bare) else text


def _replace_spans(text: str, found: list[SecretSpan]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, kind in found:
        parts += (text[at:start], marker(kind))
        at = end
    return "".join([*parts, text[at:]])


def secrets_in(text: str) -> list[SecretSpan]:
    """Every secret of the text, in order; where two overlap they are one."""
    lower = lower_same_length(text)
    spans = [
        *_secrets_by_shape(text, lower),
        *(SecretSpan(*each) for each in secrets_by_name(text, lower)),
        *(SecretSpan(*each) for each in variables(text)),
        *(SecretSpan(*each) for each in seed_phrases(text, lower)),
        *(SecretSpan(*each) for each in key_tails(text)),
        *(SecretSpan(*each) for each in columns(text, lower)),
    ]
    return _merge_spans(text, spans) if spans else []


def lower_same_length(text: str) -> str:
    """In lower case and of the same length: of all letters only İ grows."""
    return (text if text.isascii() else text.replace("\u0130", "I")).lower()


def _merge_spans(text: str, spans: list[SecretSpan]) -> list[SecretSpan]:
    markers = [m.span() for m in MARKER.finditer(text)]
    out: list[SecretSpan] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        last = bisect_left(markers, (span.end, 0)) - 1
        if last >= 0 and markers[last][1] > span.start:
            continue
        if out and span.start < out[-1].end:
            out[-1] = out[-1]._replace(end=max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def _secrets_by_shape(text: str, lower: str) -> Iterator[SecretSpan]:
    runs = list(rules.RUN.finditer(text))
    if runs:
        dense = " ".join([run[0] for run in runs])
        yield from _anchored_secrets(_TOKENS, dense, text, text)
        yield from _encoded_secrets(text, runs)
    yield from _anchored_secrets(_SHAPES, text, text, text)
    yield from _anchored_secrets(_LOWER, lower, text, lower)
    for start, end, kind in numbers(text, runs):
        yield SecretSpan(start, end, kind)


Table = Mapping[str, tuple[Rule, ...]]


def _table(*tables: tuple[Rule, ...]) -> Table:
    """The rules by their anchors: most texts hold none of these, and nothing else is looked at then."""
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in chain(*tables):
        for anchor in rule.anchors:
            found[anchor] = (*found.get(anchor, ()), rule)
    return found


_TOKENS = _table(rules.TOKENS)
_SHAPES = _table(rules.SHAPES)
_LOWER = _table(rules.LOWER, spoken_secrets.TALK, typed_secrets.COMMANDS)


def _anchored_secrets(table: Table, held: str, text: str, sought: str) -> Iterator[SecretSpan]:
    for anchor in table:
        if anchor in held:
            for rule in table[anchor]:
                yield from _matches(rule, anchor, text, sought)


def _matches(rule: Rule, anchor: str, text: str, sought: str) -> Iterator[SecretSpan]:
    at = sought.find(anchor)
    while at >= 0:
        match = rule.match(text, at)
        end = at + 1
        if match is not None:
            secret = match.lastgroup or 0
            end = match.end()
            if rule.fits(match[secret]) and rule.near in sought[max(0, at - _NEAR) : at]:
                yield SecretSpan(*match.span(secret), rule.kind)
        at = sought.find(anchor, end)


def _encoded_secrets(text: str, runs: list[re.Match[str]]) -> Iterator[SecretSpan]:
    """Logins in base64, whole files in base64 that hold secrets, and tokens that begin with some."""
    for run in runs:
        for start, end in rules.parts_of(run):
            plain = rules.plain_text(text[start:end])
            if plain is None:
                continue
            discord = rules.discord_end(text, start)
            if discord is not None:
                yield SecretSpan(start, discord, "discord token")
            elif rules.is_login(plain) or secrets_in(plain):
                padding = len(text[end : end + 2]) - len(text[end : end + 2].lstrip("="))
                yield SecretSpan(start, end + padding, "base64 credentials")
