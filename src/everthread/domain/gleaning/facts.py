"""What of a range is worth a memory: the durable statements that its digest gained."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.memory.contradictions import is_personal
from everthread.domain.memory.junk import why_junk
from everthread.domain.memory.memories import Whose
from everthread.domain.memory.updates import counts_us
from everthread.domain.text.acts.lasting_statements import all_passing, tells_lasting, tells_passing
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence, reports, thanks
from everthread.domain.text.attributes import states_attribute
from everthread.domain.text.due_tasks import tells_absence
from everthread.domain.text.fault_fixes import is_unsolved, names_cause
from everthread.domain.text.rule_periods import end_of_rule
from everthread.domain.text.sayings import likeness_of
from everthread.domain.text.sentences import stretches
from everthread.domain.text.until_dates import end_of_period

from .choices.answer_pairs import answer_pairs, leads_on
from .choices.joined_answers import join_answers, with_question
from .closed_points import OPEN, points_closed
from .digest import CHOSEN, LOST, Digest, Point, are_two_people
from .later_words import later_words
from .message_text import density
from .open_items.put_off_pairs import join_questions, put_off_pairs, with_asked
from .passing_remarks import (
    FADED,
    decides_on_unnamed,
    is_guess,
    leans_on_before,
    only_hopes,
    tells_of_person,
)
from .passing_states import is_listing, is_passing_state
from .person_statements import KEPT
from .point_changes import OWN
from .points import MOST as CARRIED
from .roots import roots
from .series import times_since

SHORTEST, LONGEST = 15, 300
"""Characters of a memory that nobody asked for."""

MOST: Mapping[str, int] = {
    "rule": CARRIED["rule"],  # what is in force is never left out
    "identity": 10,
    "preference": 10,
    "correction": 10,
    "decision": 10,
    "open_item": 10,
    "fact": 30,
}
"""How many memories of a kind one distillation makes at most; the order is that of the list."""

RANKS = tuple(MOST)
"""Of two memories with the same words the kind that comes first is kept."""

HOLDS = frozenset({"rule", "identity", "preference", "correction", "decision"})
"""Kinds that go on to hold what they say."""

PARTS = frozenset({"preference", "correction", "fact"})
"""Kinds of which one says nothing beside another memory that holds its words."""

UNNAMED = frozenset({"decision", "correction", "preference", "fact"})
"""Kinds that say nothing by themselves where they only point at something."""

DENSE = 0.45
"""A fact that is no more specific than this would be found by no question."""

SPECIFIC = 0.6
"""One with so many names and figures is looked for, though its words may tell of the moment."""

_KIND: Mapping[str, str] = {
    "rule": "rule",
    "identity": "identity",
    "preference": "preference",
    "correction": "correction",
    "decision": "decision",
    "open_item": "open_item",
    "fact": "fact",
    "failure": "fact",
}


RULED = frozenset({"rule", "preference", "correction", "decision"})
"""What says how to go on, and may say until when."""

RETOLD, FEWEST = 0.65, 4
"""Of its telling words so many, and not fewer, make what an agent says the same as what it said before."""


class Fact(NamedTuple):
    """A statement for the memory."""

    kind: str
    """One of `memories.KINDS`."""
    text: str
    sources: tuple[bytes, ...]
    by: Origin
    weight: float
    said: int = 1
    """How often it was said in the range: of a report, how many of them came."""
    principal: str | None = None
    """Whose it is, where all of it is one person's."""
    until_ms: int | None = None
    """When it ends, where it says so."""


def memories_of(
    before: Digest,
    after: Digest,
    pause: Callable[[], None] = lambda: None,
    whose: Whose = lambda _: None,
) -> list[Fact]:
    """What the later digest holds and the earlier did not, of each kind the weightiest.

    `pause` is called for each point: comparing them takes some milliseconds. What one person said does
    not stand for what another did: she is never told it.
    """
    known = {(p.kind, p.text) for p in (*before.points, *_joined_points(before))}
    told = [p for p in after.points if p.by == "agent" and _kind_of(p) == "fact" and _fact(p)]
    ruled = [p for p in after.points if p.kind == "rule"]
    fresh = [p for p in _joined_points(after) if (p.kind, p.text) not in known]
    fresh = [p for p in fresh if p.kind != "fact" or not _covered_by_rules(p, ruled)]
    fresh = [p for p in fresh if p not in told or not _is_told_anew(p, told, whose)]
    kinds: dict[str, list[tuple[Fact, str]]] = {kind: [] for kind in MOST}
    for point in sorted(fresh, key=lambda p: (-p.weight, -p.at_ms)):
        pause()
        fact = _fact(point)
        if fact is None or len(kinds[fact.kind]) >= MOST[fact.kind]:
            continue
        fact = fact._replace(principal=whose(fact.sources))
        if not _is_known(fact, point.name, kinds[fact.kind]):
            told = fact._replace(said=times_since(point, before.points))
            kinds[fact.kind].append((told, point.name))
    found = [fact for facts in kinds.values() for fact, _ in facts]
    found += _changes_of(after, found, known, whose)
    return [fact for fact in found if not _is_part_of_another(fact, found)]


def _changes_of(
    digest: Digest, found: Sequence[Fact], known: Container[tuple[str, str]], whose: Whose
) -> Iterator[Fact]:
    """What may have changed a memory: without it the older alone would be told, as if it still held."""
    told = {fact.text for fact in found}
    later = later_words(digest.points)
    for older, newer in list(later.items())[-MOST["fact"] :]:
        fact = _fact(older)
        is_memory = fact is not None and (fact.text in told or (older.kind, older.text) in known)
        text = _short(newer.text)
        if (
            is_memory
            and newer.verbatim
            and (newer.kind, newer.text) not in known
            and text not in told
        ):
            told.add(text)
            yield Fact(
                "fact", text, newer.sources, newer.by, newer.weight, principal=whose(newer.sources)
            )


def _is_part_of_another(fact: Fact, others: Iterable[Fact]) -> bool:
    """Does another memory of the same message say it, too? What is open ends, and stands for nothing else."""
    if fact.kind not in PARTS:
        return False
    said = {*fact.sources}
    return any(
        fact.text in other.text
        and (fact.text != other.text or RANKS.index(other.kind) < RANKS.index(fact.kind))
        and not said.isdisjoint(other.sources)
        for other in others
        if other is not fact and (other.kind == fact.kind or other.kind in HOLDS)
    )


def _is_told_anew(point: Point, told: Iterable[Point], whose: Whose) -> bool:
    """Does the agent tell the same person most of it later, in other words? So it stands then."""
    own = roots(point.text)
    return len(own) >= FEWEST and any(
        later.at_ms > point.at_ms
        and len(other := roots(later.text)) >= FEWEST
        and len(own & other) >= RETOLD * min(len(own), len(other))
        and whose(later.sources) == whose(point.sources)
        for later in told
    )


def _joined_points(digest: Digest) -> list[Point]:
    """The points; each answer, and what is put off, with its question."""
    return join_questions(join_answers(digest.points))


def _covered_by_rules(fact: Point, ruled: Iterable[Point]) -> bool:
    """Do its rules say nearly all of it? Kept as a fact besides, it would outlive them."""
    rest = fact.text
    for rule in ruled:
        if not set(rule.sources).isdisjoint(fact.sources):
            rest = rest.replace(rule.text, "")
    return rest != fact.text and (len(rest.strip()) < SHORTEST or density(rest) < DENSE)


class ClosedPoints(NamedTuple):
    """What was open, or in force, and is so no longer."""

    points: Sequence[Point] = ()
    until_ms: int = 0
    """Up to when all that closed it was said."""


NOTHING_CLOSED = ClosedPoints()


def closed_of(before: Digest, after: Digest) -> ClosedPoints:
    """What the earlier digest held open or in force, and what was done, answered or taken back since."""
    over = points_closed(before, after)
    over = [p._replace(kind="fact") if p.kind == "done" else p for p in over]
    put_off = put_off_pairs(before.points)
    gone = [with_asked(p, put_off) for p in over if p.kind == OPEN]
    ended = [p for p in over if p.kind != OPEN and not leads_on(p)]
    if ended:
        pairs = answer_pairs(before.points)
        asked = {*pairs.values()} - pairs.keys()
        gone.extend(with_question(point, pairs) for point in ended if point not in asked)
    return ClosedPoints(gone, after.last_ms)


def _kind_of(point: Point) -> str | None:
    """Of what was done, what is no step of work is worth a memory: what was booked, ordered, renewed."""
    if point.kind == "done" and point.by == "agent" and not reports(parse_sentence(point.text)):
        return "fact"
    return _KIND.get(point.kind)


def _fact(point: Point) -> Fact | None:
    if point.by == "user" and not point.verbatim:
        # In a model's words it is what a model says that she said: hers are in the archive.
        point = point._replace(by="agent")
    kind = _kind_of(point)
    text = _short(point.text)
    if kind == "fact" and point.by == "user":
        text = _without_cheer(text)
    # `We are 22 now` is short, and takes the place of what was longer.
    asked = point.by == "user" and (point.weight >= KEPT or counts_us(text))
    if kind is None or (len(text) < SHORTEST and not asked):
        return None
    told = (kind in ("fact", "decision") and not asked) or point.by != "user"
    if why_junk(text, origin="agent" if told else "user", kind=kind) is not None:
        return None
    if point.by == "agent" and not _lasts(point, kind, text):
        return None
    if kind in UNNAMED and not asked and decides_on_unnamed(text):
        return None  # the summary tells it behind what was said before
    until = _end_of(kind, text, point.at_ms) if point.by == "user" else None
    # What took the place of something else weighs as a choice: without it nothing would tell the matter.
    holds = point.weight >= CHOSEN
    plain = point.by == "user" and (until is not None or holds or states_attribute(text))
    plain = plain or LOST in text  # the rest of what was worth one
    if kind == "fact" and not asked and not plain and not _is_worth(point, text):
        return None
    return Fact(kind, text, point.sources, point.by, point.weight, until_ms=until)


def _without_cheer(text: str) -> str:
    """Without the thanks and the cheer round it: `Thanks, Mel! I mentor a boy. It's great fun!`"""
    parts = [(place, parse_sentence(text[place.start : place.end])) for place in stretches(text)]
    told = [place for place, said in parts if not _cheers(said)]
    return text[told[0].start : told[-1].end] if told else text


def _cheers(said: ParsedSentence) -> bool:
    cheer = said.text.endswith("!") or thanks(said)
    return cheer and tells_passing(said) and density(said.text) < DENSE


def _is_worth(point: Point, text: str) -> bool:
    """Will a question find it, or is it so tomorrow? What a person says of the moment is no memory."""
    if point.by != "user":
        return density(text) >= DENSE
    if text.endswith((":", "\uff1a")):
        return False
    said = [parse_sentence(text[place.start : place.end]) for place in stretches(text)]
    if any(map(tells_lasting, said)):
        return True
    return density(text) >= SPECIFIC or (density(text) >= DENSE and not all_passing(said))


def _lasts(point: Point, kind: str, text: str) -> bool:
    """Does an agent say there what is so beyond its next step?"""
    if kind == "open_item":
        # What it asked in passing her next words answered, or she let it be.
        return not parse_sentence(text).asks
    if kind == "fact" and (point.weight <= FADED or _is_loose(text)):
        return False
    return kind not in ("fact", "correction") or is_listing(text) or not is_passing_state(text)


def _is_loose(text: str) -> bool:
    """Does it only lead to something, guess, lean on what is not told, or say over what the person said?"""
    said = parse_sentence(text)
    if text.endswith((":", "…")) or is_guess(said) or tells_of_person(said):
        return True
    if only_hopes(said) or (leans_on_before(said) and len(stretches(text)) == 1):
        return True
    return names_cause(said) and not is_unsolved(said.lower)


def _end_of(kind: str, text: str, said_ms: int) -> int | None:
    """When it ends, where it says so: somebody's absence, or a rule with its last day."""
    if kind == "fact":
        return end_of_period(text, said_ms) if tells_absence(parse_sentence(text)) else None
    return end_of_rule(text, said_ms) if kind in RULED else None


def _short(text: str) -> str:
    """Its first sentences that find room; nothing if not even one does."""
    if len(text) <= LONGEST:
        return text
    ends = [place.end for place in stretches(text) if place.end <= LONGEST]
    return text[: ends[-1]].strip() if ends else ""


def _is_known(fact: Fact, name: str, others: Iterable[tuple[Fact, str]]) -> bool:
    own = fact.kind in OWN or is_personal(fact.text)
    hers = (
        other
        for other, who in others
        if other.principal == fact.principal and not (own and are_two_people(name, who))
    )
    return any(likeness_of(fact.text, other.text) for other in hers)
