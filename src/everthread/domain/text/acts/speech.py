"""What a sentence does: asks, orders, sets a rule, decides, reports, fails, puts off, thanks.

A sentence is read by its words and their forms: who is its subject, whether its verb commands, looks
back or ahead, whether it denies or hedges. A list of words raises it, a form confirms it, so most
sentences cost little. What no list knows still asks where it ends in a question mark.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from . import bans, errands, passing_rules, rules_abroad
from . import cjk_forms as cjk
from . import sentence_forms as forms
from . import standing_rules as scope
from . import word_lists as words
from .approvals import needs_approval
from .hasty_spelling import plain_spelling
from .indecision import without_indecision
from .quoting import quotes_another

_WORD = lazy_pattern(r"[^\W_]+(?:['-][^\W_]+)*")
_CLAUSE = lazy_pattern(r"[,;:–—]\s+|\s+(?:and|then|but|so|or)\s+")
_TOKEN = lazy_pattern(r"`?[^\W_][\w'-]*`?|`\S+|--?\w\S*")
_CODE = lazy_pattern(r"`[^`\n]+`")
_MARKS = ("?", "\uff1f", "\u061f")
_SIGNS = lazy_pattern(r"\w")
AROUND_THANKS = 6
"""Signs beside words of thanks or consent, written without blanks, that say nothing more."""

_FAREWELL = lazy_pattern(
    r"\W*(?:(?:ok|okay|and|so|well|thanks|bye)\b[\s,.!]*)*(?:see (?:you|ya|u)\b|take care\b(?! of\b)|"
    r"have (?:fun\b|an? (?:good|nice|great|lovely|safe)\b)|sleep well\b|get well\b|"
    r"(?:talk|speak|chat)(?: to you)? (?:soon|later|tomorrow|then)\b|"
    r"catch (?:you|ya) (?:later|soon|tomorrow|there|then)\b|stay safe\b|"
    r"appreciate (?:it|that|you|your|the|all)\b|"
    r"enjoy (?:the|your) (?:weekend|evening|day|holidays?|trip)\b)"
)
"""So one takes leave, or gives thanks, and orders nothing."""

_BE = frozenset({"is", "are", "was", "were"})
CLAUSES, LEADS = 6, 6
"""So many clauses of a sentence, and words of a clause, are looked at for an order."""

FEW_THANKS = 8
MANNERS = 0.7
"""Of a sentence that only thanks, so much is words of thanks."""

SHORT = 3


class ParsedSentence(NamedTuple):
    """A sentence, and what can be told from its form."""

    text: str
    lower: str
    """In small letters, with plain quotes and small words in full, for what looks at forms; no code."""
    words: tuple[str, ...]
    bag: frozenset[str]
    asks: bool
    """Is it a question?"""
    orders: bool
    """Does its verb command, or does it say what somebody wants done?"""


@lru_cache(maxsize=2_048)  # a sentence is read when it is said, carried, scored and looked up
def parse_sentence(text: str) -> ParsedSentence:
    """Read one sentence."""
    lower = text.lower().replace("’", "'")
    if "`" not in lower:
        lower = plain_spelling(lower)
    found = tuple(_WORD.findall(lower))
    if "`" in lower:
        lower = plain_spelling(_CODE.sub("`it`", lower))
    bag = frozenset(found)
    asks = text.rstrip("\"'”’)]*_` ").endswith(_MARKS) or _asks_by_order(found)
    asks = asks or cjk.asks_in_signs(text)
    orders = _has_order(lower) or _has_signs(cjk.ASKS, text)
    orders = orders or (not bag.isdisjoint(words.WANTING) and forms.WANTS.search(lower) is not None)
    orders = orders and not quotes_another(lower)
    return ParsedSentence(text, lower, found, bag, asks, orders)


def _asks_by_order(found: tuple[str, ...]) -> bool:
    """Do its words stand as in a question, though no mark says so? `ok so which one is cheaper`"""
    at = next((n for n, word in enumerate(found[:LEADS]) if word not in words.LEAD_INS), 0)
    asked = found[at:]
    if len(asked) <= SHORT or asked[0] not in words.ASKERS:
        return False
    echoes = at > 0 and found[at - 1] == "so" and asked[0] not in words.WH_WORDS  # `so do I`
    return not echoes and _is_inverted(asked)


def _has_order(lower: str) -> bool:
    """Does a clause begin with a verb in the form of an order?"""
    label = forms.LABEL.match(lower) is not None
    for n, clause in enumerate(_CLAUSE.split(lower)[:CLAUSES]):
        if _FAREWELL.match(clause) or (label and n == 0):
            continue
        found = _TOKEN.findall(clause[:80])
        at = next((i for i, word in enumerate(found[:LEADS]) if word not in words.OPENINGS), None)
        if at is not None and _commands(found[at:], guess=n == 0):
            return True
    return False


def _commands(found: list[str], *, guess: bool) -> bool:
    """A base form first commands, unless it turns out to be a noun: `Test fails`, `Work is slow`.

    What no list knows as a verb is one where an object follows at once: `cache the result`.
    """
    head, after = found[0], found[1] if len(found) > 1 else ""
    if head in words.BASE:
        second = found[2] if len(found) > 2 else ""  # noqa: PLR2004 - `Port 8080 is …`
        return not (after in words.FINITE or (second in words.FINITE and after not in words.LINKS))
    if not guess or head in words.NO_VERB or not head.isalpha():
        return False
    if head.endswith(("s", "ing", "ed", "ly")) or found[2:3] == ["is"]:  # `Blue it is`
        return False
    return after in words.OBJECT or after.startswith("`")


def _is_inverted(found: tuple[str, ...]) -> bool:
    """`Can you …`, `how do I …` without a question mark; `what I saw is …` is a statement."""
    first, second = found[:2]
    if first in words.WH_WORDS:
        if second in words.PRONOUNS or second in ("he", "she"):
            # `How I can run it` asks, in the English of many; `Where he slept is his own affair` tells.
            asks = first != "when" and not words.AUXILIARIES.isdisjoint(found[2:3])
            return asks and _BE.isdisjoint(found[3:])
        return not words.AUXILIARIES.isdisjoint(found[1:4]) or second in {"about", "come", "to"}
    return second in words.PRONOUNS


def _has_signs(form: re.Pattern[str], text: str) -> bool:
    """Signs of a script that is written without blanks."""
    return not text.isascii() and form.search(text) is not None


def _matches_form(said: ParsedSentence, known: frozenset[str], form: re.Pattern[str]) -> bool:
    return not said.bag.isdisjoint(known) and form.search(said.lower) is not None


_RESOLVED = lazy_pattern(r"\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|chosen)\b|\bdecision\b")


_POLITE = lazy_pattern(
    r"\W*(?>(?:(?:and|also|but|so|ok|okay|oh|btw|hey|please)\b[\s,.]*+)*)(?:can|could|would"
    r"|will) (?:you|we)\b"
    r"[\s,]*+(?>(?:(?:please|kindly|just|also)\b[\s,]*+)*)"
)
_SO = lazy_pattern(
    r"[,;]?\s+so,? (?=(?:please |pls )?(?:always|never|don't|do not|(?:any|every|no)thing you|whatever you|"
    r"no|only|keep|stick to)\b)"
)


def asks_agent(said: ParsedSentence) -> bool:
    """Is it a question that asks for work: `Can you write a label?`"""
    return said.asks and _POLITE.match(said.lower) is not None


def rules(said: ParsedSentence) -> bool:
    """Does it tell the agent what holds from now on? What somebody always did is no rule."""
    polite = _POLITE.match(said.lower) if said.asks else None
    if polite:
        # `Can you always quote the page?` asks for no answer.
        said = parse_sentence(said.lower[polite.end() :].rstrip("?! "))
    chore = passing_rules.is_chore(said.lower) or errand_of(said)
    if said.asks or chore or forms.QUOTED.search(said.lower):
        return False
    own = forms.QUOTATION.sub("it", said.lower)
    if not said.bag.isdisjoint(words.RULING) and forms.RULE.search(own):
        if forms.ONCE.search(own) or scope.bans_one_thing(own):
            return False
        tells = forms.SPEAKS_OF_SELF.match(said.lower) and "want you" not in said.lower
        if not tells and not forms.TELLS_HABIT.match(own):
            return True
    good = bans.holds(own, said.bag) or rules_abroad.holds_abroad(own, said.bag)
    good = good or passing_rules.holds_in_passing(own) or needs_approval(own, said.bag)
    if good or scope.holds_for_good(own, said.text, said.bag, orders=said.orders):
        return forms.ONCE.search(own) is None
    if "so" in said.bag and _rule_follows(own):
        return True
    return _has_signs(cjk.RULE, said.text) and not scope.bans_one_thing(said.text)


def errand_of(said: ParsedSentence) -> str:
    """What is not to be forgotten and is done once; empty where that is nothing, or holds each time."""
    if said.bag.isdisjoint(words.KEPT_IN_MIND):
        return ""
    clause = errands.clause_not_to_forget(said.text) if errands.is_errand(said.text) else ""
    return "" if clause and rules(parse_sentence(clause)) else clause


def _rule_follows(own: str) -> bool:
    """Does a rule follow from what was told first: `he reads it all, so never mention it there`?"""
    told = _SO.search(own)
    if told is None:
        return False
    rest = parse_sentence(own[told.end() :])
    bare = rest.words[:1] in (("never",), ("always",))
    return (not bare or (rest.words[1:2] != () and rest.words[1] in words.BASE)) and rules(rest)


def heads_rules(said: ParsedSentence) -> bool:
    """Is it the heading of rules that follow, or begins it with one?"""
    return not said.asks and forms.RULES_HEAD.match(said.lower) is not None


def speaks_for_user(said: ParsedSentence) -> bool:
    """Does an agent tell what the person wants or decided? That only she can say."""
    return forms.OF_USER.match(said.lower) is not None


def mends(text: str) -> bool:
    """Does it tell that something works again?"""
    return forms.MENDED.search(text.lower()) is not None


def prefers(said: ParsedSentence) -> bool:
    return not said.asks and _matches_form(said, words.LIKING, forms.PREFERENCE)


def identifies(said: ParsedSentence) -> bool:
    return not said.asks and _matches_form(said, words.BEING, forms.IDENTITY)


def corrects(said: ParsedSentence) -> bool:
    if said.asks:
        return False
    return _matches_form(said, words.CORRECTING, forms.CORRECTION) or _has_signs(
        cjk.CORRECTION, said.text
    )


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def decides(said: ParsedSentence) -> bool:
    """Does it choose one way? A plan without a reason is none, nor is what merely compares."""
    if said.asks or forms.SUPPOSED.match(said.lower):
        return False
    if not _matches_form(said, words.DECIDING, forms.DECISION):
        return decides_in_signs(said)
    own = without_indecision(said.lower)
    if own != said.lower:
        said = said._replace(lower=own)
        if forms.DECISION.search(own) is None:
            return False
    if plans(said) and not reasons(said) and not forms.TOGETHER.search(said.lower):
        return False
    if forms.FIRM.search(said.lower):
        return True
    return not said.bag.isdisjoint(words.CHOOSERS) and not fails(said)


def decides_in_signs(said: ParsedSentence) -> bool:
    """The same, in a script that is written without blanks."""
    return _has_signs(cjk.DECISION, said.text)


def says_decided(said: ParsedSentence) -> bool:
    """Does it say in so many words that something was decided?"""
    return decides(said) and _RESOLVED.search(said.lower) is not None


def reasons(said: ParsedSentence) -> bool:
    return forms.REASON.search(said.lower) is not None


def goes_on(said: ParsedSentence) -> bool:
    """Does it lean on the sentence before?"""
    return forms.GOES_ON.match(said.lower) is not None


def plans(said: ParsedSentence) -> bool:
    """Does it tell what is about to be done? Nothing has come of it yet."""
    return forms.PLAN.match(said.lower) is not None


def keeps_on(said: ParsedSentence) -> bool:
    """Does it say no more than that all goes on as it does?"""
    return "keep" in said.bag and forms.KEEPS_ON.search(said.lower) is not None


def reports(said: ParsedSentence) -> bool:
    """Does it tell of something that has come about?"""
    if said.asks:
        return False
    if forms.DATED.search(said.lower) and said.bag.isdisjoint(words.CHOOSERS):
        return False
    return _matches_form(said, words.DONE, forms.REPORT) or _has_signs(cjk.DONE, said.text)


def fails(said: ParsedSentence) -> bool:
    if said.asks:
        return False
    if _has_signs(cjk.FAILURE, said.text):
        return True
    if said.bag.isdisjoint(words.FAILING):
        return False
    found = forms.FAILURE.finditer(said.lower)
    return any(not _is_supposed(said.lower, match) for match in found)


def _is_supposed(lower: str, match: re.Match[str]) -> bool:
    """Is it only what would be if: `show a message if the save fails`?"""
    before = lower[: match.start()]
    if forms.IN_CASE.search(before):
        return True
    return forms.AT_ANY_TIME.search(before) is not None and forms.PAST.match(match[0]) is None


def leaves_open(said: ParsedSentence) -> bool:
    if not said.bag.isdisjoint(words.LATER):
        left = forms.NOTHING_OPEN.sub("", said.lower)
        return forms.OPEN.search(left) is not None
    return _has_signs(cjk.OPEN, said.text)


def defers_work(said: ParsedSentence, *, aside: bool = False) -> bool:
    """Does the agent put the work off, or ask back before it does it?

    `aside`: where much else was told, `if …, please share …` only says how it could go on.
    """
    if said.asks and forms.ASKS_BACK.search(said.lower):
        return True
    return _is_meant(said, forms.UNABLE, aside=aside)


def tells_hindrance(said: ParsedSentence, *, aside: bool = False) -> bool:
    """Does it tell that something stood in the way?"""
    return not said.asks and _is_meant(said, forms.HINDERED, aside=aside)


def _is_meant(said: ParsedSentence, form: re.Pattern[str], *, aside: bool) -> bool:
    """Is it said of what is, in one's own words? Not in a quotation, of what would be, or of some kind."""
    own = forms.QUOTATION.sub("it", said.lower)
    for match in form.finditer(own):
        before = own[: match.start()]
        if forms.OF_A_KIND.search(before) or forms.AT_ANY_TIME.search(before):
            continue
        if not (aside and forms.IF.search(before)):
            return True
    return False


def promises(said: ParsedSentence) -> bool:
    """Does the agent say that it will do it, which is not to have done it?"""
    return not said.asks and forms.PROMISE.search(said.lower) is not None


def thanks(said: ParsedSentence) -> bool:
    """Only manners, or consent: nothing is asked and nothing told."""
    if said.asks:
        return False
    if not said.words:
        return True  # a sign alone, such as a raised thumb
    if _has_signs(cjk.THANKS, said.text):
        return len(_SIGNS.findall(cjk.THANKS.sub("", said.text))) <= AROUND_THANKS
    if not 0 < len(said.words) <= FEW_THANKS or said.words[0] not in words.THANKS:
        return False
    kind = sum(word in words.THANKS or word in words.POLITE for word in said.words)
    return kind >= MANNERS * len(said.words)


def complains(said: ParsedSentence) -> bool:
    return forms.COMPLAINT.search(said.lower) is not None


def offers(said: ParsedSentence) -> bool:
    """Manners of an agent: an offer, an apology, praise."""
    return forms.OFFER.match(said.lower) is not None


def serves(said: ParsedSentence) -> bool:
    """Is the question only how one offers help, so that no answer decides anything?"""
    return forms.SERVICE.search(said.lower) is not None


def greets(text: str) -> bool:
    """Only a greeting, with a name or not, or nothing that answers: `Hello help` asks for something."""
    found = forms.GREETING.fullmatch(text.lower())
    if found is None or found["whom"] is None:
        return found is not None
    return found["whom"] in words.GREETED or text[found.start("whom")].isupper()


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def is_foreign(said: ParsedSentence) -> bool:
    """Is it in a language whose forms are not known here, so that only its place can tell?"""
    if not said.text.isascii() and cjk.SIGNS.search(said.text):
        return True
    figures = sum(any(map(str.isdigit, word)) for word in said.words)
    if len(said.words) <= SHORT or 2 * figures >= len(said.words):
        return False  # figures are of no language, and half of them a reading: `Mum Tuesday 149/90`
    return said.bag.isdisjoint(words.COMMON) and said.bag.isdisjoint(words.BASE)
