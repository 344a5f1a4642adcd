"""The words of a question in another language than English that say how it is put, not what it is about.

`wie war der Blutdruck?` looks for the blood pressure: in a short conversation `war` and `der` are as rare as
that, and would count as much. A question is taken for English where as many of its words are English ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.tellings.small_words import ENGLISH, GRAMMARS, language_of, word_set

_ASKING: Mapping[str, frozenset[str]] = {
    "de": word_set("""
        wie was wer wem wen wo wann warum wieso weshalb woher wohin womit wofür welche welcher welches
        welchen welchem wieviel viel viele lange oft hoch war waren wird werden wurde wurden hatte hatten
        hast hab sein seid soll sollen sollte sollten muss müssen musste darf dürfen durfte kann können
        konnte will wollen wollte mag möchte würde gibt gab ging geht gehe du dir dich dein deine deinen
        deinem ihr euch euer er ihm ihn noch mal nochmal wieder denn eigentlich da dann wenn ob als über
        etwas alles alle oder aber auch sich weißt gesagt besprochen erzählt entschieden vereinbart
    """),
    "fr": word_set("""
        quel quelle quels quelles quand comment où qui quoi pourquoi combien que qu est-ce a ai as avons
        avez ont était étaient être avoir doit dois doivent peut peux peuvent faut tu te ton ta tes vous
        votre vos il elle ils elles on ce cette ces y ne pas plus déjà encore dans sur dit parlé décidé
    """),
    "es": word_set("""
        qué cuál cuáles cuándo cómo dónde quién quiénes cuánto cuánta cuántos por porqué ha has han había
        era eran fue ser tener tengo tiene tienes debo debe puedo puede hay tu tus te ti usted su sus se
        lo le les nos ya no sí dijo dije dicho hablamos decidimos cual cuando como donde
    """),
    "it": word_set("""
        quale quali quando come dove chi cosa perché quanto quanta quanti era erano stato avere hai ha
        hanno devo deve posso può c'è tu ti tuo tua suo sua si ci non più già detto deciso parlato
    """),
    "nl": word_set("""
        welke welk wanneer hoe waar wie wat waarom hoeveel was waren heeft heb hebben had moet moeten mag
        kan kunnen wil je jij jouw u uw hij zij er nog al niet ook dan gezegd besproken besloten
    """),
}


_WORD = lazy_pattern(r"[^\W\d_]+")


def is_foreign(text: str) -> bool:
    """Is it in another language than English, as far as its small words or its script tell?"""
    words = _words_of(text)
    return language_of(words) != ENGLISH or any(word.upper() == word for word in words)


def without_small_words(text: str, words: list[str]) -> list[str]:
    """Of these words of a text, those that tell something in its language; all where none do."""
    language = language_of(_words_of(text))
    if language == ENGLISH:
        return words
    grammar = GRAMMARS[language]
    small = grammar.plain | grammar.own | grammar.articles | _ASKING[language]
    return [word for word in words if word not in small] or words


def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
