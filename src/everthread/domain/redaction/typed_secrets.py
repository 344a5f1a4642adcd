"""Secrets on a command line: behind a flag of one letter, or handed on by a pipe."""

from __future__ import annotations

import re

from .forms import is_loose_password, is_set_password
from .rules import Judge, Rule, rule

_ARGS = r"\b[^\n|;&]{0,200}?\s"
_TYPED = r"[\s=]{1,4}[\"']?(?P<secret>[^\s\"'$<][^\s\"']{3,2048}?)(?=[)\]},.;]{0,4}(?:[\s\"']|\Z))"


def _command_rule(anchors: str, flag: str, fits: Judge) -> Rule:
    names = "|".join(map(re.escape, anchors.split()))
    return rule("password", anchors, rf"(?i)(?:{names})[\w-]*{_ARGS}{flag}{_TYPED}", fits=fits)


_PIPED = r"[\"']?(?P<secret>[^\s\"'$<|`][^\s\"'|]{2,200}?)[\"']?"
_ECHO = r"(?i)(?:echo|printf)[ \t]+(?:-[a-z]+[ \t]+)?"
_PIPE = r"(?:\\n)?[\"']?[ \t]*\|[ \t]*"
_STDIN = (
    r"(?:sudo[ \t]+(?:-\w+[ \t]+){0,4}?-\w*(?-i:S)|(?:[\w./-]{1,40}[ \t]+){1,6}?--?password-stdin\b|"
    # Other tools read there what is no secret.
    r"(?:[\w./-]{1,40}[ \t]+){0,4}?(?:/[\w./-]{0,40}/)?passwd[ \t]+(?:[\w./-]{1,40}[ \t]+){0,4}?--?stdin\b|"
    r"(?:sudo[ \t]+)?cryptsetup[ \t]|(?:sudo[ \t]+)?su\b|kinit\b)"
)
_USER = r"[\"']?[\w.@+-]{1,64}"


COMMANDS: tuple[Rule, ...] = (
    # Where the user is given as well, what stands behind -p is no port and no path.
    _command_rule("login", rf"(?:-u|--user(?:name)?)[ =]\S+{_ARGS}-p", is_set_password),
    _command_rule("login", r"-p", is_loose_password),
    _command_rule("mongo", r"-p", is_loose_password),
    _command_rule("redis-cli", r"-a", is_set_password),
    _command_rule("ldap", r"-w", is_set_password),
    _command_rule("zip mosquitto_ sqlcmd ipmitool", r"(?-i:-P)", is_set_password),
    _command_rule("openssl", r"-k", is_loose_password),
    rule(
        "password",
        "-pass",
        r"(?i)(?<![\w-])-pass(?:in|out)?[ =][\"']?pass:(?P<secret>[^\s\"'$<`]{3,200})",
        fits=is_set_password,
    ),
    rule(
        "password",
        "smbclient rpcclient",
        r"(?i)(?:smbclient|rpcclient)\b[^\n|;&]{0,200}?\s(?:-U|--user)[ =]?[\"']?[\w.\\/@-]{1,64}%"
        r"(?P<secret>[^\s\"'$<`]{3,200})",
        fits=is_set_password,
    ),
    rule(
        "password",
        "htpasswd",
        # with -n there is no file before the name
        r"(?i)htpasswd[ \t]+(?:-\w+[ \t]+){0,4}?(?:-\w*b\w*n\w*|-\w*n\w*b\w*|-\w*b\w*[ \t]+[^\s<-]\S{0,200})"
        r"(?:[ \t]+-\w+){0,4}[ \t]+[^\s<-]\S{0,200}[ \t]+"
        r"[\"']?(?P<secret>[^\s\"'$<`-][^\s\"']{2,200})[\"']?[ \t]*(?=[\n|;&>)]|\Z)",
        fits=is_set_password,
    ),
    # from one program to another
    rule(
        "password",
        "echo printf",
        rf"{_ECHO}{_USER}:{_PIPED}{_PIPE}(?:sudo[ \t]+)?chpasswd",
        fits=is_set_password,
    ),
    rule(
        "password",
        "chpasswd",
        rf"(?i)chpasswd(?:[ \t]+-\w+){{0,3}}[ \t]*<<<[ \t]*{_USER}:{_PIPED}(?=[\s\"']|\Z)",
        fits=is_set_password,
    ),
    rule("password", "echo printf", rf"{_ECHO}{_PIPED}{_PIPE}{_STDIN}", fits=is_set_password),
)
"""Tools that take a password behind a flag of one letter, as `sshpass` and `mysql` do, or by a pipe."""
