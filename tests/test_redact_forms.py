"""Secrets in forms that people copy from a terminal, and what only looks like them."""

from __future__ import annotations

import hashlib
import time

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
    # beside a user's name, without a sign
    ("Username lena, password Kaktus2024!", "Kaktus2024!"),
    ("user admin password Hafen2291", "Hafen2291"),
    ("Login: admin, pass: Hafen2291", "Hafen2291"),
    ("ftp user lena pass Hafen2291 on host 10.0.0.3", "Hafen2291"),
    ("lena@example.org / Kaktus2024!", "Kaktus2024!"),
    ("lena@example.org:Kaktus2024! is the login for the shop", "Kaktus2024!"),
    ("wifi password Kaktus2024", "Kaktus2024"),
    # changed, in several languages
    ("Das Passwort ist jetzt Sommer2025!", "Sommer2025!"),
    ("Das Passwort heißt Gl4sh4us", "Gl4sh4us"),
    ("Ich habe das Passwort auf Sommer2025! geändert", "Sommer2025!"),
    ("We reset the password, it is now Birne88!x", "Birne88!x"),
    ("the password was Apfel77! and now it's Birne88!", "Birne88!"),
    ("Le mot de passe est maintenant Chat!Noir881", "Chat!Noir881"),
    ("Cambié la contraseña a Toro!Rojo88", "Toro!Rojo88"),
    ("密码改成了 Hao#7788kk", "Hao#7788kk"),
    ("パスワードを Sakura#2291 に変更しました", "Sakura#2291"),
    ("PASSWORD IS HAFEN2291X", "HAFEN2291X"),
    # numbers that open something
    ("暗証番号は4821です", "4821"),
    ("Der PIN-Code für die Haustür ist 4711", "4711"),
    ("WLAN-Schlüssel: 7382 1928 3746 5510", "1928"),
    # on the next line, in a column, within quotes, on a command line
    ("The password for the NAS is:\n\nHafen!2291", "Hafen!2291"),
    ("Passwort:\nHafen!2291", "Hafen!2291"),
    (
        "| service | user | password |\n|---|---|---|\n| NAS | lena | Hafen!2291 |",
        "Hafen!2291",
    ),
    ("site,user,password\nnas.local,lena,Hafen!2291", "Hafen!2291"),
    ('Set the password to "blue elephant 77"', "elephant"),
    ('wpa_passphrase="blauer elefant"', "elefant"),
    ("zip -P Hafen2291 x.zip y", "Hafen2291"),
    ("openssl enc -k Hafen2291 -aes256", "Hafen2291"),
    ("db.internal:5432:shop:app:Hafen2291x", "Hafen2291x"),
]

KEY = [hashlib.sha512(bytes([n])).hexdigest()[:64] for n in range(9)]
MARGINS = [
    *("> ", ">> ", "-", "+", "# ", "// ", " * ", "; ", "    "),
    *("{}: ", "{:6}\t", "{:6}→", "{} | "),
]


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("lines", [slice(None), slice(0, 7), slice(4, None)])
def test_a_private_key_goes_whatever_stands_before_its_lines(margin: str, lines: slice) -> None:
    whole = ["-----BEGIN PRIVATE KEY-----", *KEY, "-----END PRIVATE KEY-----"][lines]
    shown = "".join(f"{margin.format(number)}{line}\n" for number, line in enumerate(whole, 9))
    left = redact(f"It is this one:\n{shown}Is it?").text
    assert not [part for part in KEY if part in left]
    assert left.startswith("It is this one:\n")
    assert left.endswith("\nIs it?")


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
        "git@example.org:Team2024!/shop.git",
        "the user sees the password step2 page",
        "user types password Chrome120",
        "I changed the password and now it works",
        "the password was wrong, it is 2fa-based",
        "Das Passwortfeld auf Windows10 ist leer",
        "the password policy changed to v2.0!",
        "My door code is 4711",
        "error code is 4711",
        "the exit code is 1234",
        "the postal code of the door shop is 4711",
        "| feature | password | token |\n|---|---|---|\n| login | required | optional |",
        "name,password,notes\na test,required,10 characters",
        "| test | pass | fail |\n|---|---|---|\n| a | Chrome120 | x |",
        "arn:aws:lambda:*:123456789012:function:payments-api",
        '"arn:aws:sns:*:123456789012:alerts-prod"',
        "The password expires in September2026",
        "wpa_passphrase='must not be empty'",
        "Password:\n  minLength: 8",
        "set the password to 'the new one'",
        "unzip -p x.zip > y",
        "-----END PRIVATE KEY----- is the last line\nof such a file",
        "c3c1\nnothing before it\n-----END PRIVATE KEY-----",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert redact(text).text == text


def test_the_lines_of_a_log_are_not_read_again_for_each_of_them() -> None:
    """Seen red: each line that named a token was taken for the head of all below it."""

    def seconds(lines: int) -> float:
        text = "\n".join(f"info, token refreshed, user {n}" for n in range(lines))
        began = time.process_time()
        assert redact(text).text == text
        return time.process_time() - began

    assert min(seconds(8_000) for _ in range(3)) < 16 * min(seconds(1_000) for _ in range(3))


def test_where_the_store_is_stays_known() -> None:
    found = redact("postgres://app:pw123456@db/shop?owner=me@example.com").text
    assert "pw123456" not in found
    assert found.endswith("@db/shop?owner=me@example.com")
