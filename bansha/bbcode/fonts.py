"""What a colour, a size or a typeface in a code means.

Colours are names of CSS, `#rgb`, `#rrggbb` (the mark may be missing) or `rgb(…)`; transparency is not looked at. Sizes
are 1 to 7 as in HTML, or px or pt. What is none of these changes nothing on the page, so it is no colour and no size.
"""

import re
from math import dist
from typing import Final

Colour = tuple[int, int, int]

DIRECTORS_RED: Final[Colour] = (255, 0, 0)

NEAR: Final = 75.0
"""How far apart two colours may be and still look alike to a director: √(Δr² + Δg² + Δb²), each from 0 to 255.

From #ff0000 crimson is 72 away, #ff3333 72, orangered 69, #cc0000 51: near. Firebrick is 91, brown 108, darkred 116,
tomato 122, #800000 127, deeppink 149, orange 165, pink 279: not near.
"""

PALETTE: Final[dict[str, Colour]] = {
    "black": (0, 0, 0),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "white": (255, 255, 255),
    "maroon": (128, 0, 0),
    "red": (255, 0, 0),
    "brown": (160, 82, 45),
    "orange": (255, 140, 0),
    "yellow": (255, 215, 0),
    "olive": (107, 107, 35),
    "green": (0, 128, 0),
    "lime": (50, 205, 50),
    "teal": (0, 128, 128),
    "cyan": (0, 206, 209),
    "blue": (30, 80, 225),
    "navy": (0, 0, 128),
    "purple": (128, 0, 128),
    "magenta": (255, 0, 255),
    "pink": (255, 150, 180),
}
"""The colours a page shows. A colour in a post becomes the nearest of them, for which a theme has a legible tone."""

FACES: Final[dict[str, tuple[str, ...]]] = {
    "song": ("宋", "song", "simsun", "serif", "times", "georgia"),
    "kai": ("楷", "kai"),
    "fang": ("仿宋", "fang"),
    "mono": ("mono", "courier", "consolas", "等宽"),
    "hei": ("黑", "hei", "yahei", "arial", "helvetica", "sans", "verdana", "tahoma", "圆"),
}
"""The typefaces a page shows, with the words in a font's name that lead to each."""

_PIXELS = (10, 13, 16, 18, 24, 32, 48)  # sizes 1 to 7
_NORMAL = 3
_NUMBER = re.compile(r"([+-]?)(\d{1,3}(?:\.\d{1,3})?)(px|pt)?", re.ASCII)
_RGB = re.compile(r"rgba?\(([^()]{5,40})\)")
_PART = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)(%?)", re.ASCII)
_HEX = re.compile(r"#?(?:[0-9a-f]{6}(?:[0-9a-f]{2})?|[0-9a-f]{3,4})")


def colour_of(text: str) -> Colour | None:
    """Red, green and blue, 0 to 255 each; None when the text is no colour."""
    text = text.strip().strip("\"'").lower()
    if text in NAMED:
        number = NAMED[text]
        return number >> 16, number >> 8 & 255, number & 255
    if _HEX.fullmatch(text):
        digits = text.removeprefix("#")
        if len(digits) < 6:
            digits = "".join(2 * digit for digit in digits)
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.fullmatch(text):
        parts = [_PART.fullmatch(part) for part in re.split(r"[\s,/]+", found[1].strip())]
        if len(parts) in (3, 4) and all(parts):
            red, green, blue = (min(255, round(float(part[1]) * (2.55 if part[2] else 1))) for part in parts[:3] if part is not None)
            return red, green, blue
    return None


def palette_colour(colour: Colour) -> str:
    """The palette's name for the colour nearest to this one."""
    return min(PALETTE, key=lambda name: dist(PALETTE[name], colour))


def is_directors_red(colour: str) -> bool:
    """Whether a colour is the director's red or within NEAR of it (clauses 特殊字体 and 6.1)."""
    parsed = colour_of(colour)
    return parsed is not None and dist(parsed, DIRECTORS_RED) <= NEAR


def size_of(text: str) -> int | None:
    """The size from 1 to 7 that comes nearest; anything above 16 px is more than 3. None when the text is no size."""
    found = _NUMBER.fullmatch(text.strip().strip("\"'").lower())
    if not found:
        return None
    sign, number, unit = found[1], float(found[2]), found[3]
    if unit is None:
        if sign:
            number = _NORMAL + (number if sign == "+" else -number)
        return min(max(int(number), 1), len(_PIXELS))
    if sign:
        return None
    pixels = number * 4 / 3 if unit == "pt" else number
    if pixels <= _PIXELS[_NORMAL - 1]:
        return min(range(1, _NORMAL + 1), key=lambda size: abs(_PIXELS[size - 1] - pixels))
    return min(range(_NORMAL + 1, len(_PIXELS) + 1), key=lambda size: abs(_PIXELS[size - 1] - pixels))


def is_enlarged(size: str) -> bool:
    """Whether a size is above the normal one, which is up to 3, 16 px or 12 pt (clauses 特殊字体 and 6.1)."""
    parsed = size_of(size)
    return parsed is not None and parsed > _NORMAL


def face_of(text: str) -> str | None:
    """The typeface of FACES a font's name leads to; None when it leads to none."""
    text = text.lower()
    if "仿" in text:
        return "fang"
    return next((face for face, words in FACES.items() if any(word in text for word in words)), None)


_CSS = """
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
    black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
    chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
    darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9
    darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
    darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
    darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
    dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
    ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080
    honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
    lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
    lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
    lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
    mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
    mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970
    mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000
    olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98
    paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd
    powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1
    saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0
    skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4
    tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff
    whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
"""

NAMED: Final[dict[str, int]] = {name: int(digits, 16) for name, digits in re.findall(r"([a-z]+) ([0-9a-f]{6})", _CSS)}
"""The named colours of CSS."""
