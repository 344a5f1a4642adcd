"""What somebody tells plainly of herself or of a thing: how she does it always, or what it is.

`We keep the data in Amsterdam`, `Unser Kassenwart ist Herr Dorn`. What is thought, said, seen or about to be
done is none, and what was. In other languages than English it must be told of a certain thing by a figure, a
time for each week, or a name with what tells that it is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .readings import LINKED, Reading, Telling, read_statement
from .small_words import ENGLISH, GRAMMARS, word_set
from .told_anew import gives_up_name
from .told_values import FIGURE, NAME, TITLES

_KEEPING = """
    use uses keep run host store deploy manage build write drive ride own teach speak play sing rent
    sell ship coach study track bill bank work live sleep train grow brew bake cook wear eat drink
    take pay earn charge
"""
_LASTING = word_set(_KEEPING)
"""What one does again and again: by no other verb a name is taken for somebody's way."""
_PASSING = """
    think guess hope wonder know believe see hear mean feel love like hate want need suppose wish
    remember forget agree doubt imagine expect understand thank ask tell say apologise bet am are
    was were have do don't can can't will won't would could should must may might shall did didn't
    had just really only also never still already miss owe promise suggest recommend prefer wait
    look seem try start stop finish plan intend dream recall find get wanna gonna havent give send
    show hereby swear assume not sure it the a this that what all both i'm we're
"""
_NO_WAY = word_set(_PASSING)
"""Verbs that tell no way of doing it; and what is no verb."""
_ON_THE_WAY = word_set("to from at about by through into onto past towards toward across")
_RATES = lazy_pattern(
    r"\b(?:an?|per|each|every) (?:day|night|week|month|year|hour|evening|head|person)\b"
)
_IRREGULAR = """
    went saw met bought took had got made left found came ate drank thought said told gave knew felt
    heard kept held let lost paid put read ran sat sent slept spent stood swam taught wore wrote
    began broke brought built caught chose cut did drew drove fell flew forgot grew hit hurt led
    lent lay meant rode rang rose sold sang spoke stuck swore threw understood woke won
"""
_PAST = word_set(_IRREGULAR)
"""The past of verbs that have one of their own."""
_SOON = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|right now|at the moment|just now|yesterday|soon|later|tod[ao]y|"
    r"(?:this|that|these|those) (?!is\b|are\b|days\b)\w+)\b"
)
_EACH = lazy_pattern(
    r"\b(?:\w+days|every|each|always|usually|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|"
    r"jede[nrms]?|immer|chaque|tous les|toutes les|cada|todos los|todas las|ogni|elke|iedere)\b"
)
_IS = """
    ist sind heißt liegt liegen steht wohnt wohnen wohne lebt leben gezogen umgezogen arbeite
    arbeitet est sont habite vit es son está vive viven è sono abita is woont zijn werkt
"""
_TELLS_NAME = word_set(_IS)
_DID = word_set("hat haben habe hatte a ont ai avons ha han hanno heeft heb hebben")
_WITHIN = word_set("in im bei beim dans en nel nella pour für seit depuis desde da sinds")
_TIMED = ("clock", "weekday")
_UNITS = """
    gram gramme kilo kilogram kg pound stone ton tonne litre liter pint gallon metre meter cm km
    kilometre kilometer mile inch foot feet yard day week month year
"""
_MEASURED = frozenset(f"of {stem(unit)}" for unit in _UNITS.split()) | {*_TIMED, "date", "money"}
"""What is so for good; what is only counted (`3 failures`) or lasts minutes is so for a while."""
_PEOPLE = """
    kinder leute personen mitglieder schüler gäste spieler enfants personnes élèves membres niños personas
    alumnos miembros bambini persone alunni soci kinderen mensen leden leerlingen
"""
_LASTING_KINDS = frozenset(f"of {stem(each)}" for each in _PEOPLE.split()) | {
    *_TIMED,
    "date",
    "money",
}
FEWEST, MOST = 4, 12
"""Words of what tells somebody's way, or another measure."""


def tells_plainly(text: str) -> bool:
    """Does it tell how something is, or how those who speak do it, by a value of some kind?"""
    said = read_statement(text)
    lower = text.lower()
    if said.bounded or not said.words or _SOON.search(lower):
        return False
    valued = [one for one in said.tellings if one.value.kind not in LINKED]
    told = [one for one in valued if not one.owner]
    if said.language != ENGLISH:
        return any(_is_certain(one, said, lower) for one in told)
    spoken = [one for one in told if one.spoken and (one.value.kind != FIGURE or one.respects)]
    ways = (_is_way(part, said, spoken) for part in _clauses(said.words))
    if spoken and (any(ways) or gives_up_name(text)):
        return True
    return said.now and len(said.words) <= MOST and any(map(_is_of_named, valued))


def _is_of_named(one: Telling) -> bool:
    """`Pixel weighs five kilos by now`: a measure or a time, of who or what is named."""
    named = bool(one.owner) or (one.own and not one.spoken)
    return named and bool(one.things) and one.value.kind in _MEASURED


def _clauses(words: Sequence[str]) -> list[tuple[str, ...]]:
    signs = [n for n, word in enumerate(words) if not word[0].isalnum()]
    cuts = zip([-1, *signs], [*signs, len(words)], strict=True)
    return [tuple(words[start + 1 : end]) for start, end in cuts]


def _is_way(words: tuple[str, ...], said: Reading, told: Sequence[Telling]) -> bool:
    """`I use Vim as my editor`: in the present, and no thought or word. Who says `now` may tell what was."""
    whole = " ".join(said.words)
    each = _EACH.search(whole) is not None
    if len(words) < FEWEST - said.now or words[0] not in GRAMMARS[ENGLISH].selves - _NO_WAY:
        return False
    verb = words[2] if words[1] == "now" else words[1]
    if verb in _NO_WAY or verb.endswith(("ly", "n't", "ing")):
        return False
    past = words[0] not in ("i", "we") or verb.endswith("ed") or verb in _PAST
    if (past and not said.now) or any(word.endswith("ing") for word in words[2:4]):
        return False
    rate = (said.now and not past) or _RATES.search(whole) is not None
    return any(_fits_way(one, verb, said, each=each, rate=rate) for one in told)


def _fits_way(one: Telling, verb: str, said: Reading, *, each: bool, rate: bool) -> bool:
    """Is the value one of what is done so for good?"""
    if one.value.kind in _TIMED:
        return each or (said.now and verb not in _NO_WAY)
    if one.value.kind != NAME:
        return rate
    lasting = verb in _LASTING or (said.now and verb == "been" and one.link == "on")
    return lasting and one.whole and one.link not in _ON_THE_WAY


def _is_certain(one: Telling, said: Reading, lower: str) -> bool:
    """Is it told of one thing of theirs, or one that is known?"""
    words = {*said.words}
    if not one.own or not _begins_plainly(said):
        return False
    if words & _DID and not said.fresh:
        return False
    if one.value.kind == NAME:
        return bool(words & _TELLS_NAME) and (not one.spoken or bool(one.respects))
    if one.value.kind not in _LASTING_KINDS and said.words[0] not in GRAMMARS[said.language].own:
        return False  # a file has so many lines, and a test lasts so long, for a while
    return one.value.kind not in _TIMED or said.fresh or _EACH.search(lower) is not None


def _begins_plainly(said: Reading) -> bool:
    grammar = GRAMMARS[said.language]
    heads = grammar.own | grammar.articles | grammar.selves | grammar.now
    first, *rest = said.words
    return first in heads | TITLES or (first in _WITHIN and bool(rest))
