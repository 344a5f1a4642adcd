"""What the last turns were given, and whether it is worth giving once more.

No later turn shows a block, only the reply to it. So what was given lately is not repeated while the talk
goes on; but who asks for something else of it, which nobody has told since, is given it again.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.given.injections import LATELY, GivenItem
from everthread.domain.given.packing import read_block
from everthread.domain.given.question_check import is_question
from everthread.domain.given.usefulness import telling_words
from everthread.ports import Records


def given_lately(records: Records, scope: Scope, thread: int, text: str) -> frozenset[bytes]:
    """The ids of what one of the last turns was given and the message does not need again."""
    given = frozenset(records.injections.lately(scope, thread, turns=LATELY))
    if not given or not is_question(text):
        return given
    turns = records.turns.all(scope, thread, limit=LATELY)
    # What she said and what was replied at last: what tools printed in between may be megabytes.
    said = [
        message
        for turn in turns
        for seq in (turn.first_seq, turn.last_seq)
        for message in records.messages.between(scope, thread, seq, seq)
    ]
    if telling_words(text).all <= _words_of(m for m in said if m.role == "user"):
        return given  # asked once more: the reply stands in the view
    told = _words_of(said)
    items = (each for turn in turns for each in items_of(records, scope, turn))
    return given - {item.ref for item, quoted in items if telling_words(quoted).all - told}


def _words_of(messages: Iterable[Message]) -> frozenset[str]:
    return frozenset[str]().union(*(telling_words(message.text).all for message in messages))


def items_of(records: Records, scope: Scope, turn: TurnRow) -> list[tuple[GivenItem, str]]:
    """What a turn was given: each item with its text as it stood in the block."""
    if turn.block_hash is None:
        return []
    block = records.bodies.get(scope, [turn.block_hash]).get(turn.block_hash, "")
    quoted = {item.number: item.text for item in read_block(block) or ()}
    for injection in records.injections.of_turn(scope, turn):
        if injection.body_hash == turn.block_hash:
            items = records.injections.items(scope, injection.ref)
            return [(item, quoted.get(item.rank, "")) for item in items]
    return []
