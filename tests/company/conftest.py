"""Tests of the computer players run on a fresh SQLite database in this process; time is handed in."""

import os

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("sqlite")
