"""What somebody tells of a thing: whose it is, what it is of, its value; and that told anew in other words.

- `small_words` of six languages; `told_values`: figures, times and names by their kind
- `readings`: a statement as owner, things and value; `plain_tellings` are worth a memory
- `told_anew` is the way in: does a later one take its place? `turned_rules`: does it turn a rule round?
- `health` by `health_words`: what lasts of a person; who is of the `family`
- `qualifiers`: is it told of less, of more or of others by a small word, so that both stand?
"""
