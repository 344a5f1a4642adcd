"""Words for what lasts of a person's health, as parts of patterns: illnesses, handicaps, medicines, foods.

What passes (a fever, a headache, a cold) is none of them.
"""

from __future__ import annotations

_OF_AILMENT = (
    r"(?! (?:tests?|appointments?|clinics?|season|checks?|specialists?|apps?|lists?|forms?|data|research|"
    r"papers?|"
    r"stud(?:y|ies)|drugs?|shots?|awareness|screening|charity|run|walk)\b)"
)
AILMENT = (
    r"(?:allerg(?:y|ies)|intolerances?|diabetes|asthma|epilepsy|c(?:o)?eliac|high blood pressure|"
    r"hypertension|"
    r"heart (?:condition|disease|failure)|kidney disease|arthritis|migraines|h(?:a)?emophilia|lupus|"
    r"multiple sclerosis|parkinson's|dementia|alzheimer's|adhd|autism|dyslexia|bipolar|hiv|cancer|crohn's|"
    r"endometriosis|hypothyroidism|osteoporosis|gout|eczema|psoriasis|glaucoma|hay fever|cystic fibrosis|"
    r"tinnitus|depression|epi-?pen|emergency pen|pacemaker|hearing aids?|insulin pump|disability|handicap|"
    rf"prosthesis|stoma|pollen allergy)\b{_OF_AILMENT}"
)
"""What one has."""
_JOKED = r"(?:mondays|mornings|meetings|work|jargon|java\w*|php|bullshit|deadlines|effort|people|buzzwords)"
STATE = (
    rf"(?:allergic\b(?! reactions?\b| to (?:\w+ )?{_JOKED}\b)|(?:lactose|gluten|fructose|"
    rf"histamine)[ -]intolerant\b|"
    r"intolerant to (?:lactose|gluten|fructose|histamine|dairy|milk|wheat|nuts)\b|(?:diabetic|asthmatic|"
    r"epileptic|"
    r"co?eliac|autistic|dyslexic|paraly[sz]ed|wheelchair-bound|hard of hearing|colou?r-?blind|"
    r"hiv[ -]positive)\b|"
    r"(?:blind|deaf)(?=\W*$|,| (?:in (?:one|the|his|her|my)|since|and|from)\b)|pregnant\b(?! pause)|"
    r"in a wheelchair\b|on (?:insulin|warfarin|blood thinners|beta ?blockers|antidepressants|dialysis|"
    r"methotrexate|lithium)\b)"
)
"""What one is."""
SUBSTANCE = (
    r"(?:ibuprofen|aspirin|paracetamol|acetaminophen|penicillin|amoxicillin|antibiotics?|codeine|"
    r"opioids?|nsaids?|"
    r"iodine|latex|statins|cortisone|(?:pea|hazel|wal|tree )?nuts?|almonds?|cashews?|sesame|soya?|"
    r"lactose|milk|"
    r"dairy|cheese|gluten|wheat|eggs?|fish|shellfish|seafood|shrimps?|prawns?|pork|beef|meat|alcohol|"
    r"caffeine|"
    r"fructose|histamine|grapefruit|strawberr(?:y|ies)|tomatoes|honey|celery|mustard|citrus|sulfa)\b"
)
"""What one may not take."""
MEDICINE = (
    r"(?:\d[\d.,]*+ ?(?:mg|mcg|µg|iu|i\.e\.)(?!\w)|(?:insulin|warfarin|metformin|l-?thyroxin\w*|"
    r"levothyroxine|"
    r"thyroxine|blood thinners?|beta ?blockers?|antidepressants?|ssris?|methotrexate|marcumar|"
    r"blutverdünner|"
    r"betablocker|antidepressiva|eisentabletten|schilddrüsen(?:hormone|tabletten)|[ck]ortison)\b)"
)
AID = (
    r"an? (?:[\w-]+ )?(?:epi-?pen|inhaler|pacemaker|hearing aid|insulin pump|wheelchair|walking frame|"
    r"rollator|"
    r"guide dog|white cane|prosthe\w+|cpap\w*|nebuli[sz]er)\b"
)
PART = r"(?:knees?|hips?|back|shoulders?|heart|spine|eyes?|ankles?|wrists?|meniscus|kidneys?|liver|thyroid)"
MENDED = (
    r"(?:surgery|operation|operated|replace(?:d|ment)|bypass|implants?|transplant\w*|torn|slipped)"
)

AILMENT_DE = (
    r"(?:[\w-]*+(?<=allergie)|[\w-]*+(?<=allergien)|[\w-]*+(?<=unverträglichkeit)|[\w-]*+(?<=intoleranz)|"
    r"diabetes|asthma|epilepsie|"
    r"zöliakie|bluthochdruck|herzfehler|herzschrittmacher|multiple sklerose|parkinson|demenz|alzheimer|"
    r"adhs|autismus|"
    r"hiv|krebs|morbus \w+|rheuma|arthrose|heuschnupfen|neurodermitis|hashimoto|schilddrüsenunterfunktion|"
    r"schwerbehinderung|behinderung|notfallpen|prothese|hörgeräte?|insulinpumpe|depressionen)\b"
)
STATE_DE = (
    r"(?:allergisch\b|[\w-]*+(?<=intolerant)|(?:diabetiker|asthmatiker|epileptiker|allergiker|"
    r"rollstuhlfahrer)(?:in)?\b|"
    r"(?:schwanger|gehörlos|schwerhörig|gehbehindert|schwerbehindert|farbenblind|sehbehindert|autistisch|"
    r"querschnittsgelähmt|hiv-positiv|im rollstuhl)\b|(?:blind|taub)(?=\W*$|,))"
)
SUBSTANCE_DE = (
    r"(?:ibuprofen|aspirin|paracetamol|penicillin|antibiotika|(?:erd|hasel|wal)?nüsse|mandeln|"
    r"milch(?:produkte)?|"
    r"laktose|gluten|weizen|eier|fisch|meeresfrüchte|schweinefleisch|fleisch|alkohol|koffein|soja|sesam|"
    r"sellerie|"
    r"honig|fructose|fruktose|histamin)\b"
)
PART_DE = (
    r"(?:knie|hüfte|rücken|schulter|herz|meniskus|kreuzband|bandscheiben?|wirbelsäule|sprunggelenk|"
    r"schilddrüse|niere)"
)
AILMENT_ABROAD = (
    r"(?:allergique|asthmatique|diabétique|enceinte|épileptique|c(?:œ|oe)liaque|intolérante?|"
    r"al[eé]rgic[oa]s?|"
    r"intoll?erante|diab[eé]tic[oa]|asm[aá]tic[oa]|cel[ií]ac[oa]|embarazada|epil[eé]ptic[oa]|incinta|"
    r"allergisch|"
    r"zwanger|astmatic[oa])\b"
)
