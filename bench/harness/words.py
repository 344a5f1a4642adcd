"""What is said and asked here: the texts and the questions of the search bench, one by one."""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "search"))

import corpus
import vocabulary


def prepare(folder: Path) -> None:
    """The words, where all processes find them."""
    os.environ[corpus.WORDS] = str(vocabulary.write(folder / "words"))


def said(number: int) -> str:
    """About 470 bytes, always the same for the same number."""
    return _chunk(number // corpus.CHUNK)[number % corpus.CHUNK]


@lru_cache(4)
def _chunk(number: int) -> list[str]:
    return corpus.texts(number)


def asked(number: int) -> str:
    """Six telling words of some text among the first ten thousand; never the same twice."""
    return "why " + _questions()[number] + " then?"


@cache
def _questions() -> list[str]:
    return [query.text for query in corpus.queries(corpus.CHUNK, 0, 4_000)]
