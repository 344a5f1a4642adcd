"""How well each candidate answers a question: a sum of few signals, each of which can be told.

Pure arithmetic on what the index knows of a card; no text is read here. A pool holds some hundred
candidates with their neighbours, which cost about a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import weights as w
from .cards import ASKS, MACHINE, ONLY_ASKS, RULE, TIME, Card
from .deck import Deck
from .questions import Question, Voice
from .value_questions import asks_for_value

Floats = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


_APART = 1 << 20
"""Between two sessions, where places in them are compared at once."""

LEAST = 0.1
"""Where even the best candidate is worth less than this, it does not count as a whole match."""


_PLACES = "assistant ai agent bot chatbot model system tool assistent ki asistente assistente"
NO_NAMES = frozenset(("", *_PLACES.split()))
"""What a machine is called that has no name of its own: its place in the talk."""


class Pool(NamedTuple):
    """The candidates of one recall, and their neighbours in the conversation."""

    cards: Sequence[Card]
    text: Floats
    """How well the words match, as the full-text index says; 0 where none does."""
    first: Floats
    """Cosine of the question and the first passage; NaN where it is not embedded."""
    best: Floats
    """Cosine of the question and the most alike passage; NaN likewise."""
    covered: float = 1.0
    """The share of the question's words that the fullest of the best matches by words has."""


class Ranking(NamedTuple):
    """What each candidate is worth, in the order of the pool."""

    scores: Floats
    """From 0 to 1; the best has 1, if it has any worth."""
    parts: Mapping[str, Floats]
    """What each signal adds to it, on the same scale; "bounds" what a sum below 0 lacks."""


class _Table(NamedTuple):
    """The cards, column by column, ordered by place."""

    order: Ints
    place: Ints
    session: Ints
    flags: Ints
    words: Floats
    at: Ints
    machine: Bools
    message: Bools
    named: Bools
    works: Bools
    """It belongs to a session in which an agent works with tools."""
    mine: Bools
    """The asker's own words are wanted here: in a chat, but where an agent works with tools only if the
    question says so."""


def rank(question: Question, pool: Pool) -> Ranking:
    """The worth of every candidate and what it is made of."""
    if not len(pool.cards):
        return Ranking(np.zeros(0), {})
    table = _table(question, pool)
    text = _share_of_best(pool.text[table.order] * _own_words(table))
    text *= min(pool.covered / w.COVERED, 1.0)
    cosines = pool.first[table.order]
    meaning = _meaning(cosines, text) * (w.FOREIGN if question.foreign else 1.0)
    worth = w.WORDS * text + w.MEANING * meaning
    # What only words told is told as words.
    unknown = np.isnan(cosines)
    parts = {
        "words": w.WORDS * text + np.where(unknown, w.MEANING * meaning, 0.0),
        "meaning": np.where(unknown, 0.0, w.MEANING * meaning),
        "context": _context(table, worth, asks_for_value(question)),
        "nearby": w.NEARBY * _nearby(table, worth),
        "sitting": w.SITTING * _sitting(table, worth),
        **_certain_signals(question, table),
        **_counter_signals(table, worth),
    }
    return _in_order(table.order, parts)


def certainty(covered: float, alike: float | None) -> float:
    """How surely the best of what was found is an answer, from `FAINT` to 1.

    `covered` is the share of the question's words that one text has, `alike` the highest cosine; where
    none is known, words alone tell.
    """
    if alike is None:
        return max(w.FAINT, min(covered / w.COVERED, 1.0))
    both = (alike + w.SURE_WORDS * covered - w.STRANGERS) / (w.SURE - w.STRANGERS)
    words = (covered - w.SOME_WORDS) / (w.COVERED - w.SOME_WORDS)
    return max(w.FAINT, min(max(both, words), 1.0))


def _in_order(order: Ints, parts: dict[str, Floats]) -> Ranking:
    total = np.sum(list(parts.values()), axis=0)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    scale = 1 / max(float(total.max()), LEAST)
    parts["bounds"] = np.maximum(-total, 0.0)
    scores = np.clip(total * scale, 0.0, 1.0)
    return Ranking(scores[back], {name: part[back] * scale for name, part in parts.items()})


def _table(question: Question, pool: Pool) -> _Table:
    deck = Deck.of(pool.cards)
    places = deck.column("place")
    order = np.argsort(places, kind="stable")
    flags = deck.column("flags")[order]
    # A machine that goes by a name speaks as one of the people do.
    nameless = deck.are("speaker", lambda name: name.lower() in NO_NAMES)[order]
    sessions = deck.column("session")[order]
    working = sessions[deck.are("role", lambda name: name == "tool")[order]]
    chatting = ~np.isin(sessions, working) if len(working) else np.ones(len(sessions), np.bool_)
    mine = chatting if question.voice == Voice.ASKER else np.zeros_like(chatting)
    return _Table(
        order=order,
        place=places[order],
        session=sessions,
        flags=flags,
        words=deck.column("words")[order].astype(np.float64),
        at=deck.column("at")[order],
        machine=((flags & MACHINE) != 0) & nameless,
        message=deck.are("kind", lambda name: name == "message")[order],
        named=deck.are("speaker", lambda name: _is_named(name, question))[order],
        works=~chatting,
        mine=np.ones_like(chatting) if question.voice == Voice.PERSON else mine,
    )


def between_people(deck: Deck) -> Bools:
    """Which cards belong to a session in which people talk and, as far as these cards tell, no agent does."""
    sessions, message = deck.column("session"), deck.are("kind", lambda name: name == "message")
    nameless = deck.are("speaker", lambda name: name.lower() in NO_NAMES)
    agent = message & nameless & ((deck.column("flags") & MACHINE) != 0)
    return np.isin(sessions, sessions[message]) & ~np.isin(sessions, sessions[agent])


def _is_named(speaker: str, question: Question) -> bool:
    return any(part in question.named for part in speaker.lower().split())


def _own_words(table: _Table) -> Floats:
    """How far words that match are the text's own: with its speaker's name in the question, "ok" has none."""
    scant = np.minimum(table.words / w.SCANT_WORDS, 1.0)
    return np.where(table.named & table.message, scant, 1.0)


def _share_of_best(text: Floats) -> Floats:
    return text / max(float(text.max()), 1e-9)


def _meaning(cosines: Floats, text: Floats) -> Floats:
    """From 0, no more alike than the candidates are on average, to 1, the most alike of them.

    What is not embedded yet is taken to be as near by meaning as it is by words.
    """
    known = ~np.isnan(cosines)
    if not known.any():
        return text
    middle = float(cosines[known].mean())
    reach = max(float(cosines[known].max()) - middle, 1e-6)
    return np.where(known, np.clip((np.nan_to_num(cosines) - middle) / reach, 0.0, 1.0), text)


class _Neighbour(NamedTuple):
    """What stands at some distance in the same session: its worth (0 without one) and who wrote it."""

    worth: Floats
    person: Bools
    machine: Bools
    asks: Bools


def _neighbour(table: _Table, worth: Floats, step: int) -> _Neighbour:
    wanted = table.place + step
    at = np.minimum(np.searchsorted(table.place, wanted), len(wanted) - 1)
    there = (table.place[at] == wanted) & (table.session[at] == table.session)
    there &= table.message & table.message[at]
    return _Neighbour(
        worth=np.where(there, worth[at], 0.0),
        person=there & ~table.machine[at],
        machine=there & table.machine[at],
        asks=there & ((table.flags[at] & ASKS) != 0),
    )


def _context(table: _Table, worth: Floats, value: bool) -> Floats:  # noqa: FBT001 - a sign of the question
    """What neighbours lend. It depends on who speaks, and on whether an agent works there or talks.

    `value`: a value is asked for, which is often set in a few words that do not name the thing.
    """
    earlier, before, after = (_neighbour(table, worth, step) for step in (-2, -1, 1))
    person, machine = ~table.machine, table.machine
    asked = np.where(
        before.person, w.BEFORE_PERSON + w.ANSWERS * before.asks, w.ASKED_BACK * before.asks
    )
    if value:
        brief = np.clip(1 - table.words / w.BRIEF_WORDS, 0.0, 1.0)
        brief *= (1 - worth / max(float(worth.max()), 1e-9)) ** 2
        asked = asked + w.BRIEF_ANSWER * brief * before.machine
    return (
        before.worth * person * asked
        + earlier.worth * (person & earlier.person) * w.EARLIER_PERSON
        + after.worth * person * w.AFTER
        + before.worth * (machine & before.machine) * w.STEP
        + earlier.worth * (machine & earlier.machine) * w.EARLIER_STEP
        + _request(table, worth) * np.where(table.works, w.REQUEST_FOR_WORK, w.REQUEST)
    )


def _request(table: _Table, worth: Floats) -> Floats:
    """To an agent's or tool's message: the worth of the person's message that it works on.

    Where the asker's own words are wanted, a request lends nothing to the work done on it.
    """
    rows = np.arange(len(worth))
    asked = np.maximum.accumulate(np.where(table.message & ~table.machine, rows, 0))
    near = table.place - table.place[asked] <= w.REACH
    same = (table.session[asked] == table.session) & ~table.machine[asked] & table.message[asked]
    works = table.message & table.machine & ~table.mine & near & same
    return np.where(works, worth[asked], 0.0)


def _nearby(table: _Table, worth: Floats) -> Floats:
    """The best match at each message's place and a few before and after it, over the best of all."""
    said = np.where(table.message, worth, 0.0)
    best = said.copy()
    # Apart by more than a few: other sessions, and what is no message. Below zero is a large number, too.
    where = (table.place + table.session * _APART).view(np.uint64)
    for step in range(1, min(w.NEAR, len(worth) - 1) + 1):
        # Ordered by place: what stands so many places on is among the next so many rows.
        near = where[step:] - where[:-step] <= w.NEAR
        np.maximum(best[:-step], said[step:] * near, out=best[:-step])
        np.maximum(best[step:], said[:-step] * near, out=best[step:])
    return np.where(table.message, best, 0.0) / max(float(worth.max()), 1e-9)


def _sitting(table: _Table, worth: Floats) -> Floats:
    """The best of each session over the best of all; what belongs to none stands for itself."""
    best = max(float(worth.max()), 1e-9)
    sessions, index = np.unique(table.session, return_inverse=True)
    top = np.zeros(len(sessions))
    np.maximum.at(top, index, np.where(table.message, worth, 0.0))
    return np.where(table.message & (table.session != 0), top[index], worth) / best


def _certain_signals(question: Question, table: _Table) -> dict[str, Floats]:
    dated = np.zeros(len(table.at), dtype=np.bool_)
    for start, stop in question.spans:
        dated |= (table.at >= start) & (table.at < stop)
    told = (table.flags & TIME & question.wants) != 0
    return {
        "speaker": w.SPEAKER * table.named,
        "date": w.DATE * dated,
        "time told": w.TIME_TOLD * told,
        "rule": w.RULE_TOLD * ((table.flags & RULE) != 0),
    }


def _counter_signals(table: _Table, worth: Floats) -> dict[str, Floats]:
    doublings = np.log2(np.maximum(table.words, w.LENGTHY_WORDS) / w.LENGTHY_WORDS)
    brief = table.words < w.LENGTHY_WORDS
    return {
        "asking": w.ASKING * ((table.flags & ASKS) != 0)
        + (w.ONLY_ASKING + w.ASKED_BEFORE * worth) * ((table.flags & ONLY_ASKS) != 0),
        "length": w.SCANT * (table.message & (table.words < w.SCANT_WORDS)) + w.LENGTHY * doublings,
        "not mine": np.where(brief, w.NOT_MINE_BRIEF, w.NOT_MINE) * (table.machine & table.mine),
    }
