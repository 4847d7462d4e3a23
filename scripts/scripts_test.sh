#!/usr/bin/env bash
# usage: scripts/scripts_test.sh
#
# Tests of the scripts beside it, as TAP. Nothing is installed and nothing is downloaded.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/tap.sh
. "$root/scripts/tap.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# status_of COMMAND…: its exit status; its output goes to $scratch/out.
status_of()
{
    local status=0
    "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
    echo "$status"
}

# expect WANT HAVE WHAT
expect()
{
    [ "$1" = "$2" ] || { echo "$3: want $1, have $2"; cat "$scratch/out"; return 1; }
}

# fake NAME TEXT: a command of that name, found before the real one, that runs TEXT.
fake()
{
    mkdir -p "$scratch/bin"
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

test_every_script_has_help()
{
    local script
    for script in setup gate test check prove-long lock scripts_test.sh; do
        expect 0 "$(status_of "$root/scripts/$script" --help)" "$script --help"
        grep -q "^usage: scripts/$script" "$scratch/out"
    done
}

test_unknown_arguments_are_usage_errors()
{
    expect 2 "$(status_of "$root/scripts/setup" everything)" "setup everything"
    expect 2 "$(status_of "$root/scripts/setup" gate test)" "setup gate test"
    expect 2 "$(status_of "$root/scripts/setup" --target no-such)" "setup --target no-such"
    expect 2 "$(status_of "$root/scripts/gate" --fast)" "gate --fast"
    expect 2 "$(status_of "$root/scripts/test" --fast)" "test --fast"
}

test_second_setup_is_quick_and_offline()
{
    local start=$SECONDS
    expect 0 "$(status_of env PIP_NO_INDEX=1 "$root/scripts/setup" test)" "setup test"
    grep -q 'ready (0 downloads' "$scratch/out"
    [ $((SECONDS - start)) -le 3 ]
}

test_failed_download_leaves_nothing()
{
    export QDIFF_CACHE=$scratch/cache PIP_NO_INDEX=1 PIP_FIND_LINKS=
    expect 4 "$(status_of "$root/scripts/setup" gate)" "setup without an index"
    grep -q 'cannot get onnxruntime' "$scratch/out"
    expect 1 "$(find "$QDIFF_CACHE" -type f | wc -l)" "files left: the lock"
}

test_without_root_missing_packages_are_named()
{
    fake dpkg-query "exit 1"
    fake id "echo 1000"
    expect 3 "$(PATH=$scratch/bin:$PATH status_of "$root/scripts/setup" gate)" "setup without root"
    grep -q 'apt-get install .* protobuf-compiler' "$scratch/out"
}

test_tap_counts_failures_and_skips()
{
    # shellcheck disable=SC2016 # the inner shell expands them
    expect 1 "$(status_of bash -c '
        . "$0/scripts/lib.sh"; . "$0/scripts/tap.sh"
        t_good() { true; }
        t_bad() { false; echo not reached; }
        t_absent() { echo "no harness"; return 77; }
        tap_run t "good bad absent"' "$root")" "one of three fails"
    grep -q '^ok 1 - good' "$scratch/out"
    grep -q '^not ok 2 - bad' "$scratch/out"
    grep -q '^ok 3 - absent # SKIP no harness' "$scratch/out"
    if grep -q 'not reached' "$scratch/out"; then return 1; fi
}

case ${1-} in
    -h | --help) usage; exit 0 ;;
esac
tap_run test "every_script_has_help unknown_arguments_are_usage_errors \
second_setup_is_quick_and_offline failed_download_leaves_nothing \
without_root_missing_packages_are_named tap_counts_failures_and_skips"
