"""Numbers of cards and of bank accounts: their check digits tell them from all other long numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from everthread.domain.text.patterns import lazy_pattern

Span = tuple[int, int, str]

# In groups, four in a row; in one run it is found among the runs of letters and digits.
_GROUPED = lazy_pattern(r"[ ][0-9]{4}(?:[0-9]{2})?[ ]")
_AROUND = 40
_LONGEST = 60
_CARD = lazy_pattern(
    r"(?<![\w./+#-])(?:"
    r"[2456][0-9]{3}(?P<gap>[ -]?)[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}"
    r"|3[47][0-9]{2}(?P<wide>[ -]?)[0-9]{6}(?P=wide)[0-9]{5}"
    r"|3[0689][0-9]{2}(?P<small>[ -])[0-9]{6}(?P=small)[0-9]{4}"
    r")(?![\w/+-]|[.][0-9]| [0-9]{4}\b)"
)
_ISSUED = lazy_pattern(r"4|5[1-5]|2(?:2[2-9]|[3-6]|7[01]|720)|6(?:011|4[4-9]|5|2)|3")
_IBAN = lazy_pattern(
    r"(?<![\w./+-])[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)(?![\w/+-])"
)
_LENGTHS = """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29
    ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20
    LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29
    RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 VG24 XK20
"""
_LENGTH = {each[:2]: int(each[2:]) for each in _LENGTHS.split()}


def numbers(text: str, runs: Iterable[re.Match[str]]) -> Iterator[Span]:
    """Cards and accounts of the text; `runs` are its long runs of letters and digits."""
    places = [run.start() for run in runs if run[0][2:4].isdigit()]
    places += [found.start() for found in _GROUPED.finditer(text)]
    seen = 0
    for at in sorted(places):
        if at >= seen:
            low, seen = max(seen, at - _AROUND), at + _AROUND
            yield from _beginning_between(text, low, seen)


def _beginning_between(text: str, low: int, high: int) -> Iterator[Span]:
    """Those that begin between these places."""
    for found in _CARD.finditer(text, low, high + _LONGEST):
        if found.start() < high and _is_card(found[0]):
            yield *found.span(), "card number"
    for found in _IBAN.finditer(text, low, high + _LONGEST):
        size = _account(found[0]) if found.start() < high else 0
        if size:
            yield found.start(), found.start() + size, "iban"


def _is_card(text: str) -> bool:
    """By Luhn's check digit, and by the first digits, which say who issued it."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [digit * 2 for digit in digits[-2::-2]]
    total = sum(digits[-1::-2]) + sum(digit // 10 + digit % 10 for digit in doubled)
    return total % 10 == 0 and bool(_ISSUED.match(text)) and len(set(digits)) > 1


def _account(text: str) -> int:
    """How far the account number reaches; 0 if there is none. In capitals a word may follow it."""
    length, at = _LENGTH.get(text[:2], 0), 0
    bare = ""
    while at < len(text) and len(bare) < length:
        bare += text[at].strip()
        at += 1
    if not length or len(bare) < length or text[at : at + 1].strip():
        return 0
    moved = bare[4:] + bare[:4]
    return at if int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1 else 0
