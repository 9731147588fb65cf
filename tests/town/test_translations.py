"""Everything a page says stands in both languages, and the catalogue is what is said now."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import translation
from django.utils.translation import gettext

from tools import translate


@pytest.fixture(scope="module")
def catalog() -> translate.Catalog:
    """The catalogue as it is to be."""
    return translate.renewed()


def test_nothing_is_untranslated(catalog: translate.Catalog, says: Callable[[str], None]) -> None:
    says(f"English: {translate.summary(catalog)}")
    assert (translate.untranslated(catalog), translate.fuzzy(catalog)) == ([], [])


def test_the_catalogue_is_what_is_said_now(catalog: translate.Catalog) -> None:
    assert translate.PO.read_bytes() == translate.po_of(catalog), "make messages"


def test_the_compiled_catalogue_is_the_catalogue(catalog: translate.Catalog) -> None:
    assert translate.PO.with_suffix(".mo").read_bytes() == translate.mo_of(catalog), "make messages"


def test_placeholders_are_the_same(catalog: translate.Catalog) -> None:
    assert translate.unlike(catalog) == []


def test_no_chinese_stands_outside_the_catalogue() -> None:
    assert translate.bare() == []


def test_chinese_needs_no_catalogue() -> None:
    with translation.override("zh-hans"):
        assert gettext("跳到正文") == "跳到正文"
    with translation.override("en"):
        assert gettext("跳到正文") == "Skip to the text"


@pytest.mark.parametrize(
    "template",
    ("<p>你好</p>", '<a title="你好">', '{% include "a.html" with title="你好" %}', "{{ name|default:'你好' }}"),
)
def test_bare_chinese_in_a_template_is_found(template: str) -> None:
    assert len(list(translate.bare_in_template(template))) == 1


@pytest.mark.parametrize(
    "template",
    ('{% translate "你好" %}', "{% blocktranslate %}你好{% endblocktranslate %}", "{# 你好 #}", '{% include "a.html" with t=_("你好") %}'),
)
def test_what_is_translated_is_fine(template: str) -> None:
    assert not list(translate.bare_in_template(template))


def test_bare_chinese_in_a_module_is_found() -> None:
    assert [text for _line, text in translate.bare_in_python('"""说明。"""\nx = _("好") + f"不{1}" + Denied("否", "no")')] == ["不"]
