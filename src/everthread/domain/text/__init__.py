"""Reading text: words, sentences, what a sentence does, what it names; and making it harmless.

- units: `words`, `word_forms`, `related_words`, `shorthand`, `gerunds`, `past_forms`, `sentences`,
  `sayings` (a statement taken apart), `reasons` (without the one it gives), `telling_rows` (what of it
  tells, in its order), `quotations` (where words stand as they are); `patterns` are compiled when
  they are used
- what a sentence does: the package `acts`; more closely `person_decisions`, `given_up_choices`,
  `dropped_things`,
  `contrast_pairs`, `symptoms`, `fault_fixes`, `unchanged_faults`, `verdicts`, `refused_calls`,
  `remember_requests`, `attributes`, `promise_forms`, `due_tasks`, `own_chores`, `others_ways`,
  `only_asking`, and `until_dates`: when it ends; `rule_periods`: when a rule does
- what is told of a thing, and told anew in other words: the package `tellings`
- what comes again with other figures: `templates`
- what it names: `specifics`, by `specifics_reader`, `specifics_fence`, `specifics_forms`, `specifics_people`,
  `specifics_shapes` and `specifics_noise`; `local_links` (to places in files); `evidence`
- whose words they are: `pasted_text`, `copied_pages`, `printouts` by `printout_shapes`, `voices`,
  `unfenced_code`, `code_fences`, `draft_spans` (`made_up` on request), `editor_prompts`
- making it harmless: `fences`, `marked_blocks`
"""
