"""Carry agents from store to store as JSON lines: everything, faithfully, and back; or redacted, to read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, cast

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.bodies import BODY
from everthread.domain.conversation.contents import compact, mapping
from everthread.domain.conversation.messages import PRIVATE, Form
from everthread.domain.errors import BadInput, EverthreadError, ImportRefused, StoreFailed
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import Redaction, redact
from everthread.domain.tasks.tasks import checked_slug
from everthread.domain.timeline import Fault
from everthread.ports import House, Records

from .export_seal import END, SEAL, VERSION, SealCheck, seal_bytes
from .successors import SUCCESSORS, ReplacedElsewhere, bring_successors, replace_copies
from .verify import is_entry_fault, verify_records

FORMAT = 1
REDACTED = "redacted"

IDS = frozenset(
    (
        *("id", "ref", "pair", "message", "successor", "subject"),  # ids of rows and messages
        *("hash", "digest"),  # of the timeline, of purges
        *("thread_id", "session_id", "turn_id", "parent_id", "previous_id", "memory_id"),
        *("injection_id", "consumed_turn", "receipt_id", "summary_id", "checkpoint_id"),
        *("parent_checkpoint_id", "given_turn", "task_id"),  # ids of other rows
    )
)
"""Columns of ids and hashes. Whatever is no such thing is looked through, in them as in any other."""

SOURCES = "sources"
"""The column of lists of ids, of messages that bear something out."""

_HEX = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{32})?")
_LIST = re.compile(r'\[(?:"[0-9a-f]{32}"(?:, ?(?=")|(?=\])))*\]')

SHORT = 400
MOST_KNOWN = 20_000
"""So many texts of at most so many characters are known again: some MB."""

ADDED = "added"
UNPROVED = "in what the timeline does not prove, such as a count or a time of activity"

Numbered = tuple[int, dict[str, Any]]
"""The line of a row, and the row."""


class Imported(NamedTuple):
    """What an import did with one agent."""

    agent: str
    outcome: str
    rows: int
    changed: tuple[str, ...] = ()
    """Of plain messages: ids that were known with another text, which stays."""


def export(records: Records, agents: Iterable[AgentRow]) -> Iterator[str]:
    """One JSON line a row, a header first; each agent's rows follow its own. The last one seals them."""
    seal = sha256()
    for line in _export_lines(records, agents):
        seal.update(seal_bytes(line))
        yield line
    yield _line({VERSION: FORMAT, "kind": END, SEAL: seal.hexdigest()})


def _export_lines(records: Records, agents: Iterable[AgentRow]) -> Iterator[str]:
    yield _line({VERSION: FORMAT, "kind": "export"})
    agents = list(agents)
    exported = {agent.ref for agent in agents}
    for agent in agents:
        scope, replaced = Scope(agent.ref), ReplacedElsewhere()
        for table, columns in records.audit.dump(scope):
            replaced.see(table, columns)
            yield _line({"table": table, **columns})
        for columns in replaced.rows(records, scope, exported):
            yield _line({"table": SUCCESSORS, **columns})


def write_export(
    records: Records, agents: Iterable[AgentRow], write: Callable[[str], object]
) -> int:
    """Write an export line by line; how many lines."""
    count = 0
    for line in export(records, agents):
        write(line + "\n")
        count += 1
    return count


class _CachingRedactor(Redactor):
    """Summaries repeat what earlier ones say: a text that was looked through is known again."""

    def __init__(self) -> None:
        super().__init__()
        self._found: Callable[[str], Redaction] = lru_cache(maxsize=MOST_KNOWN)(redact)

    def text(self, text: str) -> str:
        if len(text) > SHORT:
            return super().text(text)
        found = self._found(text)
        self.count += found.count
        return found.text


class Redacting:
    """Stands between an export and its file: secrets do not pass, and are counted.

    What is left is for reading. Nor does it help to guess what was taken out: the salts of the
    timeline are gone, and large contents are called by numbers instead of their hashes.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._redactor: Redactor = _CachingRedactor()
        self._names: dict[str, str] = {}

    @property
    def count(self) -> int:
        return self._redactor.count

    def __call__(self, line: str) -> object:
        row: dict[str, Any] = json.loads(line)
        if VERSION in row:
            row.pop(SEAL, None)  # of what was said, and this is not
            row[REDACTED] = self.count if row["kind"] == END else True
        else:
            row = {column: self._column(row, column) for column in row}
        return self._write(_line(row) + "\n")

    def _column(self, row: Mapping[str, Any], column: str) -> Any:
        value = row[column]
        if not isinstance(value, str) or column == "table":
            return value
        if column == "salt":
            return None
        if column.endswith("_hash") or (row["table"], column) == ("bodies", "hash"):
            return self._name(value)
        if (column in IDS and _HEX.fullmatch(value)) or (
            column == SOURCES and _LIST.fullmatch(value)
        ):
            return value
        form = row.get("form") if column == "content" else None
        if form == Form.TEXT_BODY:
            return self._name(value)
        clean = self._redactor.column(value)
        return self._renamed(clean) if form == Form.BLOCK_BODIES else clean

    def _name(self, body: str) -> str:
        return self._names.setdefault(body, f"{len(self._names) + 1:064x}")

    def _renamed(self, content: str) -> str:
        blocks: list[Any] = json.loads(content)
        for block in blocks:
            body: object = (mapping(block.get(PRIVATE)) or {}).get(BODY)
            if isinstance(body, str):
                block[PRIVATE] = {BODY: self._name(body)}
            elif (fields := mapping(body)) is not None:
                block[PRIVATE] = {BODY: {k: self._name(v) for k, v in fields.items()}}
        return compact(blocks)


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def parse_export(lines: Iterable[str]) -> Iterator[Numbered]:
    """The rows of an export with their lines, checked for wholeness: a cut file is refused.

    One export may follow another: each has its header and its end.
    """
    began = ended = 0
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        row = _parse_row(number, text)
        if not began or (VERSION in row and row.get("kind") != END):
            if began > ended:
                raise _cut_refusal(f"the export that begins in line {began:,}")
            _check_header(row)
            began = number
        elif VERSION in row:
            ended = number
        elif ended > began:
            raise ImportRefused(
                f"line {number} follows the end of the export. Nothing was imported"
            )
        else:
            yield number, row
    if began >= ended:
        raise _cut_refusal("the file" if began <= 1 else f"the export from line {began:,} on")


def _parse_row(number: int, text: str) -> dict[str, Any]:
    try:
        row: Any = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise ImportRefused(f"line {number} is not JSON ({wrong}); nothing was imported") from wrong
    if not isinstance(row, dict):
        raise ImportRefused(f"line {number} is not a row of an export; nothing was imported")
    return cast("dict[str, Any]", row)


def _cut_refusal(what: str) -> ImportRefused:
    return ImportRefused(f"{what} ends too early: it was cut. Nothing was imported")


def _check_header(row: Mapping[str, Any]) -> None:
    if VERSION not in row:
        raise ImportRefused(
            "this is not an Everthread export: its first line does not say so. Nothing was imported"
        )
    version: object = row[VERSION]
    if not isinstance(version, int):
        raise ImportRefused(f"{version!r} is no version of an export; nothing was imported")
    if version > FORMAT:
        raise ImportRefused(
            "the file was written by a newer Everthread; upgrade this one first. Nothing was imported"
        )
    if row.get(REDACTED):
        raise ImportRefused(
            "this export is redacted, for reading: without its secrets it is not what was said, and "
            "`verify` would say so. Import one made with `everthread export --raw`, or open a backup. "
            "Nothing was imported"
        )


def is_export(first: str) -> bool:
    """Does a file that begins with this line hold an export of ours?"""
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and VERSION in row


def import_lines(house: House, lines: Iterable[str], *, unchecked: bool = False) -> list[Imported]:
    """Bring in every agent of an export, all or nothing. What is there already is left alone.

    Before it is kept it is verified, as `verify` would, unless it may be `unchecked`.
    """
    sealed = SealCheck(lines)
    rows = list(parse_export(sealed))

    def work(records: Records) -> list[Imported]:
        groups = list(_by_agent(rows))
        done = [_bring(records, group, unchecked=unchecked) for group in groups]
        # Only now is it known who is here.
        done = [_bring_successors(house, records, *each) for each in zip(done, groups, strict=True)]
        if sealed.changed and not unchecked:
            raise _changed_refusal(UNPROVED, "though nobody can tell where it is wrong")
        return done

    try:
        return house.store.write(work)
    except StoreFailed as wrong:
        if type(wrong) is not StoreFailed:
            raise  # full, busy, read-only: that is not the file's fault
        raise ImportRefused(
            f"the store does not take a row of this file ({wrong.__cause__}); nothing was imported"
        ) from wrong
    except EverthreadError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as wrong:
        raise ImportRefused(
            "the file holds a row that no export has; nothing was imported"
        ) from wrong


def _by_agent(rows: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    group: list[Numbered] = []
    for number, row in rows:
        if row.get("table") == "agents" and group:
            yield group
            group = []
        group.append((number, row))
    if group:
        yield group


def _bring(records: Records, group: list[Numbered], *, unchecked: bool) -> Imported:
    head = group[0][1]
    if head.get("table") != "agents":
        raise ImportRefused("the file does not begin with an agent; nothing was imported")
    name = head.get("name")
    if not isinstance(name, str):
        raise ImportRefused("an agent in the file has no name; nothing was imported")
    known = records.agents.find(name)
    if known is not None:
        return Imported(name, _check_same_past(records, known, group), 0)
    for _, row in group:
        _check_slug(row)
    # One after the other: nobody needs them all twice.
    own = ((str(row["table"]), row) for _, row in group if row["table"] != SUCCESSORS)
    counts = records.audit.load(own)
    if not unchecked:
        _check_seals(records, _added(records, name), group)
    return Imported(name, ADDED, sum(counts.values()))


def _bring_successors(
    house: House, records: Records, done: Imported, group: list[Numbered]
) -> Imported:
    if done.outcome != ADDED:
        return done
    own = (row for _, row in group if row["table"] == "memories" and row["reach"] == "user")
    replace_copies(house, records, [bytes.fromhex(row["id"]) for row in own])
    beside = [row for _, row in group if row["table"] == SUCCESSORS]
    scope = Scope(_added(records, done.agent).ref)
    return done._replace(rows=done.rows + bring_successors(house, records, scope, beside))


def _added(records: Records, name: str) -> AgentRow:
    agent = records.agents.find(name)
    assert agent is not None, "it was just put there"
    return agent


def _check_seals(records: Records, agent: AgentRow, group: list[Numbered]) -> None:
    """The file holds the hashes by which `verify` goes: what was changed in it is found before it is kept."""
    faults = verify_records(records, agent).faults
    if not faults:
        return
    lines = _lines(group)
    # A row that is missing is also missed by the count of its thread, which comes earlier in the file.
    named = [f for f in faults if f.n is not None] or faults
    found = [(line, f.problem) for f in named if (line := _line_of(f, lines)) is not None]
    line, problem = min(found, default=(None, faults[0].problem))
    where = f"agent {agent.name!r}" if line is None else f"line {line}"
    more = f", and {len(faults) - 1:,} more" if len(faults) > 1 else ""
    then = "and `everthread verify` will tell what is wrong with it"
    raise _changed_refusal(f"{where}: {problem}{more}", then)


def _changed_refusal(where: str, then: str) -> ImportRefused:
    return ImportRefused(
        f"the file was changed since it was exported: {where}. Nothing was imported. "
        "Export it again with `everthread export --raw`, or restore a backup; `everthread import "
        f"--unchecked` takes it as it is, {then}"
    )


def _lines(group: list[Numbered]) -> dict[str, int]:
    """Where each row is, by its id; bodies by the head of their hash, entries by their number."""
    lines: dict[str, int] = {}
    for number, row in group:
        table = row["table"]
        key = {"timeline": f"n{row.get('n')}", "bodies": str(row.get("hash"))[:16]}.get(table)
        lines.setdefault(key or str(row.get("id")), number)
    return lines


def _line_of(fault: Fault, lines: Mapping[str, int]) -> int | None:
    """The line of the row that is wrong; where it is not there, or its entry is wrong, of the entry."""
    own = None if is_entry_fault(fault) else lines.get(fault.subject.replace("-", ""))
    return own or lines.get(f"n{fault.n}")


def _check_slug(row: Mapping[str, Any]) -> None:
    """A slug names a folder, and a file may say anything."""
    if row.get("table") == "tasks":
        try:
            checked_slug(row.get("slug"))
        except BadInput as wrong:
            raise ImportRefused(f"{wrong}. Nothing was imported") from wrong


def _check_same_past(records: Records, known: AgentRow, group: list[Numbered]) -> str:
    """The same agent with the same past is fine; another past under its name is not."""
    scope = Scope(known.ref)
    links = {row["n"]: row["hash"] for _, row in group if row.get("table") == "timeline"}
    theirs = max(links, default=0)
    here = records.timeline.page(scope, after=theirs - 1, limit=1)
    same = known.key_id.hex() == group[0][1]["id"] and here and here[0].n == theirs
    if same and here[0].hash.hex() == links[theirs]:
        return "known"
    n, _ = records.timeline.head(scope)
    raise ImportRefused(
        f"agent {known.name!r} is here already, with another past ({n} entries here, {theirs} in the "
        "file). Import into another store, or erase the one that is here. Nothing was imported"
    )
