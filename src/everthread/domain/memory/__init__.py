"""What is worth keeping: memories and notes, when two are one, when a later takes an earlier's place.

- `memories` and `notes`; `junk`: what is none; `merging`: what says the same, or is of one series
- what a new one ends: `endings` is the way in, by `contradictions` of two statements and by `lifts`: of
  rules, those to ask first by `asking_first`; `laid_anew`: an instruction with something else in one
  place, or with another limit (`limits_anew`); `sorts`: values of which one is meant
- another value of the same thing: `plain_claims`, put in the same way; `updates` of `value_claims`;
  `renewals` tell it in two breaths, `switches` by a verb or by what is turned down, `chosen_means` by what
  is taken for the same, `versions` by the number behind a name, `parallels` in the same words, `retellings`
  in others; `single_valued` is what has one value, `known_names`: of one sort
- the opposite of one word: `opposites`; leave for what was forbidden, in its words: `permissions`;
  `abilities`: who can no longer do what he could; `topics`: what it is about, in whichever form
- what stays as it was: `purposes`, of another thing, owner or respect; `judgements` of what it is like;
  `descriptions`: what is done to it, or its state; `places`: one lies in the other
"""
