"""Ends a test's PostgreSQL and starts it again, for tests of outages; only one that `served.postgresql` made."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.served import _tool


class Server:
    """A PostgreSQL by its URL."""

    def __init__(self, url: str) -> None:
        home = Path(urlsplit(url).query.removeprefix("host="))
        self.home, self.data = home, home / "data"
        self.options = shlex.split((self.data / "postmaster.opts").read_text())[1:]
        at = self.options.index("-D")
        del self.options[at : at + 2]

    def _run(self, *command: str) -> None:
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        done = subprocess.run([*prefix, _tool("pg_ctl"), "-D", str(self.data), *command], cwd=self.home, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr or done.stdout)

    def stop(self) -> None:
        """End it: every connection breaks, transactions under way are rolled back."""
        self._run("-m", "fast", "-w", "stop")

    def start(self) -> None:
        """Start it as it was started; returns when it answers."""
        self._run("-w", "-l", str(self.home / "log"), "-o", shlex.join(self.options), "start")
