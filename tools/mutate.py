"""Change the rules' code, one place at a time: a case or a unit test must notice (`make mutate`).

    python tools/mutate.py [--module NAME]… [--sample N --seed S] [--jobs 2] [--fresh]

The oracle is the case files (tests/cases, ../shared/cases) and the fast unit tests of tests/referee and tests/bbcode. All
of it is loaded once; a mutant is made in a fork by exchanging the code of the live function, and only the tests that pass
its line are run, until one fails. What runs at import is tried in a process of its own. No test failing: it survives.
A test that takes far longer than it should has noticed, too. Results stand in .mutation/ and are taken from there
while the module (for survivors: also the tests) stays the same, so a run that was cut off goes on where it was.

Mutants that change nothing anybody could see stand in mutate_equivalent.txt, each with its reason, and are not counted.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib.util
import json
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tools.mutants import Module, Mutant  # noqa: E402

STORE = ROOT / ".mutation"
EQUIVALENT = ROOT / "tools" / "mutate_equivalent.txt"

# group → (least share of killed, modules)
GROUPS: dict[str, tuple[float, tuple[str, ...]]] = {
    "the rules": (
        0.90,
        (
            "bansha/referee/settlement.py", "bansha/referee/aftermath.py", "bansha/referee/ballots.py",
            "bansha/referee/victory.py", "bansha/referee/legality.py", "bansha/referee/reading.py",
            "bansha/bbcode/tokens.py", "bansha/bbcode/tree.py", "bansha/bbcode/words.py",
        ),
    ),
    "around them": (
        0.80,
        (
            "bansha/referee/night.py", "bansha/referee/day.py", "bansha/referee/cards.py", "bansha/referee/director.py",
            "bansha/referee/people.py", "bansha/referee/skills/__init__.py", "bansha/referee/skills/bonds.py",
            "bansha/referee/skills/day_effects.py", "bansha/referee/skills/protection.py",
            "bansha/referee/skills/seeing.py", "bansha/referee/skills/strikes.py", "bansha/referee/holdings.py",
            "bansha/referee/judge.py", "bansha/referee/turn.py", "bansha/referee/evolve.py", "bansha/referee/state.py",
            "bansha/referee/board.py", "bansha/referee/game.py", "bansha/referee/refusals.py",
            "bansha/referee/dealing.py", "bansha/referee/ledger.py",
        ),
    ),
}  # fmt: skip
CASES = (ROOT / "tests" / "cases", ROOT.parent / "shared" / "cases")
UNITS = ("tests/referee", "tests/bbcode")
# What these do at import or when a board is compiled is seen by every case of that board.
COMPILED = frozenset({"bansha/referee/board.py", "bansha/referee/reading.py"})
SLOW = 0.5  # seconds: a unit test that takes longer is no fast one
SURVIVED, KILLED = 0, 1
TIMED = frozenset(  # tests that measure time would blame a busy machine on the mutant
    {"test_two_thousand_lines_are_checked_in_milliseconds", "test_repeating_a_post_takes_time_in_proportion"}
)
PATIENCE = 3.0  # seconds: what a test may take beside thirty times its usual time
COLD = 180.0  # seconds: a mutant in a process of its own
MEMORY = 3 << 30


@dataclass
class Test:
    """Something that can notice a mutant: a case file or a unit test."""

    name: str
    fails: Callable[[], bool]
    seconds: float = 0.0
    lines: dict[str, frozenset[int]] = field(default_factory=dict)  # file → lines it passes


@dataclass(frozen=True)
class Result:
    """What became of a mutant: killed, timeout, survived, error; `by` which test."""

    file: str
    key: str
    status: str
    by: str = ""

    @property
    def dead(self) -> bool:
        """Whether a test noticed."""
        return self.status in ("killed", "timeout")


# --- the oracle ---------------------------------------------------------------------------------------------------


class Oracle:
    """All tests, loaded once; with `lazy` a case is read when it is run."""

    def __init__(self, items: Sequence[Any], lazy: bool = False) -> None:
        from bansha.cases import read, run

        reader: Any = read
        self.boards: dict[int, Any] = {}
        self.documents: dict[str, Any] = {}
        true_read = reader.read

        def remembered(text: str) -> Any:
            if text not in self.documents:
                self.documents[text] = true_read(text)
            return self.documents[text]

        reader.read = remembered
        self._load_documents()
        files = run.files([path for path in CASES if path.is_dir()])
        self.tests = [Test(str(path.relative_to(ROOT.parent)), self._case(path, lazy)) for path in files]
        if not lazy:
            self._save_documents()
        for item in items:
            if not any(item.get_closest_marker(mark) for mark in ("slow", "process")) and item.name not in TIMED:
                self.tests.append(Test(item.nodeid, _unit(item)))
        self.afresh = False
        modules = [module for name, module in list(sys.modules.items()) if name.startswith("bansha.")]
        self.remembering = [thing for module in modules for thing in vars(module).values() if hasattr(thing, "cache_clear")]

    def _case(self, path: Path, lazy: bool) -> Callable[[], bool]:
        from bansha.cases.read import read_case
        from bansha.cases.run import Runner

        read: list[Any] = []

        def load() -> Any:
            case = read_case(path)
            self.boards[id(case.board)] = case.board
            return case

        if not lazy:
            with contextlib.suppress(Exception):
                read.append(load())

        def fails() -> bool:
            try:
                case = load() if self.afresh or not read else read[0]
                Runner(case).run()
            except Exception:
                return True
            return False

        return fails

    def forget(self, file: str) -> None:
        """Drop what was compiled by the true code, and what it has answered before."""
        from bansha.referee import board

        for function in self.remembering:
            function.cache_clear()
        for compiled in self.boards.values():
            compiled.extra.clear()
        if file in COMPILED:
            board._boards.clear()
            self.afresh = True

    def _load_documents(self) -> None:
        with contextlib.suppress(OSError, ValueError, EOFError, pickle.PickleError, AttributeError):
            self.documents = pickle.loads((STORE / "documents.pickle").read_bytes())
        self._loaded = len(self.documents)

    def _save_documents(self) -> None:
        if len(self.documents) != self._loaded:
            _write(STORE / "documents.pickle", pickle.dumps(self.documents))


def _unit(item: Any) -> Callable[[], bool]:
    from _pytest.runner import runtestprotocol

    def fails() -> bool:
        reports = runtestprotocol(item, log=False, nextitem=None)
        return any(report.failed for report in reports)

    return fails


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


def _digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(str(path).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def oracle_digest() -> str:
    """Changes with anything a test may depend on."""
    folders = [ROOT / "bansha", *CASES, *(ROOT / unit for unit in UNITS)]
    return _digest(p for folder in folders for p in sorted(folder.rglob("*")) if p.suffix in (".py", ".yaml", ".json"))


def measure(oracle: Oracle, files: frozenset[str], jobs: int) -> None:
    """How long each test takes and which lines it passes; taken from the store while nothing changed."""
    kept = STORE / "lines.pickle"
    digest = oracle_digest()
    found: dict[str, tuple[float, dict[str, frozenset[int]], bool]] = {}
    with contextlib.suppress(OSError, ValueError, EOFError, pickle.PickleError):
        stored, found = pickle.loads(kept.read_bytes())
        if stored != digest:
            found = {}
    if any(test.name not in found for test in oracle.tests):
        found = {}
        warm_up(oracle)
        for part in _in_forks(jobs, lambda share: _traced(oracle, files, share, jobs)):
            found.update(part)
        _write(kept, pickle.dumps((digest, found)))
    wrong = [test.name for test in oracle.tests if found[test.name][2]]
    if wrong:
        print(f"left out, they fail without any mutant: {', '.join(wrong)}", flush=True)
    oracle.tests = [test for test in oracle.tests if not found[test.name][2] and found[test.name][0] <= SLOW]
    for test in oracle.tests:
        test.seconds, test.lines = found[test.name][:2]
    oracle.tests.sort(key=lambda test: test.seconds)


def warm_up(oracle: Oracle) -> None:
    """Let the unit tests load what they load at first use: once here, not in every fork."""
    for test in oracle.tests:
        if "::" in test.name:
            test.fails()


def _traced(oracle: Oracle, files: frozenset[str], share: int, jobs: int) -> dict[str, Any]:
    names = {str(ROOT / file): file for file in files}
    passed: dict[str, set[int]] = {}

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        file = names.get(frame.f_code.co_filename)
        if file is None:
            return None
        add = passed.setdefault(file, set()).add
        add(frame.f_lineno)

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            add(frame.f_lineno)
            return line

        return line

    found: dict[str, Any] = {}
    for test in oracle.tests[share::jobs]:
        oracle.forget("")
        start = time.perf_counter()
        wrong = test.fails()
        seconds = time.perf_counter() - start
        passed.clear()
        if not wrong and seconds <= SLOW:
            oracle.forget("")
            sys.settrace(trace)
            try:
                test.fails()
            finally:
                sys.settrace(None)
        found[test.name] = (seconds, {file: frozenset(lines) for file, lines in passed.items()}, wrong)
    return found


def _in_forks(jobs: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(0)`, …, `work(jobs - 1)` return, each in a fork."""
    pipes = []
    for share in range(jobs):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _quiet()
            with os.fdopen(writer, "wb") as out:
                pickle.dump(work(share), out)
            os._exit(0)
        os.close(writer)
        pipes.append((child, reader))
    results = []
    for child, reader in pipes:
        with os.fdopen(reader, "rb") as answers:
            results.append(pickle.load(answers))
        os.waitpid(child, 0)
    return results


def _quiet() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for channel in (0, 1, 2):
        os.dup2(nowhere, channel)


# --- one mutant ---------------------------------------------------------------------------------------------------


def in_order(oracle: Oracle, mutant: Mutant, killers: Sequence[str]) -> list[Test]:
    """The tests that could notice the mutant, those first that noticed others in the same function, then quick ones."""
    file, line = mutant.file, mutant.line
    seen = [test for test in oracle.tests if line in test.lines.get(file, ())]
    if not mutant.where:
        seen = [test for test in oracle.tests if file in test.lines] or oracle.tests
    elif file in COMPILED:
        seen = [test for test in oracle.tests if test in seen or "::" not in test.name] if seen else []
    first = [test for name in killers for test in seen if test.name == name]
    return [*first, *(test for test in seen if test not in first)]


def noticed(tests: Sequence[Test]) -> int:
    """The number of the first test that fails, or -1. Being far too slow ends the process (SIGALRM)."""
    for number, test in enumerate(tests):
        signal.setitimer(signal.ITIMER_REAL, PATIENCE + 30 * test.seconds)
        if test.fails():
            return number
    signal.setitimer(signal.ITIMER_REAL, 0)
    return -1


def try_warm(oracle: Oracle, module: Module, mutant: Mutant, tests: Sequence[Test]) -> Result | None:
    """Try a mutant in a fork; None when it cannot be put into the live code."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 9
        try:
            os.setpgid(0, 0)  # what the tests start can be ended with it
            os.close(reader)
            _quiet()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            mutant.apply()
            if module.swap(mutant, vars(sys.modules[module.name])):
                oracle.forget(module.file)
                number = noticed(tests)
                os.write(writer, str(number).encode())
                code = KILLED if number >= 0 else SURVIVED
        except BaseException:
            code = KILLED
        finally:
            os._exit(code)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    os.set_blocking(reader, False)  # never wait for a process that a test left behind with the other end open
    text = ""
    with contextlib.suppress(BlockingIOError):
        text = os.read(reader, 64).decode()
    os.close(reader)
    if os.WIFSIGNALED(status):
        return Result(mutant.file, mutant.key, "timeout")
    code = os.waitstatus_to_exitcode(status)
    if code == 9:
        return None
    by = tests[int(text)].name if text and code == KILLED else ""
    return Result(mutant.file, mutant.key, "killed" if code == KILLED else "survived", by)


def try_cold(mutant: Mutant, number: int) -> Result:
    """Try a mutant in a process of its own, which imports the changed module."""
    command = [sys.executable, str(Path(__file__)), "--one", f"{mutant.file}:{number}"]
    with tempfile.TemporaryFile("w+", errors="replace") as output, tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors, cwd=ROOT, start_new_session=True)
        try:
            code = process.wait(COLD)
        except subprocess.TimeoutExpired:
            return Result(mutant.file, mutant.key, "timeout")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        errors.seek(0)
        said = output.read()
        wrong = said + errors.read()
    if code == SURVIVED and "survived" not in said:
        return Result(mutant.file, mutant.key, "error", wrong[-300:])
    by = said.strip().rpartition("by ")[2] if "by " in said else "import"
    return Result(mutant.file, mutant.key, "survived" if code == SURVIVED else "killed", by[:200])


class _Replaced:
    """Finds one module in its mutated form."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec of the module, found nowhere else."""
        if name != self.module.name:
            return None
        spec = importlib.util.spec_from_file_location(name, ROOT / self.module.file)
        assert spec is not None
        spec.loader = self  # type: ignore[assignment]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """As usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(self.module.code(str(ROOT / self.module.file)), vars(module))


def one(name: str) -> int:
    """`--one FILE:NUMBER`: the mutant is imported in place of the module, then every test that may notice is run."""
    file, _, number = name.partition(":")
    module = Module(ROOT, file)
    mutant = module.mutants[int(number)] if int(number) >= 0 else None  # -1: nothing is changed
    if mutant is not None:
        mutant.apply()
    sys.meta_path.insert(0, _Replaced(module))
    found: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError, EOFError, pickle.PickleError):
        found = pickle.loads((STORE / "lines.pickle").read_bytes())[1]

    passed = file not in COMPILED and any(file in lines for _, lines, _ in found.values())

    def known(tests: Iterable[Test]) -> list[Test]:
        """The tests that pass without a mutant and pass the module (all, where it only defines), quick ones first."""
        kept = []
        for test in tests:
            test.seconds, test.lines, wrong = found.get(test.name, (SLOW + 1, {}, True))
            if not wrong and test.seconds <= SLOW and (file in test.lines or not passed):
                kept.append(test)
        return sorted(kept, key=lambda test: test.seconds)

    outcome = [_told(known(Oracle([], lazy=True).tests))]

    def loop(session: Any) -> None:
        tests = known([Test(item.nodeid, _unit(item)) for item in session.items])
        if mutant is None:
            for test in tests:
                test.fails()
        outcome[0] = _told(tests)

    if outcome[0] == SURVIVED:
        _with_pytest(loop)
    if outcome[0] == SURVIVED:
        print("survived", flush=True)
    return outcome[0]


def _told(tests: Sequence[Test]) -> int:
    by = noticed(tests)
    if by >= 0:
        print(f"killed by {tests[by].name}", flush=True)
    return KILLED if by >= 0 else SURVIVED


def _with_pytest(loop: Callable[[Any], None]) -> None:
    """Let pytest collect the unit tests, and run `loop(session)` in place of its own loop."""
    import pytest
    from hypothesis import settings

    settings.register_profile("mutate", derandomize=True, database=None, deadline=None, max_examples=30)
    settings.load_profile("mutate")

    class Plugin:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session: Any) -> bool:
            loop(session)
            return True

    units = [str(ROOT / unit) for unit in UNITS if (ROOT / unit).is_dir()]
    options = ["-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:terminal"]
    pytest.main([*options, f"--rootdir={ROOT}", *units], plugins=[Plugin()])


# --- many mutants -------------------------------------------------------------------------------------------------


class Store:
    """Results of earlier runs, by the hash of the module; survivors also by the tests they survived."""

    def __init__(self, modules: Sequence[Module], fresh: bool) -> None:
        STORE.mkdir(exist_ok=True)
        self.path = STORE / "results.jsonl"
        if fresh:
            self.path.unlink(missing_ok=True)
        self.tests = oracle_digest()
        self.hash = {module.file: hashlib.sha256(module.source.encode()).hexdigest() for module in modules}

    def known(self) -> dict[str, Result]:
        """Results that still hold."""
        known: dict[str, Result] = {}
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        for line in lines:
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                result = Result(entry["file"], entry["key"], entry["status"], entry["by"])
                holds = self.hash.get(result.file) == entry["hash"] and (result.dead or entry["tests"] == self.tests)
                if holds:
                    known[result.key] = result
        return known

    def add(self, result: Result, seconds: float) -> None:
        """Write a line, whole."""
        entry = {**result.__dict__, "hash": self.hash[result.file], "tests": self.tests, "seconds": seconds}
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), "wb", 0) as out:
            out.write(line)


def work(oracle: Oracle, store: Store, modules: Sequence[Module], queue: int) -> None:
    """One of the processes that try mutants: takes numbers from the queue until it is empty."""
    killers: dict[str, list[str]] = {}
    while number := os.read(queue, 8):
        at = int.from_bytes(number, "big")
        module = modules[at >> 32]
        index = at & 0xFFFFFFFF
        mutant = module.mutants[index]
        started = time.monotonic()
        before = killers.setdefault(f"{mutant.file} {mutant.where}", [])
        tests = in_order(oracle, mutant, before)
        result = try_warm(oracle, module, mutant, tests) if mutant.where and tests else None
        if result is None:
            result = try_cold(mutant, index)
        if result.by in before:
            before.remove(result.by)
        if result.by:
            before.insert(0, result.by)
            del before[4:]
        store.add(result, round(time.monotonic() - started, 2))


def selfcheck(oracle: Oracle) -> None:
    """Without a mutant both ways must let everything pass.

    Raises:
        SystemExit: they do not.
    """
    reader = _in_forks(1, lambda _: noticed(oracle.tests))[0]
    if reader >= 0:
        raise SystemExit(f"{oracle.tests[reader].name} fails without any mutant")
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--one", "bansha/referee/board.py:-1"], capture_output=True, text=True, check=False
    )
    if done.returncode != SURVIVED or "survived" not in done.stdout:
        raise SystemExit(f"a module that was not changed does not pass ({done.returncode}):\n{done.stdout}{done.stderr}")


def equivalent() -> dict[str, str]:
    """Mutants that change nothing anybody could see: key → reason."""
    found = {}
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else []:
        if line.strip() and not line.startswith("#"):
            key, _, reason = line.partition(" :: ")
            found[key.strip()] = reason.strip()
    return found


def run(args: argparse.Namespace, session: Any) -> int:
    """Try the mutants asked for; print the table; 0 when every goal holds."""
    started = time.monotonic()
    files = [file for _, group in GROUPS.values() for file in group]
    named = [file for file in files if not args.module or any(name in file for name in args.module)]
    if not named:
        print(f"no module is named like {', '.join(args.module)}; there are {', '.join(files)}")
        return 2
    modules = [Module(ROOT, file) for file in named]
    for module in modules:
        importlib.import_module(module.name)
    oracle = Oracle(session.items)
    measure(oracle, frozenset(files), args.jobs)
    if not args.sample:
        selfcheck(oracle)
    same = equivalent()
    wanted = [(m, i) for m, module in enumerate(modules) for i, x in enumerate(module.mutants) if x.key not in same]
    if args.sample:
        wanted = random.Random(args.seed).sample(wanted, min(args.sample, len(wanted)))
    store = Store(modules, args.fresh)
    known = store.known()
    left = [(m, i) for m, i in wanted if modules[m].mutants[i].key not in known]
    print(
        f"{len(wanted)} mutants, {len(wanted) - len(left)} known from before, {len(oracle.tests)} tests,"
        f" ready after {time.monotonic() - started:.0f} s",
        flush=True,
    )
    random.Random(1).shuffle(left)  # the slow ones spread evenly
    gc.collect()
    gc.freeze()
    for begin in range(0, len(left), 4000):  # what a pipe holds
        queue, feed = os.pipe()
        for m, i in left[begin : begin + 4000]:
            os.write(feed, (m << 32 | i).to_bytes(8, "big"))
        os.close(feed)
        workers = []
        for _ in range(args.jobs):
            child = os.fork()
            if not child:
                work(oracle, store, modules, queue)
                os._exit(0)
            workers.append(child)
        os.close(queue)
        for child in workers:
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
                print("a worker ended early; run again to go on")
                return 2
    code = report(modules, wanted, store.known(), args, same)
    print(f"{time.monotonic() - started:.0f} seconds")
    return code


def report(
    modules: Sequence[Module], wanted: Sequence[tuple[int, int]], known: dict[str, Result], args: argparse.Namespace,
    same: dict[str, str],
) -> int:  # fmt: skip
    """Print survivors and the table."""
    counts: dict[str, list[int]] = {module.file: [0, 0, 0] for module in modules}
    survivors: list[tuple[Mutant, Result]] = []
    for m, i in wanted:
        mutant = modules[m].mutants[i]
        result = known.get(mutant.key, Result(mutant.file, mutant.key, "error"))
        counts[mutant.file][0] += 1
        if result.dead:
            counts[mutant.file][1] += 1
        else:
            counts[mutant.file][2] += 1
            survivors.append((mutant, result))
    sources = {module.file: module.source.splitlines() for module in modules}
    if not args.quiet:
        for mutant, result in sorted(survivors, key=lambda pair: (pair[0].file, pair[0].line)):
            print(f"{mutant.file}:{mutant.line}  {result.status}  {mutant.kind} in {mutant.where or 'the module'}")
            print(f"    {sources[mutant.file][mutant.line - 1].strip()[:120]}\n    - {mutant.before}\n    + {mutant.after}")
            if mutant.number:
                print(f"    (the {mutant.number + 1}. of this text there)")
            if result.status == "error":
                print(f"    {result.by}")
    keys = {mutant.key for module in modules for mutant in module.mutants}
    here = {module.file for module in modules}
    for key in same:
        if key.partition(" | ")[0] in here and key not in keys:
            print(f"{EQUIVALENT.name}: no mutant any more: {key}")
    width = max(len(file) for file in counts)
    print(f"\n{'module':<{width}}  mutants  killed  survived       %")

    def row(name: str, count: Sequence[int], goal: str = "") -> None:
        total, killed, survived = count
        share = 100 * killed / total if total else 100.0
        print(f"{name:<{width}}  {total:7}  {killed:6}  {survived:8}  {share:6.1f}{goal}")

    good = True
    for name, (goal, files) in GROUPS.items():
        rows = [(file, counts[file]) for file in files if file in counts]
        for file, count in rows:
            row(file, count)
        if rows:
            whole = [sum(count[k] for _, count in rows) for k in range(3)]
            row(name, whole, f"  (goal {100 * goal:.0f})")
            good = good and whole[1] >= goal * whole[0]
    total, killed, survived = (sum(count[k] for count in counts.values()) for k in range(3))
    row("all", (total, killed, survived))
    listed = sum(1 for key in same if key in keys)
    print(f"{total} mutants, {killed} killed, {survived} survived, {listed} more cannot be told from the original")
    if args.sample:
        return 0 if killed >= 0.85 * total else 1
    return 0 if good else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0 the goals hold, 1 they do not, 2 it could not be run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--module", action="append", default=[], metavar="NAME", help="only modules whose path holds NAME")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="a random sample of N mutants")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--quiet", action="store_true", help="do not list survivors")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    os.chdir(ROOT)
    if args.one:
        return one(args.one)
    code = [2]

    def loop(session: Any) -> None:
        code[0] = run(args, session)

    _with_pytest(loop)
    return code[0]


if __name__ == "__main__":
    sys.exit(main())
