"""The weights of recall, all of them. Set by hand, in coarse steps, and told in a line each.

The unit is the best match by words in this recall. Nothing here was fitted: a value stands because
halving or doubling it was worse, or no better beyond chance, taken over conversations between people,
chats with an assistant and coding sessions (decision 0008 has the figures).
"""

from __future__ import annotations

# What a text says

WORDS = 1.0
"""The best match by words; the others in proportion."""

COVERED = 0.7
"""So much of a question's words one text must have; where the fullest has less, the best match by words is
worth as much less. Who asks in other words shares a name or a common word with many texts, and seldom with
the answer."""

MEANING = 0.7
"""The best match by meaning. Words are the surer sign wherever names and numbers are asked for."""

FOREIGN = 0.6
"""Of that, where the question is in another language than the embedder was made for."""

OWED = 0.2
"""So much more alike than in English are texts there that have nothing to do with each other."""

# How surely any of it is an answer: a sum of the highest cosine and of the share of the question's words
# that the fullest text has. On the talks of the recall bench 95 % of the questions come to .51 or more, of
# questions about other talks 75 % to .41 or less, of made-up words 95 % to .36 or less. No order changes.

SURE_WORDS = 0.3
"""Of the share of words; the cosine counts whole."""

STRANGERS = 0.3
"""Up to this sum nothing speaks for an answer: in some hundred texts anything finds one so much alike."""

SURE = 0.6
"""From this sum on everything does; in between, in proportion."""

SOME_WORDS = 0.5
"""Words alone speak for it from here on, and wholly where they are `COVERED`: codes and names are like
nothing."""

FAINT = 0.1
"""What is left of a score where nothing speaks for it."""

# What stands around it (shares of the neighbour's own worth by words and meaning)

BEFORE_PERSON = 0.2
"""Between people, the message before: the same matter goes on."""

ANSWERS = 0.4
"""On top of it where that message asks: this one is the answer, often in other words."""

ASKED_BACK = 0.2
"""The same where the agent asked and a person answers; agents end half their messages by asking."""

BRIEF_ANSWER = 0.6
"""The same, asked or not, where a value is wanted: "make it 500" has no word of the thing. As much less as it
has more words, none from `BRIEF_WORDS` on."""

BRIEF_WORDS = 50

EARLIER_PERSON = 0.3
"""A person's own message before this one, two places back."""

AFTER = 0.3
"""The message after a person's: a reply repeats what it replies to, most of all an agent's."""

REQUEST = 0.2
"""To an agent's message, the person's message that it replies to, in a talk without tools: a reply takes up
what it replies to in its own words. It holds for `REACH` places."""

REQUEST_FOR_WORK = 0.8
"""The same where an agent works with tools, and to what the tools print: the work on a matter does not repeat
how it was asked for. With more than this it would pass what it was asked for by."""

REACH = 20

STEP = 0.3
"""To an agent's or tool's message, the agent's or tool's message before it: steps of one work."""

EARLIER_STEP = 0.2
"""The same, two places before."""

SITTING = 0.6
"""The best match of a session, to all of it: what belongs to a matter was said in one sitting."""

NEARBY = 0.3
"""The best match within `NEAR` places, to all of them: a matter is talked about for a while, and what answers
a question may be put in few words."""

NEAR = 6

# What is certain

SPEAKER = 0.3
"""The question names who said it."""

DATE = 1.0
"""It was said in the days that the question names."""

TIME_TOLD = 0.6
"""The question wants to know when, and the text says when."""

RULE_TOLD = 0.4
"""A person's standing wish ("Always …", "I prefer …") matters to questions that do not name it."""

# What speaks against it

ASKING = -0.2
"""It asks something: what was asked is seldom what is wanted."""

ONLY_ASKING = -0.3
"""And says nothing else."""

ASKED_BEFORE = -0.3
"""Such a one again, for its own match: a question asks for answers, and what matches it best is that it was
asked before. To what answers it, it lends its match as ever."""

SCANT = -0.3
"""Fewer words than `SCANT_WORDS`: "Thanks!", "ok"."""

SCANT_WORDS = 8

LENGTHY = -0.1
"""For each doubling beyond `LENGTHY_WORDS`: a long text matches a little of everything."""

LENGTHY_WORDS = 100

NOT_MINE = -0.8
"""The question is about what the asker said or did ("my project"), and a machine wrote this. It says
nothing where an agent works with tools (unless "what did the user say" is asked), nor of questions that
speak of "us" or of nobody."""

NOT_MINE_BRIEF = -0.4
"""The same of what has fewer words than `LENGTHY_WORDS`: an agent's short reply mostly says back what it
was told ("Noted: …"), a long one its own."""

# What is told anew

RENEWS = 0.4
"""A newer candidate that tells an older one anew is worth as much as that one, if it reaches this share of
it by itself: what hardly bears on the question is not lifted, nor raised for what it tells later."""

LATER_VALUE = 0.4
"""To a candidate that tells a figure or a day: as much of what it is worth to the question as all the best
ones make that it stands behind. Chosen on talks in which values change, and on those it was measured with:
with less the outdated came first more often, with more the answer fell out of the best ten."""

CHANGE_TOLD = 0.2
"""The same where it says that something changed ("now", "instead", "moved to")."""

# What is told anew in other words: how surely a later candidate speaks of what an older one told

RETOLD_ALIKE = 1.5
"""Of the cosine of the two, above what candidates have on average: who tells that something changed speaks to
what was said before, more than to what will be asked."""

RETOLD_QUESTION = 0.4
"""Of the later one's cosine to the question."""

RETOLD_WORDS = 0.3
"""For each of two telling words that both have."""

RETOLD_CHANGE = 0.6
"""The later one says that something changed."""

RETOLD_WORTH = 0.2
"""It is worth as much to the question as the older one; less in proportion."""

RETOLD_LACKS = -0.6
"""The older one has all words of the question and the later one has none; less in proportion. Who asks what
the sister pays is not told what oneself does."""

RETOLD_LIKE = 0.1
"""If it is less above the average than this it does not speak of the older one, whatever else."""

RETOLD_LEAST = 0.1
"""So much of the older one's worth it must have by itself."""

RETOLD = 0.9
"""From here on it comes before the older one. With less, what never changed loses its place to what was said
later on something like it; with more, fewer changes are found."""

GIVEN_UP = 3.0
"""It says by name that what the older one told is given up: nothing is surer."""

RETOLD_PERHAPS = 0.5
"""From here on it comes right after it, so that whoever reads the one sees the other."""
