"""Asks the OSV database whether any dependency of requirements.lock, as it is pinned there, has a known weakness.

    python tools/audit.py [--service URL]

Prints each weakness with the version that mends it. Exit code: 0 every dependency was asked about and none is known to be
weak; 1 some are; 2 the database could not be asked, which proves nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "requirements.lock"
SERVICE = "https://api.osv.dev/v1/query"


def audit(service: str, lock: Path = LOCK) -> tuple[int, list[str]]:
    """The exit code and what to print."""
    command = [
        sys.executable, "-m", "pip_audit", "--requirement", str(lock), "--disable-pip", "--no-deps", "--progress-spinner", "off",
        "--vulnerability-service", "osv", "--osv-url", service, "--format", "json", "--desc", "off",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        asked = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return 2, [f"{service} could not be asked: {last}", "Nothing is proved. Try again where the service can be reached."]
    lines, weak, skipped = [], 0, 0
    for dependency in asked:
        if "skip_reason" in dependency:
            skipped += 1
            lines.append(f"{dependency['name']}: not asked: {dependency['skip_reason']}")
        for found in dependency.get("vulns", []):
            weak += 1
            mended = ", ".join(found["fix_versions"]) or "no version yet"
            lines.append(f"{dependency['name']} {dependency['version']}: {found['id']}, mended in {mended}")
    lines.append(f"{len(asked)} dependencies, {len(asked) - skipped} asked about, {weak} known weaknesses")
    return (1 if weak else 2 if skipped else 0), lines


def main(arguments: list[str]) -> int:
    """Print and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--service", default=SERVICE, help="another address that speaks OSV's protocol")
    code, lines = audit(parser.parse_args(arguments).service)
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
