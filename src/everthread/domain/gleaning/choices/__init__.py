"""What was put up for choice, what a person picked of it, and what people settled among themselves.

- `alternatives` that were put up, `label_picks` that name one of them, `decisions` that follow
- `exchanges`: what likely settles something, by what it answers; `short_answers`;
  `descriptions` of what is up for choice, which choose nothing; `missed_questions` that they do not answer
- `answer_pairs`: a question and its answer, `joined_answers` as one text;
  `numbered_answers` to several at once; `empty_consents`, which name nothing
- `settlements` by a name alone; `agreements` among people
"""
