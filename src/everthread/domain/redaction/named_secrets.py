"""Secrets that a name betrays: `DB_PASSWORD=…`, `"api_key": "…"`, `--token …`, `$SECRET_NAME`."""

# ruff: noqa: RUF001 - signs as they are written elsewhere

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from everthread.domain.text.patterns import lazy_pattern

from .spoken_secrets import IS, NOW
from .unsigned_secrets import value_beside
from .values import Place, Sort, Value, is_secret, sort_of

Span = tuple[int, int, str]

_HINTS = ("pass", "pw", "secret", "token", "credential", "key", "psk")
# Other words for a password. Those that are not in ASCII cost nothing where the text is.
_SPOKEN = ("kennwort", "wachtwoord", "senha", "contrasena")
_FOREIGN = (
    *("contraseña", "lösenord", "hasło", "şifre", "jelszó", "пароль", "пароля", "паролем"),
    *(
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証番号",
        "비밀번호",
        "암호",
        "كلمة المرور",
        "סיסמה",
        "รหัสผ่าน",
    ),
)
# Other words for a key or a token that opens something.
_KEYS = ("api-schluessel", "jeton", "clave api", "clave de api", "clave de acceso", "clave secreta")
_FOREIGN_KEYS = (
    *("api-schlüssel", "api schlüssel", "zugangsschlüssel", "zugriffsschlüssel", "geheimschlüssel"),
    *("clé api", "clé d'api", "clé d’api", "clé secrète", "clé d'accès", "clé d’accès"),
    *("密钥", "密鑰", "金鑰", "令牌"),
)
# These are words of every day, too: only what can be no word counts behind them.
_COMMON = ("clave", "mdp")
_NAME = string.ascii_letters + string.digits + "_.-"
_LONGEST_NAME = 64
_TAIL = lazy_pattern(r"[A-Za-z0-9_-]{0,40}")
# `api key`, `db pass`: in prose a name may be two words.
_PAIRED = lazy_pattern(
    r"(?i)(?:\b|_)(api|access|secret|private|account|signing|encryption|auth|db|database|admin|root|user|smtp|mail"
    r"|wi-?fi|wlan|wpa[23]?|client|bot|ftp|ssh|app|redis|mysql|postgres|ldap|vpn|sudo|server)[ ]\Z"
)

# From the end of the name to the value. The order matters: the surer way of saying it comes first.
_STEP = lazy_pattern(
    r"""
    (?: [ ](?:prod|production|dev|staging|test|live|base|value|old)\b        # API key prod: …
      | [ ]?[(\[][^()\[\]\n]{1,24}[)\]](?=[ ]?[:=]|[ ]is[ ]) )?               # API key (prod): …
    (?:
    (?P<kv> \\?["']?,?\s{0,40}\\?["']?(?<!\w)value\\?["']?[ \t]*[:=][ \t]* )   # name: X, value: …
  | (?P<assign>
        (?:[ \t]*:[ \t]*[A-Za-z_][\w.\[\]|, ]{0,40}?(?=[ \t]*=[ \t]*["']))?  # a type
        [^\w\n$,;({<>]{0,12}? (?: = | :(?!:) | ： | -> | → ) [=>*_~]{0,3} [ \t]{0,20}
    )
  | (?P<xml> > (?=[^<>\s]+</) )
  | (?P<pair> \\?["'][ \t]*,[ \t]*(?=\\?["']) )                            # ("name", "value")
  | (?P<call> \((?=["']) )
  | (?P<cell> [ \t]*\|[ \t]* )
  | (?P<prose>                                                            # the password we got is …
        (?:[ ][\w.'-]{1,20}){0,4}?
        (?: [ \t]+(?i:to|IS)(?:[ ]NOW)?:? | :[*_~]{0,3} )[ \t]+
    )
  | (?P<said> [ ]?(?:は|是|为|為|는|은)[ ]? )
    )""".replace("IS", IS).replace("NOW", NOW),
    re.VERBOSE,
)
# --name value; and where a name cannot be a word of prose, also: set name value, set NAME --body value
_FLAG = lazy_pattern(r"(?P<flag>[ \t]+(?:--?[a-z][a-z-]{0,20}[ =])?)")
# `using password …`: a name that is a word of prose takes a value without a sign only after these
_GIVEN = frozenset(("using", "with", "by", "mit", "avec", "con", "com", "met", "med", "via"))
_SKIPPED = frozenset(("the", "this", "das", "dem", "le", "la", "el", "mot", "de"))
_IDENTIFIER = lazy_pattern(r"\A-|_|\A[A-Z]{5,}\Z")
_SQL = lazy_pattern(r"(?P<sql>[ \t]+)(?=['\"])")
# Somewhere behind the name, on the same line: only what nobody would take for a word counts there.
_FAR = lazy_pattern(
    r"(?<![\w+/=.$-])(?!0x[0-9A-Fa-f]{40}\b)[A-Za-z0-9+/_-]{20,512}={0,2}(?![\w+/=-])"
)
_LONG = lazy_pattern(r"[A-Za-z0-9+/_-]{20}")
_REACH = 40
_AS = lazy_pattern(
    r"""(?<![^\s"'`(])(?P<value>[^\s"'`(),]{6,128})["'`]?[ ](?:as|is)[ ]"""
    r"""(?:(?:the|a|an|my|our|your)[ ])?(?:\w{1,20}[ ]){0,2}\Z"""
)
_BACK = 180
_QUOTED = lazy_pattern(
    r"""
    (?P<wrap>[A-Za-z_][\w.:]{0,40}\()? [rbfu]{0,2}
    (?: (?P<quote>\"{3}|'{3}|["'`]) (?P<plain>(?:\\.|(?!(?P=quote))[^\n\\]){1,4096}) (?P=quote)
      | \\(?P<mark>["']) (?P<escaped>[^"'\n\\]{1,4096}) \\(?P=mark) )
    """,
    re.VERBOSE,
)
_BARE = lazy_pattern(r"""[^\s"'`<>,;|&。、，]{1,512}""")
_WHOLE = lazy_pattern(r"""[^\s"'`]{1,512}""")
_LINE_HEAD = lazy_pattern(
    r"(?:^|\n)[ \t]*(?:[-+>#$][ \t]*)?(?:(?:export|ENV|ARG|set|declare -x|-e|--env)[ \t]+)?\Z"
)
_ENV_WORD = lazy_pattern(r"(?:^|[\s\"'=(])\Z")
_ENV_NAME = lazy_pattern(r"[A-Z][A-Z0-9_]*\Z")


KINDS = {
    Sort.PASSWORD: "password",
    Sort.PASS: "password",
    Sort.SECRET: "secret",
    Sort.TOKEN: "token",
    Sort.KEY: "key",
}


def secrets_by_name(text: str, lower: str) -> Iterator[Span]:
    """Values that stand behind the name of a secret."""
    for hint, sort in _hints(foreign=not text.isascii()):
        if hint in lower:
            for start, end in _names(text, lower, hint):
                yield from _value_behind(text, start, end, sort or sort_of(text[start:end]))
    for hint in _COMMON:
        if hint in lower:
            for start, end in _names(text, lower, hint):
                if lower[start:end].rpartition(" ")[2] == hint:
                    yield from _value_beside(text, start, end, Sort.PASS)
                    yield from _value_beside(text, start, end, Sort.PASSWORD)


def _hints(*, foreign: bool) -> Iterator[tuple[str, Sort | None]]:
    """What a name is found by, and what it is for, where that does not depend on the words around."""
    passwords, keys = (_FOREIGN, _FOREIGN_KEYS) if foreign else ((), ())
    yield from ((hint, None) for hint in _HINTS)
    yield from ((hint, Sort.PASSWORD) for hint in (*_SPOKEN, *passwords))
    yield from ((hint, Sort.SECRET) for hint in (*_KEYS, *keys))


def _names(text: str, lower: str, hint: str) -> Iterator[tuple[int, int]]:
    """The names in which the hint is, from where to where."""
    at = lower.find(hint)
    while at >= 0:
        end = at + len(hint)
        if hint[-1].isascii():  # no letter of ours goes on with a word in another script
            end = _TAIL.match(text, end).end()  # type: ignore[union-attr] - it takes nothing too
        yield _name_start(text, at), end
        at = lower.find(hint, end)


def _name_start(text: str, at: int) -> int:
    before = text[max(0, at - _LONGEST_NAME) : at]
    start = at - (len(before) - len(before.rstrip(_NAME)))
    if text[start - 1 : start] != " ":
        return start
    paired = _PAIRED.search(text, max(0, start - 14), start)
    return paired.start() if paired else start


def _value_behind(text: str, start: int, end: int, sort: Sort | None) -> Iterator[Span]:
    if sort is None:
        return
    found = _value(text, text[start:end], start, end)
    if found is not None and is_secret(sort, found[1]):
        at, value = found
        yield at, at + len(value.text), KINDS[sort]
    elif sort in (Sort.SECRET, Sort.TOKEN, Sort.PASSWORD):
        yield from _value_far_behind(text, end, sort)
        yield from _value_before(text, start, sort)
    if sort is not Sort.KEY:
        yield from _value_beside(text, start, end, sort)


def _value_beside(text: str, start: int, end: int, sort: Sort) -> Iterator[Span]:
    for at, until in value_beside(text, start, end, sort):
        yield at, until, KINDS[sort]


def _value_far_behind(text: str, end: int, sort: Sort) -> Iterator[Span]:
    near = _LONG.search(text, end, end + _REACH + 20)
    far = None if near is None else _FAR.match(text, near.start())
    if far is None or "\n" in text[end : far.start()]:
        return
    kinds = (str.isdigit, str.islower, str.isupper)
    if all(any(map(kind, far[0])) for kind in kinds) and is_secret(sort, Value(far[0], Place.CALL)):
        yield *far.span(), KINDS[sort]


def _value_before(text: str, start: int, sort: Sort) -> Iterator[Span]:
    """`hunter2 is the password`, `… as password`."""
    floor = max(0, start - _BACK)
    found = _AS.search(text[floor:start]) if text[start - 1 : start] == " " else None
    if found is not None and is_secret(sort, Value(found["value"], Place.LOOSE)):
        yield floor + found.start("value"), floor + found.end("value"), KINDS[sort]


def _value(text: str, name: str, start: int, end: int) -> tuple[int, Value] | None:
    """Where the value begins, and the value in its place."""
    step = _STEP.match(text, end) or (_FLAG if _is_set(text, name, start) else _SQL).match(
        text, end
    )
    if step is None:
        return None
    way, at = step.lastgroup or "", step.end()
    quoted = _QUOTED.match(text, at)
    if quoted is None:
        return _unquoted_value(text, name, start, step)
    group = "plain" if quoted["plain"] is not None else "escaped"
    loose = way in ("pair", "call", "cell", "flag", "sql", "prose", "said")
    place = Place.CALL if quoted["wrap"] else Place.LOOSE if loose else Place.QUOTED
    if (
        place is Place.QUOTED
        and " " in quoted[group]
        and step[0] == "="
        and _is_line(text, name, start)
    ):
        place = Place.ENV  # a shell's quotes hold words together
    return quoted.start(group), Value(quoted[group], place)


def _is_set(text: str, name: str, start: int) -> bool:
    """Could a value follow without any sign between?"""
    if _IDENTIFIER.search(name):
        return True
    words = text[max(0, start - 24) : start].lower().split()
    while words and words[-1] in _SKIPPED:
        words.pop()
    return bool(words) and (words[-1].lstrip("(") in _GIVEN or words[-1] == "set")


def _unquoted_value(
    text: str, name: str, start: int, step: re.Match[str]
) -> tuple[int, Value] | None:
    way, at = step.lastgroup or "", step.end()
    env = way == "assign" and step[0] == "=" and _is_line(text, name, start)
    bare = (_WHOLE if env else _BARE).match(text, at)
    if bare is None:
        return None
    closed = ");" if text[start - 1 : start] == "(" else ";"
    word = bare[0].rstrip(closed if env else ".:)]}*" if way != "xml" else "")
    if text[at + len(word) : at + len(word) + 1] == "(":
        return None
    if env:
        return at, Value(word, Place.ENV)
    return at, Value(word, Place.LOOSE if way in ("prose", "said", "cell", "flag") else Place.BARE)


def _is_line(text: str, name: str, start: int) -> bool:
    """Is it a setting as shells and env files write it?"""
    if not _ENV_NAME.match(name):
        return False
    before = text[max(0, start - 40) : start]
    return bool(_LINE_HEAD.search(before) or _ENV_WORD.search(before))


# ---- $SECRET_NAME

_UPPER = ("SECRET", "TOKEN", "PASSWORD", "API_KEY", "APIKEY", "PRIVATE_KEY", "CREDENTIAL")
_UPPER_NAME = string.ascii_uppercase + string.digits + "_"
_UPPER_TAIL = lazy_pattern(r"[A-Z0-9_]*")
_COUNTED = lazy_pattern(
    r"TOKENI[SZ]|(?:MAX|MIN|NUM|TOTAL|N|INPUT|OUTPUT|PROMPT|CONTEXT)_(?:\w+_)?TOKENS?\Z"
    r"|TOKENS?_(?:BUDGET|COUNT|LIMIT|USAGE|USED|WINDOW|MAX|MIN)"
)


def variables(text: str) -> Iterator[Span]:
    """`$NAME` and `${NAME}`, where the name says that it holds a secret."""
    if "$" not in text:
        return
    for hint in _UPPER:
        at = text.find(hint)
        while at >= 0:
            end = _UPPER_TAIL.match(text, at).end()  # type: ignore[union-attr] - it takes nothing too
            before = text[max(0, at - _LONGEST_NAME) : at]
            start = at - (len(before) - len(before.rstrip(_UPPER_NAME)))
            yield from _variable(text, start, end)
            at = text.find(hint, end)


_CLOSE = lazy_pattern(r"(?::?[-=?+][^}\n]{0,400})?\}")


def _variable(text: str, start: int, end: int) -> Iterator[Span]:
    if _COUNTED.search(text, start, end):
        return
    if text[start - 1 : start] == "$":
        yield start - 1, end, "secret variable"
    elif text[max(0, start - 2) : start] == "${":
        close = _CLOSE.match(text, end)
        if close is not None:
            yield start - 2, close.end(), "secret variable"
