"""Does an assistant's message refuse? Read off its words, without a model, the same every time.

A refusal is a sentence in which the assistant declines, in whole or in part, what it was asked for
because it will not or may not. What the world kept it from (a file that cannot be opened, an error that
could not be reproduced), a choice of design, a question, and words of somebody else are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.text.fences import flatten
from everthread.domain.text.sentences import Stretch, bound_text, stretches

from . import refusals_foreign as abroad
from . import refusals_forms as forms

LONGEST_SENTENCE = 600
"""Characters of a sentence that are read; nobody refuses at greater length in one."""

OPENING = 2
"""A lecture at the beginning of a message stands for the answer; later on it is a word of caution."""

_CODE = re.compile(r"`[^`\n]*`")
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|「[^」\n]*」|『[^』\n]*』|(?<!\w)'[^'\n]{6,}'(?!\w)"
)
_RAISED = re.compile(
    r"n't\b|\bn[oe]t?\b|\bun(?:able|willing)|\bcan ?not\b|\bcant\b|declin|refus|outside|pass on|stop"
    r"|prevent|keeps? me|forbid|prohibit|restricted|barred|guideline|polic"
    r"|inappropriate|(?:question|wrong) for"
    r"|nicht|kein|lehne|weiger|n'ai|n'est|déclin|niego|rechaz|\bnon\b|rifiut|não|recus|niet|geen|не\b|отказ"
)
"""A sentence without any of these refuses in no language that has blanks."""


class Refusal(NamedTuple):
    """The first sentence of a message that refuses."""

    sentence: str
    """As it was said, on one line."""
    start: int
    """Where it stands in the text, or in its two ends if it is very long."""


def refusal(text: str) -> Refusal | None:
    """The sentence in which this message refuses; None if none does."""
    short = bound_text(text)
    found = stretches(short)
    for n, here in enumerate(found):
        said = short[here.start : min(here.end, here.start + LONGEST_SENTENCE)]
        reason = _reason(short, found, n)
        if _refuses(said, reason) or (n < OPENING and _lectures(said, reason)):
            return Refusal(flatten(short[here.start : here.end]), here.start)
    return None


def refusal_rate(messages: Sequence[str]) -> float:
    """How many of the messages refuse, from 0 to 1; of none, 0."""
    if not messages:
        return 0.0
    return sum(refusal(text) is not None for text in messages) / len(messages)


def _reason(text: str, found: Sequence[Stretch], n: int) -> str:
    """The sentence after, if it begins like the reason of this one."""
    if n + 1 >= len(found):
        return ""
    after = _plain(text[found[n + 1].start : found[n + 1].end][:LONGEST_SENTENCE])
    return after if forms.GIVES_REASON.match(after) else ""


def _plain(sentence: str) -> str:
    """In small letters and with plain quotes; what is quoted, or code, says nothing."""
    plain = sentence.replace("’", "'")
    if "`" in plain:
        plain = _CODE.sub("it", plain)
    return _QUOTED.sub("it", plain).lower()


def _refuses(sentence: str, reason: str) -> bool:
    said = _plain(sentence)
    if not sentence.isascii() and abroad.CJK.search(said):
        return _refuses_cjk(said, reason)
    if not _RAISED.search(said):
        return False
    asks = said.rstrip("\"' )").endswith("?")
    harm = bool(forms.HARM.search(said) or forms.HARM.search(reason))
    if forms.DECLINE.search(said) or forms.DISOWNS.search(said):
        return not asks
    if forms.POLICY.search(said):
        return not asks and (harm or not forms.TECHNICAL.search(said))
    if forms.STOPS.search(said):
        return harm or forms.POLICY.search(reason) is not None
    return _is_unwilling(said, harm=harm) or _refuses_abroad(said, harm=harm)


def _lectures(sentence: str, reason: str) -> bool:
    """Does it say only that one must not? Of people and what harms them, not of the work."""
    said = _plain(sentence)
    if not forms.LECTURES.search(said):
        return False
    about = f"{said} {reason}"
    if forms.HARM.search(about):
        return True
    return forms.PEOPLE.search(about) is not None and not forms.TECHNICAL.search(said)


def _is_unwilling(said: str, *, harm: bool) -> bool:
    """Does it say that it cannot, or will not, do what it was asked for?"""
    unable = [found["act"] for found in forms.UNABLE.finditer(said)]
    unwilling = [found["act"] for found in forms.UNWILLING.finditer(said)]
    if not (unable or unwilling) or (not harm and forms.WAITS.search(said)):
        return False
    if forms.AS_AI.search(said):
        return True
    return any(_declines(act, harm=harm, able=False) for act in unable) or any(
        _declines(act, harm=harm, able=True) for act in unwilling
    )


def _declines(act: str, *, harm: bool, able: bool) -> bool:
    """Is this what an assistant is asked for, and did nothing but itself stand in the way?"""
    if forms.SERVE.match(act):
        return True
    if forms.WORKING.match(act):
        return False
    if harm or " for you" in act:
        return True
    if not able and forms.PROVIDE.match(act):
        return not forms.TECHNICAL.search(act)
    uttered = forms.UTTER.match(act)
    return uttered is not None and _was_asked_for(uttered, able=able)


def _was_asked_for(uttered: re.Match[str], *, able: bool) -> bool:
    wanted = uttered["object"]
    if not able and not uttered["says"]:
        return forms.MERELY_THAT.match(wanted) is not None
    about = forms.CLAUSE.split(wanted, maxsplit=1)[0] if able else wanted
    return forms.ASKED_FOR.match(wanted) is not None and not forms.TECHNICAL.search(about)


def _refuses_abroad(said: str, *, harm: bool) -> bool:
    if abroad.REFUSES.search(said):
        return True
    if abroad.REFUSES_SAYING.search(said) and (harm or not forms.TECHNICAL.search(said)):
        return True
    about = harm or forms.AS_AI.search(said) is not None
    return about and abroad.REFUSES_HARM.search(said) is not None


def _refuses_cjk(said: str, reason: str) -> bool:
    if said.rstrip().endswith(("?", "\uff1f", "か。", "吗。")):
        return False
    if abroad.CJK_REFUSES.search(said):
        return True
    harm = abroad.CJK_HARM.search(said) or abroad.CJK_HARM.search(reason)
    return harm is not None and abroad.CJK_WILL_NOT.search(said) is not None
