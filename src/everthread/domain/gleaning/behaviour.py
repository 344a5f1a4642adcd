"""How a thing that is to be built or made shall be is a request, and no rule for the agent.

`When I click a comment, scroll to it. Don't move the cursor.` speaks of the program, and `Write a poem. Stick
to simple words.` of the poem.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts.general_rules import holds_of_kind
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .rule_parts import only_measures

NEAR = 3
"""So many sentences before, somebody may have told when it shall do so."""

_OTHERS = (
    r"(?:(?:the|a|an|any|each|every|another|one) (?:\w+ )?(?:user|visitor|player|admin)|users|visitors|"
    r"players|(?:der|die|ein|eine) (?:nutzer|nutzerin|benutzer|benutzerin)|(?:l'|un |une )?utilisat\w+|"
    r"(?:el|la|un|una) usuari[oa])"
)
"""Who uses a program, and is spoken of only there."""

_WHO = (
    r"(?:i|we|(?:the|a|an|any|each|every|another|one) (?:\w+ )?(?:customer|person|reader|author|client|guest|"
    r"member)|customers|people|someone|somebody|anyone|they|he|she|ich|wir|man|"
    r"(?:der|die|ein|eine) (?:kunde|kundin)|on|je|nous)"
)
"""Who may as well be somebody the agent talks with, or of."""

_GESTURE = r"(?:click|hover|scroll|swip|toggl|resiz|klick|cliqu|pulsa)\w*"
_DOES = (
    r"(?:press|tap|select|drag|drop|typ|hit|open|clos|submit|paste|navigat|refresh|reload|log|sign|delet|edit|"
    r"enter|leav|mov|switch|chang|creat|add|remov|sav|upload|drück|tipp|wähl|öffn|schließ|appui|choisi|ouvr|"
    r"ferm|haz|hac|seleccion|abr|cierr)\w*"
)
_WHEN = (
    r"\b(?:when|whenever|if|once|as soon as|after|while|every time|each time|wenn|sobald|falls|quand|lorsque|"
    r"si|cuando)\s+"
)
_SOME = r"(?:\s+[\w'’]+){0,2}?\s+"
_USED = lazy_pattern(rf"{_WHEN}{_OTHERS}{_SOME}(?:{_GESTURE}|{_DOES})")
_CLICKED = lazy_pattern(rf"{_WHEN}{_WHO}{_SOME}{_GESTURE}")
_DONE = lazy_pattern(rf"{_WHEN}{_WHO}{_SOME}{_DOES}")
_WIDGET = lazy_pattern(
    r"\b(?:buttons?|cursor|menus?|dialogs?|modals?|pop-?ups?|drop-?downs?|check ?box(?:es)?|tool ?tips?|"
    r"side ?bars?|tool ?bars?|fields?|text ?box(?:es)?|windows?|tabs?|screens?|sliders?|spinners?|icons?|"
    r"knopf|schaltfläche|fenster|eingabefeld|zeiger|bouton|fenêtre|curseur|botón|ventana)\b"
)
"""Things of which a program's face is made; a page, a link or a comment may be one of a text."""

_SHOWN = lazy_pattern(
    r"\b(?:pages?|links?|comments?|entr(?:y|ies)|rows?|items?|images?|seite|eintrag|lien)\b"
)
_HOLDS = lazy_pattern(
    r"\b(?:whenever|never|always|every time|each time|immer|nie|niemals|toujours|jamais|siempre|nunca)\b"
)
"""Words of a rule."""

_BARE = lazy_pattern(r"^\W*(?:and |but |also |please |just )*(?:do(?:n't|nt| not))\s+(?!ever\b)\w+")
_LASTS = lazy_pattern(
    r"\b(?:ever|again|any ?more|from now on|in (?:the )?future|going forward|unless i|"
    r"without (?!an? )|"
    r"commit|push|merge|deploy|you)\b"
)
"""What holds beyond the thing, or speaks of the agent's own work."""


_MAKES = lazy_pattern(
    r"\W*+(?>(?:(?:please|now|then|also|ok|okay|and|so|(?:can|could|would|will) you|i need you to|"
    r"i'd like you to)\b[\s,]*+)*)(?:write|draft|make|create|compose|plan|design|find|suggest|recommend|"
    r"summari[sz]e|translate|compare|list|prepare|build|generate|propose|give me|show me|explain|describe|"
    r"look for|sketch|outline|rewrite|edit)\b"
)
"""Something is to be made: what is said next of a kind of things holds for that."""


def describes_program(sentences: Sequence[ParsedSentence], at: int) -> bool:
    """Does it tell how a program shall behave, or how what was just asked for shall be? In doubt not."""
    each = sentences[at]
    if _LASTS.search(each.lower):
        return False
    if _tells_when(sentences, at) or _tells_how(sentences, at):
        return True
    if _BARE.match(each.lower) is None:
        return False
    return any(_tells_when(sentences, n) for n in range(max(0, at - NEAR), at))


def _tells_how(sentences: Sequence[ParsedSentence], at: int) -> bool:
    """Does it say of a kind of things how they shall be in what was just asked for?"""
    each = sentences[at]
    made = any(_MAKES.match(one.lower) for one in sentences[max(0, at - NEAR) : at])
    if not made or _HOLDS.search(each.lower):
        return False
    return only_measures(each) or holds_of_kind(each.lower, each.text, each.bag, orders=each.orders)


def _tells_when(sentences: Sequence[ParsedSentence], at: int) -> bool:
    """Does it tell when a program shall do so? Who speaks of herself names a thing of its face as well:
    `When I paste a log, don't explain it` is for the agent."""
    said = sentences[at].lower
    if _USED.search(said):
        return True
    clicked = _CLICKED.search(said) is not None
    if not clicked and not _DONE.search(said):
        return False
    near = [s.lower for s in sentences[max(0, at - NEAR) : at + 2]]
    seen = any(map(_WIDGET.search, near)) or (clicked and any(map(_SHOWN.search, near)))
    return seen and (clicked or not _HOLDS.search(said))
