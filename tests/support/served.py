"""Sets Django up on a database of its own, SQLite or PostgreSQL, for tests of the served half."""

from __future__ import annotations

import atexit
import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _tool(name: str) -> str:
    """A PostgreSQL program, from the PATH or Debian's folders."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise RuntimeError(f"{name} is missing: install Debian's package postgresql, or set DATABASE_URL to a server for tests")
    return found


def postgresql(durable: bool = False) -> str:
    """Start a throw-away PostgreSQL on a socket, ended at exit; returns its URL. `durable`: with the server's own settings, as a
    town in earnest runs on; otherwise nothing is waited for on its way to the disk."""
    given = os.environ.get("BANSHA_TEST_POSTGRESQL")
    if given:
        return given
    home = Path(tempfile.mkdtemp(prefix="bansha-pg-"))
    data = home / "data"
    prefix: list[str] = []
    if os.getuid() == 0:
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        shutil.chown(home, "postgres", "postgres")

    def run(*command: str) -> None:
        done = subprocess.run([*prefix, *command], cwd=home, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr or done.stdout}")

    run(_tool("initdb"), "-D", str(data), "-A", "trust", "-U", "bansha", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8")
    hasty = "" if durable else "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    options = f"-k {home} -c listen_addresses='' -c max_connections=60 {hasty}"
    run(_tool("pg_ctl"), "-D", str(data), "-w", "-l", str(home / "log"), "-o", options, "start")

    def end() -> None:
        subprocess.run([*prefix, _tool("pg_ctl"), "-D", str(data), "-m", "immediate", "stop"], cwd="/", capture_output=True, check=False)
        shutil.rmtree(home, ignore_errors=True)

    atexit.register(end)
    run(_tool("createdb"), "-h", str(home), "-U", "bansha", "bansha")
    return f"postgresql://bansha@/bansha?host={home}"


def environment(kind: str) -> dict[str, str]:
    """Environment variables of a fresh town on this kind of database; also for child processes."""
    home = tempfile.mkdtemp(prefix="bansha-home-")
    atexit.register(shutil.rmtree, home, True)
    url = postgresql() if kind == "postgresql" else ""
    return {
        "BANSHA_DEBUG": "1",
        "BANSHA_HOME": home,
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "bansha.site.settings",
        "BANSHA_FORMS": "0",  # tests hand in faster than people
        "BANSHA_MAIL": os.environ.get("BANSHA_MAIL", "console:"),
        "BANSHA_OUTAGE": "0",  # the test clock leaps; tests of outages say so
    }


def start(kind: str) -> dict[str, str]:
    """Set Django up in this process on a fresh, migrated database; returns the environment for children."""
    chosen = environment(kind)
    os.environ.update(chosen)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    return chosen


def child(arguments: list[str], chosen: dict[str, str], **more: str) -> subprocess.Popen[bytes]:
    """Start a Python child process of ours with this environment; the caller ends it."""
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **chosen, **more})


def family(pid: int) -> list[int]:
    """A process's children and theirs; none where it has ended."""
    try:
        own = [int(number) for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*own, *(number for child in own for number in family(child))]


def end(*processes: subprocess.Popen[bytes], seconds: float = 30.0) -> list[int]:
    """End children by their own numbers; who does not end in time is killed with all it started. Returns their exit codes."""
    last = time.monotonic() + seconds
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(max(0.1, last - time.monotonic()))
        except subprocess.TimeoutExpired:
            for number in [*family(process.pid), process.pid]:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
    return [process.wait(10) for process in processes]


PROGRAM = "import sys; from bansha.cli import main; sys.exit(main())"
"""`bansha`, for `child(["-c", PROGRAM, …])`."""


def until(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until something holds."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if holds():
            return True
        time.sleep(0.02)
    return False


def get(port: int, path: str) -> tuple[int, str]:
    """A page of a served town; 0 when nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path, headers={"Host": "localhost", "Accept-Language": "zh-CN"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
