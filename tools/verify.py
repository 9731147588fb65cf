#!/usr/bin/env python3
"""Was the game dealt and drawn honestly, and is its journal whole?    python3 -I tools/verify.py game.jsonl

The checker itself lies in the package, as the file that the town hands out (bansha/town/verify.py, at /verify.py); this runs
it as if it stood here, and needs Python 3.11 and nothing else, as it does.
"""

from pathlib import Path

__file__ = str(Path(__file__).resolve().parent.parent / "bansha" / "town" / "verify.py")
exec(compile(Path(__file__).read_bytes(), __file__, "exec"))
