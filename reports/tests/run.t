#!/usr/bin/env bash
# qdiff run and merge from outside: exit codes, what is kept, jobs, shards. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/run.t [NAME…]
#
# Needs no ONNX Runtime: the targets are qdiff's own reference, quirks of it and the plug-ins for tests. Both variables
# default to the dev preset's build.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

test_exit_0_when_nothing_is_unexpected()
{
    qd 0 run -t reference "${few[@]}" && has out "TAP version 13" && lacks out "not ok" &&
        has out "1..$(points)"
}

test_exit_1_on_a_divergence()
{
    qd 1 run -t "$wrong" --no-diagnosis "${few[@]}" && has out "class: wrong-value" && has out "  want: " &&
        has out "  have: " && has out "  element: " && has out "  differ: " && has out "  x_scale: "
}

test_exit_2_on_bad_input()
{
    qd 2 run -t reference /nowhere.qdcase && has err /nowhere.qdcase || return 1
    qd 2 run -t reference --filtre x && has err "did you mean --filter?"
}

test_exit_3_on_an_unusable_target()
{
    qd 3 run -t "${misbehave}[undo=x]" "${few[@]}" && has out "Bail out! " &&
        has err "unknown setting" || return 1
    qd 3 run -t ort@0.0.1 "${few[@]}"
}

# What the command line says wrong is known before any target is opened.
test_exit_2_on_what_no_target_has()
{
    qd 2 run -t 'ort@1.31.1[opt=non]' "${few[@]}" && has err "none, basic, extended and all" &&
        lacks out "TAP version" || return 1
    qd 2 run -t quirk:bias "${few[@]}" && has err "did you mean 'bias-dropped'?"
}

# Both ways, and in the order in which they are printed.
test_every_field_is_explained()
{
    qd 0 help fields || return 1
    sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$scratch/out" >"$scratch/listed"
    sed -n '/^static void yaml_difference/,/^void qd_tap_result/p' "$root/reports/result/tap.c" >"$scratch/writer"
    grep -oE '(yaml_if\(out, "|"(\\n)?  )[a-z]+' "$scratch/writer" | grep -oE '[a-z]+$' | sort -u >"$scratch/written"
    sort "$scratch/listed" | diff - "$scratch/written" || return 1
    qd 1 run -t "$wrong" -f regressions/ort-25512-qdq-add
    sed -n 's/^  \([a-z]*\):.*/\1/p' "$scratch/out" >"$scratch/printed"
    [ "$(wc -l <"$scratch/printed")" -ge 10 ] && grep -Fx -f "$scratch/printed" "$scratch/listed" | diff - "$scratch/printed"
}

# Both ways: what the sources read is listed, and what is listed is somewhere in the sources.
test_every_environment_variable_is_listed()
{
    local name have=0 layers=("$root"/{reference,cases,targets,fuzz,reports,scripts,CMakeLists.txt})
    local sources=(-r --exclude-dir=findings --exclude=environment.def --exclude='*.md' --exclude='*.textproto')
    qd 0 help environment || return 1
    {
        grep -hoE "${sources[@]}" '\bQDIFF_[A-Z][A-Z0-9_]*' "${layers[@]}" | grep -v '_H$'
        grep -hoE "${sources[@]}" 'getenv\("[A-Z_]+"|environ(\.get)?[[(]"[A-Z_]+"' "${layers[@]}" | cut -d'"' -f2
    } | sort -u >"$scratch/read"
    while read -r name; do
        grep -qE "^  $name( |\$)" "$scratch/out" || { echo "$name is not in reports/topics/environment.def"; return 1; }
        have=$((have + 1))
    done <"$scratch/read"
    [ "$have" -ge 30 ] || { echo "only $have variables found"; return 1; }
    grep -oE '^  [A-Z_]+' "$scratch/out" >"$scratch/listed"
    while read -r name; do
        grep -qwE "${sources[@]}" "$name" "${layers[@]}" || { echo "nothing reads $name"; return 1; }
    done <"$scratch/listed"
}

test_exit_4_when_nothing_was_compared()
{
    qd 4 run -t reference --level smoke --filter no/such/case && has err "nothing was compared" &&
        has out "not ok 1 - something was compared" || return 1
    qd 4 run -t "$plugins/picky_plugin.so" --level smoke --filter 'regressions/ort-*' && has out "# SKIP " &&
        has out "# skipped " && has err "nothing was compared"
}

test_exit_4_when_stdout_is_full()
{
    "$qdiff" run -t reference "${few[@]}" >/dev/full 2>"$scratch/err"
    [ $? = 4 ] && has err "standard output"
}

test_results_file_says_what_ran()
{
    qd 1 run -t "$wrong" --no-diagnosis "${few[@]}" -r "$scratch/r.jsonl" || return 1
    head -n 1 "$scratch/r.jsonl" >"$scratch/header"
    for field in suite commit cpu flags version settings threads level started; do
        has header "\"$field\": " || return 1
    done
    tail -n 1 "$scratch/r.jsonl" >"$scratch/summary"
    has summary '"record": "summary", "complete": true' &&
        [ "$(records r.jsonl | wc -l)" = "$(points)" ]
}

# interrupt JOBS: Ctrl-C in the middle of a run.
interrupt()
{
    local pid code=0 results=$scratch/i.jsonl
    rm -f "$results"
    "$qdiff" run -t reference -t quirk:rounding=floor -t "$wrong" --no-diagnosis -j "$1" -r "$results" \
        --level exhaustive >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in $(seq 200); do
        [ "$(wc -l 2>/dev/null <"$results" || echo 0)" -gt 10 ] && break
        sleep 0.05
    done
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] || { echo "want exit 130, have $code"; cat "$scratch/err"; return 1; }
    has err "interrupted" && has out "1..$(points)" && has i.jsonl '"complete": false' || return 1
    [ "$(records i.jsonl | wc -l)" = "$(points)" ] || { echo "results were lost"; return 1; }
    # the least of three levels, once for each of three targets
    qd 0 list --level smoke || return 1
    [ "$(($(wc -l <"$scratch/out") * 3))" -gt "$(records i.jsonl | wc -l)" ] || { echo "the run was over before Ctrl-C"; return 1; }
    qd 0 diff "$results" "$results"
}

test_ctrl_c_keeps_results()
{
    interrupt 1
}

test_ctrl_c_keeps_results_of_jobs()
{
    interrupt 2
}

test_ctrl_c_keeps_what_the_self_test_has()
{
    local pid code=0 ran all
    "$qdiff" self-test -j 2 -o "$scratch/kills.md" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in $(seq 600); do # until there are jobs
        grep -qsx "PPid:[[:space:]]*$pid" /proc/[0-9]*/status && break
        sleep 0.1
    done
    sleep 0.5
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] && has err "interrupted" && has out "TAP version 13" && has out "1..$(points)" &&
        has out "# SKIP interrupted" && lacks out "not ok" || return 1
    # cases ran, and not all of them
    grep -E '^# [1-9][0-9]* of [0-9]+ cases ran' "$scratch/out" && has kills.md " cases ran, " || return 1
    read -r _ ran _ all _ < <(grep ' cases ran, ' "$scratch/out")
    [ "$ran" -lt "$all" ]
}

# end_job SIGNAL WORDS: one of two jobs gets it; that its other cases did not run is said.
end_job()
{
    local pid code=0 child results=$scratch/k.jsonl
    rm -f "$results"
    "$qdiff" run -t reference -t "$wrong" --no-diagnosis --level smoke -f 'QLinear*' -j 2 -r "$results" \
        >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in $(seq 2000); do
        [ "$(wc -l 2>/dev/null <"$results" || echo 0)" -gt 10 ] && break
        sleep 0.005
    done
    read -r child _ <"/proc/$pid/task/$pid/children"
    kill "-$1" "$child"
    wait "$pid" || code=$?
    [ "$code" = 4 ] || { echo "want exit 4, have $code"; cat "$scratch/err"; return 1; }
    has out "the process died ($2)" && has k.jsonl '"kind": "broken"'
}

test_a_killed_job_is_our_failure()
{
    end_job KILL "signal 9"
}

test_a_job_that_a_signal_ends_is_our_failure()
{
    end_job TERM "a signal ended it" && end_job INT "a signal ended it"
}

# Rows of every kind: matched, shadowed by it, stale, inactive, and about runs that differ.
all_kinds_of_rows() # OPERATOR CLASS
{
    printf '%s\t*\t*\t%s\t%s\t*\t-\t%s\n' '*' "$2" '*' 'the mistake' "op:$1" "$2" '*' shadowed "op:$1" crash '*' stale \
        '*' "$2" '>9' inactive '*' nondeterministic '*' flaky
}

# Some of the allocations, writes, forks and renames fail, one at a time; scripts/prove-long faults takes each.
# Those that fuzz need another preset's build: scripts/prove-long faults.
test_faults_are_errors()
{
    [ -z "${QDIFF-}" ] || { echo "only the build of the preset dev is swept"; exit 77; }
    "$root/scripts/fault_sweep" --step 97 --verb run --verb jobs --verb export --verb merge >"$scratch/swept" || { cat "$scratch/swept"; return 1; }
    grep -q '^note: [1-9][0-9]* points swept, 0 wrong$' "$scratch/swept"
}

# One verdict for any number of processes: TAP, records and exit code.
test_the_verdict_does_not_depend_on_the_division()
{
    local tsv=$scratch/kinds.tsv jobs i targets=(-t "$wrong" -t "${misbehave}[do=nondeterministic]") of
    all_kinds_of_rows QLinearConv wrong-value >"$tsv"
    qd 0 export --level smoke --filter 'QLinearConv/*' --filter 'regressions/*' --filter 'reject/Relu/*' -o "$scratch/division" || return 1
    targets+=(-e "$tsv" --no-diagnosis "$scratch/division")
    qd 1 run "${targets[@]}" -r "$scratch/1.jsonl" && cp "$scratch/out" "$scratch/tap1" || return 1
    grep -v '"record": "\(header\|summary\)"' "$scratch/1.jsonl" | sort >"$scratch/records1"
    for jobs in 2 7 64; do
        qd 1 run "${targets[@]}" -j "$jobs" -r "$scratch/2.jsonl" && same tap1 out || return 1
        grep -v '"record": "\(header\|summary\)"' "$scratch/2.jsonl" | sort >"$scratch/records2"
        same records1 records2 || return 1
    done
    qd 0 causes --json "$scratch/1.jsonl" && cp "$scratch/out" "$scratch/causes1" || return 1
    for of in 3 8; do
        for ((i = 1; i <= of; i++)); do
            "$qdiff" run "${targets[@]}" --shard "$i/$of" -r "$scratch/shard$i.jsonl" >/dev/null 2>&1
        done
        # shellcheck disable=SC2046 # a list of paths without blanks
        qd 1 merge $(seq -f "$scratch/shard%g.jsonl" "$of") -o "$scratch/merged.jsonl" || return 1
        grep -v '"record": "\(header\|summary\)"' "$scratch/merged.jsonl" | sort >"$scratch/records2"
        same records1 records2 || return 1
        qd 0 causes --json "$scratch/merged.jsonl" && same causes1 out && has causes1 '"basis": "' || return 1
    done
}

# Every failure is in one cause, the table is that of TAP, and the command of a cause shows it. The quirk that the target has is named.
test_failures_are_told_by_cause()
{
    local few=(--level smoke -f 'QLinearConv/*' -f 'reject/QLinearConv/*' --feature '!one-element-vector' --tag '!near-tie' --shard 1/8)
    qd 1 run -t "$wrong" "${few[@]}" -r "$scratch/r.jsonl" || return 1
    has err " failures have " && has out "# cause 1 of " && has out "#   shown by: qdiff repro '" || return 1
    grep '^#   shown by' "$scratch/out" | grep -vF -- "--target '$wrong'" && { echo "not as given"; return 1; }
    local failures members command
    failures=$(grep -cE '"kind": "(fail|advisory)"' "$scratch/r.jsonl")
    qd 0 causes --json "$scratch/r.jsonl" && has out '"basis": "diagnosis"' || return 1
    members=$(python3 -c 'import json, sys
causes = [json.loads(line) for line in sys.stdin]
print(len({tuple(m) for c in causes for m in c["members"]}), sum(c["results"] for c in causes))' <"$scratch/out")
    [ "$members" = "$failures $failures" ] || { echo "$failures failures, in causes: $members"; return 1; }
    qd 0 causes "$scratch/r.jsonl" || return 1
    command=$(sed -n 's/^  shown by   qdiff //p' "$scratch/out" | head -n 1 | sed "s|--target '.*|--target '$wrong'|")
    eval "qd 1 $command" && qd 2 causes "$scratch/no-such.jsonl" && qd 2 causes
}

# Where the whole suite ran, and only there, rows are judged, whatever the division: the one that is never first and the one
# that expects nothing are named, the one that is inactive is not.
test_rows_are_judged_where_the_whole_suite_ran()
{
    # a target of one operator: what it does not declare costs little
    local one=(-t "${misbehave}[do=one-operator]" -e "$scratch/kinds.tsv" --no-diagnosis)
    all_kinds_of_rows Identity unwritten | grep -v flaky >"$scratch/kinds.tsv"
    qd 0 run "${one[@]}" --level smoke && has out "0 stale, 3 not judged" || return 1
    qd 1 run "${one[@]}" && has out "expectation row 2 is shadowed" && has out "expectation row 3 is stale" &&
        lacks out "row 4 is" && has out "2 stale, 0 not judged" || return 1
    qd 0 run "${one[@]}" --shard 1/2 -r "$scratch/s1.jsonl" && qd 0 run "${one[@]}" --shard 2/2 -r "$scratch/s2.jsonl" -j 2 || return 1
    qd 1 merge "$scratch"/s[12].jsonl -o "$scratch/merged.jsonl" &&
        has err "expectation row 2 is shadowed" && has err "expectation row 3 is stale" && lacks err "row 4 is" || return 1
    qd 4 merge "$scratch/s1.jsonl" -o "$scratch/merged.jsonl" && has merged.jsonl '"rows_not_judged": 2'
}

# One run, in one process, in two, and in shards.
test_jobs_and_shards_change_nothing()
{
    # a third of the level: files, families by operator and families without
    local i both=(-t reference -t "$wrong" --no-diagnosis --level smoke -f 'QLinear*' -f 'regressions/*' -f 'reject/Q*' -f 'derived/Q*')
    qd 1 run "${both[@]}" -r "$scratch/whole.jsonl" && cp "$scratch/out" "$scratch/tap1" || return 1
    qd 1 run "${both[@]}" -r "$scratch/jobs.jsonl" -j 2 && same tap1 out || return 1
    records whole.jsonl >"$scratch/1"
    records jobs.jsonl >"$scratch/2"
    same 1 2 || return 1
    for i in 1 2 3; do
        qd 1 run "${both[@]}" --shard "$i/3" -r "$scratch/s$i.jsonl" || return 1
        records "s$i.jsonl" >"$scratch/part"
        [ -s "$scratch/part" ] || { echo "shard $i is empty"; return 1; }
    done
    # the second one twice: shards that ran twice count once
    qd 1 merge "$scratch"/s1.jsonl "$scratch"/s2.jsonl "$scratch"/s2.jsonl "$scratch"/s3.jsonl \
        -o "$scratch/merged.jsonl" || return 1
    sort "$scratch/1" >"$scratch/a"
    records merged.jsonl | sort >"$scratch/b"
    same a b && has merged.jsonl '"complete": true' && lacks merged.jsonl '"shard"' || return 1
    qd 4 merge "$scratch"/s1.jsonl "$scratch"/s3.jsonl -o "$scratch/half.jsonl" &&
        has err "not here: shard 2/3" && has half.jsonl '"complete": false' || return 1
    qd 2 merge "$scratch"/s1.jsonl "$scratch"/whole.jsonl && has err "another run"
}

test_results_replace_nothing_but_results()
{
    echo precious >"$scratch/case"
    qd 2 run -t reference --filter 'regressions/*' --results "$scratch/case" &&
        has err "holds no results" && has case precious
}

test_merge_refuses_contradictions()
{
    qd 0 run -t reference "${few[@]}" -r "$scratch/r.jsonl" || return 1
    sed '2s/"exact": [0-9]*/"exact": 1/' "$scratch/r.jsonl" >"$scratch/other.jsonl"
    qd 2 merge "$scratch/r.jsonl" "$scratch/other.jsonl" && has err "another result for"
}

test_fail_fast_stops_at_the_first()
{
    qd 1 run -t "$wrong" --no-diagnosis --level smoke --fail-fast || return 1
    cp "$scratch/out" "$scratch/tap1"
    [ "$(grep -c '^not ok' "$scratch/out")" = 1 ] || { echo "not one failure"; return 1; }
    qd 1 run -t "$wrong" --no-diagnosis --level smoke --fail-fast -j 2 && same tap1 out
}

test_bad_files_leave_the_others()
{
    local dir=$scratch/files case
    qd 0 export "${few[@]}" -o "$dir" || return 1
    case=$(find "$dir" -name model.onnx | sort | head -n 1)
    cp -r "$(dirname "$case")" "$dir/cut" && head -c 40 "$case" >"$dir/cut/model.onnx"
    : >"$dir/empty.qdcase"
    head -c 100000 /dev/urandom >"$dir/noise.qdcase"
    qd 2 run -t reference "$dir" || return 1
    [ "$(grep -c '^not ok' "$scratch/out")" = 3 ] || { echo "want 3 bad files"; return 1; }
    [ "$(grep -c '^ok' "$scratch/out")" -gt 3 ] || { echo "the others did not run"; return 1; }
    has out "class: bad-input" && has err "3 bad inputs"
}

test_deaths_of_a_target_are_findings()
{
    local what
    for what in crash abort exit; do
        qd 1 run -t "${misbehave}[do=$what]" -t reference "${few[@]}" && has out "class: crash" &&
            has out "verdict exact" || return 1
    done
    qd 1 run -t "${misbehave}[do=hang]" --level smoke --filter 'regressions/*-1d' --time-limit 0.3 &&
        has out "class: hang" || return 1
    if ! grep -q __asan_init "$qdiff"; then # AddressSanitizer reserves more than any limit allows
        qd 1 run -t "${misbehave}[do=eat-memory]" --level smoke --filter 'regressions/*-1d' \
            --memory-limit 64 && has out "class: oom" || return 1
    fi
    qd 1 run -t "${misbehave}[do=write-after]" "${few[@]}" && has out "class: out-of-bounds" || return 1
    qd 1 run -t "${misbehave}[do=unwritten-all]" "${few[@]}" && has out "class: unwritten" || return 1
    qd 1 run -t "${misbehave}[do=nondeterministic]" "${few[@]}" && has out "class: nondeterministic" &&
        has out "; neither is right" || return 1
    qd 1 repro QDQMovement/identity/tie-u16-z_odd-same-opset21/28ac52d0 -t "${misbehave}[do=nondeterministic]" &&
        has out "; the first is right"
}

run_tests "$@"
