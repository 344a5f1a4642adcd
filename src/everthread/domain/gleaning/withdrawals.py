"""What a person takes back: a rule that no longer holds, a request that she no longer has.

Three ways to take back a rule are told apart, for a rule that forbids is lifted by leave, and one
that demands by release; a plain word about the rule itself lifts either. How much of the rule must be
named goes with it: whoever speaks of `the rule` need not say it over again. Whoever gives leave for another
thing, another place or the other direction lifts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from everthread.domain.memory import lifts as other_words
from everthread.domain.memory.permissions import is_deed_named
from everthread.domain.text.acts.releases import is_anothers_word
from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.acts.speech import ParsedSentence, rules
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import NEGATORS

from .deed_lines import compare_deeds, deed_line, root_line
from .leave_to_others import lets_others, may_let_others
from .roots import roots

if TYPE_CHECKING:
    from .points import Entry, Points

_REVOKES = phrase_pattern(r"""
    (?:forget|disregard|ignore|drop|cancel|scrap|lift|scratch|undo)(?: about)? (?:the|that|this|my|our|what|all|any)(?: \w+){0,4} (?:rules?|instructions?|preferences?|guidelines?|requirements?|said|told|asked|wrote)
    (?:forget|disregard|ignore|scrap|scratch) (?:the |that |this |my |our )?(?:rules?|instructions?|preferences?|what i (?:said|told|asked|wrote))
    (?:rules?|instructions?|preferences?|restrictions?|bans?|limits?|requirements?)(?: \w+){0,5} (?:no longer|(?:do(?:es)?n't|do(?:es)? not)(?: \w+)? (?:appl|hold|count|matter|stand|bind|concern|exist)\w*|(?:is|are)(?:n't| not| over| gone| lifted| off| void| cancell?ed| obsolete))
    (?:rule|ban|restriction|limit)(?:'s| is| has been| was)(?: now| officially)? (?:gone|off|over|lifted|history|dead|void|dropped|cancell?ed|obsolete|done with)
    (?:rule|ban|restriction|limit)s?(?: has| have)?(?: now| just| already)? (?:ended|expired|(?:ends?|expires?) (?:now|today|here|herewith|at once))(?! (?:on|at|in|by|next)\b)
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
_RELEASES = phrase_pattern(
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
_PERMITS = phrase_pattern(r"""
    (?:you|we)(?:'re| are| can| may| could| might)(?: now| again)?(?: allowed to| free to| welcome to)? (?:\S+ ){0,8}(?:now|again|after all|from now on)
    (?:you|we)(?: now| again)? (?:can|may|are allowed to|are free to)(?: now| again) \w+
    (?:is|are|'s|'re)(?: now| again| perfectly| totally| actually)* (?:fine|ok|okay|allowed|alright|all right|welcome|permitted|good)(?: now| again| with me| after all| too)*\s*[.!]*$
    (?:it|that)(?:'s| is)(?: now| again)? (?:fine|ok|okay|alright|all right) (?:to|if you|for you)
    (?:is|are|'s|'re)(?: perfectly| totally| actually)* (?:fine|ok|okay|allowed|alright|all right|permitted) (?:from (?:now|here|today) on|now|again|these days|by now|after all)(?! (?:that|and then|because of)\b)
    (?:can|may) (?:now|again) be \w+
    (?:can|may) be \w+(?: \w+){0,3} (?:now|again|from now on|after all)
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
_TELLS_WHICH = lazy_pattern(
    r"^\W*(?:\w+\W+){0,5}?(?:note|list|tell|find|check|mark|show|see|say|write|decide|identify|figure)\b.{0,80}?"
    r"\b(?:which|whose|whether|whatever|anything that) (?:[\w-]+ ){0,4}"
    r"(?:no longer|(?:is|are|do|does)(?:n't| not) (?:\w+ ){0,2}any ?(?:more|longer))\b"
)
"""What some things are no longer, of which something is wanted: `note which tasks are no longer needed`."""
_FORBIDS = lazy_pattern(
    r"\b(?:never|don't|dont|do not|must not|mustn't|avoid|no|not|stop|without|forbidden|off.limits|"
    r"nie|niemals|keine?n?|nicht|ohne|nunca|sin|ne|jamais|pas)\b|不要|别|しないで"
)
_MAY_BE = lazy_pattern(r"\b(?:can|may) be \w+(?:ed|en|t)\b")
_UNTIL = lazy_pattern(
    r"\b(?:until|till) (?P<what>(?:[\w'-]+ ){1,5}?(?:has|have|was|were|is|are|'s|'ve) [^,.;]+)|"
    r"\bbefore (?P<done>(?:i|we)(?:'ve| have) [^,.;]+)"
)
"""What a ban waits for."""
_STANDS_ON = lazy_pattern(r"\b(?:always|never|ever|any|every|each|all)\b")
_COME_ABOUT = lazy_pattern(
    r"\b(?:has|have|'ve)(?: now| finally| just| also)? \w+|"
    r"\b(?:signed|approved|agreed|confirmed|gave|finished|returned|came|arrived)\b|"
    r"\b(?:was|were|is|are) (?:here|there|back|done|over|through)\b"
)
_NOT_SO = lazy_pattern(
    r"\b(?:not|\w+n't|never|yet|will|'ll|would|could|should|might|if|when|once|until|unless|before|hope\w*|"
    r"soon|tomorrow|still)\b"
)
_RING = lazy_pattern(r"\b(?:phon(?:e|ed|ing)|ring(?:ing)?|telephon(?:e|ing)|calling)\b")
"""Words for one deed."""
_CLAUSES = lazy_pattern(r"[,;.:–—]\s|\b(?:because|since|now that|so that)\b")
_DUTY = lazy_pattern(r"\b(?:without|before|unless|until|ohne|bevor|sin|antes|sans|avant)\b")
_BARS = "never don't dont do+not must+not mustn't not nie niemals nicht nunca ne jamais pas"
_VERBAL = frozenset(bar.replace("+", " ") for bar in _BARS.split())
"""What stands before a deed; `no` and `avoid` stand before a thing."""
_BOUND = lazy_pattern(
    r"\b(?:if|unless|when|only|except|but|until|once|as long as|provided|hardly|barely)\b"
)
_LEAVE = lazy_pattern(
    r"\b(?:from (?:now|here|today) on|after all|with me|all right|by now|these days|perfectly|totally|"
    r"actually|may|permitted|welcome|alright|good|ist|sind|doch|erlaubt|in ordnung|gut|bien|"
    r"permitid[oa]s?|están?)\b"
)
"""Words by which leave is given, and not what for."""
_PASSIVE = lazy_pattern(
    r"(?P<thing>\S.*?) (?:can|may)(?: now| again)? be (?P<deed>\w+)(?P<rest>.*)"
)
_IS_FINE = lazy_pattern(
    r"(?P<thing>\S.*?)(?: is| are|'s|'re)(?: now| again| perfectly| totally| actually)* "
    r"(?:fine|ok|okay|allowed|alright|all right|welcome|permitted|good)\b(?! to\b)"
)
_FOR_GOOD = lazy_pattern(
    r"\b(?:any ?more|longer|stop|more|mehr|auf|ya no|deja|dejes|plus|arrête)\b"
)
_IN_STATE = lazy_pattern(
    r"\b(?:is|are|was|were)(?:n't| not| no longer) (?!need|necess|requir|want|import|allow|a must)\w+"
)
"""How a thing is, and not what anybody has to do: `the cellar is not locked any more`."""
_THIS_TIME = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|this (?:time|once|one|week|month|\w+day))\b"
)
_TOWARDS = lazy_pattern(r"(?<!need)(?<!have) (?:to|into|onto|from|over|nach|von|auf|en|a|à) ")
"""Between two things that cannot change places."""
_NAMING = roots(
    "rule instruction preference guideline requirement restriction wrote asked told forget ignore "
    "mind disregard cancel apply applies ends ended expires expired herewith lifted gone over off history "
    "dead void dropped obsolete regel anweisung vergiss gilt gelten olvida regla"
)
"""Words by which a rule is spoken of, and not what it says."""

_CANCELS = phrase_pattern(r"""
    ^\W*(?:(?:oh|ok|okay|well|no|and|please|actually|hm+)\b[\s,.!–—-]*)*(?:never ?mind|forget (?:it|that|about|the|my|what)|scratch (?:it|that)|skip (?:it|that)|leave it|drop it)
    cancel (?:it|that|this|my request|the request)
    (?:i|we)(?: really| actually)* (?:do(?:n't| not)|no longer) (?:need|want)(?! to\b)
    (?:is|are)(?:n't| not| no longer) (?:needed|necessary) ?(?:any ?more)?\s*[.!]*$
    ^\W*(?:(?:oh|ah|ok|okay|wait|actually)\b\W*)*(?:i |we )?(?:just |already )?(?:found|solved|sorted) (?:it|them|one)(?: myself| out| now| already)*(?:\W+(?:thanks|thank you|no need)\b.*)?\W*$
    (?:no longer needed|not needed any ?more|already taken care of|has been taken care of)
    vergiss (?:es|das|die|den)
    (?:hat sich|ist schon) erledigt
    (?:brauche|brauchen|will|wollen) (?:\S+ ){0,4}nicht mehr
    (?:olvídalo|olvídate|olvida|déjalo|ya no (?:hace falta|lo necesito|necesito|quiero))
    (?:laisse tomber|oublie)
""")  # noqa: E501 - a phrase is one line
_MYSELF = lazy_pattern(
    r"\b(?:i|we|i've|we've)\b.*\b(?:myself|ourselves|already (?:did|done|\w+ed)|on my own)\b"
    r"|\bich\b.*\bselbst\b|\b(?:yo mism[oa]|moi-même)\b"
)
_BUT = lazy_pattern(r"[,;.:–—]?\s(?:but|though|only|just|except)\b")
_BREAKS = (",", ";", "–", "—")
_NO_NAME = lazy_pattern(
    r"never ?mind\b(?! the\b| about\b)|\b(?:it|that|es|das)\b(?! mit\b)|olvídalo|déjalo|erledigt|"
    r"laisse tomber"
)


def speaks_of_rules(said: ParsedSentence) -> bool:
    """May it take back a rule?"""
    if said.asks or _TELLS_WHICH.search(said.lower):
        return False
    forms = (_REVOKES, _RELEASES, _PERMITS, _MAY_BE, _COME_ABOUT)
    if any(form.search(said.lower) for form in forms) or may_let_others(said):
        return True
    return other_words.may_lift(said.text)


def takes_back(said: ParsedSentence) -> bool:
    """Is that all it does? `Stop doing that` and `you may from now on` set a rule of their own as well."""
    if _REVOKES.search(said.lower):
        return True
    # `You can push yourself from now on` lifts a ban, and holds.
    lets = _PERMITS.search(said.lower) is not None or _releases(said) or may_let_others(said)
    return (lets or other_words.may_lift(said.text)) and not rules(said)


def _releases(said: ParsedSentence) -> bool:
    return _RELEASES.search(said.lower) is not None


def lifted_rules(said: ParsedSentence, ruled: Sequence[Entry]) -> list[Entry]:
    """Which rules the sentence takes back; of several that share a word with it, those that share most."""
    found = [entry for entry in ruled if lifts(said, entry.point.text)]
    if not found:
        gone = {*other_words.lifted_rules(said.text, [entry.point.text for entry in ruled])}
        return [entry for entry in ruled if entry.point.text in gone]
    if len(found) == 1:
        return found
    named = _withdrawn_roots(said)
    shared = [len(named & roots(entry.point.text)) for entry in found]
    return [entry for entry, n in zip(found, shared, strict=True) if n == max(shared)]


def take_back_rules(
    said: ParsedSentence, points: Points, owns: Callable[[Entry], bool]
) -> str | None:
    """The rules that it lifts go, and what lifted a rule that it sets again. As what is it carried then?

    `owns`: is it hers to lift?
    """
    lifting = [entry for entry in points.of("correction") if owns(entry)]
    back = {*other_words.set_again(said.text, [entry.point.text for entry in lifting])}
    again = [entry for entry in lifting if entry.point.text in back]
    ruled = [*points.of("rule"), *points.of("preference")]
    lifted = lifted_rules(said, [entry for entry in ruled if owns(entry)])
    # What the agent had said to it tells nothing that is so any more.
    echoes = [e for e in points.of("fact") if lifted and e.point.by == "agent"]
    echoes = [e for e in echoes if lifts(said, e.point.text)]
    for entry in (*again, *lifted, *echoes):
        points.end(entry)
    if again:
        return "rule"
    # What it lifts may have been laid down elsewhere: told as a correction, it finds it.
    lifts_some = bool(lifted) or other_words.lets_go_for_good(said.text)
    return "correction" if lifts_some and takes_back(said) else None


def rule_roots(text: str) -> frozenset[str]:
    """By which words a rule is found again: without any of them nothing lifts it."""
    return roots(_even_out(text))


def _even_out(text: str) -> str:
    return _RING.sub("call", text.lower().replace("’", "'"))


def lifts(said: ParsedSentence, rule: str) -> bool:
    """Does the sentence take the rule back?"""
    rule = _even_out(rule)
    # A ban until somebody says so is over with that one's word.
    others = is_anothers_word(said.text) and not _UNTIL.search(rule)
    if said.asks or others:
        return False
    if roots(rule).isdisjoint(_withdrawn_roots(said)):
        return False
    if _REVOKES.search(said.lower):
        return _revokes(said, rule)
    forbids = _FORBIDS.search(rule) is not None
    if (forbids and _is_met(said, rule)) or lets_others(said, rule):
        return True
    if _releases(said):
        demands = not forbids or _DUTY.search(rule) is not None
        return demands and _frees(said, rule)
    return forbids and _PERMITS.search(said.lower) is not None and _permits_ban(said, rule)


def _revokes(said: ParsedSentence, rule: str) -> bool:
    """Does it name this rule: nothing else, or most of it and nothing in place of a word of it?"""
    wanted, named = roots(rule), _withdrawn_roots(said)
    apart = compare_deeds(root_line(rule), root_line(_withdrawn_text(said)), but=_NAMING)
    if named <= wanted:
        # Who names a part need not keep to its order: `the rule about American dates`.
        return named < wanted or not apart.turned
    return 2 * len(wanted & named) > len(wanted) and not apart.replaced and not apart.turned


def _frees(said: ParsedSentence, rule: str) -> bool:
    """Does it free of this duty, and not of another, or only in some cases?"""
    free = _clause_with(_RELEASES, said.lower)
    if _IN_STATE.search(free):
        return False
    wanted, named = deed_line(rule), deed_line(_RING.sub("call", free))
    apart = compare_deeds(wanted, named, but=_NAMING)
    meant = {*wanted, "before"} if "without" in wanted else set(wanted)
    if not set(named) - _NAMING <= meant or set(wanted).isdisjoint(named):
        return False
    if (apart.turned and _TOWARDS.search(free)) or _THIS_TIME.search(free):
        return False
    # `You don't have to answer` may be said of one answer, the more so with what shall be done, or why.
    alone = roots(said.lower.replace(free, " ")) <= set(named)
    return _FOR_GOOD.search(free) is not None or (alone and 2 * len(named) > len(wanted))


def _permits_ban(said: ParsedSentence, rule: str) -> bool:
    """Does it allow just what the rule forbids, though that says more: `Never phone me, e-mail only`?"""
    ban = _clause_with(_FORBIDS, rule)
    leave = _clause_with(_PERMITS, said.lower)
    bar = _FORBIDS.search(ban)
    if bar is None or _BOUND.search(said.lower) or _is_denied(leave):
        return False
    fine = _IS_FINE.match(leave)
    verbal = bar.group() in _VERBAL
    if fine and not is_deed_named(fine["thing"], ban[bar.end() :].strip(), verbal=verbal):
        return False
    if passive := _PASSIVE.match(leave):
        leave = f"{passive['deed']} {passive['thing']}{passive['rest']}"
    banned = deed_line(_FORBIDS.sub(_keep_duty, ban))
    allowed = deed_line(_LEAVE.sub(" ", _RING.sub("call", leave)))
    apart = compare_deeds(banned, allowed, turns=fine is None)
    return bool(banned) and not (apart.added or apart.missing or apart.turned)


def _clause_with(form: re.Pattern[str], text: str) -> str:
    """The part in which it is said; what stands beside it tells why, or what else."""
    parts = [part.strip() for part in _CLAUSES.split(text) if part.strip()]
    return next((part for part in parts if form.search(part)), text)


def _is_denied(leave: str) -> bool:
    """`No pushes to main are allowed` gives no leave."""
    return not (NEGATORS - {"without", "ohne", "sin", "sans"}).isdisjoint(leave.split())


def _keep_duty(found: re.Match[str]) -> str:
    """The word that bans is no part of the deed; but `without asking` is."""
    return found.group() if _DUTY.fullmatch(found.group()) else " "


def _is_met(said: ParsedSentence, rule: str) -> bool:
    """Has come about what the ban waited for: `until Marta has signed off`? What always holds waits on."""
    lower = rule.lower().replace("’", "'")
    waits = _UNTIL.search(lower)
    if waits is None or _STANDS_ON.search(lower):
        return False
    wanted, leave = roots(waits["what"] or waits["done"]), _MAY_BE.search(said.lower)
    # What is said beside the leave tells how it may be done.
    told = said.lower[: leave.end()] if leave else said.lower
    named, banned = roots(told), roots(lower[: waits.start()])
    if _NOT_SO.search(told) or wanted.isdisjoint(named):
        return False
    if waits["done"] and not roots(told.split(",")[0]) <= wanted | banned:
        return False  # with somebody else
    return wanted <= named or (leave is not None and 2 * len(banned & named) > len(banned))


def _withdrawn_roots(said: ParsedSentence) -> frozenset[str]:
    """What the words name that take something back."""
    return roots(_withdrawn_text(said)) - _NAMING


def _withdrawn_text(said: ParsedSentence) -> str:
    """The words that take something back; what shall hold instead stands beside them."""
    found = _REVOKES.search(said.lower)
    if found is not None:
        start = max(said.lower.rfind(sign, 0, found.start()) for sign in _BREAKS) + 1
        ends = [at for sign in _BREAKS if (at := said.lower.find(sign, found.end())) >= 0]
        named = said.lower[start : min(ends, default=None)]
        if roots(named) - _NAMING:
            return named
    return _even_out(said.text)


def cancels(said: ParsedSentence) -> bool:
    """Does it take back a request?"""
    return not said.asks and _CANCELS.search(said.lower) is not None


def did_it_herself(said: ParsedSentence) -> bool:
    return not said.asks and _MYSELF.search(said.lower) is not None


def names_something(said: ParsedSentence) -> bool:
    """Does it say what it takes back, so that it is worth carrying?"""
    return bool(roots(said.text) - _NAMING)


def is_request_meant(said: ParsedSentence, request: str, *, newest: bool) -> bool:
    """Is it this request that she takes back? Where she names none, it is the newest."""
    named, wanted = roots(said.text) - _NAMING, roots(request)
    if cancels(said):
        return bool(_cancelled_roots(said) & wanted) or (newest and _is_bare(said))
    return did_it_herself(said) and 2 * len(named & wanted) >= len(wanted) > 0


def _cancelled_roots(said: ParsedSentence) -> frozenset[str]:
    """What is named where she takes it back; `forget the list, but the map would be nice` keeps the map."""
    parts = [part for part in _BUT.split(said.lower) if _CANCELS.search(part)]
    return roots(" ".join(parts)) - _NAMING or roots(said.text) - _NAMING


def _is_bare(said: ParsedSentence) -> bool:
    """`Forget it, …`: what follows tells why, and not what."""
    return _NO_NAME.search(said.lower) is not None
