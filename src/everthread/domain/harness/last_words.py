"""What an agent's last reply came to, in a line or two: whether the last prompt was answered, and how.

A reply says what it comes to at its beginning, after its manners and what it was about to do; a question
that it leaves to the user stands at its end.
"""

from __future__ import annotations

from everthread.domain.text.acts.speech import (
    ParsedSentence,
    is_foreign,
    offers,
    parse_sentence,
    plans,
    serves,
)
from everthread.domain.text.fences import one_line
from everthread.domain.text.sentences import bound_text, stretches

LONGEST = 220
"""Characters of each line; a recall has the rest."""

FEWEST = 4
"""Words of a sentence that says what was done: `Perfect!` and `All done.` do not."""

UNANSWERED = "- None: the session broke off before the last prompt was answered."


def last_words(reply: str) -> list[str]:
    """The lines that tell of the reply; none where it has no prose."""
    text = bound_text(reply)
    said = [text[place.start : place.end].strip() for place in stretches(text)]
    parsed = [parse_sentence(each) for each in said]
    told = next((each for each in parsed if _tells_outcome(each)), None)
    before = parsed if told is None else parsed[: parsed.index(told)]
    answer = [next(filter(_names_figure, before), None), told]
    tells = " ".join(each.text for each in answer if each is not None)
    lines = [f"- Agent: {one_line(tells, LONGEST)}"] if tells else []
    last = parsed[-1] if parsed else None
    if last is not None and last.asks and last != told and not (offers(last) or serves(last)):
        lines.append(f"- It ended by asking: {one_line(last.text, LONGEST)}")
    return lines


def _names_figure(said: ParsedSentence) -> bool:
    """Is it an answer in a figure, and hardly a word more: `7741.`, `Port 7741.`?"""
    short = len(said.words) < FEWEST and not said.asks and not plans(said)
    return short and any(map(str.isdigit, said.text)) and not said.text.rstrip().endswith(":")


def _tells_outcome(said: ParsedSentence) -> bool:
    """Does it say more than manners, and neither lead over to a list nor announce?"""
    if said.text.rstrip("*_ ").endswith((":", "：")) or plans(said):  # noqa: RUF001 - other scripts
        return False
    return is_foreign(said) or (len(said.words) >= FEWEST and not offers(said))
