"""Reading text: words, sentences, what a sentence does, what it names; and making it harmless."""
