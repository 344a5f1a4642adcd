"""The address of a server is shown without its secrets, however it is written."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from psycopg.pq import Conninfo

import everthread
from everthread.domain.addresses import SECRET, is_clear, without_secrets
from everthread.domain.errors import BadInput
from support.commands import Cli

SHOWN = {
    "postgresql://host/db": "postgresql://host/db",
    "postgresql://mel@host:5433/db?sslmode=require": "postgresql://mel@host:5433/db?sslmode=require",
    "postgresql://mel:hush@host/db": "postgresql://mel:***@host/db",
    "postgresql://mel:hu?sh@host/db": "postgresql://mel:***@host/db",
    "postgresql:///db?user=mel&password=hush": "postgresql:///db?user=mel&password=***",
    "postgresql:///db?pass%77ord=hush&host=h": "postgresql:///db?pass%77ord=***&host=h",
    "postgresql://h/db?sslpassword=hush": "postgresql://h/db?sslpassword=***",
    "postgresql://h/db?user=mel@tenant": "postgresql://h/db?user=mel@tenant",
    "postgresql://a:1,b:2/db": "postgresql://a:1,b:2/db",
    # Where they end is not certain: nothing of it is shown.
    "postgresql://mel:hu@sh@host/db": "postgresql://***",
    "postgresql://mel:12/hush@host/db": "postgresql://***",
    "/home/mel/a@b:c.db": "/home/mel/a@b:c.db",
}


@pytest.mark.parametrize("address", SHOWN)
def test_no_secret_is_shown(address: str) -> None:
    shown = without_secrets(address)
    assert shown == SHOWN[address]
    assert is_clear(address) == ("//***" not in shown)


def test_the_secrets_are_those_of_the_servers_own_library() -> None:
    """It marks what is to be shown as stars; keys are marked as not to be shown at all."""
    starred = {
        option.keyword.decode() for option in Conninfo.get_defaults() if option.dispchar == b"*"
    }
    assert starred <= SECRET


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://mel:hu%sh@host/db",
        "postgresql://mel:hu@sh@host/db",
        "postgresql://mel:hu/sh@host/db",
        "postgresql://mel:12/hush@host/db",
        "postgresql://host/db?password=hush&hush",
    ],
)
def test_an_address_that_cannot_be_read_is_told_without_a_piece_of_it(address: str) -> None:
    with pytest.raises(BadInput, match=r"cannot be read\. In a name or a password write %") as told:
        everthread.connect(address, background=False)
    # Nor in what it came from, which a log of the whole trouble has too.
    whole = "".join(traceback.format_exception(told.value))
    assert [piece for piece in ("hu%sh", "hush", "sh@") if piece in whole] == []


def test_a_server_that_is_no_store_is_named_without_its_password() -> None:
    with pytest.raises(BadInput, match=r"mysql://mel:\*\*\*@host/db' names no store"):
        everthread.connect("mysql://mel:hush@host/db", background=False)


def test_the_settings_show_no_option_that_is_a_secret(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("config", "set", "store", "postgresql:///db?user=mel&password=hush")
    for command in ("get", "explain"):
        answer = cli("config", command, "store")
        assert "hush" not in answer.out
        assert "password=***" in answer.out
