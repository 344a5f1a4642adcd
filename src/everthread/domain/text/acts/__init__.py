"""What a sentence does: asks, orders, sets a rule, decides, chooses, reports.

- `speech` is the way in: by `sentence_forms`, `cjk_forms` and `word_lists`; `classifier` learned it from
  talk, and `lasting_statements` what lasts, both by a `word_model`
- rules: `standing_rules`, `bans`, `passing_rules`, and `general_rules` by `kinds_of_things` and
  `each_time` (wishes, and orders for each time), `rules_abroad` in other languages; `approvals`: what
  needs the speaker's word;
  `releases` by `release_forms`: what is let
  go, or set again
- `errands`: what is not to be forgotten, and is done once
- choices: `asked_choices`, `proposals`, `option_taking` and `option_sorting` (who takes what);
  `peer_talk` among people; `indecision`: what is not chosen yet
- `quoting`: the words of nobody who could say so
- `hasty_spelling`: small words in full, for all that looks at forms
- `passing_remarks`: what is only so for now, and manners of speaking
- `reports` of what is or was done, and `deed_reports` in few words
"""
