"""What a thing has one of at a time: another value takes the place of the first."""

from __future__ import annotations

from everthread.domain.text.sayings import stem

_ATTRIBUTES = """
    name port address email phone number birthday age capital
    language framework database branch version default timezone zone color colour url host
    hostname region limit timeout size status title role job license
    licence format encoding style theme indentation shell browser model key path folder directory
    endpoint password username id location interval
    threshold width height length weight capacity prefix suffix extension compiler runtime formatter
    linter nickname medication dose dosage
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
"""What has one value, whichever word that is."""

_NAMED = """
    owner lead maintainer manager editor employer city country partner spouse husband wife boss doctor
    school university landlord dentist accountant supplier insurer room desk seat gate deadline budget
    price cost salary rate wage fee rent tariff quota time date day month year venue bank therapist
    lawyer gym table provider carrier domain website homepage
"""
NAMED = frozenset(_NAMED.split())
"""The same of what is told by a figure or a name. Of a boss or a room much else is said besides: that one
is angry, or cold, is no other boss and no other room."""

_OFTEN_SEVERAL = """
    medication partner supplier provider carrier insurer bank gym school university doctor dentist therapist
    lawyer editor maintainer lead owner endpoint key model format style theme language framework database
    browser compiler runtime formatter linter shell license licence folder directory path role job
"""
ONE_OF_SEVERAL = frozenset(_OFTEN_SEVERAL.split())
"""What often has one and may have two: a new one is not said to take the place of the first."""

_WHO_ACT = """
    owner lead maintainer manager editor employer partner spouse husband wife boss doctor school university
    landlord dentist accountant supplier insurer bank therapist lawyer gym provider carrier
"""
ACTORS = frozenset(map(stem, _WHO_ACT.split()))
"""Who does things: a boss who moved to Paris is still the boss."""

_ROLES = """
    landlord landlady accountant bookkeeper dentist vet gp doctor lawyer solicitor notary therapist physio
    hairdresser barber midwife plumber electrician nanny childminder cleaner caretaker gardener coach boss
    supervisor treasurer chairman chairwoman chairperson ceo cto cfo pm principal headmaster headmistress
"""
ROLES_OF_ONE = frozenset(map(stem, _ROLES.split()))
"""Who is one person to those who speak: who is `our accountant now` is so in another's place. Of testers,
pupils and colleagues there are several."""

_FAMILY = """
    mother father mum mom dad parent sister brother daughter son niece nephew aunt uncle cousin grandma
    grandpa grandmother grandfather child kid baby twin
"""
KIN = frozenset(_FAMILY.split())
"""Who stays who they are: what is told of a daughter anew is no other daughter."""

_BESIDE = """
    neighbour neighbor friend colleague client customer pupil student member tenant lodger flatmate roommate
    teammate classmate guest visitor patient follower
"""
PEERS = frozenset(_BESIDE.split())
"""Whom one has several of: another who is told to be one is so beside the first."""
