"""Figures that were told, and others that take their place.

- `told_figures`: what a text counts, measures, or puts on a day
- `new_figures`: what a person tells by one now; `same_things`: whether that was told otherwise before;
  `retold_figures`: the same in the same words, without a word of a change
- `figure_changes`: what becomes of what told the old one
"""
