"""The desk's race of two directors, on PostgreSQL."""

import os

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("postgresql")

from tests.support.clocks import clock  # noqa: E402, F401
