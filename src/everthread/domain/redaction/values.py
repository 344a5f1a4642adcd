"""Is this value, under this name, a secret? Names say what a value is for; its shape says whether it is one.

Most secrets have no form of their own: a password is any word. What betrays them is the name they
stand behind, and what acquits most of what stands behind such names is that it is a placeholder, a
reference to where the secret lies, a type, a count, or plain words.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern


class Sort(Enum):
    """What a name says about its value, and what the marker will say about it."""

    PASSWORD = "password"
    PASS = "pass"
    SECRET = "secret"
    TOKEN = "token"
    KEY = "key"


class Place(Enum):
    """How a value stands in the text: the surer the place, the less the value must look random."""

    ENV = "a line NAME=value"
    QUOTED = "a literal in quotes"
    BARE = "a bare word"
    LOOSE = "prose, tables and flags, where most words are just words"
    CALL = "what a function is given that makes the value"


class Value(NamedTuple):
    text: str
    place: Place


# ---- names

_HUMPS = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = lazy_pattern(r"[a-z]+|[0-9]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORDS = _words(
    "password passwd passphrase passwort passcode pwd pw pass passord passe psk"  # mot de passe
)
_COMPOUND = lazy_pattern(
    r"(?P<password>passw(?:or)?d|passwort|passphrase|passcode|pwd)\Z"
    r"|(?P<secret>secret|apikey|secretkey|privatekey|accesskey|accountkey|credentials?)\Z"
    r"|(?P<token>token)\Z"
    # DBPASS, rootpw: no bypass and no compass
    r"|(?P<joined>\A(?:db|my|my?sql|pg|postgres|mongo|redis|ldap|root|admin|user|login|smtp|imap|mail|mqtt|ftp|ssh|"
    r"vpn|wifi|wlan|sudo|app|server|store|key|trust|keystore|truststore|new|old)(?:pass|pw))\Z"
)
# Words that may follow without changing what the name is for: API_KEY_PROD, SECRET_KEY_BASE.
_QUALIFIERS = _words(
    "prod production dev development test testing live staging stage local old new current "
    "previous main default base value val raw plain plaintext text string str b64 base64 hex "
    "admin user root read write readonly backup primary secondary v env"
)
# Words before `key` that make it a secret one; any other key must be in a NAME=value line.
_KEYS = _words(
    "api secret private access account auth encryption signing master shared license app "
    "application client service subscription storage crypto cipher hmac jwt session admin "
    "webhook integration"
)
_WIFI = _words("wifi wlan wpa wep")
_OPEN_KEYS = _words(
    "public publishable primary foreign cache sort partition idempotency hash dict map row "
    "index unique group object lookup host known ssh gpg hot short arrow pub"
)
# `next_page_token`, `eos_token`, `max_token`: tokens that open nothing.
_OPEN_TOKENS = _words(
    "max min num n next prev page continuation cursor pad eos bos cls sep mask unk special "
    "stop start end first last per of current peek public prompt completion total input output "
    "cached budget"
)


def sort_of(name: str) -> Sort | None:
    """What the name is for: its last words decide, so that `password_hash` names no password."""
    words = _WORD.findall(_HUMPS.sub("_", name).lower())
    while words and (words[-1].isdigit() or words[-1] in _QUALIFIERS):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[:-1]
    if last in _PASSWORDS:
        # Tests pass and people pass; only a literal behind the lone word is meant.
        return Sort.PASS if last == "pass" and not before else Sort.PASSWORD
    if last in ("key", "keys"):
        return _key(before)
    found = _COMPOUND.search(last)
    if found is None:
        return None
    if found["token"]:
        return None if _OPEN_TOKENS.intersection(before) else Sort.TOKEN
    return Sort.SECRET if found["secret"] else Sort.PASSWORD


def _key(before: list[str]) -> Sort | None:
    if not before or _OPEN_KEYS.intersection(before[-2:]):
        return None
    if _WIFI.intersection(before) or before[-2:] == ["wi", "fi"]:
        return Sort.PASSWORD
    return Sort.SECRET if "secret" in before or before[-1] in _KEYS else Sort.KEY


# ---- values

_MASKED = lazy_pattern(
    r"(.)\1{5}|\*{3}|x{5}|X{5}|\A[xX]+\Z|\.{3}|…|•|#{4}|-{4}|_{4}|[Rr]edacted|REDACTED"
)
_REFERENCE = lazy_pattern(
    r"[$<{\[(@&\\]|%(?:\w*%|[({sdv])|[A-Za-z][\w+.-]*://|arn:|vault:|env:|file:|ref:|secret:|sha\d+[-:]|md5[-:]|ssh-|pbkdf2|bcrypt|scrypt|argon2"
)
_PATH = lazy_pattern(r"(?:~|\.{1,2})?/[\w.+/-]*\Z")
_INSIDE = lazy_pattern(r"\$\{|\{\{|\$\(|<%|\}\}|#\{")
_CODE = lazy_pattern(r".*[()\[\]{}\\]|.*(?:->|::)")
_TYPE = lazy_pattern(r"[A-Z][A-Za-z0-9]*(?:Key|Token|Secret|Password|Credentials?|Str|Type)\Z")
_CONSTANT = lazy_pattern(r"(?:[A-Z]+|\d+)(?:_(?:[A-Z]+|\d+))+\Z")
_DOTTED = lazy_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_VERSIONED = lazy_pattern(r"(.*[A-Za-z])[-@:_ ]v?\d+(?:\.\d+)+[\w.+-]{0,12}\Z")
_DATED = lazy_pattern(
    r"v?\d+(?:[.:/-]\d+)+(?:[.-]?(?:rc|a|b|alpha|beta|dev|post)[.-]?\d*)?\Z|\d{4}-\d\d-\d\dT"
)
_FILE = lazy_pattern(
    r"[\w./~-]+\.(?:json|ya?ml|toml|txt|pem|key|crt|py|js|ts|go|md|env|cfg|ini|sh|html?|css)\Z"
)
_PIECES = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_VOWELS = frozenset("aeiouyAEIOUY")
_CLUSTER = lazy_pattern(r"[bcdfghjklmnpqrstvwxz]{4}", re.IGNORECASE)
_TECHNICAL = lazy_pattern(
    r"(?i)(?:\b|_)(?:sha|base|utf|md|u?int|float|str|char|varchar|argon|bcrypt|pbkdf|oauth|rs|hs|es|aes|"
    r"ed|x|rsa|ipv|http|win|python|py|iso|i|l|k|s|ec|h|u|f|v|p|py)-?\d+(?:n|s)?(?:\b|_)"
    r"|\b\d+(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|characters?|chars?|digits?|bytes?|bits?)\b"
)
_FILLER = lazy_pattern(
    r"(?i)(?:your|my|our|the|this|that|some|any|new|old|users?|name|admin|test|testing|example|"
    r"sample|dummy|fake|mock|placeholder|change|replace|insert|enter|put|set|paste|goes|here|me|it|to|"
    r"with|from|in|is|of|and|or|not|foo|bar|baz|qux|values?|string|text|type|default|todo|fixme|secrets?|"
    r"pass|password|passwd|passphrase|passcode|pwd|tokens?|api|keys?|access|private|auth|bearer|client|app|"
    r"credentials?|require|required|optional|missing|hidden|field|label|none|null|nil|"
    r"undefined|true|false|yes|no|on|off|empty|unset|str|int|bool|boolean|bytes|object|function|async|await|"
    r"return|hashed|hash|encrypted|encoded|plain|raw|strong|super|very|safe|secure|wrong|correct|valid|db|"
    r"data|database|root|postgres|mysql|redis|service|account|login|server|prompt|env|environment|var|"
    r"variable|config)+\Z"
)
# In a line NAME=value even `secret` and `postgres` are what they say; these still are not.
_UNSET = lazy_pattern(
    r"(?i)your|my|example|sample|dummy|placeholder|change|replace|insert|enter|put|paste|goes|here|todo|fixme|"
    r"none|null|nil|undefined|true|false|yes|no|on|off|empty|unset|required|optional|type|string|str|int|bool"
)
_PLACEHOLDER = lazy_pattern(
    r"(?i)(?<![a-z])(?:your|example|sample|dummy|fake|placeholder|replace|insert|change_?me|here|todo)(?![a-z])"
)
_CODEWORD = lazy_pattern(
    r"(?i)(?:args?|argv|params?|val|line|row|col|item|node|part|self|req|request|body|form|ctx|tmp|res)\Z"
)
_LETTERS = lazy_pattern(r"[A-Za-z]+")
_LONGEST_FILLER = 40
_MARK = lazy_pattern(r"[!@#%^&*+~?]")

_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 4, 200
_SHORTEST_RANDOM = 10
_ALPHA = lazy_pattern(r"[A-Za-z+/]{16,}={0,2}\Z")
_LONGEST_LOOK = 100


# Names that say too little by themselves, and the one place where they are believed.
_NEEDED = {Sort.KEY: Place.ENV, Sort.PASS: Place.QUOTED}


def is_secret(sort: Sort, value: Value) -> bool:
    """Would somebody who reads this value under such a name hold a secret?"""
    # What a long value begins like is what it is, and to read on would cost too much.
    text, place = value.text[:_LONGEST_LOOK], value.place
    if (
        len(text) < _SHORTEST_PASSWORD
        or _is_no_secret(text)
        or _NEEDED.get(sort, place) is not place
    ):
        return False
    if is_random(text) and not (place is not Place.QUOTED and _is_code(text)):
        return True
    if sort is Sort.KEY or place is Place.CALL or _PLACEHOLDER.search(_HUMPS.sub("_", text)):
        return False
    if sort in (Sort.PASSWORD, Sort.PASS):
        spelled = _is_scrambled(text) or _is_password(Value(text, place))
        return spelled and len(value.text) <= _LONGEST_PASSWORD
    return place is Place.ENV and sort is Sort.SECRET and _is_set(text)


def _is_no_secret(text: str) -> bool:
    return bool(
        _MASKED.search(text)
        or _REFERENCE.match(text)
        or _INSIDE.search(text)
        or _DATED.match(text)
        or _FILE.match(text)
        or _CONSTANT.match(text)
        or (_PATH.match(text) and is_wordy(text))
        or ((named := _VERSIONED.match(text)) and is_wordy(named[1]))
    )


def _is_code(text: str) -> bool:
    """An expression, not a value: `settings.api_key`, `secrets[0]`."""
    if _DOTTED.match(text):
        return not any(is_random(part) for part in text.split("."))
    return bool(_CODE.match(text) or _TYPE.match(text))


def is_random(text: str) -> bool:
    """Long and without words in it, as generators make them."""
    text = text[:_LONGEST_LOOK]
    if len(text) < _SHORTEST_RANDOM or " " in text or is_wordy(text):
        return False
    if any(c.isdigit() for c in text):
        return bool(_words_left(text))
    # Letters alone: names in camel case have longer pieces than chance makes.
    pieces = _PIECES.findall(text)
    return bool(_ALPHA.match(text)) and sum(map(len, pieces)) < len(pieces) * 3


def _is_scrambled(text: str) -> bool:
    """Small and capital letters by turns, and nothing else: who makes passwords may leave digits out."""
    if len(text) < _SHORTEST_RANDOM or not (text.isascii() and text.isalpha()):
        return False
    pieces = _PIECES.findall(text)
    return len(text) < len(pieces) * 3 and not (text.islower() or text.isupper())


def is_wordy(text: str) -> bool:
    """Is it made of words, such as identifiers, paths and sentences are?"""
    pieces = _PIECES.findall(text)
    size = sum(map(len, pieces))
    numbers = [p for p in pieces if p.isdigit()]
    if not size or (len(numbers) > 2 and sum(map(len, numbers)) > size * 0.12):  # noqa: PLR2004 - a number or two are in any name
        return not size
    words = sum(len(p) for p in pieces if _is_word(p))
    # Chance makes short pieces, and some of them look like words.
    return words >= size * 0.55 and size >= len(pieces) * 3.5


def _is_word(piece: str) -> bool:
    if len(piece) < 3 or piece.isdigit():  # noqa: PLR2004 - two letters are in any random text
        return False
    vowels = sum(c in _VOWELS for c in piece)
    return vowels >= len(piece) * 0.25 and not _CLUSTER.search(piece)


def _is_set(text: str) -> bool:
    """In a line NAME=value: more than a word that says that something belongs here."""
    return not (is_filler(text) and _UNSET.search(text)) and not _is_code(text) and "/" not in text


def is_filler(text: str) -> bool:
    """Only words that stand where a secret would: `your-secret-key`, `changeme`, `string`."""
    return not _words_left(text) and not re.search(r"\d", text)


def _words_left(text: str) -> list[str]:
    """The words of a value that are no fillers."""
    words = _LETTERS.findall(_HUMPS.sub("_", text))
    return [w for w in words if len(w) > _LONGEST_FILLER or not _FILLER.match(w)]


def _is_password(value: Value) -> bool:
    text, place = value
    if place is not Place.ENV and re.search(r"\s", text):
        return False
    if place is Place.ENV:
        return _is_set(text)
    digit, letter = re.search(r"\d", text), re.search(r"[A-Za-z]", text)
    if place is Place.QUOTED:
        if digit or (letter and _MARK.search(text)):
            return not _TECHNICAL.fullmatch(text)
        return text.islower() and text.isalpha() and not is_filler(text)
    if not digit or not letter or _is_code(text) or _TECHNICAL.search(text):
        return False
    return bool(_MARK.search(text)) or any(not _CODEWORD.match(word) for word in _words_left(text))
