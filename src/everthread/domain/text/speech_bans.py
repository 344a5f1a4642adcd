"""What holds for good though no verb orders it: `no tables please`, `metric only from today`.

Who types in passing leaves out the verb. A thing with `no` before it is banned where the sentence asks
for that (`please`), says how long (`ever`), or names what an agent writes (`in commits`);
without any of these it tells what is missing: `no errors in the log`, `no internet till Monday`.
"""

from __future__ import annotations

import re

from .patterns import late

LONGEST = 400
"""Characters of a sentence that is said in passing."""

_LEAD = (
    r"(?:(?:and|also|but|so|then|oh|ok|okay|btw|careful|please|pls|plz|no|nope|yes|yeah|right|again|first|"
    r"well|hm+|note|reminder|important|otherwise|one (?:more )?thing|(?:one|two|three) (?:more )?(?:nits?|"
    r"things?|rules?)|(?:for the )?same reason|by the way)\b[\s,.:;!–—-]*)*"
)
_FOUND = (
    r"(?:errors?|warnings?|failures?|issues?|problems?|bugs?|changes?|matches|hits?|traces?|signs?|mentions?|"
    r"entries|output|luck|differences?|results?|regressions?|leaks?|crash(?:es)?|exceptions?|ideas?|rush|hurry|"
    r"worries|worry|need|thanks|thank|clue|chance|wonder|doubt|reasons?|sense|way|matter|time|news|reply|"
    r"replies|answer|response|one|longer|more|such|pressure|offence|offense|big deal|deal|objections?|"
    r"internet|signal|money|room|space|power|water|trouble|harm|use|point|good|wait|it|that|this|data|rows?|"
    r"comments? (?:from|on)|complaints?|questions?)\b"
)
"""What is missing, or found; nobody bans it."""
_TOLD = (
    r"(?!.*\b(?:so far|found|left|any ?more|since|today|yesterday|until|till|appeared|showed|was|were|had|"
    r"came|seen)\b)"
)
_THING = rf"no (?!{_FOUND})(?:[^\s,.;:]+ ){{1,6}}?"
_MOST = r"(?:not more than|no more than|at most|max(?:imum)?(?: of)?|never more than) [\w'-]+ (?:\S+ ){1,4}?"
_ALSO = rf"(?:(?:and|or|,) (?:{_THING}))*"
_ASKED = r"(?:pls|plz|please)\b"
_LONG = r"(?:ever(?: again)?|never|full stop|period|under any circumstances|no matter what)\b"
_HERE = (
    r"(?:in|on|at|into|inside) (?:this|our|my) (?:code ?base|repo(?:sitory)?|project|house|home|flat|kitchen|"
    r"office|team|family|company|shop|channel|chat|group|school|class|practice)\b"
)
_WORK = (
    r"(?:in|on|into|inside) (?:any |the |your )?(?:commits?|commit messages|logs|tests|comments|titles|"
    r"headings|e-?mails|replies|answers|messages|migrations|docs|file ?names|summaries|reports|drafts)\b"
)
_WARNS = (
    r"(?:careful|note|reminder|important|same reason|nits?|things?|rules?|btw|by the way|oh and|also|"
    r"please|pls)"
)
"""Before these words somebody tells how he wants it, and not how it is."""
_BAN = late(
    rf"(?:^|[:;]\s)\W*{_LEAD}(?:{_THING}|{_MOST}){_ALSO}(?:\S+ ){{0,3}}?(?:[^\w\s]\s*)?(?:{_ASKED}|{_LONG})|"
    rf"^\W*{_LEAD}{_TOLD}{_THING}{_ALSO}{_WORK}(?!\s+(?:is|are|has|have|fail\w*|break\w*)\b)|"
    rf"^\W*{_LEAD}\b{_WARNS}\W+{_TOLD}{_THING}{_ALSO}{_HERE}(?!\s+(?:is|are|has|have)\b)"
)
_NOTHING = late(
    rf"(?:^|[:;]\s)\W*{_LEAD}nothing (?:(?:\S+ ){{0,3}}(?:gets?|goes|leaves|is|are) (?:\S+ ){{0,5}}"
    r"(?:on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|holidays)|at (?:weekends|night)|"
    r"without (?:my|our|me|asking|approval|a review)|unless (?:i|we)\b|ever|any \w+ you (?:make|write|send|"
    r"draft|give|do)\b)|(?:[\w-]+[ -]related|about \S+|of (?:this|that)|personal|private|confidential) "
    r"(?:\S+ ){0,2}(?:goes|gets|leaves|in|on|to|into)\b)"
)
_SINCE = r"(?:from|as of|starting|since) (?:today|now|here)(?: on)?"
_ONLY = late(
    r"^(?!\W*(?:i|we|he|she|they|it|that|this|there|open|available|closed|valid)\b)"
    rf".{{3,80}}\bonly,? {_SINCE}\b|"
    rf"^\W*{_LEAD}(?:from|as of) (?:today|now)(?: on)?,? only \w+"
)
_LEAVE = late(
    r"\byou (?:can|may)(?: also| now| just)? (?!never|see\b|tell\b|find\b|expect\b|reach\b|imagine\b)\w+\b"
    r".{2,100}\b(?:from (?:now|here) on|in future|going forward|without asking|any ?time you (?:like|"
    r"want))\b"
)
_EVERYWHERE = late(
    rf"^\W*{_LEAD}(?:it |they )?(?:must|has to|have to|needs? to) be (?!\w+ing\b)\S.*"
    r"\b(?:everywhere|throughout|at all times)\b"
)
_SO_ON = late(
    r"^(?!\W*(?:i|we|he|she|they)\b)\W*\S.*\bfrom (?:now|here) on(?:,? (?:btw|pls|please|then|thanks|ok|"
    r"okay|too|by the way|everyone|all))+\W*$"
)
_NEXT = late(
    rf"^\W*{_LEAD}(?!let'?s|see\b|until\b|till\b|maybe\b|we\b|i\b)(?:use|do|put|take|give|write|check|run|"
    r"ask|tell|send|name|call|say|start|mention|include|leave|keep|make|try|read|look|wait|add|show|warn|begin)\b"
    r"[^?]{3,100}\b(?<!see you )next time(?=\W*$|[,;.]|\s+(?:please|pls|you)\b)"
)
_FORMS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (frozenset({"no", "not", "most", "max", "maximum", "never"}), _BAN),
    (frozenset({"nothing"}), _NOTHING),
    (frozenset({"only"}), _ONLY),
    (frozenset({"can", "may"}), _LEAVE),
    (frozenset({"everywhere", "throughout", "times"}), _EVERYWHERE),
    (frozenset({"on"}), _SO_ON),
    (frozenset({"next"}), _NEXT),
)
"""Each with words of which one stands in it."""


def holds(own: str, bag: frozenset[str]) -> bool:
    """Does it say what holds from now on, without an order? `own`: in small letters, no quotations."""
    if len(own) > LONGEST:
        return False
    return any(not hints.isdisjoint(bag) and form.search(own) for hints, form in _FORMS)
