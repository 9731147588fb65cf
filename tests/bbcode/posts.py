"""Posts made at random, for tests of what holds for every post."""

from hypothesis import strategies as st

PIECES = [
    "[b]", "[/b]", "[I]", "[/i]", "[quote]", "[QUOTE=甲;12]", '[quote="[M46]甲;3"]', "[/quote]", "[code]", "[/code]",
    "[color=red]", "[color=#fe0101]", "[/color]", "[size=7]", "[/size]", "[font=楷体]", "[/font]", "[url]", "[url=/x]",
    "[url=javascript:alert(1)]", "[/url]", "[img]", "[/img]", "[list]", "[list=1]", "[*]", "[/list]", "[table]",
    "[tr]", "[td]", "[/td]", "[/tr]", "[/table]", "[align=center]", "[/align]", "[hide]", "[/hide]", "[sup]", "[",
    "]", "=", '"', "\n", " ", "\u3000", "\u200b", "字", "<b>", "&", "投票对象：", "\r\n", "http://a.b/", "x",
]  # fmt: skip
"""What posts are made of."""

posts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)
"""Some made of codes and words, some of any characters."""
