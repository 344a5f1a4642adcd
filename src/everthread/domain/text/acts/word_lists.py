"""The words by which a sentence is read: verbs of order, words that ask, want, forbid, thank.

Small lists of a few languages. They only raise a suspicion; `speech_forms` confirms it.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENINGS = _words("""
    please now then also ok okay so and but just next first second third finally great yes no well hey
    hi hello actually alright cool thanks thank you perfect good nice kindly maybe again instead right hmm
    oh ah sure only k nm pls plz uh uhh um lastly additionally furthermore bitte nun dann also jetzt und
    aber gut merci
""")
"""What may stand before the verb of an order."""

LEAD_INS = _words("""
    so and but ok okay then also now well hey hm hmm oh btw yeah yes no right alright actually anyway um
    uh und aber dann also
""")
"""What may stand before a question."""

BASE = _words("""
    accept activate adapt add adjust address allow analyse analyze answer append apply archive ask assign
    assume attach audit avoid be benchmark break bring build bump call cancel capture catch change check
    choose clarify clean clear close collect combine commit compare compile complete compute configure
    confirm connect consider consolidate continue convert copy correct count create cut debug decide
    declare define delete deploy describe design detect determine diff disable discard discuss display
    do document don't dont download draft drop dump edit elaborate email enable encode enhance ensure
    enter estimate evaluate examine exclude execute expand explain explore export expose extend extract
    factor fetch figure fill filter find finish fix flag fold focus follow format generate get give go
    grep group guess handle have help hide highlight identify ignore implement import improve include
    increase index inline insert inspect install integrate introduce investigate join keep kill label
    leave let limit link lint list load locate log look lower make map mark match measure merge migrate
    mock modify monitor move name normalize note notify omit open optimize order organize output pass
    paste patch pick pin plan play plot point port prepare preserve prevent print prioritize process
    produce profile prompt propose provide publish pull push put query quote raise read rebase recommend
    record redo reduce refactor refer reformat register reload remember remind remove rename render
    reorder replace reply report reproduce request rerun reset resolve respond restart restore retry
    return reuse reverse revert review revise rewrite run save say scan schedule search see select send
    separate set share ship show shorten simplify skip solve sort specify split squash start state stay
    stick stop store streamline strip structure submit suggest summarise summarize support switch sync
    take talk teach tell test think tidy tighten track translate treat trigger trim try tune turn undo
    uninstall unify unpack update upgrade upload use validate verify visit wait walk warn watch wire
    work wrap write
""")
"""Verbs in the form in which people give orders."""

LOOKING = _words("""
    analyse analyze check compare count debug describe determine diff examine explain explore figure find
    grep guess identify inspect investigate list locate look measure monitor read reproduce review run see
    show state summarise summarize tell test try validate verify watch
""")
"""Verbs of orders that ask: whatever comes of it answers them, and that it failed too."""

FINITE = _words("is was are were fails failed has had of isn't wasn't does did will")
"""After one of these, what looked like an order is a noun."""

OBJECT = _words(
    "the a an this that these those all it its my our your their them each every both any some"
)
NO_VERB = _words("""
    i you he she it we they the a an this that these those there here my your his her its our their
    in on at to of for with from by about as if when while because since although though and or but
    not all some any each both every another such what which who whose how why where is are was were be
    do does did has have had can could will would should may might must just even still maybe like than
    after before during until unless once whether only what's that's it's i'm i've we've let's yes
    no one two three many much more most few same other either neither between
    der die das ein eine und ich wir le la les un
    une et je nous el los las una y yo per sul nel
""")
"""What begins a sentence and is no verb: after all else an object makes it one."""

ASKERS = _words("""
    what what's why how when where which who whose is are was were do does did can could would will
    should shall may might has have am any isn't aren't doesn't don't can't couldn't wouldn't shouldn't
    wie warum wann wo wer welche welcher kann können könntest ist sind gibt
    que qué quoi comment pourquoi quand où quel quelle cómo cuándo dónde cuál puedes podrías puede
""")
PRONOUNS = _words("you i we it there this that the they du wir ich vous tu")
WH_WORDS = _words("what how why when where which who")
LINKS = WH_WORDS | _words("if whether that there it this")
AUXILIARIES = _words(
    "do does did is are was were can could should would will has have shall may might"
)

WANTING = _words("""
    want need needs like should shouldn't must mustn't let's lets please can could would will sure make
    have gotta ought help wish require bitte soll sollte sollten muss müssen möchte brauche kannst
    könntest würdest veux voudrais faut peux pouvez pourrais quiero necesito puedes podrías debe favor
    vorrei puoi devi
""")
RULING = _words("""
    always never don't dont do not avoid from going future time whenever every each must only stop
    remember rule no more unless under before first off off-limits limits forbidden taboo important
    immer nie niemals künftig ab zukunft nicht kein keine jamais toujours désormais dorénavant l'avenir
    siempre nunca partir n'utilise keinen keiner bevor vorher zuerst antworte antworten никогда всегда plus
    لا ولا فلا ألا عدم دائما دائم ممنوع يمنع يُمنع محظور مسموح تجنب إياك فصاعدا فصاعد
""")
KEPT_IN_MIND = _words("remember forget remind")
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
"""Part of a pattern."""
LIKING = _words("""
    prefer prefers rather favorite favourite preferred love hate dislike enjoy like fan allergic
    vegetarian vegan mag bevorzuge hasse liebe préfère prefiero gusta gustan
""")
BEING = _words("""
    i'm i am my me name call live grew born work worked heiße bin wohne arbeite m'appelle suis travaille
    llamo soy vivo sono ben
""")
CORRECTING = _words("""
    no nope actually wrong incorrect mistake meant mean correction not isn't wasn't misunderstood misread
    misspoke mistaken wait sorry nein falsch sondern eigentlich stimmt faux incorrecto sino
""")
DECIDING = _words("""
    decided decision go going went chose chosen choose opted opt opting settled agreed concluded picked
    pick stick sticking switch switched adopt adopted use let's lets we'll i'll keep instead rather reason
    rationale best right simplest cleanest better safest recommend suggest
    entschieden nehmen verwenden décidé choisi opté utiliser decidido elegido optado usaremos
""")
CHOOSERS = _words("""
    i we i'd i'll we'll we'd let's lets we're i'm i've we've recommend recommendation wir ich nous on
    hemos usaremos
""")
DONE = _words("""
    done added fixed created implemented updated removed deleted renamed moved refactored committed
    pushed merged deployed finished completed complete resolved passes pass passing passed works working
    successfully succeed succeeds built wrote written changed replaced converted migrated installed
    configured extracted verified released published ready clean green set wired shipped applied solved
    introduced enabled disabled documented tested ran made simplified improved reduced modified rewrote
    split place launched bought won started signed booked joined got took went attended painted visited
    erledigt fertig behoben hinzugefügt umgesetzt terminé corrigé ajouté hecho listo añadido corregido
    fatto finito готово
""")
FAILING = _words("""
    failed fails fail failing broke broken breaks crash crashes crashed crashing didn't doesn't don't
    won't couldn't can't isn't wasn't did does not unable cause problem issue bug culprit error turns
    timed reverted rolled stuck hangs fehlgeschlagen funktioniert échoué marche falló funciona
""")
GREETED = _words("""
    there all again everyone everybody team folks claude codex gemini zusammen alle tous todos tutti
""")

LATER = _words("""
    todo fixme later remain remaining remains left next yet pending blocked waiting awaiting follow-up
    follow-ups followup follow deferred defer postpone postponed outstanding unresolved open still
    haven't hasn't tomorrow depends deadline due steht offen später noch reste pendiente
""")
THANKS = _words("""
    thanks thank thx ty great perfect awesome works lgtm nice cool excellent good ok okay yes yep yeah
    sure wonderful amazing brilliant love danke super prima merci parfait gracias perfecto genial
    grazie obrigado спасибо done approved agreed fine correct exactly right wow beautiful fantastic alright
""")
POLITE = _words("""
    you so much very that that's it it's is looks look this all for the a lot really i we and to go
    ahead now do works work sounds please too again your help
""")
COMMON = _words("""
    the a to is i you it of and in we that this for on
    my our your their it's i'm we're they're that's he's she's with been have are now from
    she they them there were would could should what when where who how why which about than after
    before because some any other until today yesterday tomorrow tonight
    monday tuesday wednesday thursday friday saturday sunday tue tues wed thu thur thurs
""")
"""Words without which hardly any English sentence gets by, or note of a day."""

_I_ES = (
    r"(?:lleg|teng|hag|dig|pong|salg|veng|pued|quier|com|beb|duerm|trabaj|us|olvid|pierd|piens|cre|compr|"
    r"llev|dej|pid|sient|encuentr|escrib|le|viv|viaj|cocin|habl|jueg|estudi|entiend|recib|mir|necesit|pas|"
    r"tom|vuelv|esper|logr|consig|gast|pag|prepar|acab|termin)o"
)
TOLD_ES = (
    rf"(?:que )?(?:(?:yo|se|nos|l[oae]s?|me) )?(?:(?:{_I_ES}|he|has|ha|han|hemos|soy|fui|voy|vi|veo|doy|sé|"
    r"hice|hizo|dijo|hay|son|igual|eras?|eran|fue|fueron|había\w*|est(?:á|án|oy|aba\w*)|hubo|tuv[eo]|vino|"
    r"(?!(?:esté|dé|café|té)\b)\w+é|(?!(?:aquí|así|allí)\b)\w+í|(?!(?:guía|energía|cortesía)\b)\w{2,}ía[sn]?|"
    r"\w+(?:ó|aba|aban|ábamos|ieron|aron|aste|iste))\b|mism|gusta|(?:sale|ocurre|cuesta|duele)\b|"
    r"pasa(?=\W*$| (?:lo|algo|esto|eso|igual|así|nada|que|cuando|aquí)\b)|"
    r"es (?!obligatori|necesari|aceptable|mejor|preferible|importante|imprescindible))|"
    r"(?:que |yo |me |l[oae]s? )+\w{2,}o\b"
)
"""After `siempre` and `nunca`: what was, what who speaks does, and what merely comes about."""
