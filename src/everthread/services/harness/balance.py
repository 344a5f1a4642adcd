"""The balance between hooks and transcripts: both bring the same words, and one of them is first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import TEXT, Draft, Source, blocks_of, text_of
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.packing import strip_frames
from everthread.domain.harness.happenings import Line
from everthread.domain.text.fences import flatten
from everthread.domain.times import MINUTE, SECOND
from everthread.ports import Records
from everthread.services.archive.record import JUST_NOW

SOURCE: Source = "hook"

FORGOTTEN = 10 * MINUTE
"""What a transcript brought so long ago is not what a hook brings now."""

MOST_OWED = 200
MOST_PAIRED = 500
MEANWHILE = 10 * SECOND
"""So far apart a hook and the transcript may say when the same words were said."""
AROUND, PAGES = 100, 20
"""So many messages around that time are looked through, a page at a time."""
END = 1 << 62
"""After every seq."""
TOOL = '"type":"tool_'
"""How a call or a result of a tool stands in a content column."""


@lru_cache(maxsize=4)  # each event asks twice: for its name, and for the balance
def text_hash(text: str) -> str:
    """The same for a prompt as a hook and as a transcript give it."""
    plain = flatten(strip_frames(text)).strip('"')
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Balance:
    """What hooks brought and the transcript owes, and the other way round.

    A line that was settled against a hook's words is stored under the hook's name alone; so its own is
    kept here, should the transcript state it again.

    It is JSON, each entry a pair of how often it is owed and when: {"u<hash>":[1,1700000000000]}. It
    may hold hundreds, and every prompt changes one of them, so it is changed as the text that it is.
    """

    def __init__(self, told: str, paired: str = "") -> None:
        self._entries = told[1:-1]
        self._names = paired
        self._settled: dict[str, None] | None = None

    def first(self, who: str, text: str, *, by_hook: bool, at: int) -> bool:
        """Is it new? Then whoever comes second is expected to bring it too."""
        key = f"{who}{text_hash(text)}"
        owed, when = self._take(key) or (0, at)
        if by_hook and owed < 0 and at - when > FORGOTTEN:
            owed = 0
        new = owed >= 0 if by_hook else owed <= 0
        owed += 1 if by_hook else -1
        if owed:
            entry = f'"{key}":[{owed},{at}]'
            self._entries = f"{self._entries},{entry}" if self._entries else entry
        return new

    def owed(self, who: str, text: str) -> int:
        """How often the transcript owes it; less than 0 if a hook does."""
        found = self._found(f"{who}{text_hash(text)}")
        return 0 if found is None else found[2]

    def _found(self, key: str) -> tuple[int, int, int, int] | None:
        """From where to where the entry stands, how often it is owed, and since when."""
        start = self._entries.find(f'"{key}":[')
        if start < 0:
            return None
        end = self._entries.index("]", start)
        owed, _, at = self._entries[start + len(key) + 4 : end].partition(",")
        return start, end + 1, int(owed), int(at)

    def _take(self, key: str) -> tuple[int, int] | None:
        """Take the entry out; how often it is owed, and since when."""
        found = self._found(key)
        if found is None:
            return None
        start, end, owed, at = found
        # Of the commas around it the one before goes, or, at the beginning, the one after.
        before, after = self._entries[: max(0, start - 1)], self._entries[end:]
        self._entries = before + (after if before else after[1:])
        return owed, at

    def settle(self, name: str) -> None:
        """The line of that name says what a hook has brought."""
        self._paired()[_short(name)] = None

    def is_settled(self, name: str) -> bool:
        return _short(name) in self._paired()

    def _paired(self) -> dict[str, None]:
        if self._settled is None:
            self._settled = dict.fromkeys(self._names.split())
        return self._settled

    def names(self) -> str:
        """The names of the lines that were settled."""
        if self._settled is None:
            return self._names
        return " ".join(list(self._settled)[-MOST_PAIRED:])

    def text(self) -> str:
        more = self._entries.count("[") - MOST_OWED
        if more > 0:
            self._entries = self._entries.split("],", more)[-1]
        return f"{{{self._entries}}}"


def _short(name: str) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def owes(balance: Balance, draft: Draft, *, at: int, by_hook: bool) -> bool:
    """May a hook and a transcript both bring it? Then it is held against the balance."""
    text = words_of(draft)
    if not text or draft.origin not in ("user", "agent"):
        return True
    return balance.first(draft.role[:1], text, by_hook=by_hook, at=at)


def words_of(draft: Draft) -> str:
    """The words of it, an image beside them or not; none where a tool was called or answered."""
    if draft.form == TEXT:
        return draft.content
    if TOOL in draft.content:
        return ""  # seen without reading it all; in a text it would stand behind backslashes
    return text_of(blocks_of(draft.form, draft.content))


def without_repeats(
    records: Records,
    session: Session,
    part: Sequence[tuple[Line, Draft]],
    balance: Balance,
    *,
    again: bool,
) -> Sequence[tuple[Line, Draft]]:
    """The lines without those that are stored, under their own name or a hook's.

    By their words they are known only where a transcript was rewritten, or stands in another place than
    before; and where it begins with what another session said, as a fork's does: that is older than its
    own. What a hook is owed is no repetition.
    """
    old, scope = session.started_ms, Scope(session.agent_ref)
    ids = [draft.external_id for _, draft in part if draft.external_id]
    seen = records.messages.known(scope, SOURCE, ids) if ids else set[str]()

    def repeated(line: Line, draft: Draft) -> bool:
        name = draft.external_id or ""
        if name in seen or balance.is_settled(name):
            return True
        seen.add(name)
        if not again and draft.at_ms >= old:
            return False
        text = "" if line.child or draft.at_ms == JUST_NOW else words_of(draft)
        if not text or balance.owed(draft.role[:1], text) > 0:
            return False
        there = _sessions_saying(records, session, draft, text_hash(text))
        elsewhere = draft.at_ms < old and bool(there - {session.ref})
        return elsewhere or (again and session.ref in there)

    return [(line, draft) for line, draft in part if not repeated(line, draft)]


def _sessions_saying(
    records: Records, session: Session, draft: Draft, wanted: str
) -> set[int | None]:
    """In which sessions the same words are stored at that time."""
    scope, before = Scope(session.agent_ref), (draft.at_ms + MEANWHILE, END)
    found = set[int | None]()
    for _ in range(PAGES):
        page = records.messages.newest(scope, session.thread_ref, limit=AROUND, before=before)
        near = [m for m in page if draft.at_ms - m.at_ms <= MEANWHILE]
        found |= {
            m.session_ref for m in near if m.role == draft.role and text_hash(m.text) == wanted
        }
        if len(near) < AROUND:
            break
        before = (near[0].at_ms, near[0].seq)
    return found
