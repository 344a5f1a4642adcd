"""What a person takes back: a rule that no longer holds, a request that she no longer has.

Three ways to take back a rule are told apart, for a rule that forbids is lifted by leave, and one
that demands by release; a plain word about the rule itself lifts either. How much of the rule must be
named goes with it: whoever speaks of `the rule` need not say it over again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard, rules
from everthread.domain.text.speech_forms import forms

from .roots import roots

if TYPE_CHECKING:
    from .points import Entry

_REVOKES = forms(r"""
    (?:forget|disregard|ignore|drop|cancel|scrap|lift|scratch|undo)(?: about)? (?:the|that|this|my|our|what|all|any)(?: \w+){0,4} (?:rules?|instructions?|preferences?|guidelines?|requirements?|said|told|asked|wrote)
    (?:forget|disregard|ignore|scrap|scratch) (?:the |that |this |my |our )?(?:rules?|instructions?|preferences?|what i (?:said|told|asked|wrote))
    (?:rules?|instructions?|preferences?|restrictions?|bans?|limits?|requirements?)(?: \w+){0,5} (?:no longer|(?:do(?:es)?n't|do(?:es)? not)(?: \w+)? (?:appl|hold|count|matter|stand|bind|concern|exist)\w*|(?:is|are)(?:n't| not| over| gone| lifted| off| void| cancell?ed| obsolete))
    (?:rule|ban|restriction|limit)(?:'s| is| has been| was)(?: now| officially)? (?:gone|off|over|lifted|history|dead|void|dropped|cancell?ed|obsolete|done with)
    no longer (?:appl(?:y|ies)|holds?|valid|in force|counts?|needed|necessary|required)
    (?:do(?:es)?n't|do(?:es)? not|need not) apply any ?(?:more|longer)
    (?:is|are)(?:n't| not) (?:needed|necessary|required|valid) any ?(?:more|longer)
    vergiss (?:die|das|was|meine)
    (?:regel|anweisung|vorgabe)(?: \w+){0,4} nicht mehr
    (?:gilt|gelten|braucht es|ist) (?:\w+ ){0,2}nicht mehr
    (?:olvida|ignora|olvídate de) (?:lo|la|el|que|mi)
    ya no (?:aplica|vale|hace falta|es necesari[oa])
    (?:oublie|ignore) (?:la|le|ce que|ma)
    (?:ne s'applique|n'est) plus
""")  # noqa: E501 - a phrase is one line
_RELEASES = forms(
    r"""
    (?:you|we)(?: do(?:n't| not) (?:have|need) to| needn't| need not| no longer (?:have|need) to)
    no (?:longer any )?need to
    no longer (?!appl|hold|valid|need|necess|requir)\w+
    {_AT}stop \w+ing
    {_AT}no more \w+
    (?:do(?:n't| not)|not|never) (?:\S+ ){1,8}any ?(?:more|longer)
    (?:musst|brauchst|sollst|müssen|brauchen)(?: \S+){0,6} nicht mehr
    nicht mehr (?:\S+ ){0,4}(?:zu |nötig)
    hör auf
    ya no (?:tienes|hace falta|quiero|hay que|necesito|debes)
    (?:deja|dejes) de
    (?:tu n'as|vous n'avez) plus (?:à|besoin)
    arrête (?:de|d')
""".replace("{_AT}", r"(?:^|[,;:.–—-]\s+)(?:please |ok |okay |and |so |now )*")
)
_PERMITS = forms(r"""
    (?:you|we)(?:'re| are| can| may| could| might)(?: now| again)?(?: allowed to| free to| welcome to)? (?:\S+ ){0,8}(?:now|again|after all|from now on)
    (?:you|we)(?: now| again)? (?:can|may|are allowed to|are free to)(?: now| again) \w+
    (?:is|are|'s|'re)(?: now| again| perfectly| totally| actually)* (?:fine|ok|okay|allowed|alright|all right|welcome|permitted|good)(?: now| again| with me| after all| too)*\s*[.!]*$
    (?:it|that)(?:'s| is)(?: now| again)? (?:fine|ok|okay|alright|all right) (?:to|if you|for you)
    feel free to
    from now on,? (?:you|we)(?:'re| are| can| may| could)(?: now| again)?(?: allowed to| free to| welcome to)? \w+
    (?:du )?(?:darfst|kannst|dürfen)(?: \S+){0,6} (?:jetzt|wieder|nun|doch)
    (?:darfst|kannst) (?:jetzt|wieder|nun) \w+
    (?:ist|sind)(?: jetzt| wieder| nun| doch)* (?:erlaubt|ok|okay|in ordnung|gut)
    (?:ahora|ya)(?: sí)? (?:puedes|se puede)
    puedes (?:\S+ ){0,6}(?:ahora|ya|de nuevo)
    (?:está|están) (?:bien|permitid[oa]s?)
    tu peux (?:\S+ ){0,6}(?:maintenant|de nouveau)
""")  # noqa: E501 - a phrase is one line
_FORBIDS = late(
    r"\b(?:never|don't|dont|do not|must not|mustn't|avoid|no|not|stop|without|forbidden|off.limits|"
    r"nie|niemals|keine?n?|nicht|ohne|nunca|sin|ne|jamais|pas)\b|不要|别|しないで"
)
_DUTY = late(r"\b(?:without|before|unless|until|ohne|bevor|sin|antes|sans|avant)\b")
_NAMING = roots(
    "rule instruction preference guideline requirement restriction wrote asked told forget ignore "
    "mind disregard cancel apply applies lifted gone over off history dead void dropped obsolete regel "
    "anweisung vergiss gilt gelten olvida regla"
)
"""Words by which a rule is spoken of, and not what it says."""

_CANCELS = forms(r"""
    ^\W*(?:(?:oh|ok|okay|well|no|and|please|actually|hm+)\b[\s,.!–—-]*)*(?:never ?mind|forget (?:it|that|about|the|my|what)|scratch (?:it|that)|skip (?:it|that)|leave it|drop it)
    cancel (?:it|that|this|my request|the request)
    (?:i|we)(?: really| actually)* (?:do(?:n't| not)|no longer) (?:need|want)(?! to\b)
    (?:is|are)(?:n't| not| no longer) (?:needed|necessary) ?(?:any ?more)?\s*[.!]*$
    (?:no longer needed|not needed any ?more|already taken care of|has been taken care of)
    vergiss (?:es|das|die|den)
    (?:hat sich|ist schon) erledigt
    (?:brauche|brauchen|will|wollen) (?:\S+ ){0,4}nicht mehr
    (?:olvídalo|olvídate|olvida|déjalo|ya no (?:hace falta|lo necesito|necesito|quiero))
    (?:laisse tomber|oublie)
""")  # noqa: E501 - a phrase is one line
_MYSELF = late(
    r"\b(?:i|we|i've|we've)\b.*\b(?:myself|ourselves|already (?:did|done|\w+ed)|on my own)\b"
    r"|\bich\b.*\bselbst\b|\b(?:yo mism[oa]|moi-même)\b"
)
_BREAKS = (",", ";", "–", "—")
_NO_NAME = late(
    r"never ?mind\b(?! the\b| about\b)|\b(?:it|that|es|das)\b|olvídalo|déjalo|erledigt|laisse tomber"
)


def speaks_of_rules(said: Heard) -> bool:
    """May it take back a rule?"""
    if said.asks:
        return False
    return any(form.search(said.lower) for form in (_REVOKES, _RELEASES, _PERMITS))


def takes_back(said: Heard) -> bool:
    """Is that all it does? `Stop doing that` and `you may from now on` set a rule of their own as well."""
    if _REVOKES.search(said.lower):
        return True
    # `You can push yourself from now on` lifts a ban, and holds.
    return (_PERMITS.search(said.lower) is not None or _frees(said)) and not rules(said)


def _frees(said: Heard) -> bool:
    return _RELEASES.search(said.lower) is not None


def lifted(said: Heard, ruled: Sequence[Entry]) -> list[Entry]:
    """Which rules the sentence takes back; of several that share a word with it, those that share most."""
    found = [entry for entry in ruled if lifts(said, entry.point.text)]
    if len(found) < 2:  # noqa: PLR2004 - nothing to choose from
        return found
    named = _meant_by(said)
    shared = [len(named & roots(entry.point.text)) for entry in found]
    return [entry for entry, n in zip(found, shared, strict=True) if n == max(shared)]


def lifts(said: Heard, rule: str) -> bool:
    """Does the sentence take the rule back?"""
    if said.asks:
        return False
    wanted, named = roots(rule), _meant_by(said)
    shared = len(wanted & named)
    if not shared:
        return False
    most, only = 2 * shared > len(wanted), named <= wanted
    if _REVOKES.search(said.lower):
        return most or only or _of_the_rule(said)
    forbids = _FORBIDS.search(rule.lower().replace("’", "'")) is not None
    if _frees(said):
        demands = not forbids or _DUTY.search(rule.lower()) is not None
        return demands and (most or only)
    return forbids and most and _PERMITS.search(said.lower) is not None


def _meant_by(said: Heard) -> frozenset[str]:
    """What the words name that take something back; what shall hold instead stands beside them."""
    found = _REVOKES.search(said.lower)
    if found is not None:
        start = max(said.lower.rfind(sign, 0, found.start()) for sign in _BREAKS) + 1
        ends = [at for sign in _BREAKS if (at := said.lower.find(sign, found.end())) >= 0]
        named = roots(said.lower[start : min(ends, default=None)]) - _NAMING
        if named:
            return named
    return roots(said.text) - _NAMING


def _of_the_rule(said: Heard) -> bool:
    """Does it name the rule as one, so that a single word tells which?"""
    return not _NAMING.isdisjoint(roots(said.text))


def cancels(said: Heard) -> bool:
    """Does it take back a request?"""
    return not said.asks and _CANCELS.search(said.lower) is not None


def did_it_herself(said: Heard) -> bool:
    return not said.asks and _MYSELF.search(said.lower) is not None


def names(said: Heard) -> bool:
    """Does it say what it takes back, so that it is worth carrying?"""
    return bool(roots(said.text) - _NAMING)


def meant(said: Heard, request: str, *, newest: bool) -> bool:
    """Is it this request that she takes back? Where she names none, it is the newest."""
    named, wanted = roots(said.text) - _NAMING, roots(request)
    if cancels(said):
        return bool(named & wanted) or (newest and _bare(said))
    return did_it_herself(said) and 2 * len(named & wanted) >= len(wanted) > 0


def _bare(said: Heard) -> bool:
    """`Forget it, …`: what follows tells why, and not what."""
    return _NO_NAME.search(said.lower) is not None
