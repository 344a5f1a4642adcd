"""Memory that only loading needed is given back, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everthread.providers.mapped_memory import SMAPS, Mapping, mappings, release_constants
from everthread.providers.tokenizer import BpeTokenizer

SAMPLE = """\
7f0000000000-7f0000800000 r--p 00001000 fd:01 42 /lib/big data.so
Size:               8192 kB
Rss:                8192 kB
Shared_Dirty:          0 kB
Private_Dirty:         0 kB
7f0000800000-7f0000900000 r--p 00801000 fd:01 42 /lib/big data.so
Rss:                1024 kB
Shared_Dirty:          0 kB
Private_Dirty:        16 kB
7f0000900000-7f0000a00000 rw-p 00000000 00:00 0
Rss:                1024 kB
Private_Dirty:      1024 kB
"""


def test_only_mappings_of_files_are_listed_with_what_differs_from_them():
    assert list(mappings(SAMPLE)) == [
        Mapping(0x7F0000000000, 0x800000, "r--p", "/lib/big data.so", 0),
        Mapping(0x7F0000800000, 0x100000, "r--p", "/lib/big data.so", 16),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its mappings")
def test_what_was_given_back_is_read_again_when_it_is_wanted():
    """Another vocabulary lies in the same file."""
    first = BpeTokenizer("cl100k")
    assert first.count("hello world") == 2
    second = BpeTokenizer("o200k")
    assert second.count("hello world, again") == 4
    assert first.count("hello world, again") == 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its mappings")
def test_what_is_dirty_writable_or_small_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    told = tmp_path / "smaps"
    told.write_text(SAMPLE.replace("Private_Dirty:         0 kB", "Private_Dirty:         4 kB"))
    monkeypatch.setattr("everthread.providers.mapped_memory.SMAPS", told)
    assert release_constants("/lib/big data.so") == 0
    assert release_constants("/lib/another.so") == 0
    assert SMAPS.exists()


def test_a_system_without_such_a_list_is_no_trouble(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr("everthread.providers.mapped_memory.SMAPS", tmp_path / "none")
    assert release_constants("/lib/big data.so") == 0
