"""Whom or what capitalized words name: a person where the words beside say so, else a name of something.

Nobody is told from a thing by the name alone. A person is asked and told, has a title, or does what only
people do; a program, a department or a file that `says` something is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from . import specifics_noise as noise
from . import specifics_shapes as shapes
from .patterns import lazy_pattern

FEW = 3
"""A row of so many names after `ask` is a heading, or a list."""

_TITLED = lazy_pattern(
    r"\b(?:Mrs?|Ms|Miss|Dr|Prof|Professor|Aunt(?:ie|y)?|Uncle|Grandma|Grandpa|Cousin|Herr|Frau|Madame|Monsieur|"
    r"Señora?)(?: [^\W\d_]+){1,3}$"
)
_TITLES = frozenset({"Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "Professor", "Herr", "Frau"})
"""Alone they name nobody."""
_ASKED = lazy_pattern(
    r"\b(?:sister|brother|wife|husband|friend|colleague|coworker|boss|manager|partner|son|daughter|"
    r"mother|father|mom|mum|dad|aunt|uncle|cousin|neighbou?r|teammate|teacher|doctor|dr\.|mr\.|mrs\.|"
    r"ms\.|cc|asked|told|ping|pinged|assign(?:ed)? to|thanks to|met|meet|ask|asking|tell|telling|remind|"
    r"invite|invited|hear(?:d)? from|my name is|(?:merged|approved|reviewed|written|signed) by)[,:]? $",
    re.IGNORECASE,
)
"""What stands before a person."""

_DOES = lazy_pattern(
    r"(?:['’]s (?:birthday|wife|husband|team|house|idea|review|comment)\b|\s+(?:said|says|asked|asks|told|"
    r"thinks?|thought|wants?|wanted|suggested|mentioned|reported|approved|reviewed|replied|wrote|agreed|"
    r"prefers?|called|joined|left)\b)"
)
_DOES_ALONE = lazy_pattern(
    r"\s+(?:(?:sent|told|asked|called|texted|e-?mailed|phoned|wrote|wants|asks|tells) (?:me|us|you)\b|"
    r"wrote:|approved\b|replied\b|suggested\b|reckons\b|agreed\b)"
)
"""What only people do, so that a name may begin a sentence with it: a screen `says`, too."""

_WHERE = lazy_pattern(r"\b(?:in|at|near|around|outside|inside) $", re.IGNORECASE)
"""Before a place: not it does what stands behind, but who is there: `the customer in Zürich wants`."""

_ARTICLE = lazy_pattern(r"\b(?:the|an?) $", re.IGNORECASE)

_NOBODY = """
    Legal Sales Finance Marketing Accounting Engineering Support Security Procurement Operations Compliance
    Product Management Payroll Purchasing Logistics Design Staging Production Nobody Everybody Everyone
    Someone Somebody Anyone People Customers Users Doctor Boss Manager Teacher Landlord Google Jira Slack
    Postgres Redis Linux Chrome Firefox Windows Excel Outlook Siri Alexa Claude Gemini Copilot Grafana Sentry
    Kubernetes Nginx Apache Amazon Microsoft Apple Stripe Windows Safari Android Teams Zoom Word
"""
NOBODY = frozenset(_NOBODY.split())
"""Those who say and want things and are nobody: departments, programs, everybody."""


class Named(NamedTuple):
    """What some words name."""

    kind: str
    text: str


def name_in(sentence: str, name: re.Match[str]) -> Named | None:
    """Of which kind a run of capitalized words is; None where they name nothing, or it is not plain."""
    if (titled := _TITLED.search(name[0])) and not name["form"]:
        return Named("person", titled[0])
    before, after = sentence[: name.start()], sentence[name.end() : name.end() + 24]
    whole, words = name[0], [word for word in name[0].split() if word != "&"]
    if not shapes.WITHIN.search(before[-2:]):
        if _is_person_first(whole, after):
            return Named("person", whole)
        # The first word of a sentence has a capital anyhow: alone it names nothing.
        first, words = words[0], words[1:]
        if noise.is_opener(first):
            whole = whole[len(first) + 1 :]
    if (
        not words
        or whole in shapes.FORMS
        or whole in _TITLES
        or not shapes.CALENDAR.isdisjoint(words)
    ):
        return None
    if not name["form"] and _is_person_within(whole, len(words), before[-24:], after):
        return Named("person", whole)
    plain = not name["form"] and (noise.is_heading(sentence) or whole in shapes.BARE)
    named = name["form"] or len(words) > 1 or shapes.PLACES.search(before[-12:])
    return Named("identifier", whole) if named and not plain else None


def _is_person_first(name: str, after: str) -> bool:
    """Does a person begin the sentence? `Neighbours told me` are no one's name."""
    alone = " " not in name and not name.endswith("s") and not noise.is_opener(name)
    return alone and _DOES_ALONE.match(after) is not None and _may_be_person(name, "")


def _is_person_within(name: str, words: int, before: str, after: str) -> bool:
    met = words < FEW and _ASKED.search(before) is not None
    does = _DOES.match(after) is not None and _WHERE.search(before) is None
    return (met or does) and _may_be_person(name, before)


def _may_be_person(name: str, before: str) -> bool:
    """Not a department, a program, a file; and before a single name stands no article."""
    if name in NOBODY or name in shapes.BARE or name.lower() in shapes.PROGRAMS:
        return False
    return " " in name or _ARTICLE.search(before) is None
