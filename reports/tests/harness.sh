# SPDX-License-Identifier: Apache-2.0
# What the tests of the qdiff command from outside share; each sources it first and calls run_tests last. A test is a function
# test_NAME that fails; everything it prints is shown then.
#
# QDIFF=<build>/bin/qdiff and QD_PLUGINS=<build>/plugins: what is tested; both default to the dev preset's build.
# shellcheck shell=bash
set -uo pipefail
set -m # background jobs get Ctrl-C like those of a terminal

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
qdiff=$(realpath -m "${QDIFF:-$root/build/dev/bin/qdiff}")
plugins=$(realpath -m "${QD_PLUGINS:-$root/build/dev/plugins}")
if [ ! -x "$qdiff" ] || [ ! -d "$plugins" ]; then
    echo "Bail out! no $qdiff or no $plugins: build first"
    exit 1
fi
# Targets and cases of the tests.
# shellcheck disable=SC2034 # the tests use them
{
    few=(--level smoke --filter 'regressions/*')
    wrong=quirk:rounding=truncate
    misbehave=$plugins/misbehave_plugin.so
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# qd WANT ARGUMENT…: runs qdiff; output in $scratch/out and err, the exit code has to be WANT.
qd()
{
    local want=$1 have=0
    shift
    "$qdiff" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || have=$?
    if [ "$have" != "$want" ]; then
        echo "qdiff $*: want exit $want, have $have"
        grep -v '# TODO' "$scratch/out" | grep -m 5 -A 12 '^not ok'
        tail -n 5 "$scratch/out" "$scratch/err"
        return 1
    fi
}

# full ARGUMENT…: runs qdiff where files may hold nothing, as on a disk that is full; the exit code has to be 4.
full()
{
    local have=0
    (trap '' XFSZ; ulimit -f 0; exec "$qdiff" "$@" 2>&1 >/dev/null) | cat >"$scratch/err"
    have=${PIPESTATUS[0]}
    [ "$have" = 4 ] || { echo "qdiff $*: want exit 4, have $have"; cat "$scratch/err"; return 1; }
    has err "File too large"
}

# has FILE TEXT: the file holds the text. lacks: it does not.
has()
{
    grep -qF -e "$2" "$scratch/$1" || { echo "$1 lacks: $2"; tail -n 8 "$scratch/$1"; return 1; }
}
lacks()
{
    ! grep -F -e "$2" "$scratch/$1" || { echo "$1 has: $2"; return 1; }
}

# needs TARGET: the running test is skipped (it returns 77) unless this release is set up.
needs()
{
    # Not a pipe: grep ends at the first match, and what qdiff then cannot write would be a failure.
    grep -qxE "  ${1//./\\.}( \\(newest\\))?" <<<"$("$qdiff" targets)" && return
    echo "$1 is not set up; scripts/setup --target $1 does it"
    exit 77
}

# same A B
same()
{
    diff "$scratch/$1" "$scratch/$2" | head -n 10
    cmp -s "$scratch/$1" "$scratch/$2" || { echo "$1 and $2 differ"; return 1; }
}

# records FILE: its result records. points: TAP points of the last output.
records()
{
    grep '^{"record": "result"' "$scratch/$1"
}
points()
{
    grep -cE '^(not )?ok ' "$scratch/out"
}

# run_tests [NAME…]: the tests named, or all. One that returns 77 is skipped, and its last line says why.
run_tests()
{
    local names number=0 failed=0 name have
    names=$(declare -F | sed -n 's/^declare -f test_//p' | sort)
    [ $# -gt 0 ] && names=$*
    echo "TAP version 13"
    for name in $names; do
        number=$((number + 1))
        have=0
        ("test_$name") >"$scratch/log" 2>&1 || have=$?
        if [ "$have" -eq 0 ]; then
            echo "ok $number - $name"
        elif [ "$have" -eq 77 ]; then
            echo "ok $number - $name # SKIP $(tail -n 1 "$scratch/log")"
        else
            failed=1
            echo "not ok $number - $name"
            sed "s/^/# /" "$scratch/log" >&2 # which prove shows, and what goes to standard output it does not
        fi
    done
    echo "1..$number"
    exit "$failed"
}
