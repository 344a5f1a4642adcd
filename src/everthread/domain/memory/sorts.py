"""Values of one sort, of which only one can be meant: a language, a currency, a measure, a form of text."""

from __future__ import annotations

from collections.abc import Iterable

from .topics import topic_words

VALUES = tuple(
    frozenset(topic_words(sort))
    for sort in (
        "English German French Spanish Italian Portuguese Dutch Danish Swedish Norwegian Finnish Polish "
        "Czech Russian Ukrainian Turkish Greek Latin Arabic Hebrew Hindi Chinese Japanese Korean Welsh Irish",
        "British American Canadian Australian",
        "euros francs dollars pounds yen kronor zloty rupees",
        "kilometres kilometers metres meters miles feet yards inches centimetres",
        "kilos kilograms grams pounds ounces stones",
        "celsius fahrenheit kelvin",
        "metric imperial",
        "tables text prose bullets lists paragraphs sentences",
        "digits figures words numerals",
        "tabs spaces",
        "markdown html plaintext",
    )
)


def value_of_another(new: Iterable[str], old: Iterable[str]) -> frozenset[str]:
    """What the earlier tells for which the later tells another of its sort; both in their topic words."""
    one, other = frozenset(new), frozenset(old)
    for sort in VALUES:
        if one & sort and not one & sort & other and (told := other & sort):
            return told
    return frozenset()
