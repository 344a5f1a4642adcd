"""Short forms: who asks for two-factor authentication means what was written down as 2FA.

No stemmer and few embedders bring the two together. A question that has the long form, word for word, is
also looked up by its short forms; one that has a short form, by the others of the same thing. The long
form is not looked up word by word: `pull` and `request` stand in many texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from .patterns import lazy_pattern

_ROWS = """
    two factor, 2 factor, multi factor, second factor, two step verification: 2fa mfa totp
    single sign on: sso
    continuous integration: ci
    continuous deployment, continuous delivery: cd
    pull request: pr
    merge request: mr
    virtual private network: vpn
    frequently asked questions: faq
    terms of service: tos
    curriculum vitae: cv
    return on investment: roi
    service level agreement: sla
    content delivery network: cdn
    user interface: ui
    user experience: ux
    minimum viable product: mvp
    non disclosure agreement: nda
    value added tax: vat
    search engine optimization, search engine optimisation: seo
    key performance indicator: kpi
    proof of concept: poc
    date of birth: dob
    large language model: llm
    command line interface: cli
    time to live: ttl
    virtual machine: vm
    point of sale: pos
    human resources: hr
    quality assurance: qa
    general practitioner: gp
    blood pressure: bp
    physical therapy, physiotherapy: pt physio
    work from home, working from home: wfh
"""
_BREAK = lazy_pattern(r"[\s\u2010\u2011\u2013-]+")
_WORD = lazy_pattern(r"[^\W_]+")


def short_forms(question: str) -> Iterator[str]:
    """What else to look for: short forms of what the question spells out, in small letters."""
    even = f" {_BREAK.sub(' ', question.lower())} "
    words = frozenset(_WORD.findall(even))
    for row in filter(None, map(str.strip, _ROWS.splitlines())):
        spelt, _, short = row.partition(":")
        forms = short.split()
        known = len(forms) > 1 and not words.isdisjoint(forms)
        if known or any(f" {long}" in even for long in spelt.split(", ")):
            yield from (form for form in forms if form not in words)
