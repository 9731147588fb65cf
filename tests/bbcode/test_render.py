"""A rendered post shows what was written and can do no harm."""

from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bansha.bbcode.render import ALLOWED, CLASSES, render_post, safe_address
from tests.bbcode.posts import posts

REL = "nofollow noopener noreferrer ugc"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("一", "<p>一</p>"),
        ("一\n二\n\n\n三", "<p>一<br>二</p><p>三</p>"),
        ("\n\n一\n\n", "<p>一</p>"),
        ("[b]一[/b][i]二[/i][u]三[/u][s]四[/s]", "<p><strong>一</strong><em>二</em><u>三</u><s>四</s></p>"),
        ("<b>&\"'", "<p>&lt;b&gt;&amp;&quot;&#x27;</p>"),
        ("[color=#fe0101]一[/color]", '<p><span class="bb-c-red">一</span></p>'),
        ("[backcolor=yellow]一[/backcolor]", '<p><span class="bb-bg-yellow">一</span></p>'),
        ("[color=expression(1)]一[/color]", "<p>一</p>"),
        ("[size=5]一[/size][size=x]二[/size]", '<p><span class="bb-size-5">一</span>二</p>'),
        ("[font=楷体]一[/font]", '<p><span class="bb-font-kai">一</span></p>'),
        ("[align=center]一[/align]", '<div class="bb-align-center">一</div>'),
        ("[align=x]一[/align]", "<div>一</div>"),
        ("[quote]一[/quote]\n二", '<blockquote class="quote">一</blockquote><p>二</p>'),
        ("[quote=甲;12]一", '<blockquote class="quote" data-post="12"><cite>甲</cite>一</blockquote>'),
        ('[quote="<甲>"]一', '<blockquote class="quote"><cite>&lt;甲&gt;</cite>一</blockquote>'),
        ("[list][*]一[*]二[/list]", '<ul class="bb-list"><li>一</li><li>二</li></ul>'),
        ("[list=1][*]一[/list]", '<ol class="bb-list" type="1"><li>一</li></ol>'),
        ("[table][tr][td]一[/table]", '<table class="bb-table"><tbody><tr><td>一</td></tr></tbody></table>'),
        ("[code]\n[b]\n<i>\n[/code]", '<pre class="bb-code"><code>[b]\n&lt;i&gt;</code></pre>'),
        ("[code]一[/code]\n二\n三", '<pre class="bb-code"><code>一</code></pre><p>二<br>三</p>'),
        ("[hide]一[/hide]", "<p>一</p>"),
        ("@甲 [sup]2[/sup]", "<p>@甲 [sup]2[/sup]</p>"),
        ("[url=http://a/?b&c]一[/url]", f'<p><a href="http://a/?b&amp;c" rel="{REL}">一</a></p>'),
        ("[url]/t/3#p4[/url]", f'<p><a href="/t/3#p4" rel="{REL}">/t/3#p4</a></p>'),
        ("[url]www.a.b[/url]", f'<p><a href="http://www.a.b" rel="{REL}">www.a.b</a></p>'),
        ("[url=javascript:alert(1)]一[/url]", "<p>一</p>"),
        ("[img]http://a/b.png[/img]", f'<p><a class="bb-img" href="http://a/b.png" rel="{REL}">http://a/b.png</a></p>'),
        ("[img]data:image/png;base64,x[/img]", "<p>data:image/png;base64,x</p>"),
        ("[url=/a]一[url=/b]二[/url]三[/url]", f'<p><a href="/a" rel="{REL}">一二三</a></p>'),
        ("[b]一[quote]二[/quote][/b]三", '<strong>一<blockquote class="quote">二</blockquote></strong><p>三</p>'),
        ("a\x00b\ud800c\x1b", "<p>a\ufffdb\ufffdc\ufffd</p>"),
    ],
)
def test_what_a_post_becomes(text: str, html: str) -> None:
    assert render_post(text) == html


def test_a_quotes_author_can_link_to_the_post() -> None:
    def link(post: str) -> str:
        return f"/p/{post}" if post == "12" else ""

    assert '<cite><a href="/p/12">甲</a></cite>' in render_post("[quote=甲;12]一[/quote]", link)
    assert "<cite>甲</cite>" in render_post("[quote=甲;13]一[/quote]", link)
    assert "<cite>甲</cite>" in render_post("[url=/x][quote=甲;12]一[/quote][/url]", link)


@pytest.mark.parametrize("address", ["http://a", "HTTPS://a/b?c#d", "/a/b", "a.html", "?page=2", "#p3", "/a?b=c:d", "/中文", "a/b:c"])
def test_addresses_that_are_followed(address: str) -> None:
    assert safe_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "", " ", "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
        "java\nscript:alert(1)", "\x01javascript:alert(1)", "javascript\u200b:alert(1)", "data:text/html,x",
        "ftp://a", "file:///a", "//a/b", "/\\a", "\\\\a", "http:a", "http:///a", "http://", "mailto:a@b", "a b", "/a\"b",
        "/<b>", "x:y", "blob:http://a", "/a\u202eb", "h" * 2001, "/a\ud800", "https:\\a",
    ],
)  # fmt: skip
def test_addresses_that_are_not(address: str) -> None:
    assert safe_address(address) is None


class Strict(HTMLParser):
    """Reads HTML and finds what must not be there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        for name, value in attrs:
            assert name in ALLOWED[tag]
            assert value is not None
            if name == "class":
                assert value in CLASSES
            elif name == "href":
                assert safe_address(value) == value
            elif name == "data-post":
                assert value.isdigit()
        if tag == "a":
            assert "a" not in self.open
        if tag == "p":
            assert not self.open
        if tag in ("blockquote", "div", "ol", "p", "pre", "table", "ul"):
            assert "p" not in self.open
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def check(html: str) -> Strict:
    reader = Strict()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    html.encode()
    return reader


@given(posts)
def test_every_post_becomes_sound_and_harmless_html(text: str) -> None:
    check(render_post(text))


@given(st.text(alphabet="[]/=\"'<>&;:abiuqotecdlrs*\n 字\u200b\x00\ud800", max_size=120))
def test_so_does_every_text(text: str) -> None:
    check(render_post(text))


@given(st.text(alphabet="<>&\"' 一二三\n", max_size=60))
def test_plain_words_come_out_as_they_went_in(text: str) -> None:
    shown = unescape("".join(check(render_post(text)).words))
    assert "".join(shown.split()) == "".join(text.split())
