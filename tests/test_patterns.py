"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import everthread.domain
from everthread.domain.text import patterns
from everthread.domain.text.patterns import lazy_pattern


def every_lazy_pattern() -> Iterator[tuple[str, re.Pattern[str]]]:
    for found in pkgutil.walk_packages(everthread.domain.__path__, "everthread.domain."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if type(value).__name__ == "_LazyPattern":
                yield f"{found.name}.{name}", value


def test_every_one_of_them_can_be_compiled() -> None:
    """A fault in one would else wait for the first who uses it."""
    known = dict(every_lazy_pattern())
    assert len(known) > 50
    for name, pattern in known.items():
        assert isinstance(re.compile(pattern.pattern, pattern.flags), re.Pattern), name


def test_it_does_what_a_compiled_one_does() -> None:
    one, other = (
        lazy_pattern(r"(?P<who>a\w+)", re.IGNORECASE),
        re.compile(r"(?P<who>a\w+)", re.IGNORECASE),
    )
    text = "Ada and an owl"
    assert one.findall(text) == other.findall(text)
    assert one.sub("-", text) == other.sub("-", text)
    assert [m["who"] for m in one.finditer(text)] == ["Ada", "and", "an"]
    assert one.groupindex == other.groupindex and one.pattern == other.pattern
    assert one.fullmatch("nobody") is None


def test_it_is_compiled_when_it_is_first_used_and_not_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[str] = []
    real = re.compile

    def noted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(patterns.re, "compile", noted)
    one = lazy_pattern("x+")
    assert compiled == []
    assert one.search("axx") and one.search("x") and compiled == ["x+"]


def test_who_serves_compiles_all_that_is_loaded_before_anybody_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = lazy_pattern(r"compiled (?:ahead|of time)")
    patterns.compile_all()
    monkeypatch.setattr(patterns.re, "compile", None)
    assert one.search("compiled ahead")
