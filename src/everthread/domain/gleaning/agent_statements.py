"""What an agent's message says that is worth carrying: what was done, chosen, found out, left open.

A list is told with the sentence that introduces it, for an item alone says little; what stands under
options, a plan or steps to take is not so, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.deed_reports import (
    says_only_done,
    takes_back_as_asked,
    tells_deed,
)
from everthread.domain.text.acts.proposals import recommends, settles
from everthread.domain.text.acts.reports import (
    foretells,
    names_something,
    only_expects,
    tells_deeds,
    tells_state,
)
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.draft_spans import beside_kind, drafts, leads_to_draft
from everthread.domain.text.fault_fixes import says_mended
from everthread.domain.text.patterns import lazy_pattern

from .agent_failures import fails_at
from .deed_chances import likely_done, read_request
from .headings import is_title
from .list_context import ListPlace, is_supposed, places_of, runs_of
from .message_text import density
from .passing_remarks import asks_person, awaits_leave, is_guess, is_passing, is_plan, leads_to_step
from .person_statements import DENSE, STATEMENTS, is_heading_sentence
from .statement_kinds import LEAST
from .utterances import LONGEST, WINDOW, Excerpt, Utterance, cut_text

LEAD = 200
"""Characters of a sentence that is told again with every part of its list."""

_AGENT = 0.7
"""What an agent's words weigh beside a person's."""

_GUESSED = -0.2
"""What a guess weighs less than what is so."""

_TELLS = frozenset({"fact", "done", "state"})
_LISTED = frozenset({"fact", "done"})
_QUOTES = lazy_pattern(r"\W*[\"“«„].*[\"”»“][\s.!]*")
_DANGLING = lazy_pattern(
    r"(?:\s+(?:with|to|that|by|include|including|for|as follows|where|so|and|the following|which|"
    r"mit|um|avec|con))*"
    r"\s*[:\uff1a]+$"
)
"""What only leads on to the list."""
_COLONS = (":", "\uff1a")
_NUMBER = lazy_pattern(r"\d")
_STEP = lazy_pattern(r"\W*\d{1,2}\.\d{1,2}[.):]*\s+(?=[A-Z`])")
"""The number of a step, as plans have them: `2.1 Update the answer.`"""
_NUMBERED = lazy_pattern(r", \w+(?: (?:no|nr|number)\b\.?)? [^\s,]*\d[^\s,]*")
_UNNAMED = lazy_pattern(
    r"\b(?:here|draft\w*|versions?|written|wrote|rewritten|possible|new|revised|shorter|longer|final|"
    r"full|whole|improved|polished|edited|sure|course|certainly|gladly|okay|send|copy|paste|asked|"
    r"suggested|first|short|brief|quick|simple|hier|ist|der|die|das|ein|eine|neuer?|neue|voici|"
    r"nouvelle|une|aquí|está|tienes|una|nuev[oa])\b"
)
"""Words by which nobody knows again which text it was."""


class _Line(NamedTuple):
    """A sentence, and where it stands."""

    said: ParsedSentence
    above: ListPlace
    idle: bool
    """Is it only offered, planned or supposed?"""


class Lead(NamedTuple):
    """What introduces a list."""

    text: str
    near: int | None
    """Its place, where it is a sentence."""


def from_agent(said: Utterance, asked: str = "") -> list[Excerpt]:
    """What an agent reports, decides, fails at and leaves open. `asked`: what a person said before it."""
    above = places_of(said)
    planned = _planned_lists(said, above)
    lines = [
        _Line(s, above[n], n in planned or is_supposed(above[n], s))
        for n, s in enumerate(said.sentences)
    ]
    drafted = _draft_sentences(said, asked)
    each = [
        None
        if n in drafted
        else _written_text(line.said)
        if n + 1 in drafted and leads_to_draft(line.said.text)
        else _read_report(said, n, line, asked)
        for n, line in enumerate(lines)
    ]
    each = _without_narration(said, each)
    found: list[Excerpt] = []
    told: set[int] = set()
    for run in runs_of(above):
        told.update(n for n in range(run[0], run[1] + 1) if _is_listed(each[n]))
        parts = [*_list_with_lead(said, lines, each, run)]
        if parts and (near := above[run[0]].near) is not None:
            told.add(near)
        found.extend(parts)
    found = [*found, *(one for n, one in enumerate(each) if one is not None and n not in told)]
    found = [one for one in found if not reads_as_order(one.text)]
    if not drafted and (whole := _whole_chat(said, found, lines)):
        return [whole]
    best = sorted(found, key=lambda f: -f.weight)[:STATEMENTS]
    return [one for one in found if one in best]


def _without_narration(said: Utterance, each: Sequence[Excerpt | None]) -> Sequence[Excerpt | None]:
    """What it saw before a next step goes, unless nothing came after it: then it is how things stand."""
    last = max((n for n, one in enumerate(each) if one and one.kind in _TELLS), default=0)
    return [
        None if one and one.kind == "fact" and n != last and leads_to_step(said, n) else one
        for n, one in enumerate(each)
    ]


def _planned_lists(said: Utterance, above: Sequence[ListPlace]) -> frozenset[int]:
    """Which sentences stand in a list of what is yet to be done, or may be so."""
    found: set[int] = set()
    awaits = awaits_leave(said)
    for first, last in runs_of(above):
        lead, listed = above[first].lead, said.sentences[first : last + 1]
        done = lead is not None and tells_deeds(lead)
        idle = lead is not None and (is_guess(lead) or asks_person(lead))
        if idle or (not done and is_plan(listed, awaits=awaits)):
            found.update(range(first, last + 1))
    return frozenset(found)


def _is_listed(found: Excerpt | None) -> bool:
    return found is not None and found.kind in _LISTED


def _whole_chat(said: Utterance, found: list[Excerpt], lines: Sequence[_Line]) -> Excerpt | None:
    """A short message that tells facts is carried whole: torn apart, its sentences say little."""
    told = any(map(speech.plans, said.sentences)) or any(f.kind not in _TELLS for f in found)
    if told or len(said.sentences) < 2 or len(said.text) > WINDOW:  # noqa: PLR2004 - fewer tell nothing
        return None
    done = says_only_done(said.sentences[0]) and names_something(said.text)
    if not found and not done:
        return None
    if any(reads_as_order(s.text) or speech.speaks_for_user(s) for s in said.sentences) or any(
        line.idle or recommends(line.said) for line in lines
    ):
        return None
    # What it asks in the end waits for an answer; told as a fact, it would be answered by anything.
    last = max((n for n, s in enumerate(said.sentences) if not s.asks), default=0)
    if last < 1:
        return None
    whole = said.span(0, last)
    # Of `Done.` what follows tells what it was.
    kind = "done" if done else max(found, key=lambda f: f.weight).kind
    return Excerpt(kind, whole, _agent_weight(whole, 0.1 if kind == "done" else 0.0))


def last_question(said: Utterance) -> str:
    """What it asked last; a question in a letter that it drafted is not its own."""
    asked = [n for n, each in enumerate(said.sentences) if each.asks]
    apart = _draft_sentences(said, "") if asked else frozenset[int]()
    return next((said.sentences[n].text for n in reversed(asked) if n not in apart), "")


def _draft_sentences(said: Utterance, asked: str) -> frozenset[int]:
    """Which sentences stand in a text that was written for somebody, such as a letter."""
    ranges = drafts(said.text, asked)
    return frozenset(
        n
        for n, place in enumerate(said.places)
        if any(first <= place.start < last for first, last in ranges)
    )


def _written_text(each: ParsedSentence) -> Excerpt | None:
    """That a text was written, in the words that lead to it: all that is told of it."""
    text = each.text.rstrip(":\uff1a*_ ")
    known = LEAST <= len(text) <= LEAD and names_something(
        _UNNAMED.sub(" ", beside_kind(each.lower))
    )
    return Excerpt("done", text, _agent_weight(text, 0.0)) if known else None


def _read_report(said: Utterance, n: int, line: _Line, asked: str) -> Excerpt | None:
    each = line.said
    titled = is_title(said.text, said.places[n], each.text)
    if titled or speech.speaks_for_user(each) or each.asks or speech.offers(each):
        return None  # what a person wants she says herself
    short = len(each.text) < LEAST and not (_NUMBER.search(each.text) and tells_deed(each, asked))
    if short or len(each.text) > LONGEST:
        return None
    if recommends(each) and not reads_as_order(each.text):
        # It is decided when somebody consents.
        return Excerpt("fact", each.text, _agent_weight(each.text, 0.0))
    if takes_back_as_asked(each, asked) and not line.idle:
        return _done(each.text)
    if _tells_done(said, n, asked):
        return _read_deed(each, line.above if line.idle else None)
    return None if line.idle else _read_statement(said, n)


def _tells_done(said: Utterance, n: int, asked: str) -> bool:
    """Does it report what was done, by its form or in all likelihood, and nothing that weighs more?"""
    each = said.sentences[n]
    if settles(each) or speech.leaves_open(each) or speech.plans(each):
        return False
    if speech.fails(each) and (fails_at(said, n) or not says_mended(each)):
        return False
    if (speech.reports(each) or tells_deed(each, asked)) and not _orders(each):
        return True
    return likely_done(said.sentences, n, read_request(asked))


def _orders(each: ParsedSentence) -> bool:
    """`Ordered: a lamp, order 4711` orders nothing."""
    return each.orders and parse_sentence(_NUMBERED.sub("", each.text)).orders


def _read_statement(said: Utterance, n: int) -> Excerpt | None:
    """What it chooses, fails at, leaves open, or tells as so."""
    each = said.sentences[n]
    if settles(each):
        text = _with_reason(said, n)
        return Excerpt("decision", text, _agent_weight(text, 0.15))
    planned = speech.plans(each)
    kind = "open_item" if speech.leaves_open(each) else "failure" if fails_at(said, n) else None
    if kind and not planned:
        return Excerpt(kind, each.text, _agent_weight(each.text, 0.1))
    if planned or each.orders or _orders_step(each) or each.text.endswith(_COLONS):
        return None
    if density(each.text) < DENSE or foretells(each) or is_heading_sentence(said, n):
        return None
    if is_passing(each):
        return None
    return Excerpt("fact", each.text, _agent_weight(each.text, _GUESSED if is_guess(each) else 0.0))


def _orders_step(each: ParsedSentence) -> bool:
    number = _STEP.match(each.text)
    return number is not None and parse_sentence(each.text[number.end() :]).orders


def _read_deed(each: ParsedSentence, under: ListPlace | None) -> Excerpt | None:
    """What was done, where it has a name; or how things stand: `All tests pass`.

    `under`: it stands under what only may come, and was done where that tells of a deed too.
    """
    if only_expects(each) or _QUOTES.fullmatch(each.text):
        return None
    if under and not any(map(speech.reports, under.over)):
        return None
    text = _DANGLING.sub("", each.text) if each.text.endswith(_COLONS) else each.text
    if not tells_state(each) or density(text) >= DENSE:
        return _done(text) if names_something(each.text) else None
    return None if each.text.endswith(_COLONS) else Excerpt("state", text, _agent_weight(text, 0.1))


def _done(text: str) -> Excerpt:
    return Excerpt("done", text, _agent_weight(text, 0.1))


def _list_with_lead(
    said: Utterance, lines: Sequence[_Line], each: Sequence[Excerpt | None], run: tuple[int, int]
) -> Iterator[Excerpt]:
    """A list in as few parts as there must be, each with the sentence that introduces it."""
    above = lines[run[0]].above
    lead = _lead(said, above)
    deeds = above.lead is not None and tells_deeds(above.lead)
    left_out = [
        not _is_listed(one) and (one is not None or line.idle or is_guess(line.said))
        for one, line in zip(each, lines, strict=True)
    ]
    for first, last in _parts(said, left_out, run, lead):
        found = [one for one in each[first : last + 1] if one is not None and _is_listed(one)]
        if found:
            text = _part_text(said, first, last, lead)
            done = deeds or 2 * sum(one.kind == "done" for one in found) >= len(found)
            yield Excerpt(
                "done" if done else "fact", text, _agent_weight(text, 0.1 if done else 0.0)
            )


def _lead(said: Utterance, above: ListPlace) -> Lead | None:
    """What is told with every part of the list. A sentence before it that goes on to something is."""
    lead, near = above.lead, above.near
    if lead is None or len(lead.text) > LEAD:
        return None
    goes_on = near is None or lead.text.endswith(_COLONS) or is_heading_sentence(said, near)
    return Lead(lead.text, near) if goes_on or speech.reports(lead) else None


def _parts(
    said: Utterance, left_out: Sequence[bool], run: tuple[int, int], lead: Lead | None
) -> Iterator[tuple[int, int]]:
    """Sentences of the list in a row, as many as find room; code between them parts them."""
    first = last = None
    for n in range(run[0], run[1] + 1):
        out = left_out[n] or reads_as_order(said.sentences[n].text)
        if first is not None and last is not None:
            full = said.places[n].apart or len(_part_text(said, first, n, lead)) > LONGEST
            if out or full:
                yield first, last
                first = last = None
        if not out:
            first, last = n if first is None else first, n
    if first is not None and last is not None:
        yield first, last


def _part_text(said: Utterance, first: int, last: int, lead: Lead | None) -> str:
    """The part as it stands, after its lead; what was left out between them is marked."""
    if lead is None:
        return said.span(first, last)
    if lead.near is not None and lead.near + 1 == first and not said.parted(lead.near, first):
        return said.span(lead.near, last)
    return cut_text(f"{lead.text} … {said.span(first, last)}")


def _agent_weight(text: str, more: float) -> float:
    return round(_AGENT * (0.5 + 0.4 * density(text)) + more, 3)


def _with_reason(said: Utterance, n: int) -> str:
    """A choice together with the sentence that gives its reason, if that follows."""
    if n + 1 < len(said.places) and not speech.reasons(said.sentences[n]):
        after = said.sentences[n + 1]
        both = said.span(n, n + 1)
        if speech.goes_on(after) and len(both) <= LONGEST and not said.places[n + 1].opens:
            return both
    return said.sentences[n].text


def question_of(said: Utterance, asked: str = "") -> str:
    """What the agent asks back at the end of its message: an answer is awaited."""
    last = [n for n, s in enumerate(said.sentences) if s.asks and n >= len(said.sentences) - 3]
    drafted = _draft_sentences(said, asked) if last else frozenset[int]()
    for each in (said.sentences[n] for n in reversed(last) if n not in drafted):
        # `One question on it: how many fit in?` asks what stands after the colon.
        asked_last = parse_sentence(each.text.rpartition(": ")[2])
        empty = speech.offers(each) or speech.serves(asked_last)
        if len(each.text) <= LONGEST and not empty:
            return each.text
    return ""
