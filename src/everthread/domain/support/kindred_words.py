"""Which words may stand for one another where somebody retells a deed: begin and start, choose and decide.

Two forms of one word are akin, and so are two words of one group below. The groups are few and written by
hand: whoever retells `it lists old backups` as `it deletes old backups` finds none that holds both.
"""

from __future__ import annotations

from functools import cache, lru_cache

from everthread.domain.text.related_words import kin_of

from .sentence_parts import stem

_GROUPS = """
    begin start commence launch initiate found establish open kick embark
    end finish conclude complete expire terminate close done over ready gone
    end stop cease quit expire
    stop pause halt suspend quit
    choose decide pick select opt settle decision choice go prefer rather option
    use adopt employ utilise apply usage rely run via with by
    fix repair resolve correct solve mend address patch
    congratulate congrats
    work do doing busy
    add include introduce insert append extra additional new
    remove delete drop erase strip discard exclude cut rid clear
    change modify update edit adjust alter amend revise rework refactor tweak rewrite
    change become turn shift switch now
    replace swap substitute exchange instead supersede switch
    show display list print output present view render showcase
    make create build write implement produce develop generate compose design craft construct set
    write draft document record log note
    draw paint sketch picture painting
    need require must demand necessary essential
    prefer like favour love enjoy adore fond fan favourite cherish treasure glad dear important
    prefer like enjoy love passion passionate keen enthusiastic excited
    enjoy love cherish treasure great good nice wonderful amazing awesome fantastic fun positive best
    hate dislike loathe detest
    plan intend aim will going gonna want wish hope goal look forward dream aspire consider think next
    move migrate switch relocate transfer port transition
    buy purchase order acquire get got
    sell sold offer
    meet encounter join gather see
    fail break crash error broken fault bug
    pass succeed work green ok okay fine success
    run execute launch start operate
    run serve listen host deploy
    work function operate run
    work job employ
    test verify check validate examine inspect review look
    check review read study audit
    measure time benchmark profile
    find discover notice spot detect identify see locate come
    look search seek explore research investigate examine delve dig
    keep retain preserve maintain hold stay stick leave continue remain carry
    remain stay still left pending open continue keep
    store save keep hold record persist
    send deliver ship mail post dispatch submit
    receive get got given
    return come back
    go visit travel attend went come trip off
    attend join participate take part go visit
    leave depart quit
    give donate provide offer supply hand grant deliver
    help assist support aid lend
    help allow enable let able
    support back encourage backing
    call ring phone
    call name title dub
    confirm agree accept approve yes ok okay right definitely exactly absolutely
    refuse reject decline deny
    suggest recommend propose advise should could idea
    warn caution alert
    know learn realise understand aware recognise knowledge
    learn study practise teach
    practise practice rehearse train
    remember recall remind reminisce memory
    teach train instruct mentor coach
    win won first prize award
    lose lost
    hurt injure
    eat dine dinner lunch breakfast
    cook bake make prepare
    live reside home stay dwell
    own have possess belong
    spend pay cost
    save cut reduce
    reduce lower decrease cut shrink shorten less fewer
    increase raise grow rise more
    improve better enhance boost optimise
    worsen worse degrade
    speed fast quick faster rapid
    slow late delay long
    cause because lead result due reason make
    affect impact influence effect
    prevent avoid block stop
    allow permit let enable may can
    forbid ban prohibit disallow never not
    organise arrange hold host run set plan
    schedule plan book appoint set
    book reserve
    cancel abandon scrap drop
    postpone delay defer
    wait await pending
    try attempt
    merge combine join integrate
    split separate divide
    rename name call
    copy duplicate clone
    convert transform turn change
    connect link attach bond tie
    contact reach
    share tell talk spread
    show represent symbolise express reflect convey depict
    inspire motivate encourage uplift drive
    surprise amaze astonish
    feel sense
    happy glad pleased delighted joy joyful thrilled excited
    grateful thankful thank appreciate
    sad unhappy upset
    afraid scared fear frightened
    worried anxious concerned nervous
    proud pride
    big large huge great major
    small little tiny minor
    hard difficult tough challenging
    easy simple
    good great nice wonderful amazing awesome fantastic excellent rewarding
    bad terrible awful
    important vital crucial key essential significant prioritise priority
    responsible charge own look
    located lie stand sit place
    grow plant garden
    watch see view
    raise collect fundraise
    raise lift
    care look tend
    take bring carry
    expect anticipate
    handle manage deal process cope
    manage lead run head
    set configure setup adjust
    install setup
    load read parse
    reach achieve attain get
    face meet struggle encounter
    act behave
    engage involve take participate commit do join
    focus concentrate
    visit see stop
    born birth
    marry wed wedding husband wife
    adopt adoption
    contribute give help
    lack miss without missing no not
    differ different
    match equal same exactly
    rely depend trust
    relax rest unwind calm
    volunteer help serve
    celebrate party
    prepare ready
    protect guard secure safe
    guide lead
    reuse use
    release publish ship
    push upload
    pull fetch download
    commit committed
    extend lengthen expand
    renew extend prolong
"""
"""Words of a line may stand for one another; one may be on several lines."""

_LIGHT = """
    be have do get make take give become go come put set keep let seem appear happen occur involve include
    contain consist comprise concern regard relate mean use get receive experience serve
"""
_REPORTING = """
    say state tell mention note report explain describe express indicate remark comment discuss share talk
    speak reply respond answer emphasise emphasize stress highlight acknowledge point ask request want wish
    wonder think believe feel consider suspect assume reckon suppose guess figure expect hear read quote
    summarise summarize outline inform refer call name appreciate value recall
"""

_ENDS = """
    isation ization ation ition ment ness anc enc abl ibl ativ ity ion iv ful ous ur ant ent ery at al er or
    is iz y
"""
_ENDINGS = tuple(_ENDS.split())
SHORTEST = 4
"""Letters of a root: of a shorter one too many words are made."""


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """A word without the endings that make a noun or an adjective of a verb; crude, as `stem` is."""
    bare = stem(word)
    for ending in _ENDINGS:
        if bare.endswith(ending) and len(bare) - len(ending) >= SHORTEST:
            return bare.removesuffix(ending)
    return bare


_IRREGULAR = """
    go goes went gone; do does did done; give gave given; take took taken; make made; come came
    get got gotten; bring brought; tell told; say said; lay laid; set setup; will gonna; win won; put puts
"""
_FAMILIES = [family.split() for line in _IRREGULAR.splitlines() for family in line.split(";")]
_BASES = {form: family[0] for family in _FAMILIES for form in family}


@lru_cache(maxsize=16_384)
def forms(word: str) -> frozenset[str]:
    """The roots of a word in small letters and of its other forms: of `chose` also that of choice."""
    return frozenset(map(root, (word, _BASES.get(word, word), *kin_of(word))))


@lru_cache(maxsize=16_384)
def family(word: str) -> frozenset[str]:
    """By these it is known: its forms, and the numbers of its groups."""
    own = forms(word)
    table = _table()
    return own.union(*(table.get(each, ()) for each in own))


@cache
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for number, line in enumerate(_GROUPS.strip().splitlines()):
        for word in line.split():
            table.setdefault(root(word), set()).add(f"#{number}")
    return {word: frozenset(numbers) for word, numbers in table.items()}


@cache
def _neutral() -> frozenset[str]:
    return frozenset(
        each for word in (*_LIGHT.split(), *_REPORTING.split()) for each in forms(word)
    )


def is_neutral(word: str) -> bool:
    """Does it say hardly anything by itself, or only that somebody said or thought it?"""
    return not _neutral().isdisjoint(forms(word))


def is_in_group(word: str) -> bool:
    return any(each in _table() for each in forms(word))
