"""Tests of the town that is filled to be measured, and short forms of the benchmarks: a fresh SQLite database of their own."""

import os

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("sqlite")
