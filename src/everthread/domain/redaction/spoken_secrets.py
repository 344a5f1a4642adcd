"""Secrets that are told, not set: a login in a sentence, a passphrase, a PIN, a password on a command line.

Names as programs write them are `names`'s. Here people speak, in several languages, and what
follows is a secret only if it could hardly be a word: nobody wants prose with holes in it.
"""

from __future__ import annotations

import re

from .rules import Judge, Rule, rule
from .values import Place, Sort, Value, is_filler, is_secret

IS = r"(?:is|was|ist|war|lautet|hei(?:ß|ss)t|es|era|est|était|è|é|jest|är)"
"""Between the name of a secret and the secret, where people talk."""

NOW = (
    r"(?:now|still|just|jetzt|nun|neu|aktuell|maintenant|désormais|ahora|ora|adesso|agora|nu|teraz)"
)
"""What may follow on it, where it was changed."""


def _is_loose_password(text: str) -> bool:
    return is_secret(Sort.PASSWORD, Value(text, Place.LOOSE))


_INNER = re.compile(r"\d[A-Za-z]|[!@#%^&*+~?]")


def _is_strange(text: str) -> bool:
    """A password that no word and no version is spelled like: `Tr0ub4dor3x`, and not `Chrome120`."""
    return _is_loose_password(text) and bool(_INNER.search(text))


_INNER_MARK = re.compile(r"[!#$%^&*+~?](?=.)")
_SWITCH = re.compile(r"\d(?=[A-Za-z])|[A-Za-z](?=\d)")
_FEWEST_SWITCHES = 3
_OF_PROGRAMS = re.compile(
    r"(?i)(?:x509|sha\d|utf-?\d|base64|oauth2|ipv[46])|[a-z_/]+\?[\w-]+=|[a-z_:]+#[a-z]+_\w+\Z"
)
"""A query, a method, an algorithm: `reset?step=2`, `User#reset_password1`, `X509v3Cert`."""


def _is_unlike_words(text: str) -> bool:
    """What nothing but its form betrays, next to the name: `Gr0tte!nOlm77`, and not `sha256Hash`."""
    if not _is_loose_password(text) or _OF_PROGRAMS.match(text):
        return False
    if _INNER_MARK.search(text):
        return True
    mixed = any(map(str.islower, text)) and any(map(str.isupper, text))
    return mixed and len(_SWITCH.findall(text)) >= _FEWEST_SWITCHES


_MARK = re.compile(r"[!#$%^&*+~?]")
_NAME_AND_NUMBER = re.compile(r"[A-Z][a-z]{2,}(?:[._-]?[A-Z][a-z]+)*\d{4,}\Z")


def _is_made_up(text: str) -> bool:
    """As people make them up: `Hafen2291`, `Kaktus2024!`; not `Chrome120`, `2fa-based`, `step2`."""
    if not _is_loose_password(text) or _OF_PROGRAMS.match(text):
        return False
    return bool(_MARK.search(text) or _NAME_AND_NUMBER.match(text)) or _is_unlike_words(text)


_MONTH = re.compile(
    r"(?i)(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:19|20)\d\d\b"
)


def _is_made_up_and_no_month(text: str) -> bool:
    """Passwords expire `in September2026`."""
    return _is_made_up(text) and not _MONTH.match(text)


def _is_set_password(text: str) -> bool:
    return not text.rstrip(",.;:)").isdigit() and is_secret(Sort.PASSWORD, Value(text, Place.ENV))


_OF_WORDS = re.compile(r"(?i)(?:words?|letters|characters|phrases?|passphrase|passwords?|keys?)\b")
_LEAST_WORDS = 3


def _is_phrase(text: str) -> bool:
    """Words by chance, and not words about the phrase: `stored securely`, `twelve random words`."""
    words = re.split(r"[ -]", text)
    if words[0].endswith(("ed", "ing")) or any(map(_OF_WORDS.match, words)):
        return False
    return len([word for word in words if not is_filler(word)]) >= _LEAST_WORDS


_LINK = re.compile(
    r"(?i)(?:the|an?|is|are|was|be|been|to|of|in|on|at|by|for|from|with|and|or|but|if|when|not|no|too|yet|only|"
    r"same|own|left|der|die|das|und|oder|ist|nicht|mit|le|la|el|et|y|es|no)\Z"
)
_FEWEST_IN_QUOTES, _FEWEST_IN_PHRASE = 3, 2
_PROGRAMS = "sudo apt git npm pip docker curl cd ls ssh python make kubectl cat"
_COMMANDS = frozenset(_PROGRAMS.split())


def _is_quoted_phrase(text: str) -> bool:
    """Words by chance within quotes: `blue horse battery 9`, and not `too short for us`."""
    words = text.split()
    least = _FEWEST_IN_QUOTES if any(map(str.isdigit, words)) else _FEWEST_IN_QUOTES + 1
    return len(words) >= least and _are_by_chance(words)


def _is_set_phrase(text: str) -> bool:
    """The same behind `passphrase=`, where two words will do."""
    words = text.split()
    return len(words) >= _FEWEST_IN_PHRASE and _are_by_chance(words)


def _are_by_chance(words: list[str]) -> bool:
    return words[0] not in _COMMANDS and not any(
        _LINK.match(word) or is_filler(word) or word.endswith(("ed", "ing"))
        for word in words
        if not word.isdigit()
    )


# ---- what is said

_Q = r"[\"'`*_]{0,3}"
_LOGINS = "login creden identifiant daten"  # Zugangsdaten, credenciales
_USER = r"[\"'`]?[\w.@+-]{2,64}[\"'`]?"
_KNOWN = r"[\"'`]?(?:admin|administrator|root|user|guest|test|demo|[\w.+-]+@[\w.-]+)[\"'`]?"
_VALUE = r"[\"'`]?(?P<secret>[^\s\"'`,;|<>/][^\s\"'`,;|<>]{2,126}[^\s\"'`,;|<>.:)\]}])"
_TOLD = (
    r"(?i)[\w-]{5,20}(?:[ ][\w.'-]{1,20}){0,6}?"
    rf"(?:[ ](?:are|were|sind|waren|lauten|son|sont|sono|{IS})|[ ]?:)[ ]"
)
_BESIDE = r"(?:[ ]/[ ]|/|:[ ]?|,?[ ](?:and|und|y|et|e)[ ])"
# A phrase ends where a sentence goes on.
_GOES_ON = (
    r"(?:and|or|but|the|an?|is|are|was|be|been|to|of|in|on|at|by|for|from|with|using|if|when|then|so|"
    r"that|this|it|you|your|we|must|should|can|will|not|no|und|oder|ist|der|die|das|mit|et|le|la|y|el)"
)
_PHRASED = rf"(?!{_GOES_ON}\b)[a-z]{{3,12}}"

_NAMES = (
    "password passwort passwd passcode kennwort contraseña senha wachtwoord lösenord hasło pwd pw"
)
_NAMED = rf"(?<![\w-])(?:{_NAMES.replace(' ', '|')})"
_BY = r"(?:of|for|to|von|für|zu|zur|zum|de|del|pour|per|da)"


def _number_rule(anchors: str, digits: str) -> Rule:
    """A number that opens something: any will do, for the word before it says what it is."""
    return rule(
        "pin",
        anchors,
        rf"(?i)(?<![a-z])(?:{'|'.join(anchors.split())})2?"
        rf"(?:[ -]?(?:codes?|number|nummer|n[uú]mero|kod|код|コード|码|碼))?{_Q}"
        rf"(?:[ ]{_BY}(?:[ ][^\s,.;:]{{1,24}}){{1,4}}?)?"
        rf"(?:[ ]?[:=：][ ]?|[ ]{IS}:?[ ]|[ ]?(?:は|是)[ ]?|(?<=(?-i:PIN))[ ]){_Q}"  # noqa: RUF001 - other scripts
        rf"(?P<secret>{digits})(?![.,:/-]?\d|[a-z_])",
        fits=str.isdigit,
    )


TALK: tuple[Rule, ...] = (
    rule("password", _LOGINS, f"{_TOLD}{_KNOWN}{_BESIDE}{_VALUE}", fits=_is_loose_password),
    rule("password", _LOGINS, f"{_TOLD}{_USER}{_BESIDE}{_VALUE}", fits=_is_strange),
    rule(
        "password",
        "logged·in signed·in log·in",
        r"(?i)(?<![a-z])(?:log(?:ged)?|sign(?:ed)?)[ ]in\b(?:[ ][\w.:/-]{1,60}){0,4}?[ ]as[ ]"
        rf"{_USER},?[ ](?:with|using|and)[ ]{_VALUE}",
        fits=_is_strange,
    ),
    rule(
        "passphrase",
        "phrase",
        r"(?i)(?:(?<=pass)|(?<=pass-)|(?<=seed[ ])|(?<=recovery[ ])|(?<=mnemonic[ ])|(?=phrase[ ]secr))"
        rf"phrase{_Q}(?:[ ][\w.'-]{{1,20}}){{0,4}}?(?:[ ]?[:=][ ]?|[ ]{IS}:?[ ]){_Q}"
        rf"(?P<secret>{_PHRASED}(?:[ -]{_PHRASED}){{3,23}})",
        fits=_is_phrase,
    ),
    rule(
        "password",
        _NAMES,
        rf"(?i){_NAMED}[ ](?:is[ ]|was[ ])?{_VALUE}",
        fits=_is_made_up,
    ),
    rule(  # user lena, password …
        "password",
        "user login account benutzer usuario utilisateur utente",
        rf"(?i)(?:user|login|account|benutzer|usuario|utilisateur|utente)(?:[ -]?name)?"
        rf"(?:[ ]?[:=]|[ ]{IS})?[ ]{_USER}[,;]?[ ](?:(?:and|with|und|mit|y|et|e)[ ])?(?:the[ ]|das[ ])?"
        rf"(?:pass|{_NAMES.replace(' ', '|')})(?:[ ]?[:=]|[ ]{IS})?[ ]{_VALUE}",
        fits=_is_made_up,
    ),
    rule(  # … the password, it is now …
        "password",
        _NAMES,
        rf"(?i){_NAMED}[^\n.!?;]{{1,60}}?[ ](?:it(?:'s|[ ]is|[ ]was)|es[ ]{IS}|now|jetzt)"
        rf"(?:[ ]{NOW})?:?[ ]{_VALUE}",
        fits=_is_made_up,
    ),
    rule(  # … das Passwort auf … geändert
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][\w.'-]{{1,20}}){{0,4}}?[ ](?:to|auf|zu|a|en|por|par|pour|in|naar|till|na)[ ]"
        rf"(?:{_VALUE})",
        fits=_is_made_up_and_no_month,
    ),
    rule(  # パスワードを … に変更
        "password",
        "密码 密碼 口令 パスワード 비밀번호",
        r"(?:密码|密碼|口令|パスワード|비밀번호)"
        r"(?:[^\s,:]{0,8}?(?:改成了?|改为了?|改為|换成了?|设为|設為|变成了?)|を|를|을)[ ]?"
        r"(?P<secret>[\x21-\x7e]{6,64})",
        fits=_is_loose_password,
    ),
    rule(  # by itself on the next line
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][^\s:]{{1,20}}){{0,6}}?[ ]?[:：][*_]{{0,2}}[ \t]*\n\s{{0,4}}[`*]{{0,3}}"  # noqa: RUF001 - other scripts
        r"(?P<secret>[^\s`*\"']{6,64})[`*]{0,3}[ \t]*(?=\n|\Z)",
        fits=_is_made_up,
    ),
    rule(
        "passphrase",
        "passphrase psk",
        r"(?i)(?:passphrase|psk)[ ]?=[ ]?(?P<quote>[\"'])"
        r"(?P<secret>[\w-]{2,14}(?:[ ][\w-]{1,14}){1,11})(?P=quote)",
        fits=_is_set_phrase,
    ),
    rule(  # as it stands under the box
        "wifi key",
        "wlan wifi wi-fi wpa netzwerk",
        r"(?i)(?:wlan|wifi|wi-fi|wpa2?|netzwerk)[ -]?(?:netzwerk)?"
        r"(?:schl(?:ü|ue)ssel|key|code|kennwort|passwort|password|passphrase)"
        rf"(?:[ ]?[:=]|[ ]{IS})[ ]?(?P<secret>\d{{4}}(?:[ ]?\d{{4}}){{1,4}})(?!\d)",
    ),
    rule(
        "login",
        "@",
        r"(?i)(?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?:[\w-]+\.)+[a-z]{2,}(?:[ ]/[ ]|:)"
        r"(?P<secret>[^\s\"'`,;|<>/:]{5,63}[^\s\"'`,;|<>/:.)\]}])(?![\w/:])",
        back=65,
        fits=_is_made_up,
    ),
    rule(  # .pgpass
        "password",
        ":5432: :5433: :6432: :*:",
        r"(?m)^(?!arn:)[^\s:\"']{1,253}:(?:5432|5433|6432|\*):[^\s:]{1,64}:[^\s:]{1,64}:"
        r"(?P<secret>[^\s:\"']{4,128})$",
        back=254,
        fits=_is_set_password,
    ),
    rule(
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][\w.'-]{{1,20}}){{0,5}}?(?:[ ](?:{IS}|to|auf)|:)[ ]"
        r"(?P<quote>[\"'`])(?P<secret>[a-z0-9]{1,14}(?:[ ][a-z0-9]{1,14}){2,11})(?P=quote)",
        fits=_is_quoted_phrase,
    ),
    rule(
        "login",
        "@",
        r"(?i)(?<![\w./:@+-])(?!(?:mailto|e-?mail|login|user|username|account|contact|to|from|cc|bcc|sips?|xmpp|acct|npm|git)\b)[a-z_][\w.-]{1,31}:"
        r"(?P<secret>[^\s:@/\"'`<>()\[\]{}]{6,64})@(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})\b",
        back=100,
        fits=_is_unlike_words,
    ),
    _number_rule("pin 暗証番号", r"\d{4,8}"),
    _number_rule("cvv cvc", r"\d{3,4}"),
)
"""Found whatever the case; their anchors are sought in the lower-cased text."""


# ---- what is typed

_ARGS = r"\b[^\n|;&]{0,200}?\s"
_TYPED = r"[\s=]{1,4}[\"']?(?P<secret>[^\s\"'$<][^\s\"']{3,2048}?)(?=[)\]},.;]{0,4}(?:[\s\"']|\Z))"


def _command_rule(anchors: str, flag: str, fits: Judge) -> Rule:
    names = "|".join(map(re.escape, anchors.split()))
    return rule("password", anchors, rf"(?i)(?:{names})[\w-]*{_ARGS}{flag}{_TYPED}", fits=fits)


COMMANDS: tuple[Rule, ...] = (
    # Where the user is given as well, what stands behind -p is no port and no path.
    _command_rule("login", rf"(?:-u|--user(?:name)?)[ =]\S+{_ARGS}-p", _is_set_password),
    _command_rule("login", r"-p", _is_loose_password),
    _command_rule("mongo", r"-p", _is_loose_password),
    _command_rule("redis-cli", r"-a", _is_set_password),
    _command_rule("ldap", r"-w", _is_set_password),
    _command_rule("zip", r"(?-i:-P)", _is_set_password),
    _command_rule("openssl", r"-k", _is_loose_password),
)
"""Tools that take a password behind a flag of one letter, as `sshpass` and `mysql` do."""
