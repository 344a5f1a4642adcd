"""Whether words name a kind of things, or one of them: `rooms with a window`, and not `the small room`.

A kind stands bare and in the plural. Who means one thing points at it, counts it or calls it by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from .word_lists import BASE

MOST = 4
"""Words of a thing's name."""


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOPS = words_of("""
    in on at to into inside for from of with without before after during over under above below between by
    per as about within than and or but that which who you we i they when whenever if once unless where
    while only please always never
""")
"""Before one of these the name of a thing ends."""
_TELLS = words_of("are is was have has can could will would may might do does need get")
"""After one of these it is told of the thing."""
DEFINITE = words_of("""
    the a an this that these those my our your his her its their it them me him us one two three four five
    six seven eight nine ten some both all each every another other few many several half what nothing
    something everything anything much more
""")
"""Who says one of these counts things, or points at them."""
WEEKDAYS = words_of(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays"
)
NUMBERS = words_of("""
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand
""")
ON_SIGNS = words_of("""
    members adults residents customers guests locals students staff holders visitors parking smoking
    swimming diving fishing cycling camping entering trespassing bookings refunds returns tickets payments
    exchanges withdrawals deliveries orders
""")
"""What notices speak of."""
SUGGESTED = words_of("""
    recipes dishes meals snacks wines hotels hostels guesthouses campsites flats films movies documentaries
    podcasts books novels papers articles authors songs pieces games toys routes hikes restaurants cafes bars
    museums trains flights plants flowers shrubs exercises stretches sources studies brands gifts presents
    products materials fabrics patterns libraries packages outings activities
""")
"""What an agent suggests."""
LACKING = words_of("""
    errors warnings failures issues problems bugs matches hits traces signs mentions entries results
    differences regressions leaks crashes exceptions ideas worries thanks reasons news replies answers
    objections comments complaints questions plans chances words things people updates typos mistakes stops
    coverage access progress growth improvement movement activity traffic feedback interest support demand
    agreement evidence proof history
""")
"""What is found or missing, or how things stand; nobody bans it."""
MANNER = words_of("""
    short brief concise simple formal informal neutral plain small polite friendly factual light clear
    separate crisp readable lowercase civil private confidential anonymous consistent minimal professional
""")
LENGTHS = words_of("""
    word words line lines sentence sentences page pages paragraph paragraphs character
    characters bullet bullets point points item items chapter chapters step steps ingredients
""")
VALUES = words_of(
    "prices amounts sums dates times units measurements temperatures distances weights volumes"
)
OUTPUT = VALUES | words_of("""
    answers replies responses messages emails mails summaries reports drafts tables quotes translations
    suggestions titles headlines headings captions labels texts commits letters posts reviews chapters
    paragraphs sentences invitations explanations logs plans lists newsletters teasers functions scripts
    descriptions articles stories essays notes slides lessons sessions meetings schedules agendas
""")
"""What an agent gives, and the values in it."""
STYLE = words_of("""
    semicolons colons commas dashes brackets hashtags emojis abbreviations acronyms jargon slang adjectives
    adverbs buzzwords cliches metaphors exclamations footnotes anglicisms platitudes sarcasm irony profanity
    clickbait boilerplate
""")
WRITTEN = STYLE | words_of("puns jokes bullets humour humor markdown html latin sql code marks")
WORDED = words_of("""
    spelling words names terms sentences units english format notation tense syntax metric titles quotes
    verbs questions examples
""")
"""How something is put, or said."""
UNITS = words_of("""
    euros francs dollars pounds yen kilometres kilometers metres meters miles celsius fahrenheit kilos
    kilograms grams litres liters english german french spanish italian
""")
DONE_AGAIN = words_of("""
    merges deploys deployments pushes commits releases migrations upgrades updates restarts purchases
    meetings calls appointments edits rollouts backups installs
""")
"""What an agent does, or plans for somebody, again and again."""
_DEEDS = DONE_AGAIN | words_of(
    "training trainings rehearsals migrations maintenance lessons workouts"
)
_NO_DEEDS = words_of(
    "visits shows plays returns orders checks walks records services reports flights drops"
)
"""As a noun these are what a place offers, or what is seen."""


def thing_from(words: Sequence[str], at: int) -> list[str]:
    """The words that name a thing, from there on."""
    return [*takewhile(lambda word: word not in _STOPS, words[at:])]


def is_kind(thing: Sequence[str], names: frozenset[str] = frozenset()) -> bool:
    """Is it several of a kind, neither counted nor pointed at nor called by their name?"""
    if not 0 < len(thing) <= MOST or thing[-1] in names:
        return False
    return is_bare(thing) and is_several(thing[-1])


def is_bare(thing: Sequence[str]) -> bool:
    counted = any(word[0].isdigit() or word.endswith("'s") for word in thing)
    return not counted and DEFINITE.isdisjoint(thing) and _TELLS.isdisjoint(thing)


def is_several(word: str) -> bool:
    return word == "people" or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def is_deed(word: str) -> bool:
    """`calls`, `meetings`, `deployments`: somebody does it, and can leave it. Not all in `-ings`: `wings`."""
    if word in ON_SIGNS | _NO_DEEDS:
        return False
    base = word.endswith("s") and not {word[:-1], word.removesuffix("es")}.isdisjoint(BASE)
    return base or word in _DEEDS


def is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBERS
