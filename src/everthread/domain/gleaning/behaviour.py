"""How a thing that is to be built shall behave is a request, and no rule for the agent.

`When I click a comment, scroll to it. Don't move the cursor.` speaks of the program.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard

NEAR = 3
"""So many sentences before, somebody may have told when it shall do so."""

_WHO = (
    r"(?:i|we|(?:the|a|an|any|each|every|another|one) (?:\w+ )?(?:user|visitor|customer|player|person|reader|"
    r"author|admin|client|guest|member)|users|visitors|customers|players|people|someone|somebody|anyone|they|"
    r"he|she|(?:der|die|ein|eine) (?:nutzer|nutzerin|benutzer|benutzerin|kunde|kundin)|ich|man|"
    r"(?:l'|un |une )?utilisat\w+|on|je|(?:el|la|un|una) usuari[oa])"
)
_DOES = (
    r"(?:click|press|tap|hover|scroll|select|drag|drop|typ|hit|open|clos|submit|toggl|resiz|swip|paste|"
    r"navigat|refresh|reload|log|sign|delet|edit|enter|leav|mov|switch|chang|creat|add|remov|sav|upload|"
    r"klick|drück|tipp|wähl|öffn|schließ|cliqu|appui|tap|choisi|ouvr|ferm|haz|pulsa|hac|seleccion|abr|cierr)\w*"
)
_EVENT = late(
    r"\b(?:when|whenever|if|once|as soon as|after|while|every time|each time|wenn|sobald|falls|quand|lorsque|"
    rf"si|cuando)\s+{_WHO}(?:\s+[\w'’]+){{0,2}}?\s+{_DOES}"
)
_BARE = late(r"^\W*(?:and |but |also |please |just )*(?:do(?:n't|nt| not))\s+(?!ever\b)\w+")
_LASTS = late(
    r"\b(?:ever|again|any ?more|from now on|in (?:the )?future|going forward|unless i|without|"
    r"commit|push|merge|deploy|you)\b"
)
"""What holds beyond the thing, or speaks of the agent's own work."""


def of_the_thing(sentences: Sequence[Heard], at: int) -> bool:
    """Does the sentence tell how a program shall behave when somebody uses it?"""
    each = sentences[at]
    if _LASTS.search(each.lower):
        return False
    if _EVENT.search(each.lower):
        return True
    if _BARE.match(each.lower) is None:
        return False
    return any(_EVENT.search(s.lower) for s in sentences[max(0, at - NEAR) : at])
