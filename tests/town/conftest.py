"""Tests of the town run on a fresh SQLite database in this process; time is the test clock's."""

import os

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("sqlite")

from tests.support.clocks import clock  # noqa: E402, F401
