"""What a report tells: a deed with a name, how things stand, or nothing that anybody could look up."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.words import STOP

from .sentence_forms import REPORT, phrase_pattern
from .speech import ParsedSentence

_STANDS = phrase_pattern(r"""
    (?:all|the|\d+|every) (?:\w+ ){0,3}(?:tests?|checks?|suite|build|linter|lint)(?: \w+){0,3} (?:pass(?:es|ed|ing)?|succeed\w*|clean|green)
    (?:now works?|works? now|compiles? clean\w*|lint(?:er)? clean|still works?)
    (?:is|are)(?: now| all| already| fully| up and)* (?:working|in place|ready|wired|running|complete|done|finished|green|clean|live)
    (?:läuft|laufen|funktioniert|fertig|fonctionne|funciona|funcionan)
""")  # noqa: E501 - a phrase is one line
_HEDGES = lazy_pattern(
    r"\b(?:should|would|could|might|may|will|must|can|once|when|whenever|if|until|unless|to be|"
    r"soll\w*|würd\w+|könnt\w*|wenn|sobald|devrait|pourrait|quand|debería|podría|cuando)\b"
)
_DEEDS = phrase_pattern(r"""
    (?:changes|changed|fixes|fixed|updates|updated|additions|added|improvements|improved|implemented|did|done|completed|made|created|removed)
    (?:erledigt|geändert|änderungen|hinzugefügt|behoben|umgesetzt|modifications|ajouté\w*|corrigé\w*|cambios|añadid\w+|corregid\w+)
""")
_FORETELLS = phrase_pattern(r"""
    ^\W*(?:(?:and|so|then|now|but)\b[\s,]*)*(?:this|that|these|those|it|they|next)(?: \w+)? (?:will|would|should|might|could|may|'ll)
    ^\W*(?:the|this|that|our|your|my) (?:\w+ ){0,2}(?:plan|proposal|proposed \w+|idea|option|recommendation)
    ^\W*(?:die|der|das|dieser?|unser) (?:\w+ ){0,2}(?:plan|vorschlag|idee|option)
    ^\W*(?:le|la|ce|cette|notre|el|este|esta|nuestro) (?:\w+ ){0,1}(?:plan|proposition|idée|option|propuesta|idea|opción)
""")  # noqa: E501 - a phrase is one line
_SPECIFIC = lazy_pattern(r"[`\"“«/\\_#@]|\d|[a-z][A-Z]|\w\.\w")
_WORD = lazy_pattern(r"[^\W\d_]+")
_WORDS_OF_WORK = """
    issue issues problem problems bug bugs error errors warning warnings change changes update updates
    file files directory directories folder code codebase implementation implementations plan task tasks
    step steps work works working everything both fix fixes feature features functionality test tests
    build builds linter lint type types check checks section sections item items request requests thing
    things part parts required necessary needed proper properly correct correctly successfully success
    complete completed completely fully finally also already just now ready done mistake same previous
    earlier existing following above below various several some all first second last requested great
    perfect excellent okay good made make making use using used set place time way approach option
    documentation document documents project app application logic solution result results output
    added fixed created implemented updated removed deleted renamed moved refactored committed pushed
    merged deployed finished resolved built wrote written changed replaced converted migrated installed
    configured extracted verified released published wired shipped applied solved introduced enabled
    disabled documented simplified improved reduced modified rewrote split ran tested passes pass passed
    passing clean green running key main important two three four five here summary what
"""
_EMPTY = frozenset(_WORDS_OF_WORK.split())
"""Words of work by which nobody finds what was done."""


def names_something(text: str) -> bool:
    """Does it name something: a thing by its sign, or by any word that not every report has?"""
    if _SPECIFIC.search(text):
        return True
    words = (word.lower() for word in _WORD.findall(text))
    return any(w not in _EMPTY and w not in STOP and (len(w) > 2 or not w.isascii()) for w in words)  # noqa: PLR2004 - shorter words name nothing


def tells_state(said: ParsedSentence) -> bool:
    """Does it tell how things stand, and not what somebody did?"""
    return _STANDS.search(said.lower) is not None


def only_expects(said: ParsedSentence) -> bool:
    """Is what it reports only expected: `the build should succeed now`, `once it is deployed`?"""
    found = REPORT.search(said.lower)
    return found is not None and _HEDGES.search(said.lower, 0, found.end()) is not None


def tells_deeds(said: ParsedSentence) -> bool:
    """Does it introduce what was done: `Key changes:`, `Here's what I added:`?"""
    return REPORT.search(said.lower) is not None or _DEEDS.search(said.lower) is not None


def foretells(said: ParsedSentence) -> bool:
    """Does it say what will come of something, or what a plan holds? That is not so yet."""
    return _FORETELLS.search(said.lower) is not None
