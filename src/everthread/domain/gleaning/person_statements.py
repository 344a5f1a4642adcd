"""What one message says that is worth carrying: points read off its sentences.

A person's requests, rules and corrections are carried as they were said. What an agent's words tell
is read in `agent_statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.lasting_statements import tells_lasting
from everthread.domain.text.acts.sentence_forms import LABEL
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.attributes import states_attribute
from everthread.domain.text.due_tasks import tells_absence
from everthread.domain.text.person_decisions import takes_back_at_once, takes_named
from everthread.domain.text.symptoms import is_only_not_yet, tells_fault
from everthread.domain.text.tellings.health import heads_health, tells_health

from .behaviour import describes_program
from .headings import is_heading
from .kept_statements import end_of_list, things_to_keep
from .message_text import density
from .person_lists import begins_item
from .rule_parts import each_rule, held_orders, is_completed, leans_back, listed_rules
from .statement_kinds import kind_of, leaves_open, points_back, tells_how
from .utterances import LONGEST, WINDOW, Excerpt, Utterance, cut_text

SHORT = 80
"""An asking sentence that is shorter is quoted with what follows it."""

REQUESTS, STATEMENTS = 3, 4
"""Points of a message: of what it asks, and of what it tells."""

DENSE = 0.35
"""A statement that is no more specific than this is not carried as a fact."""

ATTRIBUTE = 0.74
"""What somebody tells of a thing by one figure or name weighs at least so much."""

LASTING = 0.7
"""What tells something that lasts, however plain its words are."""

FEWEST, FAINT_WEIGHT = 4, 0.3
"""So many words of a person are carried whatever they say, and weigh so little."""

KEPT = 0.95
"""What a person asks to be remembered, or tells of anybody's health, weighs so much, and nothing else that
she tells."""

_HOLDING = frozenset({"decision", "preference", "identity", "rule"})
"""Kinds of what holds from then on."""
_LOOSE = frozenset({"fact", "failure"})
"""What a whole message may tell better than a part of it."""


def from_person(
    said: Utterance,
    *,
    opening: bool,
    back: Mapping[int, str | None],
    settles: Collection[int] = (),
    likely: Collection[int] | None = None,
    pause: Callable[[], None] = lambda: None,
) -> list[Excerpt]:
    """What a person asks, orders and tells; others get their turn with each sentence.

    `opening`: nothing was said before it. `back`: which sentences only take something back, and as
    what kind each is carried. `settles`: which of them settle something by its name alone. `likely`:
    which of them likely settle something, by what they answer; None if that is not known.
    """
    if said.manners:
        return []
    listed, kept = listed_rules(*said) | held_orders(said.sentences), _to_keep(said)
    placed = {**dict.fromkeys(settles, "decision"), **dict.fromkeys(listed, "rule"), **back}
    told: list[Excerpt | None] = []
    shall: set[int] = set()
    for n, s in enumerate(said.sentences):
        pause()
        likely_so = None if likely is None else n in likely
        kind = placed[n] if n in placed else kind_of(s, settles=likely_so)
        if n not in placed and _tells_task(said, n, kind, opening=opening):
            kind = None
            shall.add(n)
        told.append(_one_statement(said, n, kind, kept))
    ruled = {n for n, f in enumerate(told) if f and f.kind == "rule"} | {*back, *kept, *settles}
    asked = _requests(said, ruled, shall)
    known = [f for f in told if f and (f.kind not in _LOOSE or f.weight in (ATTRIBUTE, KEPT))]
    silent = bool(said.sentences) and not asked and not known and 0 not in ruled
    silent = silent and LABEL.match(said.sentences[0].lower) is None
    if silent and (opening or _unknown_language(said)) and not speech.greets(said.text):
        asked = [_window(said, 0, _window_end(said, 0))]
    every = [f for f in told if f is not None]
    statements = [f for f in every if not _is_covered(f, asked) and not _told_with_choice(f, every)]
    plain = all(f.kind in ("fact", "failure") and f.weight < KEPT for f in statements)
    if said.sentences and not asked and plain:
        told_so = _read_statements(said, statements)
        statements = [f._replace(kind="failure") if _is_fault(said, f) else f for f in told_so]
    statements += [f._replace(kind="failure") for f in asked if _is_fault(said, f)]
    others = [f for f in statements if f.kind != "rule"]
    best = sorted(others, key=lambda f: -f.weight)[:STATEMENTS]
    free = [f for f in statements if f.kind == "rule" or f.weight >= KEPT or f in best]
    return [*asked, *(f._replace(text=part) for f in free for part in _parts(f))]


def _parts(found: Excerpt) -> list[str]:
    return each_rule(found.text) if found.kind == "rule" else [found.text]


def _tells_task(said: Utterance, n: int, kind: str | None, *, opening: bool) -> bool:
    """Is it what is to be made, whatever its form: how it shall be, or what she comes with?"""
    found = {"rule": describes_program, "decision": tells_how}.get(kind or "")
    if found is not None:
        return found(said.sentences, n)
    return opening and kind == "open_item" and said.sentences[n].orders


def _one_statement(
    said: Utterance, n: int, kind: str | None, kept: Mapping[int, Excerpt | None]
) -> Excerpt | None:
    """What the sentence tells, with what it leans on; `kept`: what is to be remembered."""
    one = kept[n] if n in kept else _read_statement(said.sentences[n], n, kind)
    if n not in kept and one and heads_health(said.sentences[n]):
        return one._replace(
            text=cut_text(said.span(n, end_of_list(said.places, said.sentences, n)))
        )
    one = one if one is None or one.kind != "fact" or not is_heading_sentence(said, n) else None
    if one and one.kind == "rule" and leans_back(said.places, said.sentences, n):
        both = said.span(n - 1, n)
        one = one._replace(text=both) if len(both) <= WINDOW else one
    return _with_rest(said, n, _with_next(said, n, one))


def _with_next(said: Utterance, n: int, found: Excerpt | None) -> Excerpt | None:
    """A correction of few words (`I reverted that.`), or a rule that points, with what she says to it.

    What she takes back in the next breath is never told alone.
    """
    last = n + 1 == len(said.places)
    if found is None or last or said.places[n + 1].apart:
        return found
    both = said.span(n, n + 1)
    if found.kind in _HOLDING and takes_back_at_once(said.sentences[n + 1]):
        return found._replace(text=both) if len(both) <= WINDOW else None
    few = found.kind == "correction" and len(said.sentences[n].words) <= FEWEST + 1
    two = said.sentences[n], said.sentences[n + 1]
    few = few or (found.kind == "rule" and is_completed(n, *two))
    return found._replace(text=both) if few and len(both) <= WINDOW else found


def _with_rest(said: Utterance, n: int, found: Excerpt | None) -> Excerpt | None:
    """A choice of few words (`I'm keeping it.`) together with the rest of a short message: what it is of.

    What she goes on to ask is no part of it.
    """
    few = len((s := said.sentences[n]).words) <= FEWEST + 1 or (n > 0 and points_back(s))
    if found is None or found.kind != "decision" or not few:
        return found
    last = max(i for i, each in enumerate(said.sentences) if i <= n or not each.asks)
    whole = said.span(0, last)
    fits = len(whole) <= WINDOW and not said.parted(0, last)
    return found._replace(text=whole) if fits else found


def _to_keep(said: Utterance) -> dict[int, Excerpt | None]:
    """What she asks to be remembered, by the sentence that says it."""
    kept = things_to_keep(said.places, said.sentences)
    return {n: k and Excerpt(k[0], cut_text(k[1]), KEPT) for n, k in kept.items()}


def is_heading_sentence(said: Utterance, n: int) -> bool:
    """Is the sentence a heading?"""
    return is_heading(said.text, said.places[n], said.sentences[n].text)


def _is_covered(found: Excerpt, asked: Sequence[Excerpt]) -> bool:
    """Is it quoted within a request already? What holds beyond the request is carried by itself."""
    if found.weight >= KEPT or found.kind not in ("fact", "failure"):
        return False
    if found.kind == "fact" and tells_lasting(parse_sentence(found.text)):
        return False
    return any(found.text in a.text for a in asked)


def _told_with_choice(found: Excerpt, others: Sequence[Excerpt]) -> bool:
    """Is it told with a choice already: a fact, what is put right, or the very choice?"""
    return found.kind in ("fact", "correction", "decision") and any(
        o.kind == "decision"
        and found.text in o.text
        and (found.kind != "decision" or found.text != o.text)
        for o in others
    )


def _is_fault(said: Utterance, found: Excerpt) -> bool:
    """Is it nothing but a fault that she tells of? Until somebody mends it, that is how things stand."""
    within = [each for each in said.sentences if each.text in found.text]
    if any(s.asks or s.orders for s in within):
        return False
    return 2 * sum(map(tells_fault, within)) >= max(len(within), 1)


def _read_statements(said: Utterance, facts: list[Excerpt]) -> list[Excerpt]:
    """What a person tells: the whole of a short message, for its sentences lean on each other."""
    whole = said.span(0, len(said.places) - 1) if said.places else ""
    parted = said.parted(0, len(said.places) - 1)
    if len(whole) <= WINDOW and not parted and density(whole) >= DENSE:
        most = max((fact.weight for fact in facts), default=0.0)
        return [Excerpt("fact", whole, max(most, round(0.5 + 0.4 * density(whole), 3)))]
    if not facts and len(said.sentences[0].words) >= FEWEST:
        return [_window(said, 0, _window_end(said, 0))._replace(kind="fact", weight=FAINT_WEIGHT)]
    return facts


def _read_statement(each: ParsedSentence, place: int, kind: str | None) -> Excerpt | None:
    """A statement of a person; of a long one its beginning, where it is more than a fact."""
    if kind is None or (len(each.text) > LONGEST and kind in ("fact", "failure")):
        return None
    if tells_health(each):
        return Excerpt(kind, cut_text(each.text), KEPT)
    dense = density(each.text)
    labelled = LABEL.match(each.lower) is not None
    if kind == "fact" and (labelled or states_attribute(each.text) or tells_absence(each)):
        return Excerpt(kind, each.text, ATTRIBUTE)
    if kind == "fact" and tells_lasting(each):
        return Excerpt(kind, each.text, max(LASTING, round(0.5 + 0.4 * dense, 3)))
    if kind == "fact" and (dense < DENSE or each.asks or each.orders or len(each.words) < 4):  # noqa: PLR2004 - fewer tell nothing
        return None
    early = 0.05 if place == 0 else 0.0
    return Excerpt(kind, cut_text(each.text), round(0.5 + 0.4 * dense + early, 3))


def _requests(said: Utterance, ruled: set[int], shall: set[int]) -> list[Excerpt]:
    """What is asked, as spans: the whole of a short message, windows in a long one.

    `shall`: what tells how something shall behave, whatever its form.
    """
    asking = [
        n for n, s in enumerate(said.sentences) if n not in ruled and (n in shall or _asks(s))
    ]
    if not asking:
        return []
    first, last = _asking_span(said, asking)
    whole = said.span(first, last)
    if len(whole) <= WINDOW and not said.parted(first, last):
        ordered = any(not said.sentences[n].asks for n in asking)
        return [Excerpt("request", whole, _weigh(whole, ordered=ordered))]
    windows: list[tuple[int, int]] = []
    for n in asking:
        if windows and n <= windows[-1][1]:
            continue
        near = len(said.span(0, n)) <= WINDOW and not said.parted(0, n)
        first = 0 if near and not windows else n
        windows.append((first, _window_end(said, n, first)))
    found = [_window(said, first, last) for first, last in windows]
    if len(found) <= REQUESTS:
        return found
    middle = sorted(found[1:-1], key=lambda f: -f.weight)[: REQUESTS - 2]
    return [found[0], *(f for f in found[1:-1] if f in middle), found[-1]]


def _asking_span(said: Utterance, asking: Sequence[int]) -> tuple[int, int]:
    """The whole message, but for what it decides, or lists as rules, before and after it asks.

    That is carried by itself.
    """
    sentences = enumerate(said.sentences)
    chosen = {n for n, s in sentences if speech.decides(s) or speech.heads_rules(s)}
    chosen |= listed_rules(*said)
    first, last = 0, len(said.places) - 1
    while first in chosen and first < asking[0]:
        first += 1
    while last in chosen and last > asking[-1]:
        last -= 1
    return first, last


def _asks(each: ParsedSentence) -> bool:
    """A question, an order; or a fault told by name, for who tells an agent of one wants it mended.

    Who says `let's use that` has chosen, and asks for nothing more; `let's keep going` only cheers.
    """
    if (
        takes_named(each)
        or speech.decides(each)
        or (speech.keeps_on(each) and density(each.text) < DENSE)
    ):
        return False
    fails = (speech.fails(each) and not is_only_not_yet(each)) or speech.complains(each)
    orders = each.orders and not leaves_open(each)
    return each.asks or orders or (fails and not tells_health(each))


def _window_end(said: Utterance, at: int, first: int | None = None) -> int:
    """The last sentence of the window: a short one, or one that ends in a colon, leans on the next."""
    first, last = at if first is None else first, at
    while last + 1 < len(said.places) and len(said.span(first, last + 1)) <= WINDOW:
        after, place = said.sentences[last + 1], said.places[last + 1]
        ends = len(said.span(at, last)) >= SHORT and not after.asks and not after.orders
        leans = said.sentences[last].text.endswith((":", "\uff1a"))
        if place.apart or (not leans and (ends or begins_item(said.text, place))):
            break
        last += 1
    return last


def _window(said: Utterance, first: int, last: int) -> Excerpt:
    text = cut_text(said.span(first, last))
    ordered = any(not each.asks for each in said.sentences[first : last + 1])
    return Excerpt("request", text, _weigh(text, ordered=ordered))


def _weigh(text: str, *, ordered: bool) -> float:
    """An order leaves work behind; a question, once answered, mostly nothing."""
    short = 0.2 if len(text.split()) < FEWEST and text.isascii() else 0.0
    return round((0.6 if ordered else 0.45) + 0.4 * density(text) - short, 3)


def _unknown_language(said: Utterance) -> bool:
    """Is it in a language of which only the place of a sentence tells?"""
    return len(said.sentences) > 0 and speech.is_foreign(said.sentences[0])
