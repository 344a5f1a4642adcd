"""Secrets that are told, not set: a login in a sentence, a passphrase, a PIN, a password that was changed.

Names as programs write them are `named_secrets`'s. Here people speak, in several languages, and what
follows is a secret only if it could hardly be a word: nobody wants prose with holes in it.
"""

from __future__ import annotations

from .forms import (
    is_loose_password,
    is_made_up,
    is_made_up_and_no_month,
    is_no_word,
    is_no_word_and_no_role,
    is_phrase,
    is_quoted_phrase,
    is_replaced,
    is_set_password,
    is_set_phrase,
    is_strange,
    is_unlike_words,
)
from .rules import Rule, rule

IS = r"(?:is|was|ist|war|lautet|hei(?:ß|ss)t|es|era|est|était|è|é|jest|är)"
"""Between the name of a secret and the secret, where people talk."""

NOW = (
    r"(?:now|still|just|jetzt|nun|neu|aktuell|maintenant|désormais|ahora|ora|adesso|agora|nu|teraz)"
)
"""What may follow on it, where it was changed."""


# ---- what is said

_Q = r"[\"'`*_]{0,3}"
_LOGINS = "login creds creden identifiant daten"  # Zugangsdaten, credenciales
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


_OF = rf"(?:[ ]{_BY}(?:[ ](?:the|my|our|das|den|dem|die|der|le|la|el))?[ ][\w.@-]{{1,30}}){{0,2}}?"
_CHANGES = "change switch rotate update reset geändert gewechselt changé modifié cambi"
# From one program, or page, to the next: `reset password from Outlook365 to Gmail`.
_PLACES = (
    r"(?:[ ][\w'-]{1,20}){0,4}?[ ](?:from|von|de|da|del)[ ](?-i:[A-Z])[A-Za-z]{1,30}\d{0,4}"
    r"[ ](?:to|auf|zu|à|a|in)[ ](?-i:[A-Z][a-z]{1,30})(?![\w!#$%&*+?@^~=-]{0,40}[^\s.,;:!?)])"
)
_CHANGE = (
    rf"(?:changed?|switch(?:ed)?|rotated?|updated?|reset(?!{_PLACES})|"
    r"geändert|gewechselt|changé|modifié|"
    r"cambi(?:é|ó|o|ado|ada|ar))"
)
_IT = rf"(?:{_NAMES.replace(' ', '|')}|mot[ ]de[ ]passe)"
_AUX = r"(?:[ ](?:was|is|has|been|wurde|ist|hat|a|été|se|ha|sido)){0,2}"
_FROM, _TO = r"[ ](?:from|von|de|da|del)[ ]", r"[\"'`]?[ ](?:to|auf|zu|à|a|in)[ ]"
_ANY = r"[\"'`]?[^\s\"'`,;|<>]{4,128}"


def _changed_rules() -> tuple[Rule, ...]:
    """`password of kim changed from … to …`, and the same with the verb before it or at the end."""
    ways = (
        (f"{_NAMES} mot·de·passe", rf"(?<![\w-]){_IT}{_OF}{_AUX}[ ]{_CHANGE}", ""),
        (_CHANGES, rf"{_CHANGE}(?:[ ][\w'-]{{1,20}}){{0,3}}?[ ]{_IT}{_OF}", ""),
        (
            f"{_NAMES} mot·de·passe",
            rf"(?<![\w-]){_IT}{_OF}{_AUX}",
            rf"[\"'`]?[ ](?=(?:[a-z]{{1,8}}[ ])?{_CHANGE})",
        ),
    )
    return tuple(
        rule("password", anchors, rf"(?i){head}{_FROM}{values}{tail}", fits=is_replaced)
        for anchors, head, tail in ways
        for values in (f"{_VALUE}{_TO}{_ANY}", f"{_ANY}{_TO}{_VALUE}")
    )


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
    rule("password", _LOGINS, f"{_TOLD}{_KNOWN}{_BESIDE}{_VALUE}", fits=is_loose_password),
    rule("password", _LOGINS, f"{_TOLD}{_USER}{_BESIDE}{_VALUE}", fits=is_strange),
    rule(
        "password",
        "logged·in signed·in log·in",
        r"(?i)(?<![a-z])(?:log(?:ged)?|sign(?:ed)?)[ ]in\b(?:[ ][\w.:/-]{1,60}){0,4}?[ ]as[ ]"
        rf"{_USER},?[ ](?:with|using|and)[ ]{_VALUE}",
        fits=is_strange,
    ),
    rule(  # creds kim:…
        "password",
        "login creds credentials zugangsdaten anmeldedaten identifiants credenciales accesso",
        r"(?i)(?<![\w-])(?:logins?|creds|credentials|zugangsdaten|anmeldedaten|identifiants|credenciales)"
        rf"[ ](?:(?!https?:)[\w.@+-]{{2,64}}:|{_USER}[ ]/[ ]){_VALUE}",
        fits=is_no_word_and_no_role,
    ),
    *_changed_rules(),
    rule(
        "passphrase",
        "phrase",
        r"(?i)(?:(?<=pass)|(?<=pass-)|(?<=seed[ ])|(?<=recovery[ ])|(?<=mnemonic[ ])|(?=phrase[ ]secr))"
        rf"phrase{_Q}(?:[ ][\w.'-]{{1,20}}){{0,4}}?(?:[ ]?[:=][ ]?|[ ]{IS}:?[ ]){_Q}"
        rf"(?P<secret>{_PHRASED}(?:[ -]{_PHRASED}){{3,23}})",
        fits=is_phrase,
    ),
    rule(
        "password",
        _NAMES,
        rf"(?i){_NAMED}[ ](?:is[ ]|was[ ])?{_VALUE}",
        fits=is_made_up,
    ),
    rule(  # user lena, password …
        "password",
        "user login account benutzer usuario utilisateur utente",
        rf"(?i)(?:user|login|account|benutzer|usuario|utilisateur|utente)(?:[ -]?name)?"
        rf"(?:[ ]?[:=]|[ ]{IS})?[ ]{_USER}[,;]?[ ](?:(?:and|with|und|mit|y|et|e)[ ])?(?:the[ ]|das[ ])?"
        rf"(?:pass|{_NAMES.replace(' ', '|')})(?:[ ]?[:=]|[ ]{IS})?[ ]{_VALUE}",
        fits=is_made_up,
    ),
    rule(  # … the password, it is now …
        "password",
        _NAMES,
        rf"(?i){_NAMED}[^\n.!?;]{{1,60}}?[ ](?:it(?:'s|[ ]is|[ ]was)|es[ ]{IS}|now|jetzt)"
        rf"(?:[ ]{NOW})?:?[ ]{_VALUE}",
        fits=is_made_up,
    ),
    rule(  # … das Passwort auf … geändert
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][\w.'-]{{1,20}}){{0,4}}?[ ](?:to|auf|zu|a|en|por|par|pour|in|naar|till|na)[ ]"
        rf"(?:{_VALUE})",
        fits=is_made_up_and_no_month,
    ),
    rule(  # パスワードを … に変更
        "password",
        "密码 密碼 口令 パスワード 비밀번호",
        r"(?:密码|密碼|口令|パスワード|비밀번호)"
        r"(?:[^\s,:]{0,8}?(?:改成了?|改为了?|改為|换成了?|设为|設為|变成了?)|を|를|을)[ ]?"
        r"(?P<secret>[\x21-\x7e]{6,64})",
        fits=is_loose_password,
    ),
    rule(  # by itself on the next line
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][^\s:]{{1,20}}){{0,6}}?[ ]?[:：][*_]{{0,2}}[ \t]*\n\s{{0,4}}[`*]{{0,3}}"  # noqa: RUF001 - other scripts
        r"(?P<secret>[^\s`*\"']{6,64})[`*]{0,3}[ \t]*(?=\n|\Z)",
        fits=is_made_up,
    ),
    rule(
        "passphrase",
        "passphrase psk",
        r"(?i)(?:passphrase|psk)[ ]?=[ ]?(?P<quote>[\"'])"
        r"(?P<secret>[\w-]{2,14}(?:[ ][\w-]{1,14}){1,11})(?P=quote)",
        fits=is_set_phrase,
    ),
    rule(  # as it stands under the box
        "wifi key",
        "wlan wifi wi-fi wpa netzwerk",
        r"(?i)(?:wlan|wifi|wi-fi|wpa2?|netzwerk)[ -]?(?:netzwerk)?"
        r"(?:schl(?:ü|ue)ssel|key|code|kennwort|passwort|password|passphrase)"
        rf"(?:[ ]?[:=]|[ ]{IS})[ ]?(?P<secret>\d{{4}}(?:[ ]?\d{{4}}){{1,4}})(?!\d)",
    ),
    rule(
        "wifi key",
        "schl",
        rf"(?i)schl(?:ü|ue)ssel(?:[ ]?[:=]|[ ]{IS})?[ ]{_VALUE}",
        fits=is_no_word,
        near="wlan",
    ),
    rule(
        "login",
        "@",
        r"(?i)(?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?:[\w-]+\.)+[a-z]{2,}(?:[ ]/[ ]|:)"
        r"(?P<secret>[^\s\"'`,;|<>/:]{5,63}[^\s\"'`,;|<>/:.)\]}])(?![\w/:])",
        back=65,
        fits=is_made_up,
    ),
    rule(  # .pgpass
        "password",
        ":5432: :5433: :6432: :*:",
        r"(?m)^(?!arn:)[^\s:\"']{1,253}:(?:5432|5433|6432|\*):[^\s:]{1,64}:[^\s:]{1,64}:"
        r"(?P<secret>[^\s:\"']{4,128})$",
        back=254,
        fits=is_set_password,
    ),
    rule(
        "password",
        _NAMES,
        rf"(?i){_NAMED}(?:[ ][\w.'-]{{1,20}}){{0,5}}?(?:[ ](?:{IS}|to|auf)|:)[ ]"
        r"(?P<quote>[\"'`])(?P<secret>[a-z0-9]{1,14}(?:[ ][a-z0-9]{1,14}){2,11})(?P=quote)",
        fits=is_quoted_phrase,
    ),
    rule(
        "login",
        "@",
        r"(?i)(?<![\w./:@+-])(?!(?:mailto|e-?mail|login|user|username|account|contact|to|from|cc|bcc|sips?|xmpp|acct|npm|git)\b)[a-z_][\w.-]{1,31}:"
        r"(?P<secret>[^\s:@/\"'`<>()\[\]{}]{6,64})@(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})\b",
        back=100,
        fits=is_unlike_words,
    ),
    _number_rule("pin 暗証番号", r"\d{4,8}"),
    _number_rule("cvv cvc", r"\d{3,4}"),
)
"""Found whatever the case; their anchors are sought in the lower-cased text."""
