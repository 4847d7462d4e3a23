# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts that run tests: programs under prove, or a list of shell functions as one TAP 13 test.

# longest_first FILE PROGRAM…: the programs by the seconds that they took last, which FILE has ("SECONDS PROGRAM", the last
# line counts); those of which nothing is known first, as they are given. Nothing is left to run beside one that begins last.
longest_first()
{
    local file=$1
    shift
    printf '%s\n' "$@" | awk -v file="$file" '
        BEGIN { while ((getline line < file) > 0) { split(line, part, " "); seconds[part[2]] = part[1] } }
        { print ($1 in seconds ? seconds[$1] : 1e6), NR, $1 }' | sort -k1,1rn -k2,2n | cut -d ' ' -f 3
}

# tap_prove PROGRAM…: runs them under prove and lists what failed, with its words, and what was skipped and why. Call it at the
# root. Many wait, for a process that hangs or a disk: twice as many run at once as there are cores.
tap_prove()
{
    local status=0 tests
    TAP_KEPT=$(mktemp -d) TAP_TIMES=$PWD/build/test-times
    export TAP_KEPT TAP_TIMES
    mapfile -t tests < <(longest_first "$TAP_TIMES" "$@")
    # shellcheck disable=SC2154 # jobs is from lib.sh
    prove -j $((2 * jobs)) -e 'bash scripts/tap.sh' "${tests[@]}" || status=$?
    awk '{ seconds[$2] = $1 } END { for (test in seconds) print seconds[test], test }' "$TAP_TIMES" >"$TAP_TIMES.new"
    mv "$TAP_TIMES.new" "$TAP_TIMES"
    (cd "$TAP_KEPT" && awk '/^not ok / { told = !/# TODO/; if (told) print "# failed: " substr(FILENAME, 3) ": " $0; next }
        /^ok / { told = 0 } told && /^#/' ./*)
    (cd "$TAP_KEPT" && grep -HE '^ok .*# SKIP' -- *) | sed -E 's/^-?//; s/:ok [0-9]+ - /: /; s/^/# skipped: /' || true
    awk '/^(not )?ok / { all++ } /^ok .*# SKIP/ { skipped++ }
        END { printf "# %d of %d tests skipped\n", skipped, all }' "$TAP_KEPT"/*
    rm -rf "$TAP_KEPT"
    return "$status"
}

# tap_run PREFIX "KNOWN…" [NAME…]: runs PREFIX_NAME for every name, all known ones if none is given.
# A function's output is shown only when it fails, except lines that start with "note: "; one that
# ends with status 77 is skipped, its last line being the reason.
tap_run()
{
    local prefix=$1 known=$2 name names number=0
    tap_failed=0
    shift 2
    read -ra names <<<"${*:-$known}"
    for name in "${names[@]}"; do
        [[ " $known " == *" $name "* ]] || die 2 "unknown name '$name' (try --help)"
    done
    echo "TAP version 13"
    echo "1..${#names[@]}"
    for name in "${names[@]}"; do
        number=$((number + 1))
        tap_one "${prefix}_$name" "$number - $name"
    done
    return "$tap_failed"
}

# tap_one FUNCTION LABEL: bash ignores set -e wherever a status is tested (||, if), so neither this
# nor FUNCTION is called that way.
tap_one()
{
    local log status=0 start=$SECONDS
    log=$(mktemp)
    set +e
    (set -e; "$1") >"$log" 2>&1
    status=$?
    set -e
    sed -n 's/^note: /# /p' "$log"
    case $status in
        0) echo "ok $2 ($((SECONDS - start)) s)" ;;
        77) echo "ok $2 # SKIP $(tail -n 1 "$log")" ;;
        *)
            tap_failed=1
            echo "not ok $2 ($((SECONDS - start)) s)"
            sed 's/^/# /' "$log" | tail -n 200
            ;;
    esac
    rm -f "$log"
}

# Run by prove in tap_prove: the program, its TAP and its time kept.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -o pipefail
    status=0
    "$1" | tee "$TAP_KEPT/${1//\//-}" || status=$?
    echo "$SECONDS $1" >>"$TAP_TIMES"
    exit "$status"
fi
