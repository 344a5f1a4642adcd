"""Small words of six languages: who has it, that it is so now, that it is bounded.

They are words of closed classes: no language gets new ones. What they do not know is a thing, and two that
tell of different things are never one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


def word_set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


class Grammar(NamedTuple):
    """The small words of a language."""

    selves: frozenset[str]
    """Who speaks."""
    own: frozenset[str]
    """What is theirs."""
    articles: frozenset[str]
    now: frozenset[str]
    """That it is so only now."""
    fresh: frozenset[str]
    """That it changed."""
    bounds: frozenset[str]
    """That it is so under a condition, for once, at another time, or besides; or for another."""
    plain: frozenset[str]
    """All that tells nothing of what it is about."""


_ENGLISH = Grammar(
    selves=word_set("i we i'm we're i've we've i'd we'd"),
    own=word_set("my our"),
    articles=word_set("the"),
    now=word_set("now nowadays anymore instead since"),
    fresh=word_set("""
        moved moves switched changed raised lowered increased reduced upgraded replaced swapped shifted
        pushed postponed
    """),
    bounds=word_set("""
        if unless when whenever while during except only maybe perhaps probably might may could
        would will suppose imagine wish hope plan planning thinking considering once tomorrow today
        tonight yesterday ago before until till used was were did also too another other both or not
        never his her their your some one either sometimes temporarily earlier formerly then next
        besides moment half part
    """),
    plain=word_set("""
        a an the i i'm i've i'd we we're we've we'd me us my our you it it's its is are be been
        being am to of in on at from for with by as and so that's this that there have has 've do
        does can all each every any just please still already here runs stands up down over out per
        than much more like better get gets got go goes going put make makes should must shall let
        let's want had back take takes us rather said say okay fine nice welcome good these those
        days day long last week month year weeks months years spring summer autumn winter right
        about around start starting again
    """),
)
_GERMAN = Grammar(
    selves=word_set("ich wir"),
    own=word_set("mein meine meinem meinen meiner unser unsere unserem unseren unserer"),
    articles=word_set("der die das den dem des"),
    now=word_set("jetzt nun inzwischen mittlerweile seit sofort stattdessen"),
    fresh=word_set("verlegt verschoben geändert gezogen umgezogen gewechselt doch"),
    bounds=word_set("""
        wenn falls ob vielleicht eventuell womöglich würde würden wäre könnte sollte müsste will
        wollen wird werden morgen heute gestern übermorgen diese diesen dieses nächste nächstes
        nächsten letzte früher damals war waren hatte hatten als einmal auch zusätzlich sein seine
        ihr ihre ihrem euer oder bis während gerade wohnte
    """),
    plain=word_set("""
        ich wir mir mich uns es sie man ein eine einen einem einer der die das den dem des mein
        meine meinem meinen meiner unser unsere unserem unseren unserer ist sind bin haben hat habe
        und in im am an auf aus bei beim mit nach um von vom zu zum zur für ab pro jeden jede jedes
        immer nicht so bitte dass nur ganz etwa rund circa zahlen zahle kostet kosten beträgt liegt
        steht findet statt monat jahr woche tag
    """),
)
_FRENCH = Grammar(
    selves=word_set("je nous j'ai"),
    own=word_set("mon ma mes notre nos"),
    articles=word_set("le la les"),
    now=word_set("maintenant désormais depuis"),
    fresh=word_set("déplacé changé"),
    bounds=word_set("""
        si peut-être serait pourrait devrait demain hier aujourd'hui avant était étaient sera seront
        passera aussi son sa ses leur leurs ou quand ce cette ces matin
    """),
    plain=word_set("""
        je nous me le la les un une des du de d à au aux en est sont et pour par avec mon ma mes
        notre nos payons paye coûte par an mois semaine jour que
    """),
)
_SPANISH = Grammar(
    selves=word_set("yo nosotros he hemos"),
    own=word_set("mi mis nuestro nuestra nuestros nuestras"),
    articles=word_set("el la los las"),
    now=word_set("ahora desde ya"),
    fresh=word_set("cambiado cambiamos"),
    bounds=word_set("""
        si quizás quizá tal vez sería podría mañana hoy ayer antes era eran será también su sus o
        cuando este esta próximo vaya
    """),
    plain=word_set("""
        yo nosotros me el la los las un una de del a al en es son está están y para por con mi mis
        nuestro nuestra cuesta pagamos voy al mes año semana que
    """),
)
_ITALIAN = Grammar(
    selves=word_set("io noi abbiamo ho"),
    own=word_set("mio mia miei mie nostro nostra nostri nostre"),
    articles=word_set("il lo la gli le"),
    now=word_set("adesso ora ormai"),
    fresh=word_set("spostato spostata cambiato"),
    bounds=word_set("""
        se forse sarebbe potrebbe può domani oggi ieri prima era erano sarà anche suo sua loro o
        quando questa questo dei delle degli
    """),
    plain=word_set("""
        io noi mi il lo la i gli le un una di del della a al alla alle ai in è sono e per con mio
        mia nostro nostra costa paghiamo abbiamo ho mese anno settimana che
    """),
)
_DUTCH = Grammar(
    selves=word_set("ik wij"),
    own=word_set("mijn onze ons"),
    articles=word_set("de het"),
    now=word_set("nu voortaan sinds vanaf"),
    fresh=word_set("verplaatst veranderd"),
    bounds=word_set("""
        als misschien zou zouden kan kon morgen vandaag gisteren vroeger was waren ook zijn haar hun
        of deze dit volgende wil
    """),
    plain=word_set("""
        ik wij we mij ons een de het is zijn en in op aan van voor met te bij om per mijn onze ons
        kost betalen maand jaar week dat
    """),
)
NEW = word_set("""
    new neu neue neuer neuen neues neuem nouveau nouvelle nouvel nuevo nueva nuovo nuova nieuw
    nieuwe
""")
"""A new number is in the place of the old; a new hall is another hall."""
ENGLISH = "en"
GRAMMARS: Mapping[str, Grammar] = {
    ENGLISH: _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "nl": _DUTCH,
}


def language_of(words: frozenset[str]) -> str:
    """The language that has most of the small words; English where none has more."""
    counts = {name: len(words & (g.plain | g.own | g.articles)) for name, g in GRAMMARS.items()}
    most = max(counts.values())
    return next(name for name, count in counts.items() if count == most)
