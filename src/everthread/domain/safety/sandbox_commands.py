"""The commands that only read, each with the options that are known not to change that.

Options are named one by one where a command has any that write or start a program. Long ones count
only as they are spelt here: many a command takes `--outp` for `--output`. git is not among them, however
harmless its verb: the configuration of a repository names programs that `status`, `diff` and `log` run.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SHORT = re.compile(r"-([A-Za-z0-9]+)")
_NUMBER = re.compile(r"-\d+")
_LONG = re.compile(r"(--?[A-Za-z0-9][\w-]*)(?:=.*)?", re.DOTALL)


class ReadCommand(NamedTuple):
    """What a command may be given."""

    letters: str = ""
    """Its single letters; they may stand together, and a number may follow."""
    names: frozenset[str] = frozenset()
    """Its long options, with their dashes."""
    anything: bool = False
    """Has it no option that writes or starts a program?"""
    most: int | None = None
    """How many arguments it may have beside options, where one more would be written to."""
    ends: bool = True
    """Does `--` end its options?"""

    def takes(self, word: str) -> bool:
        if self.anything:
            return True
        long = _LONG.fullmatch(word)
        if long and long[1] in self.names:
            return True
        if _NUMBER.fullmatch(word):
            return True  # `head -20`
        short = _SHORT.fullmatch(word)
        return short is not None and all(
            char.isdigit() or char in self.letters for char in short[1]
        )


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FREE = ReadCommand(anything=True)
_HARMLESS = _names("""
    ls cat head wc pwd grep egrep fgrep stat du df basename dirname realpath readlink cut tr nl tac rev
    paste fold od cmp comm md5sum sha1sum sha256sum sha512sum whoami uname id echo true false which
""")

COMMANDS: dict[str, ReadCommand] = {
    **dict.fromkeys(_HARMLESS, _FREE),
    "tail": ReadCommand("ncqvz", _names("--lines --bytes --quiet --verbose")),
    "diff": ReadCommand(
        "uraNqwbBiyct",
        _names(
            "--unified --recursive --brief --side-by-side --ignore-all-space --color --exclude"
            " --new-file"
        ),
    ),
    "sort": ReadCommand(
        "bdfgihMnRrVckmstuz",
        _names(
            "--reverse --unique --numeric-sort --key --field-separator --human-numeric-sort"
            " --version-sort"
        ),
    ),
    # A second name is the file it writes.
    "uniq": ReadCommand("cdui", _names("--count --repeated --unique --ignore-case"), most=1),
    "rg": ReadCommand(
        "nilcwFPvhHoABCegtTuUSsNxLm",
        _names(
            "--line-number --ignore-case --files-with-matches --files-without-match --count --word-regexp"
            " --fixed-strings --pcre2 --invert-match --no-filename --with-filename --only-matching --files"
            " --after-context --before-context --context --regexp --glob --iglob --type --type-not"
            " --type-list --hidden --no-ignore --multiline --smart-case --case-sensitive --max-count"
            " --max-depth --sort --stats --json --no-heading --heading --color --column --trim --vimgrep"
        ),
    ),
    "find": ReadCommand(
        "",
        _names(
            "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -newer -print"
            " -print0 -not -o -or -a -and -prune -empty -regex -iregex -perm -user -group -L -H -P -xdev"
            " -mount -links -readable -writable -executable -atime -ctime -amin -cmin -true -false -depth"
            " -quit -ls"
        ),
        ends=False,
    ),
    "tree": ReadCommand("adfLIPshDpugCnirtv", _names("--dirsfirst --gitignore --noreport --prune --du")),
    "file": ReadCommand("bhiLk0", _names("--brief --mime --mime-type --mime-encoding")),
    "sed": ReadCommand(),
    "date": ReadCommand(),
}  # fmt: skip
