"""The forms that values have which people make up or programs hand out, and no word has."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

from .values import Place, Sort, Value, is_filler, is_secret, is_wordy


def is_loose_password(text: str) -> bool:
    return is_secret(Sort.PASSWORD, Value(text, Place.LOOSE))


_INNER = lazy_pattern(r"\d[A-Za-z]|[!@#%^&*+~?]")


def is_strange(text: str) -> bool:
    """A password that no word and no version is spelled like: `Tr0ub4dor3x`, and not `Chrome120`."""
    return is_loose_password(text) and bool(_INNER.search(text))


_INNER_MARK = lazy_pattern(r"[!#$%^&*+~?](?=.)")
_SWITCH = lazy_pattern(r"\d(?=[A-Za-z])|[A-Za-z](?=\d)")
_FEWEST_SWITCHES = 3
_OF_PROGRAMS = lazy_pattern(
    r"(?i)(?:x509|sha\d|utf-?\d|base64|oauth2|ipv[46]|rsa\d|aes[a-z-]{0,6}\d|hmac|ecdsa)|[a-z_/]+\?[\w-]+=|[a-z_:]+#[a-z]+_\w+\Z"
)
"""A query, a method, an algorithm: `reset?step=2`, `User#reset_password1`, `X509v3Cert`."""


def is_unlike_words(text: str) -> bool:
    """What nothing but its form betrays, next to the name: `Gr0tte!nOlm77`, and not `sha256Hash`."""
    if not is_loose_password(text) or _OF_PROGRAMS.match(text):
        return False
    if _INNER_MARK.search(text):
        return True
    mixed = any(map(str.islower, text)) and any(map(str.isupper, text))
    return mixed and len(_SWITCH.findall(text)) >= _FEWEST_SWITCHES


_MARK = lazy_pattern(r"[!#$%^&*+~?]")
_NAME_AND_NUMBER = lazy_pattern(r"[A-Z][a-z]{2,}(?:[._-]?[A-Z][a-z]+)*\d{4,}\Z")


def is_made_up(text: str) -> bool:
    """As people make them up: `Hafen2291`, `Kaktus2024!`; not `Chrome120`, `2fa-based`, `step2`."""
    if not is_loose_password(text) or _OF_PROGRAMS.match(text):
        return False
    return bool(_MARK.search(text) or _NAME_AND_NUMBER.match(text)) or is_unlike_words(text)


_PLAIN = lazy_pattern(r"[A-Za-z0-9]+={0,2}\Z")
_HEX = lazy_pattern(r"(?:[0-9a-f]+|[0-9A-F]+)\Z")
_ADDRESS = lazy_pattern(r"0x[0-9A-Fa-f]+\Z")
_LONG_WORD = lazy_pattern(r"[A-Z]?[a-z]{6,}|[A-Z]{7,}")
_FEWEST_HEX, _FEWEST_PLAIN = 20, 20
_FEW_SWITCHES, _MANY_SWITCHES = 2, 4


def is_generated(text: str) -> bool:
    """As programs hand them out: `7hVq2LmXz9Tb`, a long hex; not `9a8f53f7`, `userId2`."""
    if not _PLAIN.match(text) or not is_secret(Sort.TOKEN, Value(text, Place.LOOSE)):
        return False
    if _HEX.match(text) or _ADDRESS.match(text):
        return len(text) >= _FEWEST_HEX and not _ADDRESS.match(text)
    if len(text) >= _FEWEST_PLAIN:
        return len(_SWITCH.findall(text)) >= _FEW_SWITCHES
    mixed = any(map(str.islower, text)) and any(map(str.isupper, text))
    if _OF_PROGRAMS.match(text):
        return False
    jumbled = mixed and any(map(str.isdigit, text)) and not _is_counted_name(text)
    switched = _is_often_switched(text) and not _is_counted_name(text)  # `GPT4Turbo128k`
    return (jumbled or switched) and not any(map(is_wordy, _LONG_WORD.findall(text)))


_HUMP = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHORT_HUMP = 3


def _is_counted_name(text: str) -> bool:
    """A name in camel case with a number: `jwtSecret2`, `ERC20Token2`, and not `rAqvQBNfEx37`."""
    humps = _HUMP.findall(text)
    return sum(map(len, humps)) >= _SHORT_HUMP * len(humps)


def _is_often_switched(text: str) -> bool:
    """From letters to digits and back so often as no version and no algorithm: `k9lm2qx7`, not `utf8mb4`."""
    if not _PLAIN.match(text) or _OF_PROGRAMS.match(text) or _HEX.match(text):
        return False
    return len(_SWITCH.findall(text)) >= _MANY_SWITCHES


_PIECE = r"(?:[A-Za-z][a-z]{2,}\d{0,4}|\d{2,6})"
_JOINED = lazy_pattern(rf"{_PIECE}(?:[-_]{_PIECE}){{1,5}}\Z")
_TITLES = lazy_pattern(r"(?:[A-Z][a-z]+[-_])+(?:19|20)\d\d\Z")
_ABOUT = lazy_pattern(
    r"(?i)(?:policy|manager|reset|field|rules?|flow|hash\w*|tests?|server|service|auth|login|users?|host|page|step|"
    r"form|checks?|updates?|changes?|vault|generator|version|store|safe|file|folder|table|column|team|group|project|"
    r"sprint|ticket|issue|release|chapter|section|level|part|phase|task|case|day|week|month|api|client|reader|token|"
    r"password|passwort|key|protect\w*|strength|length|expiry|rotation|argon|scrypt|bcrypt|sha|cloud|linux|windows)\Z"
)
_WORDS = lazy_pattern(r"[A-Za-z]+")
_FEWEST_WORDS = 2


def _is_joined(text: str) -> bool:
    """Words that have nothing to do with passwords, and a number: `kiwi-Lamp-93`; not `reset-flow-2`."""
    words = _WORDS.findall(text)
    if not _JOINED.match(text) or text.islower() or _TITLES.match(text):
        return False
    digits = sum(map(str.isdigit, text))
    return len(words) >= _FEWEST_WORDS <= digits and not any(map(_ABOUT.match, words))


def is_no_word(text: str) -> bool:
    """What stands beside the word password, and by its form can be no word that goes on with the sentence."""
    if is_made_up_and_no_month(text) or is_generated(text):
        return True
    if not is_loose_password(text):
        return False
    return _is_joined(text) or _is_often_switched(text) or _is_scattered(text)


_ROLE = lazy_pattern(
    r"(?i)(?:managers?|editors?|viewers?|owners?|operators?|developers?|support|staff|members?|auditors?|"
    r"reviewers?|moderators?|analysts?)(?:19|20)\d\d\Z"
)


def is_no_word_and_no_role(text: str) -> bool:
    """Beside a user's name stands another role, too: `admin / Manager2024`."""
    return is_no_word(text) and not _ROLE.match(text)


_FEWEST_SCATTERED, _LONGEST_HUMP = 8, 2


def _is_scattered(text: str) -> bool:
    """Letters of both cases, hardly two of a kind in a row, and a digit: `aQvNfEx3`, and not `iOSApp12`."""
    if len(text) < _FEWEST_SCATTERED or not _PLAIN.match(text) or _OF_PROGRAMS.match(text):
        return False
    humps = _HUMP.findall(text)
    mixed = any(map(str.islower, text)) and any(map(str.isupper, text))
    return mixed and sum(map(len, humps)) < _LONGEST_HUMP * len(humps)


_MONTH = lazy_pattern(
    r"(?i)(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:19|20)\d\d\b"
)


def is_made_up_and_no_month(text: str) -> bool:
    """Passwords expire `in September2026`."""
    return is_made_up(text) and not _MONTH.match(text)


_MEASURED = lazy_pattern(r"\d+[a-z]+\Z|v\d|(?i:md5|crc|blake)")


def is_replaced(text: str) -> bool:
    """What a password was, or became: no version, no algorithm, and no measure such as `30days`."""
    return is_loose_password(text) and not _MEASURED.match(text) and not _OF_PROGRAMS.match(text)


def is_set_password(text: str) -> bool:
    return not text.rstrip(",.;:)").isdigit() and is_secret(Sort.PASSWORD, Value(text, Place.ENV))


_OF_WORDS = lazy_pattern(
    r"(?i)(?:words?|letters|characters|phrases?|passphrase|passwords?|keys?)\b"
)
_LEAST_WORDS = 3


def is_phrase(text: str) -> bool:
    """Words by chance, and not words about the phrase: `stored securely`, `twelve random words`."""
    words = re.split(r"[ -]", text)
    if words[0].endswith(("ed", "ing")) or any(map(_OF_WORDS.match, words)):
        return False
    return len([word for word in words if not is_filler(word)]) >= _LEAST_WORDS


_LINK = lazy_pattern(
    r"(?i)(?:the|an?|is|are|was|be|been|to|of|in|on|at|by|for|from|with|and|or|but|if|when|not|no|too|yet|only|"
    r"same|own|left|der|die|das|und|oder|ist|nicht|mit|le|la|el|et|y|es|no)\Z"
)
_FEWEST_IN_QUOTES, _FEWEST_IN_PHRASE = 3, 2
_PROGRAMS = "sudo apt git npm pip docker curl cd ls ssh python make kubectl cat"
_COMMANDS = frozenset(_PROGRAMS.split())


def is_quoted_phrase(text: str) -> bool:
    """Words by chance within quotes: `blue horse battery 9`, and not `too short for us`."""
    words = text.split()
    least = _FEWEST_IN_QUOTES if any(map(str.isdigit, words)) else _FEWEST_IN_QUOTES + 1
    return len(words) >= least and are_by_chance(words)


def is_set_phrase(text: str) -> bool:
    """The same behind `passphrase=`, where two words will do."""
    words = text.split()
    return len(words) >= _FEWEST_IN_PHRASE and are_by_chance(words)


def are_by_chance(words: list[str]) -> bool:
    return words[0] not in _COMMANDS and not any(
        _LINK.match(word) or is_filler(word) or word.endswith(("ed", "ing"))
        for word in words
        if not word.isdigit()
    )
