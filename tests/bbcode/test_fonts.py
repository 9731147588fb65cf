"""Which colours are the director's red or close to it, and which sizes are enlarged."""

import pytest

from bansha.bbcode import is_directors_red, is_enlarged
from bansha.bbcode.fonts import NAMED, PALETTE, colour_of, face_of, palette_colour, size_of


@pytest.mark.parametrize(
    "colour",
    [
        "red", "Red", "RED", "#f00", "#F00", "#ff0000", "#fe0101", "ff0000", "#ff0000ff", "rgb(255,0,0)",
        "rgb(255, 0, 0)", "RGB(250 10 10)", "rgba(255,0,0,0.5)", "rgb(100%,0%,0%)", " red ", '"red"', "crimson",
        "#dc143c", "#ff3333", "#e60000", "#cc0000", "orangered",
    ],
)  # fmt: skip
def test_red_and_what_is_close_to_it(colour: str) -> None:
    assert is_directors_red(colour)


@pytest.mark.parametrize(
    "colour",
    [
        "orange", "darkorange", "pink", "hotpink", "deeppink", "brown", "#800000", "maroon", "darkred", "firebrick",
        "tomato", "salmon", "magenta", "purple", "black", "white", "blue", "green", "yellow", "#999999", "sienna",
        "", "nix", "#ff", "#ff00000", "rgb(255,0)", "rgb()", "红", "url(x)", "#gg0000", "rgb(255,0,0",
    ],
)  # fmt: skip
def test_other_colours_and_no_colours(colour: str) -> None:
    assert not is_directors_red(colour)


@pytest.mark.parametrize("size", ["4", "5", "7", "8", "72", "+1", "16.5px", "17px", "99px", "13pt", "24PT", " 5 "])
def test_enlarged(size: str) -> None:
    assert is_enlarged(size)


@pytest.mark.parametrize("size", ["1", "2", "3", "0", "16px", "9px", "12pt", "10.5pt", "-1", "+0", "", "2em", "150%", "大"])
def test_not_enlarged(size: str) -> None:
    assert not is_enlarged(size)


def test_sizes_have_seven_steps() -> None:
    assert [size_of(f"{size}px") for size in (1, 10, 13, 16, 17, 18, 24, 32, 48, 99)] == [1, 1, 2, 3, 4, 4, 5, 6, 7, 7]


def test_every_named_colour_is_known() -> None:
    assert len(NAMED) == 148
    assert colour_of("DarkSlateBlue") == (0x48, 0x3D, 0x8B)


def test_a_palette_colour_is_its_own_nearest() -> None:
    assert all(palette_colour(colour) == name for name, colour in PALETTE.items())


@pytest.mark.parametrize(
    ("font", "face"),
    [
        ("宋体", "song"),
        ("SimHei", "hei"),
        ("楷体_GB2312", "kai"),
        ("仿宋", "fang"),
        ("Courier New", "mono"),
        ("x", None),
    ],
)
def test_fonts_lead_to_faces(font: str, face: str | None) -> None:
    assert face_of(font) == face
