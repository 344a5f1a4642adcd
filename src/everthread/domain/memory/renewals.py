"""A change that is told in two breaths: that something changed, and what it is now.

`We changed vets, it's Dr Marsh now`, `Hanne replaced Bilal as our coach`, `switched to Aquafix as our
plumber`. They are read into the same claims as `Our vet is Dr Marsh now`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .value_claims import MOST_VALUE, ValueClaim, even_out, is_bounded, kind_of

_WHO = r"(?:(?:i|we)(?:'ve| have)? )?(?:just |recently |finally )?"
_WHAT = r"(?P<subject>[a-z][a-z-]*(?: [a-z][a-z-]*)?)"
_PAST = r"(?: now| from now on| these days| instead)*"
_FORMS = (
    lazy_pattern(
        rf"{_WHO}(?:changed|switched|swapped)(?: my| our| the)? {_WHAT}\s*[,;:–—-]++\s*+(?:and |so )?"
        r"(?:(?:now )?it's|(?:now )?it is|that's|now|(?:i'm|i am|we're|we are) (?:now )?(?:with|at)|"
        rf"(?:i|we) (?:now )?(?:go to|use)|the new one(?:'s| is))? ?(?P<value>\S+(?: \S+){{0,3}}?){_PAST}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        r"(?:i'm|i am|we're|we are|i|we)(?: now)? (?:with|at|go to|use) "
        rf"(?P<value>\S+(?: \S+){{0,3}}?){_PAST}(?<![,;:–—-])\s*+[,;:–—-]++\s*+(?:i |we )?"
        rf"(?:changed|switched|swapped)(?: my| our| the)? {_WHAT}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"{_WHO}(?:switched|changed|moved) to (?P<value>\S+(?: \S+){{0,3}}?) (?:as|for) (?:my|our|the) "
        rf"{_WHAT}{_PAST}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        r"(?P<value>\S+(?: \S+)?)(?: has)? (?:replaced|succeeded|took over from|takes over from) "
        rf"(?P<was>\S+(?: \S+)?) as (?:(?:my|our|the) )?{_WHAT}{_PAST}",
        re.IGNORECASE,
    ),
)


@lru_cache(maxsize=4096)
def renewed_claims(text: str) -> tuple[ValueClaim, ...]:
    """What it tells to be something else now; only where that is a name or a figure."""
    even = even_out(text)
    if is_bounded(text) or len(even.split()) > 2 * MOST_VALUE:
        return ()
    found = (form.fullmatch(even) for form in _FORMS)
    return tuple(_claim(one) for one in found if one and kind_of(one["value"]) != "word")


def _claim(found: re.Match[str]) -> ValueClaim:
    return ValueClaim(
        subject=frozenset(parse_statement(found["subject"]).words),
        how="is",
        kind=kind_of(found["value"]),
        value=parse_statement(found["value"]).words,
        text=found["value"],
        rest=frozenset(),
        fresh=True,
        new=False,
        was=parse_statement(found.groupdict().get("was") or "").words,
        instead=True,
    )
