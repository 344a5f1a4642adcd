"""What a summary need not tell: what says nothing by itself, and what another of its lines says as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from everthread.domain.gleaning.command_marks import bare_command
from everthread.domain.gleaning.digest import WORDS, Point, Trace
from everthread.domain.gleaning.message_text import bag_of
from everthread.domain.gleaning.trace_weight import is_passing
from everthread.domain.support.orders import holds_order
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.acts.word_lists import OPENINGS
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

ASKED, ORDERED = 3, 2
"""Telling words of a question, and of an order, that mean something when it is answered, or done."""

BESIDE = 2
"""Telling words beside a number by which it is understood."""

AROUND = 320
"""Characters of what was said round a rule that are quoted with it."""

SEVERAL = 2
"""So many files, a bare name among them, may be one: of more, the bare name tells none."""

QUOTED = frozenset({WORDS, "request"})

_LATIN = lazy_pattern(r"[^\W\d_]")
_LAST_LATIN = "\u024f"
_SPECIFIC = lazy_pattern(r"[`\"“«/\\_#@=]|\d{2}|\w\.\w|[a-z][A-Z]")
_PROSE = lazy_pattern(r"[.;,]\s+[A-Z]")
_COLONS = (":", "\uff1a")
_POINTING = frozenset({"one", "ones", "thing", "things", "stuff", "else", "thx", "lol"})


def tells_nothing(item: Point | Trace) -> bool:
    """Does nobody understand it without what was said before or after it?

    Of a person's words that is what she asked or ordered, and was answered or done since: `and?`, `do it`.
    Who chooses by an order without a name (`move them`) tells it no better.
    """
    if isinstance(item, Trace):
        return is_passing(item) or (item.kind == "number" and _is_bare_number(item))
    if item.by != "user" or item.pinned or not is_terse(item.text):
        return False
    return item.kind == "request" or (item.kind == "decision" and parse_sentence(item.text).orders)


def is_terse(text: str) -> bool:
    """`logs?`, `run it`: so few telling words, and nothing that has a name."""
    if _SPECIFIC.search(text) or any(c > _LAST_LATIN for c in _LATIN.findall(text)):
        return False
    said = parse_sentence(text)
    named = bag_of(text) - OPENINGS - _POINTING
    return len(named) < (ASKED if said.asks and not said.orders else ORDERED)


def _is_bare_number(trace: Trace) -> bool:
    """`87 rows`, `then 4:30`: a number with next to nothing beside it.

    Nor is one told whose words would be somebody's order: without them it says nothing.
    """
    if trace.by != "user" and holds_order(trace.note.lstrip("… ")):
        return True
    if trace.text not in trace.note or any(c > _LAST_LATIN for c in _LATIN.findall(trace.note)):
        return False
    beside = {w for w in bag_of(trace.note) if not any(map(str.isdigit, w))}
    return len(beside) < BESIDE and _SPECIFIC.search(trace.note.replace(trace.text, "")) is None


def without_lead(point: Point) -> Point:
    """What was asked, without a last sentence that only leads on to what was pasted."""
    if point.kind not in QUOTED or point.pinned or not point.text.endswith(_COLONS):
        return point
    ends = [place.end for place in stretches(point.text)]
    return point._replace(text=point.text[: ends[-2]].strip()) if len(ends) > 1 else point


def is_prose_of(trace: Trace, others: Iterable[Trace]) -> bool:
    """Is it another error with the words of who spoke of it behind it?"""
    return trace.kind == "error" and any(
        other.kind == "error"
        and trace.text.startswith(other.text)
        and _PROSE.match(trace.text, len(other.text)) is not None
        for other in others
    )


def repeated_traces(traces: Sequence[Trace]) -> set[Trace]:
    """Commands of which a newer one only looks at more or less of the output; files told by longer names."""
    gone, seen = set[Trace](), set[str]()
    for trace in sorted(traces, key=lambda t: t.at_ms, reverse=True):
        run = f"{trace.note} {bare_command(trace.text)}" if trace.kind == "command" else ""
        gone.update([trace] if run in seen else ())
        seen.update([run] if run else ())
    names = Counter(t.text.rpartition("/")[2] for t in traces if t.kind == "file")
    gone.update(t for t in traces if t.kind == "file" and names[t.text] > SEVERAL)
    return gone


def told_by(point: Point, others: Sequence[Point]) -> bool:
    """Do other lines say it: an open request all of it, or its rules all but a word or two of it?"""
    # What was complained of again has the complaint for its last source.
    own = [p for p in others if p is not point and not {*p.sources}.isdisjoint(point.sources)]
    if any(p.pinned and p.kind != "rule" and _is_all_of(point, p) for p in own):
        return True
    if any(p.text == point.text and _comes_first(p, point) for p in own):
        return True
    if any(p.kind == point.kind and point.text in p.text != point.text for p in own):
        return True
    rest = point.text
    for rule in (p.text for p in own if p.kind == "rule"):
        rest = rest.replace(rule, " ")
    return point.kind in QUOTED and rest != point.text and len(bag_of(rest)) < ASKED


def _is_all_of(point: Point, request: Point) -> bool:
    """Is it told with an open request? A choice beside what is asked stands among the choices, too."""
    if point.text not in request.text:
        return False
    return point.kind != "decision" or not _asks_more(request.text, point.text)


def _asks_more(whole: str, part: str) -> bool:
    rest = (parse_sentence(each) for each in _sentences(whole.replace(part, " ")))
    return any(each.asks or each.orders for each in rest)


def _comes_first(one: Point, other: Point) -> bool:
    """Of two that say the same, is it the one that says what it is?"""
    return (one.pinned, one.kind not in QUOTED, one.kind) > (
        other.pinned,
        other.kind not in QUOTED,
        other.kind,
    )


def with_context(rule: Point, others: Sequence[Point]) -> Point | None:
    """What was quoted round a rule, if the rule can be told with it, so that it is told once.

    What asks for something besides, or holds another rule, stands for itself.
    """
    own = [p for p in others if p is not rule and p.sources[-1] == rule.sources[-1]]
    if any(p.kind == "rule" for p in own):
        return None
    around = [p for p in own if p.kind in QUOTED and not p.pinned and rule.text in p.text]
    whole = max(around, key=lambda p: len(p.text), default=None)
    if whole is None or len(whole.text) > AROUND:
        return None
    few = len(bag_of(whole.text.replace(rule.text, " "))) < ASKED
    return None if few or _asks_more(whole.text, rule.text) else whole


def _sentences(text: str) -> Iterable[str]:
    return (text[place.start : place.end] for place in stretches(text))
