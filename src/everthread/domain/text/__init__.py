"""Reading text: words, sentences, what a sentence does, what it names; and making it harmless.

- units: `words`, `kin`, `shorthand`, `gerunds`, `sentences`, `sayings` (a statement taken apart);
  `patterns` are compiled when they are used
- what a sentence does: `speech`, by `speech_forms` and `speech_words`; `speech_acts` learned it; more
  closely `speech_standing` and `speech_bans` (rules), `speech_choices`, `speech_taking` and
  `speech_sorting` (who takes what), `speech_among` (people among themselves), `settling`,
  `speech_reports`, `symptoms` and `mending` (of faults), `verdicts`, `refused_calls`, `keeping` (what is
  to be remembered), `attributes`, `promising`
- what comes again with other figures: `templates`
- what it names: `specifics`, by `specifics_text`, `specifics_shapes` and `specifics_noise`; `evidence`
- whose words they are: `pasted`, `printouts`, `voices`, `drafted`
- making it harmless: `fences`, `marked`
"""
