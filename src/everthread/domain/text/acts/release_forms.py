"""The forms in which something is let go, each with what it does and words of which one stands in it."""

from __future__ import annotations

import re
from typing import Literal

from everthread.domain.text.patterns import lazy_pattern

Letting = Literal["cease", "revoke", "allow", "free", "return", "resume"]
"""Something shall stop; a rule is given up by its name; something is allowed; it may be done in any way; it
is to be as it was; a person does again what she had stopped."""

_TAIL = (
    r"(?P<tail>(?:,? (?:again|now|any ?more|any longer|from (?:now|here|today) on|from here|after all|"
    r"for good|these days|altogether|entirely|completely|please|thanks|then|though|with me|by me|for me|"
    r"as well|at all|too|instead|since \w+ \w+))*)"
)
LEAD = (
    r"(?>(?:(?:ok|okay|well|so|and|oh|hey|right|alright|actually|also|please|just|then|now|yes|yeah|sure|"
    r"from (?:now|today)(?: on)?|as of (?:now|today)|starting (?:now|today)|by the way|"
    r"you know what|i think|i guess|let's|lets|we should|you should)\b"
    r"[ ,]*+)*)"
)
YOU = r"(?:(?:you|we) (?:can|may|could)(?: now| also| just| really)* )?"
END = (
    r"(?:drop|scrap|forget(?: about)?|ditch|lose|ignore|disregard|abandon|never mind|lift|axe|retire|skip|"
    r"cut|cancel|omit|leave (?:out|off|away)|do away with|get rid of)"
)
_NAME = (
    r"(?:what i (?:said|told you|wrote|asked)(?: about| on| for)?|rule|ban|thing|stuff|business|policy|"
    r"limit|cap|cutoff|restriction|requirement|embargo|instruction|preference|avoiding)"
)
_DONT = r"(?:do not|don't|does not|doesn't|no longer)"
NOT = rf"(?:{_DONT}|is not|isn't|are not|aren't|need not|needn't)"
_PLACE = r"(?:in|on|for|at|with|after|before|during|from)"
_WHAT = r"(?P<what>\S.*?)"

_TO_END = "drop scrap forget ditch lose ignore disregard abandon lift axe retire skip cut cancel omit leave"
_ENDS = (*_TO_END.split(), "never mind", "do away", "get rid")
_DENIES = ("n't", " not", "no longer")
_FOR_GOOD = ("any more", "anymore", "any longer")
_NEEDED = ("needed", "necessary", "required", "wanted", "important", "a must")
_WELL = "fine ok alright good possible back free allowed welcome permitted"
_FINE = (*_WELL.split(), "all right", "fair game")
_LEAVE = ("can", "may", "allowed to", "free to", "welcome to")
_AS_YOU_LIKE = (
    r"(?:however|(?:in )?(?:any|whichever|whatever) (?:way|form|format|style)|the way) (?:you|they) "
    r"(?:like|want|please|wish)"
)
_KEEPS_FROM = (
    r"(?:avoid|leave out|skip|refrain from|stay away from|keep (?P<day>\S.*?) (?:clear|free) of)"
)
_WAYS: tuple[tuple[Letting, tuple[str, ...], str], ...] = (
    ("revoke", _ENDS, rf"{LEAD}{YOU}{END} (?P<what>(?:\S+ )*?{_NAME}(?:s|es)?\b.*?){_TAIL}"),
    (
        "revoke",
        ("worry", "care", "fret"),
        rf"{LEAD}(?:{NOT}) (?:worry|care|fret) about {_WHAT}{_TAIL}",
    ),
    (
        "revoke",
        ("off", "over", "gone", "lifted", "dropped", "history", "dead", "void", "cancel"),
        rf"(?:the |that |my |our )?(?P<what>\S.*?\b{_NAME}\b.*?) (?:is|are|was|has been)(?: now)? "
        rf"(?:off|over|gone|lifted|dropped|history|dead|void|cancell?ed){_TAIL}",
    ),
    (
        "revoke",
        ("limit", "cap", "cutoff", "restriction"),
        rf"{LEAD}no (?:more )?(?P<what>(?:limit|cap|cutoff|restriction)s? (?:on|for) .*?){_TAIL}",
    ),
    (
        "revoke",
        ("done with", "through with", "finished with"),
        rf"{LEAD}(?:we|i)(?:'re| are|'m| am) (?:done|through|finished) with (?P<what>(?:\S+ )*?{_NAME}\b"
        rf".*?){_TAIL}",
    ),
    (
        "free",
        (" mind",),
        rf"{LEAD}(?:we|i)(?:'ve| have)? changed (?:my|our) minds? (?:about|on) {_WHAT}{_TAIL}",
    ),
    (
        "revoke",
        ("only is", "only are"),
        rf"{LEAD}(?:the )?{_WHAT} only (?:is|are)(?: now)? (?:off|over|gone|history|dead){_TAIL}",
    ),
    (
        "free",
        ("however", " way", "format", "style"),
        rf"{LEAD}(?:(?:you|we) (?:can|may)(?: now| just)? |feel free to )?{_WHAT} {_AS_YOU_LIKE}{_TAIL}",
    ),
    (
        "free",
        ("matter",),
        rf"{LEAD}it (?:{_DONT}) matters?(?: to me| to us)? (?:how|in what \w+|which way) (?:you|we) "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "allow",
        ("need",),
        rf"{LEAD}(?:no need to|(?:you|we) (?:{_DONT} (?:have|need) to|no longer (?:have|need) to|"
        rf"needn't|need not)) {_KEEPS_FROM} {_WHAT}{_TAIL}",
    ),
    (
        "allow",
        ("no longer", "not ", "n't "),
        rf"{LEAD}{_WHAT} (?:(?:is|are) (?:no longer|not)|isn't|aren't) (?P<general>a problem|problems|an "
        rf"issue|forbidden|banned|taboo|off limits){_TAIL}",
    ),
    (
        "allow",
        ("nothing",),
        rf"(?:\S.* )?there(?:'s| is)(?: now)? (?P<general>nothing) (?:against|wrong with) {_WHAT}{_TAIL}",
    ),
    ("allow", ("nobody",), rf"{LEAD}(?P<general>nobody) minds {_WHAT}{_TAIL}"),
    (
        "cease",
        ("nobody",),
        rf"{LEAD}(?P<general>nobody) (?:wants|needs) {_WHAT}(?P<tail> any ?more| any longer)(?: please)?",
    ),
    (
        "cease",
        ("needn't", "need not"),
        rf"(?P<what>\S.*? (?:needn't|need not) \S.*?)(?= any ?more| any longer){_TAIL}",
    ),
    ("cease", ("stop", "quit"), rf"{LEAD}{YOU}(?:stop|quit)(?: with| it with)? {_WHAT}{_TAIL}"),
    ("cease", _ENDS, rf"{LEAD}{YOU}{END} {_WHAT}(?: (?:out|off|away))?{_TAIL}"),
    ("cease", ("leave",), rf"{LEAD}{YOU}leave {_WHAT} (?:out|off|away){_TAIL}"),
    (
        "cease",
        ("no more", "enough", "no longer any"),
        rf"{LEAD}(?:no more|enough(?: of| with)?|no longer any) {_WHAT}{_TAIL}",
    ),
    ("cease", _FOR_GOOD, rf"{LEAD}no {_WHAT}(?P<tail> any ?more| any longer)(?: please)?"),
    ("cease", ("bother",), rf"{LEAD}(?:do not|don't) bother (?:with|to|about) {_WHAT}{_TAIL}"),
    ("cease", ("no need",), rf"{LEAD}no need (?:to|for)(?: have| keep)? {_WHAT}{_TAIL}"),
    (
        "cease",
        _NEEDED,
        rf"{LEAD}no {_WHAT} (?:is |are )?(?:needed|necessary|required)(?P<more> (?:to|{_PLACE}) \S.*?)?"
        rf"{_TAIL}",
    ),
    (
        "cease",
        _DENIES,
        rf"{LEAD}(?:you|we|i|they) {NOT}(?: really)? (?:have to|need to|need|want|have|keep)? ?"
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "cease",
        ("done with", "through with", "finished with"),
        rf"{LEAD}(?:we|i)(?:'re| are|'m| am) (?:done|through|finished) with {_WHAT}{_TAIL}",
    ),
    (
        "cease",
        ("stopped", "dropped", "quit", "scrapped", "abandoned", "ditched", "gave up"),
        rf"{LEAD}(?:we|i)(?:'ve| have)? (?:stopped|dropped|quit|scrapped|abandoned|ditched|gave up) "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "cease",
        _NEEDED,
        rf"{_WHAT}(?: are| is|'s)? ?(?:not|n't|no longer) "
        rf"(?:needed|necessary|required|wanted|important|a must){_TAIL}",
    ),
    ("cease", _DENIES, rf"(?P<what>\S.*? {_DONT} (?:need|needs|have|has) to\b.*?){_TAIL}"),
    ("cease", _DENIES, rf"{_WHAT} {_DONT} (?:matters?|appl(?:y|ies)|counts?){_TAIL}"),
    (
        "cease",
        ("can", "may"),
        rf"{_WHAT} (?:can|may) (?:go|be (?:dropped|skipped|left out|omitted|cancelled)){_TAIL}",
    ),
    (
        "cease",
        ("without",),
        rf"{LEAD}(?:\S.* )?without {_WHAT} (?:is|are) (?:fine|ok|okay|allowed){_TAIL}",
    ),
    (
        "return",
        ("back to", "return to", "revert to"),
        rf"{LEAD}{YOU}(?:(?:go|switch|change|revert|move|return|turn) )?(?:back|return|revert) to "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "allow",
        _LEAVE,
        rf"{LEAD}(?:you|we)(?:'re| are)? ?(?:can|may|allowed to|free to|welcome to)(?: now| again)? "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "allow",
        (" with us ", " with you ", " with me "),
        rf"{LEAD}\S+(?: \S+)? (?:is|are)(?: now)? (?:fine|ok|okay|alright|happy|cool) with (?:us|you|me) "
        rf"(?P<what>\S+ing\b.*?){_TAIL}",
    ),
    ("allow", ("feel free",), rf"{LEAD}feel free to {_WHAT}{_TAIL}"),
    (
        "allow",
        _FINE,
        rf"{LEAD}{_WHAT}(?: is| are|'s|'re)?(?: now| again| totally| perfectly| absolutely){{0,2}} "
        r"(?:allowed|welcome|permitted|fair game|(?P<state>fine|ok|okay|alright|all right|good|possible|"
        r"back(?:(?: on| in)(?: the \w+)?)?|free))"
        rf"(?: again| now| after all| from now on)*(?P<more> (?:(?P<deed>to)|{_PLACE}) \S.*?)?{_TAIL}",
    ),
    (
        "allow",
        ("can", "may"),
        rf"{LEAD}{_WHAT} (?:can|may)(?: now| again)? be(?P<more> \S.*?){_TAIL}",
    ),
    (
        "resume",
        ("again",),
        r"(?:i|we) (?P<what>(?!\w+ed )\S+ \S.*?) again(?P<tail>)(?: now| these days| since \w+ \w+)?",
    ),
    (
        "return",
        ("again",),
        rf"{LEAD}(?P<what>(?!the |a |an |my |our )\S+(?: \S+)?) again(?P<tail>)(?: please| from now on)",
    ),
)
FORMS: tuple[tuple[Letting, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (how, hints, lazy_pattern(form)) for how, hints, form in _WAYS
)
"""Each with words of which one must stand there: to look for these is a small part of the work."""
HINTS = tuple(hint for _, hints, _ in _WAYS for hint in hints)
