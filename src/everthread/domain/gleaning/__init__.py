"""The plain distiller's ear: messages read into a digest, without a model.

`reading` is the way in: it takes one message after the other and keeps a `digest`. What it asks:

- what a message says: `text` (whose words they are), `said` and `reported` (by a person, by an agent),
  `listed`, `headings`, `behaviour`, `ruled`, `tone`, `whole`; `printed` for what tools print
- what is carried: `points` and `ledger`, each once and within its `bound`; `pointed`, `distinct`,
  `changed`, `runs`, `series` of reports
- what is open: `requests`, with `answered`, `onward`, `unhappy`, `undone`, `beside`; `promised` by people
- what was chosen: `choosing` is what is on offer; `alternatives` that were put up, `offered` ones that
  are named, `chosen`, `answers`, `settlements` by a name alone; `among` people
- what no longer holds: `withdrawn` by the person, or `lately` reverted, corrected and mended
- what becomes of it: `facts` are worth a memory; by their `roots` two texts are compared
"""
