"""What holds for good though no verb orders it: `no tables please`, `metric only from today`.

Who types in passing leaves out the verb. A thing with `no` before it is banned where the sentence asks
for that (`please`), says how long (`ever`), or names what an agent writes (`in commits`);
without any of these it tells what is missing: `no errors in the log`, `no internet till Monday`.

A ban names what can be left out of what is made: words and signs (`no slang in reports`), or things that
one puts somewhere or does. What somebody lacks is told, and an order of its own may follow from that: `no
wifi on the train, please text me`. So `please` bans only where nothing else is asked by it.

Each form is read in one go, and no stretch of a sentence fits two parts of it: who types `no a and no b`
thirty times waits for nothing.
"""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

LONGEST = 400
"""Characters of a sentence that is said in passing."""

_LEAD = (
    r"(?:(?:and|also|but|so|then|oh|ok|okay|btw|careful|please|pls|plz|no|nope|yes|yeah|right|again|first|"
    r"well|hm+|note|reminder|important|otherwise|(?:one|two|three) (?:more )?(?:nits?|"
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
_LACKED = (
    r"(?:(?:new|further|other|additional)\b|(?:wi-?fi|electricity|(?:central )?heating|heat|hot water|gas|"
    r"light|lift|elevator|parking|oven|dishwasher|fridge|freezer|microwave|kettle|washing machine|shower|"
    r"bath|bathroom|toilet|garden|balcony|cellar|printer|phone|network|reception|coverage|access|air ?con\w*|"
    r"staff|stock|seats?|beds?|vacanc(?:y|ies)) (?:in|on|at|to|for|of|and|or)\b)"
)
"""What a place has or has not, and what has not come."""
_TOLD = (
    r"(?!.*\b(?:so far|found|left|any ?more|since|today|yesterday|tonight|tomorrow|until|till|appeared|"
    r"showed|was|were|had|came|seen|yet|either|right now|at the moment|(?:this|last) (?:morning|evening|"
    r"night|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter))\b)"
)
_MOST = r"(?:not more than|no more than|at most|max(?:imum)?(?: of)?|never more than)"
_NO = lazy_pattern(rf"(?:^|[:;]\s)\W*(?P<lead>{_LEAD})(?:no (?!{_FOUND})|{_MOST} (?=\S+ \S))")
"""Where somebody says what he does not want; what follows tells what it is."""
_ASK = r"(?:pls|plz|please)\b"
_WORD = rf"(?!{_ASK})[^\s,.;:]+"
_THINGS = rf"{_WORD}(?: {_WORD}){{0,9}}?(?:, {_WORD}(?: {_WORD}){{0,3}}?){{0,4}}?"
_ON = (
    r"(?:in|on|at|to|into|for|from|of|with|without|before|after|during|until|till|unless|if|when|while|per|by|as|"
    r"and|or|but|because|since|this|that|the|my|our|i|we|you|it|they|he|she|there|ever|thanks?|thx|ok|okay|too|"
    r"no|not|never|only|again|anywhere|any ?more)\b"
)
"""After `please` one of these goes on; whatever else stands there is an order."""
_ASKED = lazy_pattern(rf"(?P<things>{_THINGS}),?\s*(?:[^\w\s]\s*)?{_ASK}(?P<order>\s+(?!{_ON})\w)?")
_ENDS = (
    rf"(?=\W*$|[,;.:!)–—]|\s+(?:-|{_ASK}|(?:in|on|at|into|for|with|and|or|but|because|unless)\b))"
)
_LASTS = lazy_pattern(
    rf"{_THINGS},?\s*(?:[^\w\s]\s*)?(?:ever(?: again)?|never|under any circumstances|no matter what){_ENDS}|"
    rf"{_THINGS}(?:,\s|\s?[–—-]\s?|\s(?=full))\s*(?:full stop|period)\W*$"
)
_HERE = (
    r"(?:in|on|at|into|inside) (?:this|our|my) (?:code ?base|repo(?:sitory)?|project|house|home|flat|kitchen|"
    r"office|team|family|company|shop|channel|chat|group|school|class|practice)\b"
)
_WORK = (
    r"(?:in|on|into|inside) (?:any |your |(?P<the>the ))?(?:commits?|commit messages|logs|tests|comments|"
    r"titles|headings|e-?mails|replies|answers|messages|migrations|docs|file ?names|summaries|reports|"
    r"drafts)\b"
)
_TELLS = r"(?!\s+(?:is|are|has|have|fail\w*|break\w*|works?)\b)"
_WARNS = (
    *("careful", "note", "reminder", "important", "reason", "nit", "nits", "thing", "things"),
    *("rule", "rules", "please", "pls"),
)
"""With these words before it somebody tells how he wants it, and not how it is."""
_ASIDE = ("btw", "by the way", "oh and", "also")
"""With these, he may."""
_THERE = lazy_pattern(rf"{_TOLD}(?!{_LACKED}){_THINGS} (?:{_WORK}|(?P<here>{_HERE})){_TELLS}")
_WRITTEN = lazy_pattern(
    r"(?:names?|surnames|nicknames|numbers|addresses|passwords|secrets|credentials|dates|links|urls|data|"
    r"details|quot(?:es|ations)|emojis?|smileys?|gifs?|tables|lists|bullets?|headings?|headers?|footnotes?|"
    r"greetings?|signatures?|abbreviations?|acronyms?|initials|ad(?:jectives|verbs)|words?|terms?|phrases?|"
    r"sentences?|puns?|jokes?|metaphors?|slang|jargon|sarcasm|irony|humou?r|profanit(?:y|ies)|clickbait|caps|"
    r"capitals|hyphens|dashes|commas|(?:semi)?colons|marks|brackets|parentheses|spaces|whitespace|underscores|"
    r"tabs|hashtags|code|markdown|html|css|sql|latin|boilerplate|mocks?|stubs?|sleeps?|timeouts|prints?|"
    r"statements|todos?|globals?|variables|constants|literals|prefix(?:es)?|suffix(?:es)?|opinions?|"
    r"apolog(?:y|ies)|filler|fluff|\w+isms)"
)
"""What stands in a text because somebody wrote it there."""
_SEVERAL = lazy_pattern(r"[\w'-]*(?:[^\Wsu]s(?<!sis)|ing)")
_STATE = lazy_pattern(
    r"(?:coverage|access|progress|growth|improvement|movement|activity|traffic|feedback|interest|support|"
    r"demand|drop|rise|increase|decrease|agreement|evidence|proof|record|reference|reaction|history)"
)
"""How things stand; nobody puts it anywhere."""
_HEAD = lazy_pattern(rf"(?!{_ON}|{_ASK})[^\s,.;:]+(?: (?!{_ON}|{_ASK})[^\s,.;:]+){{0,5}}")
_NOTHING = lazy_pattern(
    rf"(?:^|[:;]\s)\W*{_LEAD}nothing (?:(?:\S+ ){{0,3}}(?:gets?|goes|leaves|is|are) (?:\S+ ){{0,5}}"
    r"(?:on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|holidays)|at (?:weekends|night)|"
    r"without (?:my|our|me|asking|approval|a review)|unless (?:i|we)\b|ever|any \w+ you (?:make|write|send|"
    r"draft|give|do)\b)|(?:[\w-]+[ -]related|about \S+|of (?:this|that)|personal|private|confidential) "
    r"(?:\S+ ){0,2}(?:goes|gets|leaves|in|on|to|into)\b)"
)
_SINCE = r"(?:from|as of|starting|since) (?:today|now|here)(?: on)?"
_ONLY = lazy_pattern(
    r"^(?!\W*(?:i|we|he|she|they|it|that|this|there|open|available|closed|valid)\b)"
    rf".{{3,80}}\bonly,? {_SINCE}\b|"
    rf"^\W*{_LEAD}(?:from|as of) (?:today|now)(?: on)?,? only \w+"
)
_LEAVE = lazy_pattern(
    r"\byou (?:can|may)(?: also| now| just)? (?!never|see\b|tell\b|find\b|expect\b|reach\b|imagine\b)\w+\b"
    r".{2,100}\b(?:from (?:now|here) on|in future|going forward|without asking|any ?time you (?:like|"
    r"want))\b"
)
_EVERYWHERE = lazy_pattern(
    rf"^\W*{_LEAD}(?:it |they )?(?:must|has to|have to|needs? to) be (?!\w+ing\b)\S.*"
    r"\b(?:everywhere|throughout|at all times)\b"
)
_SO_ON = lazy_pattern(
    r"^(?!\W*(?:i|we|he|she|they)\b)\W*\S.*\bfrom (?:now|here) on(?:,? (?:btw|pls|please|then|thanks|ok|"
    r"okay|too|by the way|everyone|all))+\W*$"
)
_NEXT = lazy_pattern(
    rf"^\W*{_LEAD}(?!let'?s|see\b|until\b|till\b|maybe\b|we\b|i\b)(?:use|do|put|take|give|write|check|run|"
    r"ask|tell|send|name|call|say|start|mention|include|leave|keep|make|try|read|look|wait|add|show|warn|begin)\b"
    r"[^?]{3,100}\b(?<!see you )next time(?=\W*$|[,;.]|\s+(?:please|pls|you)\b)"
)
_FIRM = lazy_pattern(
    r"^\W*(?:[^\s,]++ ){1,11}[^\s,]++, (?:and |but )?(?:that|this|it)(?: one)?(?:'s| is) "
    r"(?:non|not)[ -]negotiable\b"
)
_FORMS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (frozenset({"nothing"}), _NOTHING),
    (frozenset({"only"}), _ONLY),
    (frozenset({"can", "may"}), _LEAVE),
    (frozenset({"everywhere", "throughout", "times"}), _EVERYWHERE),
    (frozenset({"on"}), _SO_ON),
    (frozenset({"next"}), _NEXT),
    (frozenset({"negotiable", "non-negotiable"}), _FIRM),
)
"""Each with words of which one stands in it."""


_NAYS = frozenset({"no", "not", "most", "max", "maximum", "never"})


def holds(own: str, bag: frozenset[str]) -> bool:
    """Does it say what holds from now on, without an order? `own`: in small letters, no quotations."""
    if len(own) > LONGEST:
        return False
    if not _NAYS.isdisjoint(bag) and any(_bans(own, found) for found in _NO.finditer(own)):
        return True
    return any(not hints.isdisjoint(bag) and form.search(own) for hints, form in _FORMS)


def _bans(own: str, found: re.Match[str]) -> bool:
    """Is what stands after the `no` to be left out, or only not there?"""
    rest = own[found.end() :]
    asked = _ASKED.match(rest)
    if _LASTS.match(rest) or (asked is not None and _is_asked(asked)):
        return True
    there = _THERE.match(rest) if found.start() == 0 else None
    if there is None:
        return False
    before = found["lead"].rstrip(" ,.:;!–—-")
    warned = before.endswith(_WARNS)
    if there["here"]:
        return asked is None and (warned or before.endswith(_ASIDE))
    if warned or _is_written_thing(rest):
        return True
    return not there["the"] and (before.endswith(_ASIDE) or _is_several(rest))


def _is_asked(asked: re.Match[str]) -> bool:
    """Does `please` ask for the ban itself, or for what is to be done instead?"""
    if not asked["order"] or "instead" in asked.string:
        return True
    return _HEAD.fullmatch(asked["things"]) is not None and _is_written_thing(asked.string)


def _is_written_thing(rest: str) -> bool:
    return _WRITTEN.fullmatch(_thing_words(rest)[-1]) is not None


def _is_several(rest: str) -> bool:
    """Several of a kind, a doing, or what is named more closely can be left out: `no debug output`.

    Of `coverage` or `growth` there is only none.
    """
    *more, head = _thing_words(rest)
    return _SEVERAL.fullmatch(head) is not None or (bool(more) and not _STATE.fullmatch(head))


def _thing_words(rest: str) -> list[str]:
    """The words of the thing, the noun last: `real names of clients in tests` speaks of real names."""
    found = _HEAD.match(rest)
    return found[0].split(" ") if found else [""]
