"""Is what somebody told before told anew, with another value, in whatever words?

Both must tell of the same things, of one owner, and a value of one kind; and the later must say that it is
so only now. Where it says what went (`I sold the Skoda`), that has to be the earlier value. What is bounded
in any way or asked ends nothing, and what tells of one thing more, or less, tells of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .readings import (
    LINKED,
    Reading,
    Telling,
    links_of,
    read_statement,
    respect_of,
    root_of,
)
from .small_words import GRAMMARS, word_set
from .told_values import FIGURE, NAME, TITLES, VERSION, is_thing
from .turned_rules import is_turned_round, may_turn_round

_GIVES_UP = word_set("sold dropped replaced stopped of verkauft")
"""Before what was: `I sold the Skoda`, `instead of Vim`."""
_LEAVES = word_set("left quit verlassen gekündigt")
"""Before whom one worked for, or where one lived: else one only went out."""
_FOR_EVER = word_set("retired history dead")
_IS_GONE = _FOR_EVER | word_set("quit left stopped gone aufgehört")
"""Behind it, at the end of the clause: `Dr Farrow retired`. Who only left may come back."""
_TELLS_GONE = (_GIVES_UP | _LEAVES | _IS_GONE | {"instead", "rid"}) - {"of"}
_ENDS = word_set(", ; : – — & and und in for is hat") | _IS_GONE
"""What may stand behind a thing that is named whole: a Skoda key is no Skoda."""
_ASIDE = word_set("for with of by about from")
"""Before a name that stands in no other's place: `I drive with Anna now`."""
_SEVERAL = """
    colleague friend neighbour neighbor client customer pupil student member child son daughter
    sister brother kollege kollegin freund freundin nachbar nachbarin kunde kundin schüler schülerin
    mitglied kind sohn tochter schwester bruder mieter mieterin tante onkel cousin mitarbeiter
    mitarbeiterin patient patientin mandant mandantin mitbewohner mitbewohnerin collègue ami cliente
    voisin voisine élève locataire frère sœur fils fille oncle amigo amiga hijo hija vecino vecina
    hermano hermana primo prima tío tía alumno alumna inquilino inquilina amico amica figlio figlia
    vicino vicina fratello sorella cugino cugina zio zia allievo allieva vriend vriendin buurman
    buurvrouw broer zus neef oom klant leerling huurder
"""
_OF_SEVERAL = frozenset(map(root_of, _SEVERAL.split()))
"""Whom one has several of: a new one is in nobody's place."""
_IS = word_set("is are now to ist est es è jetzt maintenant de di")
"""Before a bare figure that is the value of something."""
COUNTED = frozenset(("weekday", "money", "clock", "date"))
"""Kinds of which one may be part of another: Monday, and Monday with Friday."""
PAIR = 2
"""Names of what tells a change: of what was, and of what is."""
_SPEAKERS = word_set("i we i've we've ich wir")
NEAR = 3
"""Words between what was and what became of it."""


def no_longer_holds(new: str, old: str) -> bool:
    """Does the later statement take the place of the earlier one, as a value or as a rule?"""
    # A new statement is compared with thousands, and hardly any could end one.
    return (tells_change(new) and is_told_anew(new, old)) or (
        may_turn_round(new) and is_turned_round(new, old)
    )


@lru_cache(maxsize=16_384)
def is_told_anew(new: str, old: str) -> bool:
    """Does the later statement tell another value of what the earlier one tells?"""
    one, other = read_statement(new), read_statement(old)
    if one.bounded or other.bounded or not one.tellings or not other.tellings:
        return False
    return any(
        _is_in_question(a, b) and _replaces(a, b, one) and _is_news(a, one, other)
        for a in one.tellings
        for b in other.tellings
    )


def _is_in_question(new: Telling, old: Telling) -> bool:
    """A quick look before a long one: a figure is told anew of just the same things, if it names any."""
    kind = new.value.kind
    if kind != old.value.kind:
        return kind == FIGURE
    return kind == NAME or not new.things or new.things == old.things


def _is_news(new: Telling, said: Reading, was: Reading) -> bool:
    """Was it not told before? And what somebody does himself changes no order."""
    if was.wishes and not said.wishes and new.spoken:
        return False
    return all(new.value[:2] != telling.value[:2] for telling in was.tellings)


@lru_cache(maxsize=1_024)
def tells_change(text: str) -> bool:
    """Does it tell a value that is so only now, or that something is gone? Nothing else takes a place."""
    said = read_statement(text)
    if said.bounded or not said.tellings:
        return False
    gone = not _TELLS_GONE.isdisjoint(said.words)
    return said.fresh or gone or any(telling.renewed for telling in said.tellings)


def may_tell_anew(text: str) -> bool:
    """Does it tell a value, so that it may take the place of another?"""
    said = read_statement(text)
    return tells_change(text) or (not said.bounded and len(said.tellings) > 1)


def tells_another(new: str, old: str, *, figures: bool = False) -> bool:
    """Can both be read, and does the later tell of other things, or of another kind of value?

    With `figures`, only where both tell one; then a name is what it is of: our cat Milo, and our cat Luna.
    """
    ones, others = (
        [t for t in read_statement(text).tellings if t.value.kind not in LINKED]
        for text in (new, old)
    )
    told = [[t for t in each if t.value.kind != NAME] for each in (ones, others)]
    if all(told) or figures:
        ones, others = told
    if not ones or not others:
        return False
    return not any(_may_be_one(a, b) for a in ones for b in others)


def _may_be_one(new: Telling, old: Telling) -> bool:
    if new.owner != old.owner or not _same_kind(new, old) or not new.where <= old.where:
        return False
    names = [{each for each in one.others if each.startswith(NAME)} for one in (new, old)]
    if all(names) and names[0] != names[1]:
        return False  # what one cat weighs, and what another
    return new.things <= old.things


def _replaces(new: Telling, old: Telling, said: Reading) -> bool:
    if new.owner != old.owner or not _same_kind(new, old):
        return False
    a, b = {*new.value.key}, {*old.value.key}
    if (a <= b or b <= a) and new.value.kind not in COUNTED:
        return False
    if a == b:
        return False
    if _is_given_up(old, said, new):
        return True
    return _is_turned(new, said) and _is_value(new, old) and _same_things(new, old, said)


def _is_value(new: Telling, old: Telling) -> bool:
    """Is it told as a thing's value, not as its name (`ticket 14`), nor as one more (`open on Sundays`)?"""
    kind = new.value.kind
    if new.step and kind != NAME:
        return False
    if kind == FIGURE and not new.respects:
        return bool(new.things) and new.link in _IS and old.link in _IS
    if kind.startswith(VERSION):
        return not (new.first or old.first) and len(old.things) == 1
    if kind == "weekday" and "open" in new.things:
        return False
    return kind == NAME or new.others == old.others


def _is_turned(new: Telling, said: Reading) -> bool:
    """Does it say that it is so only now?"""
    if new.renewed or said.now:
        return True
    return said.fresh and (new.value.kind != NAME or bool(new.respects))


def _same_kind(new: Telling, old: Telling) -> bool:
    a, b = new.value.kind, old.value.kind
    if a == b:
        return a != FIGURE or bool(new.respects & old.respects) or not (new.respects | old.respects)
    return a == FIGURE and b == "money" and bool(new.respects)


def _same_things(new: Telling, old: Telling, said: Reading) -> bool:
    """Are both told of the same? Where the clause names nothing, what stands beside it, and changed."""
    if not new.where <= old.where or (new.value.kind == "in" and not said.wishes):
        return False
    if new.things:
        return new.things == old.things and (new.value.kind != NAME or _is_one_role(new, old))
    if old.value.kind == NAME and not old.things:
        return bool(old.respects and new.respects) and respect_of(old) == respect_of(new)
    was = old.things or {*map(root_of, old.respects)}
    if old.things or not (was & {*map(root_of, new.respects)}):
        told = bool(was & new.beside) and (new.spoken or new.beside <= was)
        return told and (new.renewed or _tells_rise(said))
    return True


def _tells_rise(said: Reading) -> bool:
    """`They put the rent up, we pay 1010`; not `The kitchen is done, we pay 300`."""
    return not (GRAMMARS[said.language].fresh | {"up", "down"}).isdisjoint(said.words)


def _is_one_role(new: Telling, old: Telling) -> bool:
    """Is it one to those who speak: `our project lead`, `unsere Trainerin`?

    English roles of one word are known by name elsewhere, and here taken for one of several.
    """
    if not (new.own and old.own and new.definite and old.definite):
        return False
    if not (new.first or (new.titled and not new.english)):
        return False  # `our team lead is Swedish now`
    return len(old.things) > 1 or (not old.english and old.things.isdisjoint(_OF_SEVERAL))


def gives_up_name(text: str) -> bool:
    """Do those who speak tell which name is gone, and which stands in its place?"""
    said = read_statement(text)
    named = [one for one in said.tellings if one.value.kind == NAME and not one.owner]
    if said.bounded or len(named) < PAIR or not any(one.spoken for one in named):
        return False
    heads = {one.value.key[0] for one in named}
    return any(
        word in heads and _gives_up(said.words[max(n - NEAR, 0) : n], _GIVES_UP | _LEAVES)
        for n, word in enumerate(said.words)
    )


def _is_given_up(old: Telling, said: Reading, new: Telling) -> bool:
    """Do those who speak say that the earlier value is gone, and what stands in its place?"""
    if old.value.kind != NAME or new.owner or old.owner or not old.own:
        return False
    same = bool(new.things) and new.things <= old.things
    if _is_of_another(old, said, new) if new.spoken else not same:
        return False
    head = next((word for word in old.value.key if word.rstrip(".") not in TITLES), "")
    at = next((n for n, word in enumerate(said.words) if word == head), None)
    if at is None or head in new.value.key:
        return False
    before, after = said.words[max(at - NEAR, 0) : at], said.words[at + 1 : at + 1 + NEAR]
    if after and not _ends_there(after):
        return False
    if _gives_up(before, _LEAVES | _GIVES_UP if old.respects else _GIVES_UP):
        return (bool(old.respects) or said.now) and said.words[0] in _SPEAKERS
    gone = _IS_GONE if same or (new.titled and old.titled) else _FOR_EVER
    return any(w in gone and after[n + 1 : n + 2] in ((), (",",)) for n, w in enumerate(after))


def _is_of_another(old: Telling, said: Reading, new: Telling) -> bool:
    """Who sold the car may tell next what his wife drives, and who left a town whom he meets."""
    if "my" in said.words or "our" in said.words or new.link in _ASIDE:
        return True
    moved = not GRAMMARS[said.language].fresh.isdisjoint(said.words)
    if new.link == "to":
        return not moved and not (new.titled and old.titled)
    return bool(old.respects) and not moved and new.link not in (*links_of(old), "joined")


def _ends_there(after: Sequence[str]) -> bool:
    """Is it named whole? `I left Brandt in March` tells when; `in a hurry`, how one went out."""
    if after[0] in ("in", "for"):
        return not any(map(is_thing, after[1:2]))
    return after[0] in _ENDS


def _gives_up(before: Sequence[str], gives: frozenset[str]) -> bool:
    """`Sold the`, `stopped using`, `instead of`; not `fond of`, nor `stopped washing the`."""
    for n, word in enumerate(before):
        if word in gives and (word != "of" or before[n - 1 : n] in (("instead",), ("rid",))):
            return not any(each.endswith("ing") and each != "using" for each in before[n + 1 :])
    return False
