"""The `-ing` form of verbs that people give orders with."""

from __future__ import annotations

import pytest

from everthread.domain.ending.retelling import RawLines, statement
from everthread.domain.text.gerunds import gerund

TABLE = """
stop stopping      run running        plan planning      get getting        put putting
set setting        cut cutting        drop dropping      ship shipping      log logging
tag tagging        map mapping        strip stripping    split splitting    scan scanning
quit quitting      swap swapping      dub dubbing        hit hitting        trim trimming
commit committing  submit submitting  permit permitting  admit admitting    omit omitting
emit emitting      equip equipping    begin beginning    forget forgetting  refer referring
prefer preferring  defer deferring    transfer transferring control controlling compel compelling
occur occurring    reset resetting    debug debugging    rerun rerunning    overlap overlapping
unzip unzipping    unplug unplugging  unwrap unwrapping  output outputting  input inputting
format formatting  program programming offset offsetting typeset typesetting hotswap hotswapping
write writing      use using          make making        move moving        delete deleting
remove removing    update updating    change changing    merge merging      argue arguing
die dying          tie tying          lie lying          untie untying      be being
see seeing         agree agreeing     free freeing       dye dyeing         singe singeing
open opening       listen listening   happen happening   visit visiting     edit editing
limit limiting     credit crediting   deposit depositing inherit inheriting exhibit exhibiting
enter entering     answer answering   offer offering     order ordering     deliver delivering
render rendering   trigger triggering number numbering   consider considering discover discovering
develop developing profit profiting   debit debiting     benefit benefiting market marketing
fix fixing         show showing       draw drawing       play playing       try trying
copy copying       mix mixing         relax relaxing     tidy tidying       review reviewing
read reading       need needing       look looking       wait waiting       train training
explain explaining repeat repeating   test testing       check checking     install installing
design designing   return returning   record recording   add adding         pass passing
conquer conquering prosper prospering debut debuting     beckon beckoning   pivot pivoting
panic panicking    mimic mimicking    sync syncing       do doing           go going
"""


def pairs() -> list[tuple[str, str]]:
    words = TABLE.split()
    return list(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize(("verb", "told"), pairs())
def test_the_form_of_a_verb(verb: str, told: str) -> None:
    assert gerund(verb) == told


def test_there_are_many() -> None:
    assert len(pairs()) >= 100
    assert len(dict(pairs())) == len(pairs())


def test_an_order_is_told_with_it() -> None:
    """Where `asked to commit …` would repeat the order word for word."""
    raw = RawLines()
    raw.add("to commit the parser and its tests today")
    told = statement("Commit the parser and its tests today.", "user", "request", raw)
    assert "committing the parser" in told
