"""Does a later text say by name that what an older one told is given up?

`Lisbon got cancelled, we go to Porto`, `I switched from sevDesk to Lexoffice`: such words have nothing in
common with the question, and not much with what was said before, but its name. So the name is looked for
where something is given up, whole, and as what the older text told: who cancelled the flight from Lisbon, or
dropped the Lisbon office, said something of a flight, or of an office.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.memory.purposes import is_supposed
from everthread.domain.memory.single_valued import KIN, PEERS
from everthread.domain.memory.value_claims import is_bounded
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem
from everthread.domain.text.words import STOP, query_words

READ = 1_500
"""Characters of a text in which something is given up."""

_THING = (
    r"(?:the |our |my |die |den |das |der |unser\w* |mein\w* )?"
    r"(?P<gone>[\w.+#/&'-]*\w(?: [\w.+#/&'-]*\w){0,2}?)"
)
_LED = (
    r"(?:(?:and|but|so|then|well|ok(?:ay)?|btw|update|news|sadly|unfortunately|finally|yesterday|today|"
    r"last \w+|aber|und|also|leider)\b[\s,:–—-]*)*"
)
_ADVERB = r"(?:(?:just|finally|now|recently|already|since|also|actually|both|all) )*"
_WHO = r"(?:(?P<who>i|we|they|(?:the|our) \w+)(?:'ve| have| had|'re| are|'m| am| has)? )?"
_LEAVES = (
    r"(?:(?:switched|moved|changed|migrated|converted|swapped)(?: (?:away|over|back))? from|went away from|"
    r"(?:moved|migrated|switched) (?:off|away from)|cancelled|canceled|called off|"
    r"dropped(?! [^,;.]{2,40} (?:in|into|at|by|off|on)\b)|ditched|scrapped|abandoned|gave up(?: on)?|"
    r"given up(?: on)?|g[oe]t(?:ten)? rid of|replaced|swapped|traded|done with|"
    r"(?:stopped|quit) (?:using|taking|going to|working with|buying)|"
    r"no longer (?:using|use|take|go to|work with|buy|on|with|in|at))"
)
_UNDERGOES = (
    r"(?:'s(?: been)?| (?:got|gets|was|were|is|are|been|being|has been|have been))"
    r"(?: (?:just|finally|now|sadly|been))*"
)
_IS_GONE = (
    rf"(?:{_UNDERGOES} (?:cancelled|canceled|called off|scrapped|discontinued|abandoned|dropped|replaced|"
    r"shut down|closed (?:down|for good)|no longer an option|off the table)|"
    r"(?:'s)?(?: (?:has|have|had|just|finally|now|sadly))* "
    r"(?:closed (?:down|for good)|retired|resigned|passed away|fell through|fallen through))"
)
_BEHIND = (
    r"(?=\W*$|[,;:.!–—]|\s(?:back|over|again|to|for|by|with|and|but|so|because|since|as|after|last|this|in|on|yesterday|"
    r"today|now|already|completely|entirely|altogether|for good|zu|auf|nach|und|weil|durch)\b)"
)
_FORMS = tuple(
    lazy_pattern(rf"\W*{_LED}{form}", re.IGNORECASE)
    for form in (
        rf"{_WHO}{_ADVERB}{_LEAVES} {_THING}{_BEHIND}",
        rf"{_THING}{_IS_GONE}{_BEHIND}",
        rf"(?P<who>ich|wir)?\s?(?:(?:bin|sind|habe|haben|nutze\w*|nehme\w*|verwende\w*) )?(?:jetzt |nun )?"
        rf"(?:von )?{_THING} (?:(?:zu|auf|nach) \S+ (?:gewechselt|umgestiegen|gezogen)|"
        r"nicht mehr|abgesagt|storniert|gekündigt|aufgegeben|abgeschafft)\b",
        rf"{_THING} (?:ist|sind|wurden?|fällt) (?:\w+ )?"
        r"(?:abgesagt|storniert|gestrichen|eingestellt|aus)\b",
    )
)
_INSTEAD = lazy_pattern(
    rf"\b(?:instead of|in place of|statt|anstelle von) {_THING}{_BEHIND}",
    re.IGNORECASE,
)
_PURPOSE = lazy_pattern(r"\b(?:for|für) (?P<what>[^,.;:!?]{2,40})")
_NO_PURPOSE = frozenset(("good", "now", "ever"))
_CLAUSES = lazy_pattern(
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<=[.!?])\s+|\n+|[,;–—:]\s+|\s(?=(?:and|but|so|und|aber) )"
)
_NAME = lazy_pattern(r"[A-ZÄÖÜ]|\w[A-Z\d]")
_BEHIND_NAMES = """
    as via near because und für am im bei seit ab an aus ein um auf
"""
_AFTER = STOP | {*_BEHIND_NAMES.split()}
"""What may stand behind a name that is told whole: the Lisbon office is no Lisbon."""
_ASIDE = frozenset(
    ("from", "than", "not", "near", "like", "without", "via", "von", "nicht", "ohne")
)
"""Before a name that is not what is told."""
_WORDS = lazy_pattern(r"[^\W_]+")
_CLOSE = KIN | PEERS
_NO_NAME = lazy_pattern(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|i|we|what|when|where|who|which|how|do|does|is|are)$",
    re.IGNORECASE,
)


class _Given(NamedTuple):
    """What is given up, by whom, and for what alone."""

    thing: str
    first: bool
    """Is it those who speak who give it up, and not the thing that ended?"""
    purpose: frozenset[str]


MOST_NAMES = 6
"""Names of a text by which it is looked for what gives one of them up."""


def names_told(asked: str, text: str) -> Sequence[str]:
    """The names that a text tells and the question does not have: one of them may be given up later."""
    wanted = _stems(asked)
    names = dict.fromkeys(
        word
        for word in query_words(text[:READ], READ)
        if stem(word) not in wanted and not _NO_NAME.match(word)
    )
    written = {found[0].lower() for found in _WORDS.finditer(text[:READ]) if _NAME.search(found[0])}
    return [name for name in names if name in written][:MOST_NAMES]


def gives_up(asked: str, old: str, new: str) -> bool:
    """Does the later text give up by name what the older one told, so that it answers no longer?

    Not where the name itself is asked for: then the words of the question find it. Nor where somebody
    else's is asked for, or what it served besides.
    """
    given = _given_up(new[:READ])
    if not given:
        return False  # as nearly all
    wanted = _stems(asked)
    return any(
        _is_told(one.thing, old, wanted)
        and not (one.purpose and one.purpose.isdisjoint(wanted))
        and not (one.first and _is_anothers(asked, old, new))
        for one in given
    )


@lru_cache(maxsize=1_024)
def _given_up(text: str) -> tuple[_Given, ...]:
    return tuple(_things(text.replace("’", "'")))


def _things(text: str) -> Iterator[_Given]:
    for clause in _CLAUSES.split(text):
        if "?" in clause or is_supposed(clause) or is_bounded(clause):
            continue
        matches = [form.match(clause) for form in _FORMS]
        for found in (*matches, _INSTEAD.search(clause)):
            thing = found["gone"].removesuffix("'s") if found else ""
            if found and thing and thing.split()[0].lower() not in STOP:
                purpose = _PURPOSE.search(clause, found.end("gone"))
                yield _Given(
                    thing,
                    found.groupdict().get("who") is not None,
                    _stems(purpose["what"]) - _NO_PURPOSE if purpose else frozenset(),
                )


def _is_told(thing: str, old: str, wanted: frozenset[str]) -> bool:
    """Is it named in the older text, whole, and not in the question?"""
    words = [word for word in thing.split() if word.lower() not in STOP]
    names = [word for word in words if _NAME.search(word) and stem(word.lower()) not in wanted]
    if not names or not _stems(thing) <= _stems(old):
        return False
    return any(_stands_whole(name, old) for name in (*names, " ".join(words)))


def _stands_whole(name: str, old: str) -> bool:
    for found in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", old):
        before = old[: found.start()].split()[-1:]
        after = re.match(r" ([\w-]+)", old[found.end() :])
        ends = after is None or after[1].lower() in _AFTER
        if ends and _ASIDE.isdisjoint(word.lower() for word in before):
            return True
    return False


def _is_anothers(asked: str, old: str, new: str) -> bool:
    """Is somebody named whose it is, of whom those who speak of themselves say nothing?"""
    said = _stems(new)
    if (_stems(asked) & _CLOSE) - said:
        return True
    named = (word for word in asked.rstrip("?").split()[1:] if word[:1].isupper())
    known = {stem(word.lower().removesuffix("'s")) for word in named if not _NO_NAME.match(word)}
    return bool((known & _stems(old)) - said)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, query_words(text, READ)))
