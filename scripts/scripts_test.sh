#!/usr/bin/env bash
# usage: scripts/scripts_test.sh
#
# Tests of the scripts in this directory, as TAP. Nothing is installed and nothing is downloaded.

# SPDX-License-Identifier: Apache-2.0
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
    for script in setup gate test check prove-long lock finding nightly oss_fuzz_check fresh_check serve_kills scripts_test.sh; do
        expect 0 "$(status_of "$root/scripts/$script" --help)" "$script --help"
        grep -q "^usage: scripts/$script" "$scratch/out"
    done
}

test_unknown_arguments_are_usage_errors()
{
    expect 2 "$(status_of "$root/scripts/setup" everything)" "setup everything"
    expect 2 "$(status_of "$root/scripts/setup" gate test)" "setup gate test"
    expect 2 "$(status_of "$root/scripts/setup" --target no-such)" "setup --target no-such"
    expect 2 "$(status_of "$root/scripts/setup" --target 'ort[cpu=486]')" "setup --target 'ort[cpu=486]'"
    grep -q 'there are: haswell ' "$scratch/out" || { echo "the CPUs are not named"; return 1; }
    expect 2 "$(status_of "$root/scripts/setup" --target ort@1.0..1.19)" "setup --target ort@1.0..1.19"
    grep -q "no release of ort is '1.0..1.19'; there are: 1.20.1, " "$scratch/out"
    expect 2 "$(status_of "$root/scripts/setup" --target tract@1.0)" "setup --target tract@1.0"
    grep -q "no release of tract is '1.0'; there are: 0.23.7, 0.23.9" "$scratch/out"
    expect 2 "$(status_of "$root/scripts/gate" --fast)" "gate --fast"
    expect 2 "$(status_of "$root/scripts/gate" --cpus more)" "gate --cpus more"
    expect 2 "$(status_of "$root/scripts/test" --fast)" "test --fast"
}

# The list of CPUs is C; the scripts read the same rows.
test_scripts_read_every_row_of_the_cpus()
{
    local rows=$root/targets/include/qdiff/cpus.def
    # shellcheck disable=SC2016 # expanded by the other shell
    expect 0 "$(status_of bash -c '. "$1/scripts/lib.sh"; . "$1/scripts/cpus.sh"; cpu_rows
        names_cpu "ort@1.31.1[cpu=nehalem]" && names_cpu "reference[opt=all,cpu=nehalem]" && ! names_cpu ort-quant@1.26.0' \
        tool "$root")" "cpus.sh"
    expect "$(grep -c '^QD_CPU(' "$rows")" "$(wc -l <"$scratch/out")" "rows"
    expect "$(sed -n 's/^QD_CPU("\([^"]*\)".*/\1/p' "$rows")" "$(cut -f1 "$scratch/out")" "words"
    ! awk -F '\t' 'NF != 4 || $4 == "" || ($2 == "aarch64") != ($3 != "")' "$scratch/out" | grep .
}

# A build in which each of STEPS takes a second, and which ends with STATUS.
slow_build()
{
    mkdir -p "$scratch/slow"
    # shellcheck disable=SC2016 # expanded by the other shell
    status_of env steps="$1" end="$2" bash -c '. "$1/scripts/lib.sh"; root=$2
        cmake()
        {
            [ "$1" = --build ] || return 0
            for step in $(seq "$steps"); do echo "[$step/9] Building C object x.o"; sleep 1; done
            echo "error: no such thing"
            return "$end"
        }
        ninja() { return "$end"; }
        build some' tool "$root" "$scratch/slow"
}

test_a_build_tells_how_far_it_is()
{
    expect 0 "$(slow_build 7 0)" "a build"
    grep -q "tool: building preset some, log in build/some.log" "$scratch/out"
    grep -qE "tool:   [1-7] of 9 steps" "$scratch/out"
    [ "$(grep -c " of 9 steps" "$scratch/out")" -lt 7 ]
    [ "$(grep -c "error: " "$scratch/out")" = 0 ]
    grep -q "error: no such thing" "$scratch/slow/build/some.log"
    expect 1 "$(slow_build 1 1)" "a build that fails"
    grep -q "error: no such thing" "$scratch/out"
}

# CI configures with a cache that is gone when it configures again with another.
test_a_build_follows_the_cache()
{
    local one
    for one in first second; do
        mkdir -p "$scratch/$one/ort/include"
        touch "$scratch/$one/ort/include/onnxruntime_c_api.h"
        QDIFF_CACHE=$scratch/$one cmake -G Ninja -S "$root" -B "$scratch/follows" -DQD_TESTS=OFF >"$scratch/out" 2>&1 ||
            { cat "$scratch/out"; return 1; }
        rm -r "${scratch:?}/$one"
    done
    expect 1 "$(QDIFF_CACHE=$scratch/third status_of cmake -G Ninja -S "$root" -B "$scratch/follows")" "a cache that is not there"
    grep -F "$scratch/third/ort/include/onnxruntime_c_api.h" "$scratch/out"
}

test_second_setup_is_offline()
{
    expect 0 "$(status_of env PIP_NO_INDEX=1 "$root/scripts/setup" test)" "setup test"
    grep -q 'ready (0 downloads' "$scratch/out"
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

test_what_fails_is_told_in_its_words()
{
    mkdir -p "$scratch/tests/build"
    printf '#!/bin/sh\necho 1..3\necho "ok 1 - a"\necho "not ok 2 - b"\necho "# words of b"\necho "ok 3 - c # SKIP no d"\nexit 1\n' \
        >"$scratch/tests/red.t"
    chmod +x "$scratch/tests/red.t"
    # shellcheck disable=SC2016 # the inner shell expands them
    expect 1 "$(status_of bash -c '
        . "$0/scripts/lib.sh"; . "$0/scripts/tap.sh"
        ln -s "$0/scripts" "$1/scripts"; cd "$1"; jobs=1; tap_prove "$1/red.t"' "$root" "$scratch/tests")" "one of three fails"
    grep -A1 '^# failed: .*red.t: not ok 2 - b$' "$scratch/out" | grep -q '^# words of b$'
    grep -q '^# skipped: .*red.t: c # SKIP no d$' "$scratch/out"
    grep -q '^# 1 of 3 tests skipped$' "$scratch/out"
}

# fake_builds: presets in $scratch/build whose harnesses behave as QDIFF_TARGET says and tally as they do; "tool" is a quantizer.
# 150 seeds for kernels and 2 for quantizers.
fake_builds()
{
    mkdir -p "$scratch/build/release/bin" "$scratch/build/libfuzzer-plain/bin"
    cat >"$scratch/build/libfuzzer-plain/bin/fuzz_diff" <<'FAKE'
#!/bin/bash
case $QDIFF_TARGET.${0##*/} in
    broken.*) echo "fuzz_diff: no such library" >&2; exit 3 ;;
    dying.*) kill -SEGV $$ ;;
    tool.fuzz_diff) echo "fuzz_diff: tool@1 runs no models; if it is a quantizer, fuzz_quantize tests it" >&2; exit 3 ;;
esac
for word; do last=$word; done
case " $* " in
    *-set_cover_merge=1*)
        control=$(sed 's/.*-merge_control_file=\([^ ]*\).*/\1/' <<<"$*")
        echo "$(head -n 1 "$control") $(grep -c ^COV "$control")" >>"$QDIFF_STATE/merges"
        [ "$QDIFF_FINDINGS" = ignore ] || exit 1
        case $QDIFF_TARGET in
            slow) sleep 100 ;;
            starved) exit ;;
        esac
        awk -v target="$QDIFF_TARGET" -v picky="$(printf newpicky | sha1sum | cut -d' ' -f1)" '
            NR > 2 && /^\// { name[NR - 3] = $0 }
            /^COV/ { first = $2 + 1 }
            END {
                for (i = first + 0; i in name; i++)
                    if (target == "full" && i == 100) { printf "STARTED 100 4\nFT 100 7\nCOV 100"; exit }
                    else if (target == "picky") print "STARTED " i " 4" (name[i] ~ picky ? "" : "\nFT " i " 7 8\nCOV " i)
                    else print "STARTED " i " 4\nFT " i " " i "\nCOV " i " 1"
            }' "$control" >>"$control.new"
        cat "$control.new" >>"$control"
        exit ;;
    *-max_total_time*) ;;
    *) exit 0 ;;
esac
new=new$QDIFF_TARGET
printf %s "$new" >"$last/$(printf %s "$new" | sha1sum | cut -d' ' -f1)"
printf half >"$last/0000000000000000000000000000000000000000"
printf 'outcome refused 1\noutcome admissible 8\noutcome finding 1\noperator Add 6 6\noperator Conv 3 3\n' >"$QDIFF_TALLY/$$.tally"
printf 'slot 7 1\nslot 8 10\n' >>"$QDIFF_TALLY/$$.tally"
exec sleep $(sed -n 's/.*-max_total_time=\([0-9]*\).*/\1/p' <<<"$*")
FAKE
    cp "$scratch/build/libfuzzer-plain/bin/fuzz_diff" "$scratch/build/libfuzzer-plain/bin/fuzz_quantize"
    cat >"$scratch/build/release/bin/qdiff" <<'END'
#!/bin/bash
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
case $1.$2 in
    version.*) echo "qdiff 0" ;;
    findings.list)
        printf "$now       1  reduced  %s\n" Add-u8-good-wrong-value-unexplained-one Conv-tool-bias-run-0
        echo "x.finding: not a whole finding" >&2
        exit 2 ;;
    findings.show)
        case $3 in *-tool-*) target=tool; echo 'asks      --set per-channel' ;; *) target=good ;; esac
        printf 'first     %s\nseen on   %s: 1 times, %s to %s\n' 2999-01-01T00:00:00Z $target "$now" 2999-01-01T00:00:00Z ;;
    settle.*)
        printf 'known    a: row 1, b\nfinding  c, was d\nwaits    e: not small in 2 s\n1 known, 1 findings, 3 wait\n'
        echo "$*" >>"$QDIFF_STATE/settled" ;;
esac
END
    chmod +x "$scratch"/build/*/bin/*
    local seeds=$scratch/build/libfuzzer-plain/corpus
    mkdir -p "$seeds/kernels" "$seeds/quantizers"
    for seed in {100..249}; do
        echo "$seed" >"$seeds/kernels/$seed"
    done
    echo first >"$seeds/quantizers/000"
    echo second >"$seeds/quantizers/001"
}

night=("$root/scripts/nightly" --build-root "$scratch/build" --no-build --engine libfuzzer --jobs 1)

# interrupted_night TALLIES: interrupted once so many engines have counted; its status goes to $status.
interrupted_night()
{
    local pid
    "${night[@]}" --time 300s --target good >"$scratch/out" 2>&1 &
    pid=$!
    until [ "$(cat "$QDIFF_STATE"/fuzz/nights/*/tally/good/*/*.tally 2>/dev/null | grep -c '^slot 8 10$')" = "$1" ]; do
        kill -0 "$pid" || break
        sleep 0.2
    done
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
}

# of_night EXPRESSION: of the newest summary, s, in Python.
of_night()
{
    python3 -c 'import json,glob,sys; s=json.load(open(sorted(glob.glob(sys.argv[1]))[-1])); print(eval(sys.argv[2]))' \
        "$QDIFF_STATE/fuzz/nights/*/summary.json" "$1"
}

test_nightly_reports_what_the_engine_did()
{
    export QDIFF_STATE=$scratch/state
    fake_builds
    expect 1 "$(status_of "${night[@]}" --time 3s --target good)" "a night with a finding"
    expect 10 "$(of_night 's["targets"]["good"]["executions"]')" executions
    expect 0.9 "$(of_night 's["targets"]["good"]["valid_share"]')" "valid share"
    expect 2 "$(of_night 's["targets"]["good"]["new_counters"]')" "new counters"
    expect 1 "$(of_night 's["corpora"]["corpus"]["torn"]')" "torn files"
    expect True "$(of_night 's["corpora"]["corpus"]["minimised"]')" minimised
    expect "[2, 2]" "$(of_night '[s["settled"][what] for what in ("known", "findings")]')" "settled before and after"
    expect "['e: not small in 2 s', '2 more: no time']" "$(of_night 's["waiting"]["good"]')" "what waits"
    expect "['x.finding: not a whole finding']" "$(of_night 's["unreadable"]')" "torn files of the store"
    grep -q '^2 new$' "$QDIFF_STATE"/fuzz/nights/*/summary.md
    [ -e "$QDIFF_STATE/fuzz/quarantine/torn-0000000000000000000000000000000000000000" ]
    [ -e "$QDIFF_STATE/fuzz/corpus/$(printf newgood | sha1sum | cut -d' ' -f1)" ]
    sleep 1
    status_of "${night[@]}" --time 3s --target good >"$scratch/status"
    expect 0 "$(of_night 's["targets"]["good"]["new_counters"]')" "new counters of a second night"
    expect True "$(of_night 's["findings"]["previous_night"] is not None')" "the night before"
}

# What waits to be reduced is no finding.
test_nightly_is_quiet_about_what_waits()
{
    export QDIFF_STATE=$scratch/quiet
    fake_builds
    # shellcheck disable=SC2016 # that is how the fake is written
    sed -i 's/printf "$now .*/exit 0/' "$scratch/build/release/bin/qdiff"
    expect 0 "$(status_of "${night[@]}" --time 3s --target good)" "a night after which something waits"
    grep -q '^0 new$' "$QDIFF_STATE"/fuzz/nights/*/summary.md
    grep -q '^- e: not small in 2 s$' "$QDIFF_STATE"/fuzz/nights/*/summary.md
    sleep 1 # a night is named by the second
    expect 0 "$(status_of "${night[@]}" --time 3s --target good --expectations none)" "without expectations"
    grep -q -- '^settle --target good --no-expectations --time' "$QDIFF_STATE/settled"
}

# Each target has the harness and the corpus of its role.
test_nightly_fuzzes_both_roles()
{
    export QDIFF_STATE=$scratch/roles
    local own logs
    own=$QDIFF_STATE/fuzz/corpus-quantize/$(printf newtool | sha1sum | cut -d' ' -f1)
    fake_builds
    expect 1 "$(status_of "${night[@]}" --time 6s --target good --target tool)" "a night of both roles"
    logs=$(echo "$QDIFF_STATE"/fuzz/nights/*/logs)
    expect "fuzz_diff fuzz_quantize" "$(of_night '" ".join(s["targets"][name]["harness"] for name in ("good", "tool"))')" harnesses
    expect "10 10" "$(of_night '"%d %d" % tuple(s["targets"][name]["executions"] for name in ("good", "tool"))')" executions
    grep -q '^.*/fuzz_quantize -max_total_time=.* -timeout=120 .*/fuzz/corpus-quantize$' "$logs/tool-libfuzzer-2.log"
    grep -q '^.*/fuzz_quantize -set_cover_merge=1 ' "$logs/tool-merge.log"
    [ -e "$own" ] && [ ! -e "$QDIFF_STATE/fuzz/corpus/${own##*/}" ]
    expect "[3, 1]" "$(of_night '[s["corpora"]["corpus-quantize"][what] for what in ("after", "torn")]')" corpus-quantize
    expect True "$(of_night 's["corpora"]["corpus"]["after"] > 100')" "the kernels' corpus"
    expect "good tool good tool" "$(cut -d' ' -f3 "$QDIFF_STATE/settled" | xargs)" "targets that were settled"
    grep -q '^- .Conv-tool-bias-run-0. tool' "$QDIFF_STATE"/fuzz/nights/*/summary.md
    # shellcheck disable=SC2016 # that is how the fake is written
    sed -i 's/printf "$now .*/exit 0/' "$scratch/build/release/bin/qdiff"
    sleep 1 # a night is named by the second
    expect 0 "$(status_of "${night[@]}" --time 3s --target tool)" "a night without a finding"
    grep -q '^- .Conv-tool-bias-run-0.$' "$scratch/out" || { cat "$scratch/out"; return 1; }
    rm "$scratch/build/libfuzzer-plain/bin/fuzz_quantize"
    expect 4 "$(status_of "${night[@]}" --time 3s --target tool)" "a harness that is not built"
    grep -q 'bin/fuzz_quantize is not built' "$scratch/out"
}

# AFL++'s mutator knows kernels alone.
test_nightly_leaves_quantizers_to_libfuzzer()
{
    export QDIFF_STATE=$scratch/afl-roles
    local both=("$root/scripts/nightly" --build-root "$scratch/build" --no-build --jobs 2 --time 3s --target tool)
    fake_builds
    mkdir -p "$scratch/build/afl/bin"
    cp "$scratch/build/libfuzzer-plain/bin/fuzz_diff" "$scratch/build/afl/bin/"
    cp -r "$scratch/build/libfuzzer-plain/corpus" "$scratch/build/afl/"
    fake afl-fuzz 'exit 1'
    export PATH=$scratch/bin:$PATH
    expect 2 "$(status_of "${both[@]}" --engine afl)" "AFL++ alone on a quantizer"
    grep -q 'tool is a quantizer: libfuzzer alone makes cases for it' "$scratch/out"
    expect 1 "$(status_of "${both[@]}")" "both engines on a quantizer"
    grep -q 'tool is a quantizer: without afl' "$scratch/out"
    expect "['libfuzzer']" "$(of_night 'list(s["targets"]["tool"]["engines"])')" engines
}

# A merge that takes longer than its share is stopped, and what it did not reach stays.
test_nightly_minimises_within_its_share()
{
    export QDIFF_STATE=$scratch/slow
    fake_builds
    expect 1 "$(status_of "${night[@]}" --time 5s --target slow)" "a night whose merge does not end"
    expect 0 "$(of_night 's["corpora"]["corpus"]["reached"]')" "files reached"
    expect False "$(of_night 's["corpora"]["corpus"]["minimised"]')" minimised
    expect True "$(of_night '(lambda c: c["after"] == c["before"] - c["torn"] > 100)(s["corpora"]["corpus"])')" "files kept"
}

# libFuzzer says that a merge went well when every process of it died. What lets one die is not pruned, nor what was not reached.
test_nightly_prunes_only_what_others_reach_too()
{
    fake_builds
    export QDIFF_STATE=$scratch/starved
    expect 1 "$(status_of "${night[@]}" --time 5s --target starved)" "a night whose merge reaches nothing"
    expect "[0, 0, True]" "$(of_night '(lambda c: [c["reached"], c["pruned"], c["after"] > 100])(s["corpora"]["corpus"])')" starved
    export QDIFF_STATE=$scratch/full
    expect 1 "$(status_of "${night[@]}" --time 5s --target full)" "a night whose merge cannot write all"
    expect "[100, 0]" "$(of_night '[s["corpora"]["corpus"][what] for what in ("reached", "pruned")]')" full
    export QDIFF_STATE=$scratch/picky
    expect 1 "$(status_of "${night[@]}" --time 5s --target picky)" "a night whose merge dies once"
    expect "[True, 2]" "$(of_night '(lambda c: [c["pruned"] > 100, c["after"]])(s["corpora"]["corpus"])')" "what let it die stays"
    [ -e "$QDIFF_STATE/fuzz/corpus/$(printf newpicky | sha1sum | cut -d' ' -f1)" ]
}

# The second night runs what is new, after the features of the rest; another build of the harness begins again.
test_nightly_keeps_what_each_file_reaches()
{
    export QDIFF_STATE=$scratch/keeps
    fake_builds
    status_of "${night[@]}" --time 3s --target good >"$scratch/status"
    sleep 1 # a night is named by the second
    echo another >"$scratch/build/libfuzzer-plain/corpus/kernels/another"
    status_of "${night[@]}" --time 3s --target good >"$scratch/status"
    sleep 1
    echo "# changed" >>"$scratch/build/libfuzzer-plain/bin/fuzz_diff"
    status_of "${night[@]}" --time 3s --target good >"$scratch/status"
    expect "151 0,152 151,152 0" "$(paste -sd, "$QDIFF_STATE/merges")" "files and known ones of each merge"
    printf torn >"$QDIFF_STATE/fuzz/features/good.gz"
    sleep 1
    status_of "${night[@]}" --time 3s --target good >"$scratch/status"
    expect "152 0" "$(tail -n 1 "$QDIFF_STATE/merges")" "after a torn file"
    rm "$QDIFF_STATE/fuzz/features/good.gz"
    mkdir "$QDIFF_STATE/fuzz/features/good.gz"
    sleep 1
    expect 1 "$(status_of "${night[@]}" --time 3s --target good)" "a night that cannot keep them"
    grep -q 'corpus is not minimised: .*/features/' "$scratch/out"
    expect True "$(of_night 's["corpora"]["corpus"]["after"] > 100')" "its summary"
}

# Fewest files: the one that adds most first; nothing of what a merge wrote half.
test_features()
{
    expect "True True True" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/scripts python3 -c '
import features, pathlib, sys
known = {"a": "1 2", "b": "3 4", "c": "1 2 3", "d": "4", "e": "", "f": "4"}
covered = features.cover(known, {"a": 1, "b": 1, "c": 9, "d": 5, "e": 1, "f": 4})
place = pathlib.Path(sys.argv[1])
place.write_text("4\n0\n/x/a\n/x/b\n/x/c\n/x/d\nSTARTED 0 1\nFT 0 5 6\nCOV 0 1\nSTARTED 1 1\nSTARTED 2 1\nFT 2\nCOV 2\nSTARTED 3 1\nFT 3 1")
read = features.read_control(place)
features.write_control(place, pathlib.Path("/x"), {"a": 1, "c": 1}, read, ["d"])
print(covered == {"b", "c"}, read == {"a": "5 6", "c": ""}, features.read_control(place) == read)' "$scratch/control")" features
}

# A harness that cannot go on ends the night with its own exit code.
test_nightly_ends_as_its_harness_does()
{
    export QDIFF_STATE=$scratch/gives-up
    fake_builds
    sed -i 's/^new=new/echo "fuzz_diff: the machine has no memory left" >\&2; exit 4\n&/' "$scratch/build/libfuzzer-plain/bin/fuzz_diff"
    expect 4 "$(status_of "${night[@]}" --time 20s --target good)" "a night whose harness has no memory"
    grep -q 'target good: fuzz_diff: the machine has no memory left' "$scratch/out"
}

# What qdiff could not say is not taken for nothing new.
test_nightly_says_when_qdiff_fails()
{
    export QDIFF_STATE=$scratch/own-failures
    local summaries
    fake_builds
    sed -i 's/^    findings.show)/& echo "qdiff: cannot open" >\&2; exit 2/' "$scratch/build/release/bin/qdiff"
    expect 4 "$(status_of "${night[@]}" --time 3s --target good)" "a night that cannot see its findings"
    grep -q 'qdiff findings show: qdiff: cannot open' "$scratch/out"
    fake_builds
    # shellcheck disable=SC2016 # that is how the fake is written
    sed -i 's/printf "$now .*/exit 0/; s/^    settle.*)/& echo "qdiff: no memory" >\&2; exit 4/' "$scratch/build/release/bin/qdiff"
    expect 1 "$(status_of "${night[@]}" --time 3s --fresh --target good)" "a night that cannot reduce"
    summaries=("$QDIFF_STATE"/fuzz/nights/*/summary.md)
    grep -q '^- \*\*harness failure\*\*: qdiff settle: qdiff: no memory' "${summaries[-1]}"
}

# On a file system that is full, and on one that cannot be written: an error that says so, and nothing torn.
test_nightly_on_small_and_read_only_file_systems()
{
    local status
    mkdir -p "$scratch/small"
    mount -t tmpfs -o size=2m none "$scratch/small" 2>/dev/null || return 77
    fake_builds
    export QDIFF_STATE=$scratch/small
    status=$(status_of "${night[@]}" --time 3s --target good)
    [ "$status" = 4 ] && grep -q 'disk full: [0-2] MiB free' "$scratch/out" || status="min-free: $status"
    { head -c 2m /dev/zero || true; } >"$scratch/small/filler" 2>/dev/null
    [ "$status" = 4 ] && status=$(status_of "${night[@]}" --time 3s --min-free 1 --target good)
    [ "$status" = 4 ] && mount -o remount,ro "$scratch/small" && status=$(status_of "${night[@]}" --time 3s --target good)
    umount "$scratch/small"
    expect 2 "$status" "full, full, read-only"
    grep -q 'cannot be written: Read-only file system' "$scratch/out"
}

test_nightly_goes_on_after_an_interruption()
{
    export QDIFF_STATE=$scratch/interrupted
    local status
    fake_builds
    interrupted_night 1
    expect 130 "$status" "an interrupted night"
    expect True "$(of_night 's["interrupted"]')" interrupted
    expect 10 "$(of_night 's["targets"]["good"]["executions"]')" "executions kept"
    interrupted_night 2
    grep -q 'going on with' "$scratch/out"
    expect 20 "$(of_night 's["targets"]["good"]["executions"]')" "executions of both parts"
}

test_nightly_says_what_is_wrong()
{
    export QDIFF_STATE=$scratch/wrong
    fake_builds
    expect 3 "$(status_of "${night[@]}" --target broken)" "a target that cannot be used"
    grep -q 'broken cannot be used (status 3): fuzz_diff: no such library' "$scratch/out"
    expect 3 "$(status_of "${night[@]}" --target dying)" "a target that crashes at start"
    grep -q 'dying cannot be used (signal 11)' "$scratch/out"
    expect 4 "$(status_of "${night[@]}" --min-free 999999999)" "a full disk"
    grep -q 'disk full: [0-9]* MiB free' "$scratch/out"
    expect 2 "$(QDIFF_STATE=/proc/nowhere status_of "${night[@]}")" "a place that cannot be written"
    grep -q '/proc/nowhere/.* cannot be written' "$scratch/out"
    touch "$QDIFF_STATE/fuzz/corpus"
    expect 2 "$(status_of "${night[@]}")" "a corpus that is no directory"
    expect 2 "$(status_of "${night[@]}" --time 10x)" "a time that is none"
    rm "$QDIFF_STATE/fuzz/corpus" "$scratch/build/release/bin/qdiff"
    expect 4 "$(status_of "${night[@]}" --fresh)" "no build"
}

# The column "issue" of the expectations: an address, or a file of this tree with or without a heading of it;
# "-", none yet, not for ONNX Runtime itself.
test_issues_of_expectations_resolve()
{
    local table issue file count=0
    for table in "$root"/targets/*/expectations*.tsv; do
        while IFS= read -r issue; do
            count=$((count + 1))
            case $issue in https://*/*) continue ;; esac
            [ "$issue" = - ] && [ "$table" != "$root/targets/ort/expectations.tsv" ] && continue
            file=$root/${issue%%#*}
            [ -f "$file" ] || { echo "$table: $issue: no such file"; return 1; }
            case $issue in *#*) ;; *) continue ;; esac
            sed -n 's/^##* //p' "$file" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' |
                grep -qxF -e "${issue#*#}" || { echo "$table: $issue: no such heading"; return 1; }
        done < <(grep -Ev '^(#|$)' "$table" | cut -f 7)
    done
    [ "$count" -ge 100 ] || { echo "only $count rows looked at"; return 1; }
}

test_every_finding_has_a_script_and_a_row_of_the_index()
{
    local report name count=0
    mkdir -p "$scratch/findings"
    for report in "$root"/reports/findings/*/report.md; do
        name=$(basename "$(dirname "$report")")
        grep -qF "]($name/report.md) |" "$root/reports/findings/README.md" || { echo "$name: not in the index"; return 1; }
        [ -e "${report%report.md}case.py" ] || ! grep -q '^Shown by: ' "$report" || { echo "$name: no case.py"; return 1; }
        [ -e "${report%report.md}case.py" ] || continue
        "$root/scripts/finding" "$name" >"$scratch/findings/$name.py" || return
        count=$((count + 1))
    done
    [ "$count" -ge 200 ] || { echo "only $count scripts"; return 1; }
    ! grep -l '^from frames' "$scratch"/findings/*.py || { echo "these do not stand alone"; return 1; }
    python3 -m py_compile "$scratch"/findings/*.py
    expect 2 "$(status_of "$root/scripts/finding" no-such)" "finding no-such"
}

case ${1-} in
    -h | --help) usage; exit 0 ;;
esac
tap_run test "every_script_has_help unknown_arguments_are_usage_errors scripts_read_every_row_of_the_cpus \
a_build_tells_how_far_it_is a_build_follows_the_cache issues_of_expectations_resolve every_finding_has_a_script_and_a_row_of_the_index \
second_setup_is_offline failed_download_leaves_nothing \
without_root_missing_packages_are_named tap_counts_failures_and_skips what_fails_is_told_in_its_words \
nightly_reports_what_the_engine_did nightly_is_quiet_about_what_waits nightly_fuzzes_both_roles nightly_leaves_quantizers_to_libfuzzer \
nightly_minimises_within_its_share nightly_prunes_only_what_others_reach_too nightly_keeps_what_each_file_reaches features \
nightly_ends_as_its_harness_does nightly_says_when_qdiff_fails \
nightly_on_small_and_read_only_file_systems nightly_goes_on_after_an_interruption nightly_says_what_is_wrong"
