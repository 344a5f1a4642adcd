"""Does a later statement tell by a verb of change that something else is used than the earlier one tells?"""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

from .known_names import are_of_one_sort, are_of_two_sorts
from .value_claims import even_out

_TURNED = lazy_pattern(
    r"(?:i|we)(?:'ve| have)?(?: just| recently| finally| now)? (?:switched|moved|migrated|changed)"
    r"(?: over)?(?: (?P<object>(?:the|our|my) \S+(?: \S+)??))?"
    r"(?: from (?P<was>\S+(?: \S+){0,2}?))? to (?P<value>\S+(?: \S+){0,3}?)"
    r"(?: for (?P<purpose>\S.*))?"
)
_RAISED = lazy_pattern(
    r"(?:i|we|[\w ]+?)(?:'ve| have| has)?(?: just| recently| finally| now)? (?:been )?"
    r"(?:upgraded|downgraded|switched|moved|migrated|updated|bumped)(?: to)? (?P<name>[a-z][\w. -]*?) ?"
    r"(?:to )?(?P<version>v?\d[\w.]*)"
)
_USES = lazy_pattern(
    r"(?:we|i|(?P<user>(?:the|our|my) \S+(?: \S+)?))"
    r" (?:uses?|runs?(?: on)?|hosts? on|(?:are|is)(?: hosted)? on|deploys? to|works? with)"
    r" (?P<value>\S+(?: \S+){0,3}?)(?: for (?P<purpose>\S.*))?"
)
_WHOSE = lazy_pattern(r"^(?:the|our|my) ")
_TURNS = lazy_pattern(r"\b(?:switched|moved|migrated|changed|upgraded|downgraded|updated|bumped)\b")


def may_switch(clause: str) -> bool:
    """A quick look before a long one."""
    return _TURNS.search(clause) is not None


def is_switched(new: str, old: str) -> bool:
    """`We switched from A to B`, `We switched to B for mail`, `We upgraded to Python 3.13`."""
    one, other = even_out(new).lower(), even_out(old).lower()
    used = _USES.fullmatch(other)
    if used is None:
        return False
    if (turn := _TURNED.fullmatch(one)) and turn["value"] != used["value"]:
        purpose, other_purpose = (_bare_purpose(turn, "object"), _bare_purpose(used, "user"))
        if turn["was"]:
            return turn["was"] == used["value"] and (not purpose or purpose == other_purpose)
        if are_of_two_sorts(turn["value"], used["value"]):
            return False
        if turn["object"]:  # the shop has a database, a theme, a currency
            return purpose == other_purpose and are_of_one_sort(turn["value"], used["value"])
        if purpose:
            return purpose == _bare_purpose(used)
    raised = _RAISED.fullmatch(one)
    return bool(
        raised
        and used["value"] != f"{raised['name']} {raised['version']}"
        and used["value"].rpartition(" ")[0] == raised["name"]
        and used["value"].rpartition(" ")[2].lstrip("v")[:1].isdigit()
    )


def _bare_purpose(found: re.Match[str], other: str = "purpose") -> str:
    """What it is used for, or by."""
    return _WHOSE.sub("", found["purpose"] or found[other] or "")
