"""Pictures of personas: whatever is uploaded is decoded under limits and written anew as a small PNG, or refused with a
sentence. Nothing of the file itself is kept."""

from __future__ import annotations

import io
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from bansha.town.acts import Denied

SIDE = 96
"""A picture is re-encoded to so many pixels each way."""
MOST_BYTES = 1_000_000
MOST_PIXELS = 4_000_000
LEAST_SIDE = 48
FORMATS = ("PNG", "JPEG", "WEBP")


def clean(data: bytes) -> bytes:
    """An uploaded picture as a square PNG of 96 × 96, without anything else that its file held.

    Raises:
        Denied: too large, too small, animated, or no picture of these formats.
    """
    if len(data) > MOST_BYTES:
        raise Denied("图片超过 1 MB。缩小后再传。", "The picture is larger than 1 MB. Make it smaller first.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
                _check(picture)
                picture.load()
                return _small(picture)
    except Denied:
        raise
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        MemoryError,
        Image.DecompressionBombError,
        Warning,
    ) as error:
        raise Denied(
            "这不是能读的 PNG、JPEG 或 WebP 图片。换一张再传。", "This is no PNG, JPEG or WebP picture that can be read. Try another."
        ) from error


def _check(picture: Image.Image) -> None:
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise Denied(
            f"图片有 {width} × {height} 像素，最多 400 万像素。缩小后再传。",
            f"{width} × {height} pixels; at most four million. Make it smaller first.",
        )
    if min(width, height) < LEAST_SIDE:
        raise Denied(
            f"图片只有 {width} × {height} 像素，每边至少 {LEAST_SIDE}。",
            f"{width} × {height} pixels; each side needs at least {LEAST_SIDE}.",
        )
    if getattr(picture, "n_frames", 1) > 1:
        raise Denied("动图不收。传一张不动的图片。", "Moving pictures are not taken. Send a still one.")


def _small(picture: Image.Image) -> bytes:
    upright = ImageOps.exif_transpose(picture).convert("RGBA")
    square = ImageOps.fit(upright, (SIDE, SIDE), Image.Resampling.LANCZOS)
    bare = Image.frombytes("RGBA", square.size, square.tobytes())  # pixels alone: no profile, no comment, no position
    out = io.BytesIO()
    bare.save(out, "PNG", optimize=True)
    return out.getvalue()
