"""Secrets that have a form of their own: one table, a line for each thing that is handed out.

Each rule has anchors, texts of which one must be there, so that most rules cost one search of the text
and nothing else. The pattern is tried at every anchor, its group `secret` (or all of it) is what goes.
Patterns are free of nested repetition: what they cost grows with the length of the text and no faster.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from .private_keys import KEY_BLOCK, holds_key, is_unmasked
from .values import Place, Sort, Value, is_random, is_secret, is_wordy

Judge = Callable[[str], bool]


class Rule(NamedTuple):
    """`back`: how far before its anchor the pattern may begin; `fits`: a last look at the secret;
    `near`: what must have been said shortly before.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    back: int
    fits: Judge
    near: str

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """The pattern around an anchor."""
        pattern = _compile(self.pattern)
        for start in range(max(0, at - self.back), at + 1):
            match = pattern.match(text, start)
            if match is not None and match.end() > at:
                return match
        return None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    # On first use: most programs meet few of the anchors, and all should start fast.
    return re.compile(pattern, re.ASCII)


def _is_generated(text: str) -> bool:
    return is_unmasked(text) and is_random(text.partition("-")[2] or text)


def _is_password(text: str) -> bool:
    return is_secret(Sort.PASSWORD, Value(text, Place.ENV))


_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _is_no_word(text: str) -> bool:
    """Programs have long names that begin like this, too."""
    return is_unmasked(text) and (
        any(map(str.isdigit, text)) or not _is_name(text.rpartition("_")[2])
    )


def _is_name(text: str) -> bool:
    return is_wordy(text) and len(text) >= 5 * len(_HUMP.findall(text))


def decode(text: str) -> bytes | None:
    """What stands behind base64 of either alphabet; nothing if it is none."""
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        return None
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except binascii.Error:
        return None


_LOGIN = re.compile(r"[\w.+@\\-]*[A-Za-z][\w.+@\\-]*:[^\s:/][\x21-\x7e]{2,}\Z")
# Readable bytes are below 128, so every fourth character is from the first half of the alphabet.
_READABLE = re.compile(r"(?:[CDI-Za-f][A-Za-z0-9+/_-]{3}){4}")


def plain_text(text: str) -> str | None:
    """The readable text behind base64; nothing for words, hashes and pictures, which is nearly all."""
    if not _READABLE.match(text):
        return None
    data = decode(text)
    return data.decode() if data is not None and _is_plain(data) else None


def _is_plain(data: bytes) -> bool:
    if not data.isascii():
        return False
    return data.decode().replace("\n", "").replace("\t", "").replace("\r", "").isprintable()


def is_login(plain: str) -> bool:
    """`user:password`. `Node:123` is how some services write ids."""
    return bool(_LOGIN.match(plain)) and not plain.rpartition(":")[2].isdigit()


def _is_basic(text: str) -> bool:
    data = decode(text)
    try:
        return data is not None and b":" in data and data.decode().isprintable()
    except UnicodeDecodeError:
        return False


def _is_encoded_key(text: str) -> bool:
    data = decode(text[:60]) or b""
    return b"PRIVATE" in data or b"OPENSSH" in data


def rule(
    kind: str,
    anchors: str,
    pattern: str,
    *,
    back: int = 0,
    fits: Judge = is_unmasked,
    near: str = "",
) -> Rule:
    """One line of a table; its anchors stand apart by blanks, a `·` is a blank in one of them."""
    return Rule(
        kind, tuple(each.replace("·", " ") for each in anchors.split()), pattern, back, fits, near
    )


_B = r"(?<![A-Za-z0-9])"  # not in the middle of a word
_S = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_HEX = r"[0-9a-f]"

TOKENS: tuple[Rule, ...] = (
    # clouds
    rule(
        "aws key id", "AKIA ASIA ABIA ACCA", rf"{_B}A(?:KI|SI|BI|CC)A[A-Z0-9]{{16}}(?![A-Za-z0-9])"
    ),
    rule("google api key", "AIza", rf"{_B}AIza{_S}{{33,37}}(?!{_S})"),
    rule("google oauth secret", "GOCSPX-", rf"{_B}GOCSPX-{_S}{{20,}}"),
    rule("google refresh token", "1//0", rf"(?<!\w)1//0{_S}{{40,}}"),
    rule("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", rf"{_B}do[por]_v1_{_HEX}{{40,}}"),
    rule(
        "encoded private key",
        "LS0tLS1CRUdJTi",
        rf"{_B}LS0tLS1CRUdJTi[A-Za-z0-9+/\r\n]{{40,}}={{0,2}}",
        fits=_is_encoded_key,
    ),
    # where code lives
    rule("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_B}gh[pousr]_{_A}{{30,}}"),
    rule("github token", "github_pat_", rf"{_B}github_pat_[A-Za-z0-9_]{{40,}}"),
    rule(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat-",
        rf"{_B}gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-{_S}{{20,}}",
    ),
    rule("npm token", "npm_", rf"{_B}npm_{_A}{{30,}}"),
    rule("pypi token", "pypi-AgE", rf"{_B}pypi-AgE{_S}{{50,}}"),
    rule("rubygems key", "rubygems_", rf"{_B}rubygems_{_HEX}{{40,}}"),
    rule("docker token", "dckr_", rf"{_B}dckr_[po]at_{_S}{{20,}}"),
    rule("sourcegraph token", "sgp_", rf"{_B}sgp_[A-Za-z0-9_]{{40,}}"),
    # talk and mail
    rule("facebook token", "EAA", rf"(?<![A-Za-z0-9+/])EAA{_A}{{100,}}(?![+/=])"),
    rule(
        "slack token",
        "xox",
        rf"{_B}xox[a-z][-.][A-Za-z0-9%.-]{{9,}}[A-Za-z0-9%-]",
        fits=lambda t: is_unmasked(t) and any(map(str.isdigit, t)),
    ),
    rule("slack token", "xapp-", rf"{_B}xapp-\d-{_S}{{20,}}"),
    rule("discord webhook", "/api/webhooks/", rf"/api/webhooks/(?P<secret>\d{{15,}}/{_S}{{30,}})"),
    rule("twilio key", "SK", rf"{_B}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    rule("mailgun key", "key-", rf"{_B}key-{_HEX}{{32}}(?![A-Za-z0-9])"),
    rule("mailchimp key", "-us", rf"{_B}{_HEX}{{32}}-us\d{{1,2}}(?!\d)", back=32),
    rule("sendinblue key", "xkeysib-", rf"{_B}xkeysib-{_HEX}{{64}}"),
    # money and shops
    rule(
        "stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"{_B}[sr]k_(?:live|test)_{_A}{{10,}}"
    ),
    rule(
        "webhook secret",
        "whsec_",
        rf"{_B}whsec_(?:{_A}{{32}}(?!{_A})|[A-Za-z0-9+/]{{24,}}={{0,2}})",
    ),
    rule("shopify token", "shp", rf"{_B}shp(?:at|ss|ca|pa)_[0-9a-fA-F]{{32}}"),
    rule(
        "square token",
        "sq0atp- sq0csp- EAAA",
        rf"{_B}(?:sq0[a-z]{{3}}-{_S}{{22,}}|(?<![+/])EAAA{_S}{{58,}})",
    ),
    # models
    rule("bedrock key", "ABSK", rf"{_B}ABSK[A-Za-z0-9+/]{{100,}}={{0,2}}"),
    rule("anthropic key", "sk-ant-", rf"{_B}sk-ant-{_S}{{24,}}"),
    rule("api key", "sk-", rf"{_B}sk-(?!ant-){_S}{{20,}}", fits=_is_generated),
    rule(
        "hugging face token",
        "hf_ api_org_",
        rf"{_B}(?:hf|api_org)_[A-Za-z0-9]{{30,}}",
        fits=_is_no_word,
    ),
    rule("groq key", "gsk_", rf"{_B}gsk_{_A}{{40,}}"),
    rule("xai key", "xai-", rf"{_B}xai-{_A}{{40,}}"),
    rule("perplexity key", "pplx-", rf"{_B}pplx-{_A}{{40,}}"),
    rule("replicate token", "r8_", rf"{_B}r8_{_A}{{30,}}"),
    rule("token", "tok_", rf"{_B}tok_{_A}{{12,}}", fits=_is_no_word),
    # what runs and watches
    rule("databricks token", "dapi", rf"{_B}dapi{_HEX}{{32}}(?:-\d)?(?![A-Za-z0-9])"),
    rule("grafana token", "glsa_ glc_", rf"{_B}gl(?:sa|c)_[A-Za-z0-9+/=_]{{32,}}"),
    rule("new relic key", "NRAK- NRII- NRJS-", rf"{_B}NR(?:AK|II|JS)-[A-Za-z0-9_-]{{19,}}"),
    rule("postman key", "PMAK-", rf"{_B}PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    rule("pulumi token", "pul-", rf"{_B}pul-{_HEX}{{40}}"),
    rule("figma token", "figd_ figo_", rf"{_B}fig[do]_{_S}{{30,}}"),
    rule("linear key", "lin_", rf"{_B}lin_(?:api|oauth)_{_A}{{32,}}"),
    rule("notion token", "ntn_ secret_", rf"{_B}(?:ntn|secret)_{_A}{{43,}}"),
    rule("airtable token", "pat", rf"{_B}pat{_A}{{14}}\.{_HEX}{{64}}"),
    rule(
        "atlassian token",
        "ATATT3 ATCTT3 ATBB",
        rf"{_B}AT(?:[AC]TT3{_S}{{50,}}={{0,1}}{_S}*|BB{_A}{{32}})",
    ),
    rule("supabase key", "sbp_ sb_secret_", rf"{_B}(?:sbp|sb_secret)_{_S}{{30,}}"),
    rule("1password token", "ops_eyJ", rf"{_B}ops_eyJ[A-Za-z0-9+/_-]{{100,}}={{0,2}}"),
    rule("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)
"""Their anchors lie inside a run of at least 15 letters, digits and `+/_-`, which most texts hardly have."""

SHAPES: tuple[Rule, ...] = (
    rule(
        "slack webhook",
        "hooks.slack.com/",
        r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/(?:\w{1,24}/){1,3}\w{16,}",
        back=8,
    ),
    rule("telegram token", ":AA", rf"(?<!\d)\d{{8,10}}:AA{_S}{{30,}}", back=10),
    rule("vault token", "hvs. hvb. hvr.", rf"{_B}hv[sbr]\.{_S}{{24,}}"),
    rule(
        "doppler token",
        "dp.",
        rf"{_B}dp\.[a-z]{{2}}\.[A-Za-z0-9._-]{{40,}}",
    ),
    rule(
        "fly token",
        "FlyV1 fo1_",
        rf"{_B}(?:FlyV1 fm\d[ar]?_[A-Za-z0-9+/=,_-]{{40,}}|fo1_{_S}{{40,}})",
    ),
    rule(
        "azure client secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])", back=4
    ),
    rule("sendgrid key", "SG.", rf"{_B}SG\.{_S}{{16,}}\.{_S}{{16,}}"),
    rule("google oauth token", "ya29.", rf"{_B}ya29\.[A-Za-z0-9_.-]{{30,}}(?<!\.)"),
    rule("jwt", "eyJ", rf"(?<![A-Za-z0-9_-])eyJ{_S}{{8,}}\.{_S}{{8,}}(?:\.{_S}+){{0,3}}"),
    rule(
        "private key",
        "-----BEGIN",
        KEY_BLOCK,
        fits=holds_key,
    ),
    rule(
        "private key",
        "Private-Lines:",
        r"Private-Lines: \d+\s+(?P<secret>(?:[A-Za-z0-9+/=]{1,64}\s)+)",
    ),
    rule(
        "url password",
        "://",
        r"://[^\s/@:\"'`<>{}\[\]]{0,80}:(?P<secret>"
        # a password that has both signs in it; what has a query behind them is a host
        r"[^\s/@\"'`<>{}\[\]|]{1,100}@[^\s./:@\"'`<>{}\[\]|]{1,60}/(?![^\s@?]{0,100}\?\w{1,40}=)"
        r"[^\s@\"'`<>{}\[\]|]{0,100}"
        r"|[^\s/\"'`<>{}\[\]|]{1,256})@(?=[\w.$\[{-])",
        fits=lambda t: not re.match(r"\$|%\(|%[sdvr]\Z|[*xX.…•]+\Z|your", t),
    ),
    rule(
        "url token",
        "://",
        r"://(?P<secret>[A-Za-z0-9_.~-]{16,256})@(?=[\w.\[-])",
        fits=lambda t: is_unmasked(t) and is_random(t),
    ),
    rule(
        "shared access signature",
        "sig= X-Amz-Signature= X-Goog-Signature=",
        r"(?<![A-Za-z0-9_])(?:sig|X-(?:Amz|Goog)-Signature)=(?P<secret>[A-Za-z0-9%+/=]{43,})",
    ),
)

LOWER: tuple[Rule, ...] = (
    rule(
        "bearer token",
        "bearer",
        r"(?i)bearer(?:\s{1,4}|%20)(?P<secret>[A-Za-z0-9._~+/-]{10,}={0,2})",
        fits=lambda t: is_unmasked(t) and is_random(t),
    ),
    rule(
        "basic credentials",
        "basic",
        r"(?i)(?<![a-z])basic\s{1,4}(?P<secret>[A-Za-z0-9+/_-]{8,}={0,2})",
        fits=_is_basic,
    ),
    rule(
        "authorization",
        "authorization",
        r"""(?i)authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?(?:[a-z][a-z0-9-]{1,30}\s{1,4})?(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})""",
        fits=lambda t: is_unmasked(t) and is_random(t),
    ),
    rule(
        "cookie",
        "id= session= sess= auth=",
        r"""(?i)(?:id|session|sess|auth)=(?P<secret>[^\s;"'<>]{10,4096})""",
        fits=lambda t: is_unmasked(t) and is_random(t),
        near="cookie",
    ),
    rule(  # .npmrc
        "credentials",
        "_auth",
        r"""(?i)(?<![A-Za-z0-9])_auth\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?"""
        r"(?P<secret>[A-Za-z0-9+/_-]{16,}={0,2})",
        fits=lambda t: is_unmasked(t) and is_random(t),
    ),
    rule(
        "password",
        "-u --user",
        r"""(?<=\s)(?:-u|--user)[\s=]{0,4}["']?[^\s:"'<$]{0,80}:["']?(?P<secret>[^\s"'$<]{3,2048}?)(?=[)\]},.;]{0,4}(?:[\s"'$<]|\Z))""",
        fits=_is_password,
        near="curl",
    ),
    rule(
        "password",
        "sshpass",
        r"""(?i)sshpass\s+-p\s*["']?(?P<secret>[^\s"'$][^\s"']{2,})""",
        fits=_is_password,
    ),
    rule(
        "password",
        "-p",
        r"""(?<=\s)-p["']?(?P<secret>[^\s"'$][^\s"']{3,512})""",
        fits=_is_password,
        near="mysql",
    ),
    rule(
        "password",
        "identified",
        r"""(?i)identified\s+(?:with\s+\w+\s+)?by\s+["'](?P<secret>[^"'\n]{3,})["']""",
        fits=_is_password,
    ),
    rule(
        "password",
        "machine",
        r"""(?i)machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<secret>[^\s"'<$]{3,})""",
        fits=_is_password,
    ),
)
"""Found whatever the case; their anchors are sought in the lower-cased text."""

RUN = re.compile(r"[A-Za-z0-9+/_-]{15,}")
_DISCORD = re.compile(rf"[MNO][A-Za-z0-9]{{22,27}}\.{_S}{{6}}\.{_S}{{27,40}}(?!{_S})")


_PART = re.compile(r"[A-Za-z0-9+_-]{16,}")


def parts_of(run: re.Match[str]) -> list[tuple[int, int]]:
    """The run, and what lies between its slashes: they may be base64, or divide a path."""
    whole = run.span()
    if "/" not in run[0]:
        return [whole]
    return [whole, *(part.span() for part in _PART.finditer(run.string, *whole))]


def discord_end(text: str, start: int) -> int | None:
    """Where a bot's token ends that begins here: its id in base64, a time, a signature."""
    found = _DISCORD.match(text, start) if text[start] in "MNO" else None
    return None if found is None else found.end()
