#!/usr/bin/env bash
# What the project needs from the system before it can set itself up: `tools/needs.sh run` or `tools/needs.sh test`.
# Prints nothing when all is there. What is missing is installed for the tests when root asks on Debian or its kin;
# otherwise the one line to run is printed, and the exit code is 1.
set -euo pipefail

purpose=${1:?run or test}
python=${PYTHON:-python3}

# One line each: who needs it, Debian's package, and a probe that succeeds when it is there.
table() {
    cat <<'TABLE'
run  python3-venv  "$python" -c 'import ensurepip, venv'
test postgresql    ls /usr/lib/postgresql/*/bin/initdb
test chromium      command -v chromium
test fonts-wqy-microhei fc-list :lang=zh | grep .
TABLE
}

missing() {
    local who package probe
    while read -r who package probe; do
        if [[ $who == run || $who == "$purpose" ]]; then
            (eval "$probe") </dev/null >/dev/null 2>&1 || echo "$package"
        fi
    done < <(table)
}

if ! command -v "$python" >/dev/null; then
    echo "$python: not found; Python 3.11 or newer is needed: make $purpose PYTHON=python3.12" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$python is $("$python" --version 2>&1); Python 3.11 or newer is needed: make $purpose PYTHON=python3.12" >&2
    exit 1
fi

mapfile -t packages < <(missing)
(( ${#packages[@]} )) || exit 0

install="apt-get install --no-install-recommends -y ${packages[*]}"
if [[ $purpose == test && $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "installing what the tests need: ${packages[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $install -qq
    mapfile -t packages < <(missing)
    (( ${#packages[@]} )) || exit 0
    echo "installed, but $python still does not find what is in: ${packages[*]}" >&2
    exit 1
fi

echo "not there yet: ${packages[*]}. On Debian or Ubuntu, as root, run:" >&2
echo "    apt-get update && $install" >&2
exit 1
