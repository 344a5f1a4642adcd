"""Leave to go on, by which nobody knows with what: `Do you approve of this approach?` `Approved.`

What was agreed to stands in the messages; such a pair tells only that something was.
"""

from __future__ import annotations

import re

from everthread.domain.gleaning.digest import Point

from .answer_pairs import CHOSE, WITHIN

LONGEST = 4
"""Words of a consent; who says more says with what."""

_NAMES = re.compile(r"[`\"/\d\u0370-\u1fff\u3040-\uffef]")
"""What has a name, or is in a script of whose words none is listed here."""
_WORD = re.compile(r"[^\W\d_]+")
_EMPTY = """
    sí si dale oui ja nein vale
    a able about again agree agreed ahead all along also an and any approach approve approved are as be
    before begin can change changes confirm continue correct could create did different do does done
    else feel finish fix for go going good great have how i if implement implementation implementing in
    into is it let like look looks make making may me modify move my need next now of ok okay on one
    option or other over phase plan please prefer preference preferred problem proceed proposal proposed
    question questions ready recommendation right same shall should solution sound sounds start step
    suggestion sure take task tell that the them then these think this those to try understand
    understanding update us want way we well what when whether which why will with work would write yes
    yet you your soll sollen ich wir das dies diese diesen fortfahren weitermachen umsetzen anfangen
    beginnen loslegen passt so einverstanden lösung änderung änderungen nächsten schritt machen möchtest
    du gut ist es für dich was meinst quieres que implemente aplique haga este esta esto cambio cambios
    corrección solución continuar continúe proceder proceda siga te parece bien prefieres cuál qué con
    el la los las lo un una de y opción opciones veux tu voulez vous je procède applique cette ce
    correction le les est ça va
"""
_SAYS_NOTHING = frozenset(_EMPTY.split())


def is_empty_consent(asked: Point, answer: Point) -> bool:
    """Does neither the question nor the answer name what is agreed to?"""
    if CHOSE in asked.text or WITHIN in asked.text or not asked.text.endswith(("?", "\uff1f")):
        return False
    if _NAMES.search(asked.text):
        return False
    said = _WORD.findall(answer.text.lower())
    if len(said) > LONGEST or any(map(str.isdigit, answer.text)):
        return False
    few = len(said) == 1 or _SAYS_NOTHING.issuperset(said)
    return few and _SAYS_NOTHING.issuperset(_WORD.findall(asked.text.lower()))
