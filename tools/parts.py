"""Runs the tests part by part, each in a process of its own, and ends with a table of what took how long.

    python tools/parts.py [part ...] [-- options for pytest]

A folder under tests/ that holds tests is a part, named as the folder. Every part runs, whatever failed before it; the
exit code is 0 only if all passed and at least one test ran.

In a whole run two parts go on side by side, the longest first, and beside them, one by one, those that mostly wait for
processes of their own; what a part prints is shown when it has ended. The pages' own tests (docs) are left to `make check`,
which a whole run begins with.

A test that hangs ends its part, with the stacks of all threads (`faulthandler_timeout` in pyproject.toml); a part that hangs
all the same is ended with everything it started, after LIMIT seconds. Who ends the whole run is told what was going on.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

WORKERS = 2
MANY = 40  # test functions: from here on a second worker costs less than it saves
WIDE = frozenset({"browser", "cases", "desk", "properties", "referee", "serve", "town"})  # few functions, much work in each
SERVED = frozenset({"api", "bench", "browser", "clock", "company", "desk", "journal", "notify", "serve", "town"}) | frozenset(
    {"desk_postgresql", "faults_postgresql", "faults_served", "journal_postgresql", "notify_postgresql", "serve_postgresql"}
)
"""Parts with servers or a database; their files share a town each, so a file stays on one worker."""

LONGEST = ("browser", "properties", "town", "rulesets", "company", "cli")
"""Parts that a whole run begins with, so that it does not end waiting for one of them."""
WAITING = ("serve", "faults_postgresql", "journal_postgresql", "notify", "serve_postgresql", "tools", "bench", "faults_served",
           "notify_postgresql", "clock")  # fmt: skip
"""Parts that wait for servers and clocks more than they compute: a whole run has a lane of its own for them."""
CHECKED = frozenset({"docs"})  # by `make check`

LIMIT = 1500
"""Seconds that a part may take; the longest takes a third of that where two others go on beside it."""
HUNG = 124
"""The exit code of a part that was ended for it, as of timeout(1)."""
PATIENCE = 5.0
"""Seconds for a part that is ended to end its servers itself."""
LINES = 40
"""Of what a part had printed when the whole run was ended, so many last lines are shown."""

EMPTY = 5  # pytest's exit code for "no test collected", as when `-k` picks from other parts


@dataclass(frozen=True)
class Part:
    """A named share of the tests: what pytest is pointed at, and on how many workers."""

    name: str
    paths: tuple[Path, ...]
    workers: int


@dataclass(frozen=True)
class Result:
    """What one part came to. `code` is pytest's exit code; errors outside a test count as failed."""

    name: str
    seconds: float
    code: int
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ok(self) -> bool:
        return self.code in (0, EMPTY)


def find_parts(tests: Path) -> list[Part]:
    """The parts under the folder `tests` by name; files directly in it are a part named as itself."""
    parts = []
    for folder in sorted(path for path in tests.iterdir() if path.is_dir()):
        files = sorted(folder.rglob("test_*.py"))
        if files:
            parts.append(Part(folder.name, (folder,), _workers(folder.name, files)))
    loose = tuple(sorted(tests.glob("test_*.py")))
    if loose:
        parts.append(Part(tests.name, loose, _workers(tests.name, loose)))
    return parts


def _workers(name: str, files: Sequence[Path]) -> int:
    functions = sum(len(re.findall(r"^ *(?:async )?def test_", file.read_text("utf-8"), re.M)) for file in files)
    return WORKERS if name in WIDE or functions >= MANY else 1


def choose(parts: Sequence[Part], names: Sequence[str]) -> list[Part]:
    """The named parts in the order given, all when none is named. Raises ValueError for a name that is no part."""
    by_name = {part.name: part for part in parts}
    for name in names:
        if name not in by_name:
            raise ValueError(f"{name!r} is no part of the tests; there is: {' '.join(by_name) or 'none'}")
    return [by_name[name] for name in names] if names else list(parts)


_going: dict[str, tuple[subprocess.Popen[str], Path]] = {}
"""What runs now, by part, and the file that holds what it printed."""
_guard = threading.Lock()


def run(part: Part, options: Sequence[str], quietly: bool = False, limit: float = LIMIT) -> Result:
    """Runs one part; pytest writes to our own output while it runs, or `quietly` all at once when it has ended.

    What it prints goes by way of a file then, not a pipe, which a server that a test left behind would hold open.
    """
    title = f"\n== {part.name}" + (f" on {part.workers} workers" if part.workers > 1 else "")
    if not quietly:
        print(title, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report, output = Path(folder, "report.xml"), Path(folder, "output")
        command = [sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}"]
        if part.workers > 1:
            together = "loadfile" if part.name in SERVED else "worksteal"
            command += [f"--numprocesses={part.workers}", f"--dist={together}"]
        started = time.monotonic()
        with output.open("w") as to:
            streams = {"stdin": subprocess.DEVNULL, "stdout": to, "stderr": subprocess.STDOUT} if quietly else {}
            process: subprocess.Popen[str] = subprocess.Popen(
                [*command, *map(str, part.paths), *options], start_new_session=True, text=True, **streams
            )  # type: ignore[call-overload]
            with _guard:
                _going[part.name] = (process, output)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                _end(process, PATIENCE)
                code = HUNG
            finally:
                _end(process)  # and what its tests left behind
                with _guard:
                    _going.pop(part.name)
        seconds = time.monotonic() - started
        if quietly:
            print(f"{title}\n{output.read_text(errors='replace')}", end="", flush=True)
        counts = _counts(report)
        if code == HUNG:
            print(f"{part.name}: not ended after {limit:g} seconds, so it was ended", flush=True)
            counts["failed"] = counts.get("failed", 0) + 1
        return Result(part.name, seconds, code, **counts)


def _end(process: subprocess.Popen[str], patience: float = 0.0) -> None:
    """End a part with everything of its session; with `patience`, so many seconds to put away what it started."""
    try:
        if patience and process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(patience)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def _ended(number: int, _frame: object) -> None:
    """Somebody ends the whole run: say what was going on, leave nothing behind."""
    for name, (process, output) in list(_going.items()):
        lines = output.read_text(errors="replace").splitlines() if output.exists() else []
        print(f"\n== {name}, not ended\n" + "\n".join(lines[-LINES:]), flush=True)
        _end(process, PATIENCE)
    os._exit(128 + number)


def run_all(parts: Sequence[Part], options: Sequence[str]) -> list[Result]:
    """Runs a whole list, each part on one worker: two that compute and one that waits at a time; results in the order of the
    parts."""
    names = [part.name for part in parts]

    def alone(part: Part) -> Result:
        return run(replace(part, workers=1), options, True)

    def rank(part: Part) -> int:
        order = (*LONGEST, *WAITING)
        return order.index(part.name) if part.name in order else len(order)

    first = sorted(parts, key=rank)
    with ThreadPoolExecutor(WORKERS) as computing, ThreadPoolExecutor(1) as waiting:
        lanes = [(waiting if part.name in WAITING else computing).submit(alone, part) for part in first]
        results = [lane.result() for lane in lanes]
    return sorted(results, key=lambda result: names.index(result.name))


def _counts(report: Path) -> dict[str, int]:
    if not report.exists():  # pytest did not get as far as that
        return {"failed": 1}
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in ElementTree.parse(report).iter("testsuite"):
        for key in counts:
            counts[key] += int(suite.get(key, 0))
    failed = counts["failures"] + counts["errors"]
    return {"passed": counts["tests"] - failed - counts["skipped"], "failed": failed, "skipped": counts["skipped"]}


def table(results: Sequence[Result], seconds: float) -> str:
    """A line a part, and last a line of all in words that a program can read, too. `seconds`: of the whole run."""
    width = max(len("part"), *(len(result.name) for result in results))
    lines = [f"{'part':<{width}}  seconds  passed  failed  skipped"]
    for result in results:
        note = "" if result.ok else f"  pytest ended with {result.code}"
        counts = f"{result.passed:6}  {result.failed:6}  {result.skipped:7}"
        lines.append(f"{result.name:<{width}}  {result.seconds:7.1f}  {counts}{note}")
    passed, failed, skipped = (sum(getattr(r, key) for r in results) for key in ("passed", "failed", "skipped"))
    lines.append(f"{seconds:.1f} seconds in all")
    lines.append(f"tests: {passed} passed, {failed} failed, {skipped} skipped")
    return "\n".join(lines)


def main(arguments: Sequence[str], tests: Path = Path("tests")) -> int:
    """Returns the exit code."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    names, options = arguments[:cut], arguments[cut + 1 :]
    try:
        parts = choose(find_parts(tests), names)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if not parts:
        print(f"there is no test under {tests}/", file=sys.stderr)
        return 2
    started = time.monotonic()
    unchecked = [part for part in parts if part.name not in CHECKED]
    results = [run(part, options) for part in parts] if names else run_all(unchecked, options)
    print(f"\n{table(results, time.monotonic() - started)}", flush=True)
    ran = sum(result.passed + result.failed for result in results)
    return 0 if ran and all(result.ok for result in results) else 1


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _ended)
    sys.exit(main(sys.argv[1:]))
