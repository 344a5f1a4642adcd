"""Words that belong together though no stemmer brings them together: bought and buy, mice and mouse.

Spelling is covered as well: what one writes `optimise` and `colour` another writes `optimize` and
`color`. They are asked for where a question's own words find hardly anything. Always asked for, they
would make answers a little worse: `saw` and `left` say more than one thing (decision 0008).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from .patterns import lazy_pattern

_FAMILIES = """
    arise arose arisen; awake awoke; bear bore born; become became; begin began begun; bend bent
    bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; build built; burn burnt
    buy bought; catch caught; choose chose chosen choice; cling clung; creep crept; deal dealt
    dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten
    fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown flight
    forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen
    grow grew grown growth; hang hung; hear heard; hide hid hidden; hold held; keep kept
    kneel knelt; know knew known knowledge; lead led; lean leant; leap leapt; learn learnt; leave left
    lend lent; light lit; lose lost loss; mean meant; meet met; mistake mistook mistaken
    overcome overcame; pay paid; prove proven proof; ride rode ridden; ring rang rung
    rise rose risen; run ran; see saw seen; seek sought; sell sold sale; send sent; sew sewn
    shake shook shaken; shine shone; shoot shot; shrink shrank shrunk; sing sang sung song
    sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken speech; spell spelt
    spend spent; spill spilt; spin spun; spoil spoilt; spring sprang sprung; stand stood
    steal stole stolen; stick stuck; sting stung; strike struck stricken; swear swore sworn; sweep swept
    swell swollen; swim swam swum; swing swung; teach taught; tear tore torn; think thought
    throw threw thrown; understand understood; wake woke woken; wear wore worn; weave wove woven
    weep wept; win won; withdraw withdrew withdrawn withdrawal; write wrote written; rewrite rewrote rewritten
    override overrode overridden; rebuild rebuilt; resend resent; undo undid undone; redo redid redone

    child children; foot feet; goose geese; half halves; knife knives; leaf leaves; life lives
    loaf loaves; man men; mouse mice; person people; shelf shelves; thief thieves; tooth teeth
    wife wives; wolf wolves; woman women; index indices; vertex vertices; matrix matrices
    criterion criteria; phenomenon phenomena; datum data; medium media; crisis crises
    analyse analyze analysis analyses; hypothesis hypotheses; thesis theses

    decide decision; conclude conclusion; divide division; provide provision; explode explosion
    extend extension; expand expansion; suspend suspension; comprehend comprehension
    convert conversion; permit permission; submit submission; admit admission; omit omission
    commit commission; persuade persuasion; include inclusion; exclude exclusion; collide collision
    invade invasion; revise revision; supervise supervision; confuse confusion; succeed success
    proceed procedure; fail failure; press pressure; close closure; expose exposure; depart departure
    describe description; subscribe subscription; prescribe prescription; transcribe transcription
    receive reception receipt; deceive deception; conceive conception; perceive perception
    assume assumption; consume consumption; resume resumption; redeem redemption
    solve solution; resolve resolution; revolve revolution; evolve evolution; dissolve dissolution
    compare comparison; explain explanation; maintain maintenance; retain retention; detain detention
    respond response; defend defense defence; offend offense offence; pretend pretense; intend intent
    repeat repetition; compete competition; define definition; acquire acquisition; require requisite
    introduce introduction; reduce reduction; produce production; reproduce reproduction
    destroy destruction; deliver delivery; discover discovery; recover recovery; remove removal
    arrive arrival; approve approval; refuse refusal; propose proposal; dispose disposal; survive survival
    apply application; imply implication; multiply multiplication; reply replies; deny denial; try trial
    marry marriage; carry carriage; bury burial; vary variance; argue argument; judge judgement judgment
    behave behavior behaviour; attend attendance; exist existence; depend dependence dependency
    insure insurance; enter entrance; advise advice; believe belief; relieve relief
    weigh weight; high height; long length; strong strength; wide width; deep depth; broad breadth
    true truth; warm warmth; young youth; die dead death; born birth; hot heat; proud pride
    angry anger; hungry hunger; poor poverty; able ability; stable stability; visible visibility
    available availability; compatible compatibility; responsible responsibility; probable probability
    see sight; sit seat; live life; breathe breath; bathe bath; clothe cloth
    serve service; practise practice; license licence; program programme; dialog dialogue
    catalog catalogue; center centre; meter metre; liter litre; theater theatre; fiber fibre
    gray grey; tire tyre; plow plough; check cheque; jewelry jewellery; pajamas pyjamas; mom mum mother
    dad father; okay ok; config configuration; repo repository; db database; auth authentication
    env environment; dir directory; param parameter; prod production; dev development; docs documentation
"""

_BRITISH = lazy_pattern(r"^(\w{4,})(is|iz)(e[sd]?|ers?|ing|ations?)$")
_OUR = lazy_pattern(r"^(behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum|sav|vap|vig)(ou?r)(\w*)$")
_FACT = lazy_pattern(r"^(\w{2,})(?:if(?:y|ies|ied|ying)|(ifications?))$")


def with_kin(words: Iterable[str]) -> list[str]:
    """These words, and after them what belongs to them, each once."""
    own = list(words)
    return list(dict.fromkeys([*own, *(kin for word in own for kin in kin_of(word))]))


@lru_cache(maxsize=8_192)  # the same words come again and again
def kin_of(word: str) -> tuple[str, ...]:
    """What else to look for, of a word in small letters. Nothing comes for most words."""
    return tuple(_kin_of(word))


def _kin_of(word: str) -> Iterator[str]:
    yield from _table().get(word, ())
    if found := _BRITISH.match(word):
        stem, way, end = found.groups()
        yield f"{stem}{'iz' if way == 'is' else 'is'}{end}"
    elif found := _OUR.match(word):
        stem, way, end = found.groups()
        yield f"{stem}{'or' if way == 'our' else 'our'}{end}"
    elif found := _FACT.match(word):
        yield f"{found[1]}ify" if found[2] else f"{found[1]}ification"


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """By every form of every word of a family, its other words."""
    table: dict[str, dict[str, None]] = {}
    for family in re.split(r";|\n", _FAMILIES):
        words = family.split()
        for word in words:
            for form in _forms(word):
                kin = table.setdefault(form, {})
                kin.update((other, None) for other in words if other != word)
    return {form: tuple(kin) for form, kin in table.items()}


def _forms(word: str) -> Iterator[str]:
    """A word as it is bent by rule; that some of these do not exist harms nobody."""
    yield word
    yield f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeou" else f"{word}s"
    if word.endswith("e"):
        yield from (f"{word}d", f"{word[:-1]}ing")
        return
    yield from (f"{word}es", f"{word}ed", f"{word}ing")
    if word.endswith("y"):
        yield f"{word[:-1]}ied"
    if re.fullmatch(r"\w*[^aeiou][aeiou][bdgklmnprt]", word):
        yield from (f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")
