"""Posts as players write them: a tolerant reader of the codes a Discuz! forum knows, and what it makes of them.

`tokens` cuts a text into words and codes, `tree` nests them, `words` tells the author's own words from quoted ones,
`fonts` says what a colour or size means; `bansha.bbcode.render`, imported by those who show posts, writes HTML.
Everything takes time linear in the text.
"""

from bansha.bbcode.fonts import is_directors_red, is_enlarged
from bansha.bbcode.tokens import has_markup
from bansha.bbcode.tree import Node, parse
from bansha.bbcode.words import Quote, Run, Words, own_words, read_words, without_quotes

__all__ = [
    "Node",
    "Quote",
    "Run",
    "Words",
    "has_markup",
    "is_directors_red",
    "is_enlarged",
    "own_words",
    "parse",
    "read_words",
    "without_quotes",
]
