"""What is still open, and what becomes of it.

- `requests` of a person, with `asked_spans`, `asked_whether` (it was done), `agent_replies`,
  `foreign_promises`, `long_replies` (what stands at their end), `unfinished_work`, `follow_ups`,
  `complaints`, `given_things`, `thanked_work` (what she is glad of), `turn_counts` and `standings` (how
  long it is told), `other_work`, by which it is over sooner
- what ends either by its name: `passing_ends`, by the `wanted_deeds`; without it: `pointed_ends`; that it
  was asked after: `nudges`; that it is there by now: `in_use`; that what was to wait is ordered: `holds`;
  what was to be known, by telling it: `found_out`
- `promises` of people, and `settled_items`: what ends them, in German `german_ends`; `people_reached`:
  who was to be asked has told; `told_back`: what ends them without a name;
  `deferrals`: what is put off by an answer, by its form or by `put_off_chances`; `put_off_pairs`: that with
  its question; `put_off_orders`: what is ordered for later
- `leftovers`: what an agent says that it left undone; `agent_promises`: what it will do later;
  `reported_items`: what is told as done; `later_talk`: whether another session tells it
"""
