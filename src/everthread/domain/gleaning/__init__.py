"""The plain distiller's ear: messages read into a digest, without a model.

`gleaner` is the way in: it takes one message after the other and keeps a `digest`. What it asks:

- what a message says: `message_text`, `shown_lines` and `echoes` (whose words they are),
  `utterances` (a text taken apart), `person_statements` by `statement_kinds`,
  `agent_statements` by `deed_chances` and `agent_failures`, without `step_marks` and `passing_remarks`,
  `standing_chances` of rules and `accepted_manners`,
  `kept_statements`, `new_names` beside known ones, `list_context`, `person_lists`, `headings`,
  `behaviour`, `rule_parts`, `tone`, `whole_messages`; `tool_output`
- what is carried: `points` and `ledger`, each once and within `digest_bound`; `point_factory`,
  `point_repeats`, `point_changes`, `trace_weight`, `command_marks`,
  `command_ends`, `file_names`, `series` of reports
- what is open: the package `open_items`, and `later_answers` that close them
- what was chosen: the package `choices`; `offers` are what is up for choice
- what no longer holds: `withdrawals` by the person, told apart by `deed_lines`, also by `leave_to_others`;
  or `outdated_reports`: reverted, corrected, mended; the package `figures`: another one in its place;
  `setting_homes`: where
- what may have changed something, and is told with it: `later_words`
- what was seen to end between two digests: `closed_points`
- what becomes of it: `facts` are worth a memory, `passing_states` are not; by their
  `roots` two texts are compared
"""
