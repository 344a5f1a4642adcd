"""Secrets in forms that people copy from a terminal, and what only looks like them."""

from __future__ import annotations

import pytest

from everthread.domain.redaction.secrets import redact

pytestmark = pytest.mark.req("R-30")

HELD = [
    ('PASSWORD="correct horse battery"', "correct horse battery"),
    ('DB_PASSWORD="Tr0ub4 dor&3 Zq9x"', "Tr0ub4 dor&3 Zq9x"),
    ("export SECRET_KEY='my very long secret phrase 99'", "my very long secret phrase 99"),
    ("git clone https://HcE9EQqEMS6piXvwFDuc@github.com/a/b.git", "HcE9EQqEMS6piXvwFDuc"),
    ("DSN=https://3b9a1c5d7e2f4a6b8c0d1e2f3a4b5c6d@o1.sentry.io/4", "3b9a1c5d7e2f4a6b8c0d1e2f3a4b"),
    ("postgres://app:p@ss/w0rd@db/x", "ss/w0rd"),
    ("https://bob:pw12@medium.com/@user", "pw12"),
    ("Cookie: sessionid=8f3k2l9sdk3lsd9f; theme=dark", "8f3k2l9sdk3lsd9f"),
    ("Set-Cookie: sid=abc123def456ghi7; Path=/", "abc123def456ghi7"),
    ("The database is at db:5433, user tide, password Gr0tte!nOlm77", "Gr0tte!nOlm77"),
    ("user admin pw Hx7!kkPq2", "Hx7!kkPq2"),
    ("Das Passwort k9Lm2Qx7 gilt ab heute", "k9Lm2Qx7"),
    ("the password for the router is 'blue horse battery 9'", "blue horse battery 9"),
    ("here are the ssh creds: deploy:9sK!vv20pL@203.0.113.9", "9sK!vv20pL"),
    ("scp it as deploy:9sK!vv20pL@files.example.org", "9sK!vv20pL"),
]


@pytest.mark.parametrize(("text", "secret"), HELD)
def test_what_is_secret_goes(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        'PASSWORD="Enter your password"',
        'PASSWORD_HINT="the usual one"',
        'MESSAGE="wrong password given"',
        "cookie: theme=darkmode1",
        "cookie: id=chocolate-chip",
        'cookie = "flavour=chocolate"',
        "https://user@example.org/",
        "ssh://git@github.com/x",
        "https://my-long-username-here@github.com/x",
        "https://first.last.longname@host/x",
        "http://[::1]:8080/@x",
        "http://localhost:3000/@fs/app/x@2",
        "https://localhost:8080/path/@scope/pkg@1.2.3",
        "postgres://localhost:5432/db",
        "the password is 'too short for us all'",
        "the password label says 'enter the new password here'",
        "Did you set the password v2?",
        "password sha256Hash is what the column is called",
        "the password reset2fa flow",
        "the password reset?step=2 page",
        "see password User#reset_password1 in the specs",
        "password X509v3Cert",
        "the password prompt: `sudo apt install curl jq`",
        "Login:max.m+1@firma.de",
        "mailto:j0hn!Sm1th@example.com",
        "Email:J0hn9Sm1th@example.com",
        "npm:Es2015x@1.0.0",
        "git:Abc1D2e3@github.com",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert redact(text).text == text


def test_where_the_store_is_stays_known() -> None:
    found = redact("postgres://app:pw123456@db/shop?owner=me@example.com").text
    assert "pw123456" not in found
    assert found.endswith("@db/shop?owner=me@example.com")
