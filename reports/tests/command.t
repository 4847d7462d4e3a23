#!/usr/bin/env bash
# The qdiff command from outside: exit codes, what is kept, shards, jobs, expectations. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/command.t [NAME…]
#
# Needs no ONNX Runtime: the targets are qdiff's own reference, quirks of it and the plug-ins for tests. Both variables
# default to the dev preset's build.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

few=(--level smoke --filter 'regressions/*')
wrong=quirk:rounding=truncate
misbehave=$plugins/misbehave_plugin.so

test_exit_0_when_nothing_is_unexpected()
{
    qd 0 run -t reference "${few[@]}" && has out "TAP version 13" && lacks out "not ok" &&
        has out "1..$(points)"
}

test_exit_1_on_a_divergence()
{
    qd 1 run -t "$wrong" --no-diagnosis --level smoke && has out "class: wrong-value" && has out "  want: " &&
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
    qd 1 run -t "$wrong" --no-diagnosis --level smoke -r "$scratch/r.jsonl" || return 1
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
    # counted once for both tests
    [ -s "$scratch/exhaustive" ] ||
        { qd 0 list --level exhaustive && wc -l <"$scratch/out" >"$scratch/exhaustive"; } || return 1
    [ "$(($(cat "$scratch/exhaustive") * 3))" -gt "$(records i.jsonl | wc -l)" ] ||
        { echo "the run was over before Ctrl-C"; return 1; }
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
    sleep 2
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] && has err "interrupted" && has out "TAP version 13" && has out "1..$(points)" &&
        has out "# SKIP interrupted" && lacks out "not ok" || return 1
    # cases ran, and not all of them
    grep -E '^# [1-9][0-9]* of [0-9]+ cases ran' "$scratch/out" && has kills.md " cases ran, " || return 1
    read -r _ ran _ all _ < <(grep ' cases ran, ' "$scratch/out")
    [ "$ran" -lt "$all" ]
}

test_a_killed_job_is_our_failure()
{
    local pid code=0 child results=$scratch/k.jsonl
    rm -f "$results"
    "$qdiff" run -t reference -t "$wrong" --no-diagnosis -j 2 -r "$results" \
        >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in $(seq 200); do
        [ "$(wc -l 2>/dev/null <"$results" || echo 0)" -gt 10 ] && break
        sleep 0.05
    done
    read -r child _ <"/proc/$pid/task/$pid/children"
    kill -KILL "$child"
    wait "$pid" || code=$?
    [ "$code" = 4 ] || { echo "want exit 4, have $code"; cat "$scratch/err"; return 1; }
    has out "the process died (signal 9)" && has k.jsonl '"kind": "broken"'
}

test_jobs_change_nothing()
{
    qd 1 run -t reference -t "$wrong" --no-diagnosis --level smoke -r "$scratch/1.jsonl" || return 1
    cp "$scratch/out" "$scratch/tap1"
    qd 1 run -t reference -t "$wrong" --no-diagnosis --level smoke -r "$scratch/2.jsonl" -j 2 || return 1
    same tap1 out || return 1
    records 1.jsonl >"$scratch/1"
    records 2.jsonl >"$scratch/2"
    same 1 2
}

# Rows of every kind: matched, shadowed by it, stale, inactive, and about runs that differ.
all_kinds_of_rows()
{
    printf '*\t*\t*\twrong-value\t*\t*\t-\tthe mistake\nQLinearConv/*\t*\t*\twrong-value\t*\t*\t-\tshadowed\n'
    printf 'QLinearConv/*\t*\t*\tcrash\t*\t*\t-\tstale\n*\t*\t*\twrong-value\t>9\t*\t-\tinactive\n'
    printf '*\t*\t*\tnondeterministic\t*\t*\t-\tflaky\n'
}

# One verdict for any number of processes: TAP, records and exit code.
test_the_verdict_does_not_depend_on_the_division()
{
    local tsv=$scratch/kinds.tsv jobs i targets=(-t "$wrong" -t "${misbehave}[do=nondeterministic]") of
    all_kinds_of_rows >"$tsv"
    qd 0 export --level smoke --filter 'QLinearConv/*' --filter 'regressions/*' --filter 'reject/Relu/*' -o "$scratch/division" || return 1
    targets+=(-e "$tsv" --no-diagnosis "$scratch/division")
    qd 1 run "${targets[@]}" -r "$scratch/1.jsonl" && cp "$scratch/out" "$scratch/tap1" || return 1
    grep -v '"record": "\(header\|summary\)"' "$scratch/1.jsonl" | sort >"$scratch/records1"
    for jobs in 2 7 64; do
        qd 1 run "${targets[@]}" -j "$jobs" -r "$scratch/2.jsonl" && same tap1 out || return 1
        grep -v '"record": "\(header\|summary\)"' "$scratch/2.jsonl" | sort >"$scratch/records2"
        same records1 records2 || return 1
    done
    for of in 3 8; do
        for ((i = 1; i <= of; i++)); do
            "$qdiff" run "${targets[@]}" --shard "$i/$of" -r "$scratch/shard$i.jsonl" >/dev/null 2>&1
        done
        # shellcheck disable=SC2046 # a list of paths without blanks
        qd 1 merge $(seq -f "$scratch/shard%g.jsonl" "$of") -o "$scratch/merged.jsonl" || return 1
        grep -v '"record": "\(header\|summary\)"' "$scratch/merged.jsonl" | sort >"$scratch/records2"
        same records1 records2 || return 1
        qd 0 causes --json "$scratch/1.jsonl" && cp "$scratch/out" "$scratch/causes1" || return 1
        qd 0 causes --json "$scratch/merged.jsonl" && same causes1 out && has causes1 '"basis": "' || return 1
    done
}

# Every failure is in one cause, the table is that of TAP, and the command of a cause shows it. The quirk that the target has is named.
test_failures_are_told_by_cause()
{
    local few=(--level smoke -f 'QLinearConv/*' -f 'reject/QLinearConv/*' --feature '!one-element-vector' --shard 1/8)
    qd 1 run -t "$wrong" "${few[@]}" -r "$scratch/r.jsonl" || return 1
    has err " failures have " && has out "# cause 1 of " && has out "#   shown by: qdiff repro '" || return 1
    grep '^#   shown by' "$scratch/out" | grep -vF -- "--target '$wrong'" && { echo "not as given"; return 1; }
    local failures members command
    failures=$(grep -c '"kind": "fail"' "$scratch/r.jsonl")
    qd 0 causes --json "$scratch/r.jsonl" && has out '"basis": "diagnosis"' || return 1
    members=$(python3 -c 'import json, sys
causes = [json.loads(line) for line in sys.stdin]
print(len({tuple(m) for c in causes for m in c["members"]}), sum(c["results"] for c in causes))' <"$scratch/out")
    [ "$members" = "$failures $failures" ] || { echo "$failures failures, in causes: $members"; return 1; }
    qd 0 causes "$scratch/r.jsonl" || return 1
    command=$(sed -n 's/^  shown by   qdiff //p' "$scratch/out" | head -n 1 | sed "s|--target '.*|--target '$wrong'|")
    eval "qd 1 $command" && qd 2 causes "$scratch/no-such.jsonl" && qd 2 causes
}

# Where the whole suite ran, rows are judged: the one that is never first and the one that expects nothing are named.
test_rows_are_judged_whatever_the_division()
{
    local tsv=$scratch/kinds.tsv i
    all_kinds_of_rows | grep -v flaky >"$tsv"
    printf 'reject/*\t*\t*\taccepts-invalid\t*\t*\t-\twhat the quirk takes\n' >>"$tsv"
    for i in 1 2; do
        "$qdiff" run -t "$wrong" -e "$tsv" --no-diagnosis --level full --shard "$i/2" -j 2 -r "$scratch/s$i.jsonl" >/dev/null 2>&1
    done
    qd 1 merge "$scratch"/s[12].jsonl -o "$scratch/merged.jsonl" &&
        has err "expectation row 2 is shadowed" && has err "expectation row 3 is stale" && lacks err "row 4 is"
}

test_shards_merge_to_the_whole()
{
    local i
    qd 1 run -t reference -t "$wrong" --no-diagnosis --level smoke -r "$scratch/whole.jsonl" || return 1
    for i in 1 2 3; do
        qd 1 run -t reference -t "$wrong" --no-diagnosis --level smoke --shard "$i/3" -r "$scratch/s$i.jsonl" ||
            return 1
        records "s$i.jsonl" >"$scratch/part"
        [ -s "$scratch/part" ] || { echo "shard $i is empty"; return 1; }
    done
    # the second one twice: shards that ran twice count once
    qd 1 merge "$scratch"/s1.jsonl "$scratch"/s2.jsonl "$scratch"/s2.jsonl "$scratch"/s3.jsonl \
        -o "$scratch/merged.jsonl" || return 1
    records whole.jsonl | sort >"$scratch/a"
    records merged.jsonl | sort >"$scratch/b"
    same a b && has merged.jsonl '"complete": true' && lacks merged.jsonl '"shard"' || return 1
    qd 4 merge "$scratch"/s1.jsonl "$scratch"/s3.jsonl -o "$scratch/half.jsonl" &&
        has err "not all of the 3 shards are here" && has half.jsonl '"complete": false' || return 1
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
    qd 1 run -t "${misbehave}[do=nondeterministic]" "${few[@]}" && has out "class: nondeterministic"
}

test_repro_needs_nothing_but_the_directory()
{
    local id
    qd 1 run -t "$wrong" --no-diagnosis --level smoke --tag tie --fail-fast -r "$scratch/r.jsonl" || return 1
    id=$(records r.jsonl | grep '"kind": "fail"' | sed 's/.*"id": "\([^"]*\)".*/\1/')
    qd 0 export "$id" -o "$scratch/repro" || return 1
    qd 1 repro "$scratch/repro/$id" -t reference -t "$wrong" && cp "$scratch/out" "$scratch/there" &&
        has out "$wrong" && has out "exact" && has out "half-way" || return 1
    qd 1 repro "$id" -t reference -t "$wrong" && same there out || return 1
    # where it was exported to is enough while it is the only one there
    qd 1 repro "$scratch/repro" -t reference -t "$wrong" && same there out || return 1
    qd 0 export regressions/ort-28456-u8 -o "$scratch/repro" && qd 2 repro "$scratch/repro" -t reference &&
        has err "more than one case" || return 1
    mkdir "$scratch/none" && qd 2 repro "$scratch/none" -t reference && has err "no case is below" || return 1
    qd 0 repro "$id" -t reference && qd 2 repro no/such/case -t reference
}

test_export_loses_nothing()
{
    local id
    qd 0 list "${few[@]}" || return 1
    cp "$scratch/out" "$scratch/ids"
    qd 0 export "${few[@]}" -o "$scratch/lossless" || return 1
    while read -r id; do
        qd 0 show "$id" && grep -v '^stored' "$scratch/out" >"$scratch/a" &&
            qd 0 show "$scratch/lossless/$id" && grep -v '^stored' "$scratch/out" >"$scratch/b" &&
            same a b || return 1
    done <"$scratch/ids"
}

test_a_pack_is_reproducible_and_comes_back()
{
    local pack=$scratch/pack
    mkdir "$pack" || return 1
    qd 0 export --suite --level smoke -o "$pack/1" && has out "manifest " || return 1
    (cd "$pack/1" && sha256sum --quiet --check manifest.sha256) || return 1
    [ "$(find "$pack/1" -type f | wc -l)" = "$(($(wc -l <"$pack/1/manifest.sha256") + 1))" ] ||
        { echo "files that the manifest does not name"; return 1; }
    qd 0 export --suite --level smoke -o "$pack/2" && diff -r "$pack/1" "$pack/2" || return 1
    qd 0 export --suite --level smoke --pack "$pack/1" -o "$pack/3" && diff -r "$pack/1" "$pack/3" || return 1
    qd 0 import "$pack/1" -o "$pack/cases" && qd 0 list "$pack/cases" || return 1
    sort "$scratch/out" >"$scratch/a"
    # a pack holds the suite of kernels
    qd 0 list --level smoke && grep -v '^quantizer/' "$scratch/out" | sort >"$scratch/b" && same a b || return 1
    qd 0 run -t reference --pack "$pack/1" --level smoke && [ "$(points)" = "$(wc -l <"$scratch/a")" ]
}

test_a_damaged_pack_is_refused()
{
    local pack=$scratch/damaged model
    qd 0 export --suite --level smoke --filter 'regressions/*' -o "$pack" || return 1
    qd 2 export --suite --level smoke -o "$pack" && has err "exists already" || return 1
    qd 2 export --suite --level smoke --filter no/such -o "$pack.none" && [ ! -e "$pack.none" ] || return 1
    model=$(find "$pack/node" -name model.onnx | sort | head -n 1)
    printf x >>"$model"
    qd 2 run -t reference --pack "$pack" && has err "$model (model): SHA-256" || return 1
    qd 2 import "$pack" -o "$scratch/cases" && has err "$model (model): SHA-256"
}

test_coverage_says_what_is_missing()
{
    qd 0 coverage --level smoke --op QLinearConv && has out "QLinearConv" &&
        has out "rules have a must-reject case" && has out "u8 f32 u8 u8 f32 u8 f32 u8 -> u8  |  10: " &&
        has out "hole" || return 1
    qd 0 coverage --level smoke --filter 'QuantizeLinear/*' --markdown "$scratch/coverage.md" &&
        has coverage.md "## QuantizeLinear" && has coverage.md ": QuantizeLinear/" &&
        has coverage.md "hole: no valid case"
}

test_a_bundle_is_one_script()
{
    local script=$scratch/bundle/regressions/ort-28456-u8/reproduce.py
    qd 0 export regressions/ort-28456-u8 --bundle -o "$scratch/bundle" || return 1
    [ "$(wc -L <"$script")" -lt 125 ] || { echo "long lines"; return 1; }
    sed -n '/^MODEL = (/,/^)/p' "$script" | tr -dc 'A-Za-z0-9+/=' | sed 's/^MODEL=//' | base64 -d |
        cmp - "$scratch/bundle/regressions/ort-28456-u8/model.onnx"
}

test_ctrl_c_leaves_no_half_pack()
{
    local dir=$scratch/half pid code=0
    mkdir "$dir"
    "$qdiff" export --suite --level exhaustive -o "$dir/pack" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in $(seq 200); do
        [ -n "$(find "$dir" -name model.onnx 2>/dev/null | head -n 1)" ] && break
        sleep 0.05
    done
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] && has err "nothing is kept" && rmdir "$dir"
}

test_import_makes_a_case_of_a_model()
{
    local dir=$scratch/imported/regressions/ort-28456-bias feed
    qd 0 export regressions/ort-28456-bias -o "$scratch/imported" || return 1
    qd 0 show regressions/ort-28456-bias || return 1
    grep -E '^(input|constant|node|output)' "$scratch/out" >"$scratch/a"
    feed=x=$dir/test_data_set_0/input_0.pb
    qd 0 import "$dir/model.onnx" --input "$feed" --node y --id my/case -o "$scratch/my.qdcase" &&
        has out "my/case" && qd 0 show "$scratch/my.qdcase" && has out "my/case" || return 1
    grep -E '^(input|constant|node|output)' "$scratch/out" >"$scratch/b"
    same a b && qd 0 repro "$scratch/my.qdcase" -t reference || return 1
    qd 0 import "$dir" -o "$scratch/dir.qdcase" && qd 0 show "$scratch/dir.qdcase" || return 1
    qd 2 import "$dir/model.onnx" --node y -o "$scratch/no.qdcase" && has err x || return 1
    qd 2 import "$dir/model.onnx" --node nobody -o "$scratch/no.qdcase" && has err nobody || return 1
    qd 2 import "$dir/model.onnx" --input x -o "$scratch/no.qdcase" && has err NAME=FILE
}

test_export_stays_below_its_directory()
{
    touch "$scratch/file" && qd 2 export "${few[@]}" -o "$scratch/file/x" && has err "file"
}

test_export_overwrites_nothing()
{
    local one=$scratch/twice/regressions/ort-28456-u8
    qd 0 export regressions/ort-28456-u8 -o "$scratch/twice" && echo mine >"$one/model.onnx" || return 1
    qd 2 export regressions/ort-28456-u8 -o "$scratch/twice" &&
        has err "regressions/ort-28456-u8 exists already" && [ "$(cat "$one/model.onnx")" = mine ] ||
        return 1
    qd 2 export "${few[@]}" -o "$scratch/twice" && has err "exists already" &&
        [ "$(cat "$one/model.onnx")" = mine ]
}

test_diff_tells_new_gone_and_changed()
{
    qd 0 run -t reference "${few[@]}" -r "$scratch/good.jsonl" || return 1
    qd 1 run -t "$wrong" --no-diagnosis "${few[@]}" -r "$scratch/bad.jsonl" || return 1
    sed -i "s/reference\[\]/x/g; s/\"target\": \"[^\"]*\"/\"target\": \"x\"/" "$scratch/good.jsonl" \
        "$scratch/bad.jsonl"
    qd 1 diff "$scratch/good.jsonl" "$scratch/bad.jsonl" && has out "new  " && has out " 0 gone" ||
        return 1
    qd 0 diff "$scratch/bad.jsonl" "$scratch/good.jsonl" && has out "gone  " && has out "0 new, " ||
        return 1
    sed 's/"have": "/&1/' "$scratch/bad.jsonl" >"$scratch/worse.jsonl"
    qd 0 diff "$scratch/bad.jsonl" "$scratch/worse.jsonl" && has out "changed  " || return 1
    head -n 1 "$scratch/bad.jsonl" >"$scratch/none.jsonl"
    qd 4 diff "$scratch/none.jsonl" "$scratch/bad.jsonl"
}

test_expectations_make_the_first_day_green()
{
    local tsv=$scratch/first.tsv
    qd 0 expectations --write "$tsv" -t "$wrong" --no-diagnosis --level smoke || return 1
    qd 0 run -t "$wrong" --no-diagnosis --level smoke -e "$tsv" && has out " # TODO " || return 1
    if command -v prove >/dev/null; then
        prove -Q -e cat "$scratch/out" >/dev/null || { echo "prove disagrees"; return 1; }
    fi
    qd 1 run -t "$wrong" --no-diagnosis --level smoke -e "$tsv" --no-expectations || return 1
    qd 0 expectations --check "$tsv" && qd 2 expectations --write "$tsv" -t "$wrong" || return 1
    echo "one field" >>"$tsv" && qd 2 expectations --check "$tsv" && has err "first.tsv:"
}

test_written_rows_name_the_quirk()
{
    local tsv=$scratch/named.tsv narrow=(--level smoke -f 'QLinearConv/*' --shard 1/16)
    qd 0 expectations --write "$tsv" -t "$wrong" "${narrow[@]}" -j 2 &&
        has named.tsv "$(printf 'op:QLinearConv\t*\t*\tquirk:round-toward-zero\t*\t*\t-\t')" &&
        has named.tsv "results: The number is truncated" || return 1
    qd 0 run -t "$wrong" "${narrow[@]}" -e "$tsv" && has out " # TODO " || return 1
    qd 1 run -t quirk:round-up "${narrow[@]}" --no-diagnosis -e "$tsv"
}

# A parser reads it, elements and attributes are those of Jenkins' schema, and its tests are the points of TAP.
test_junit_is_the_same_run()
{
    local few=(--level smoke -f 'QLinearConv/*' -f 'reject/QLinearConv/*' --feature '!one-element-vector' --shard 1/8) counts
    printf 'not a case' >"$scratch/$(printf 'odd <&"\001\377.qdcase')"
    qd 2 run -t "$wrong" -t reference --no-diagnosis "$scratch"/odd*.qdcase --junit "$scratch/odd.xml" || return 1
    [ "$(python3 "$root/reports/tests/junit_check.py" "$scratch/odd.xml")" = "2 1 1 0" ] || { cat "$scratch/odd.xml"; return 1; }
    qd 1 run -t "$wrong" -t reference --no-diagnosis "${few[@]}" --junit "$scratch/j.xml" --badge "$scratch/b.json" || return 1
    counts="$(grep -c '^\(not \)\?ok ' "$scratch/out") $(grep -c '^not ok ' "$scratch/out") 0 $(grep -c '# SKIP ' "$scratch/out")"
    [ "$(python3 "$root/reports/tests/junit_check.py" "$scratch/j.xml")" = "$counts" ] || { echo "TAP has $counts"; return 1; }
    python3 -c 'import json, sys; assert json.load(sys.stdin)["color"] == "red"' <"$scratch/b.json" || return 1
    echo precious >"$scratch/case"
    qd 2 run -t reference "${few[@]}" --junit "$scratch/case" && has err "is no JUnit file" && has case precious
}

# What hides a bug offends: a row that selects much and matches little. What names a quirk does not, in one process or in two.
test_an_audit_finds_broad_rows()
{
    local tsv=$scratch/audit.tsv narrow=(--level smoke -f 'QLinearConv/*' --shard 2/16) jobs
    printf 'op:QLinearConv\t*\t*\tquirk:round-toward-zero\t*\t*\t-\twhy\n' >"$tsv"
    qd 0 expectations --audit "$tsv" -t "$wrong" "${narrow[@]}" && has out " 1 select something, 0 offend" || return 1
    # one message at most, and the diagnosis of what is known
    grep -qE '^ +1 +[0-9]+ +[0-9]+ +[0-9]+ +0 +1 +op:QLinearConv' "$scratch/out" || { cat "$scratch/out"; return 1; }
    printf '*\t*\t*\tcrash\t*\t*\t-\twhy\n' >>"$tsv"
    for jobs in 1 2; do
        qd 1 expectations --audit "$tsv" -t "$wrong" "${narrow[@]}" --no-diagnosis -j "$jobs" &&
            has out "audit.tsv:2: matches 0 of the " && lacks out "audit.tsv:1: " && cp "$scratch/out" "$scratch/audit$jobs" || return 1
    done
    same audit1 audit2 && qd 2 expectations --audit "$tsv" --check "$tsv" &&
        qd 4 expectations --audit "$tsv" -t "$wrong" -f nothing
}

test_ctrl_c_keeps_rows()
{
    local tsv=$scratch/torn.tsv pid code=0
    "$qdiff" expectations --write "$tsv" -t "$wrong" --no-diagnosis --level exhaustive \
        >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    sleep 2
    [ ! -e "$tsv" ] || { echo "a file before its end"; return 1; }
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] && has err "the rows so far are kept" && has torn.tsv "# interrupted" &&
        has torn.tsv "$(printf '\twrong-value\t')" && qd 0 expectations --check "$tsv"
}

# rows PATTERN...: a row for each.
rows()
{
    printf '%s\t*\t*\twrong-value\t*\t*\t-\twhy\n' "$@"
}

test_check_finds_rows_about_nothing()
{
    local tsv=$scratch/checked.tsv shipped
    # a small suite: the whole is walked at every level for a row that nothing is about
    local small=(--pack "$scratch/small")
    qd 0 export --suite --level smoke --filter 'regressions/*' -o "$scratch/small" || return 1
    rows op:QLinearConv >"$tsv" && qd 0 expectations --check "$tsv" "${small[@]}" || return 1
    rows regressions/ort-28456-u8 regressions/ort-28456-u9 op:QLinearConf >"$tsv"
    qd 2 expectations --check "$tsv" "${small[@]}" && has err "checked.tsv:2: field 1" && lacks err "checked.tsv:1:" &&
        has err "'regressions/ort-28456-u9': is the id of no case" &&
        has err "checked.tsv:3: field 1 (case or op pattern) 'QLinearConf': is the operator of no case" || return 1
    # files of one's own have cases too
    qd 0 export regressions/ort-28456-u8 -o "$scratch/own" || return 1
    qd 0 import "$scratch/own/regressions/ort-28456-u8" --id my/own -o "$scratch/own.qdcase" || return 1
    rows my/own >"$tsv" && qd 2 expectations --check "$tsv" "${small[@]}" &&
        qd 0 expectations --check "$tsv" "${small[@]}" "$scratch/own.qdcase" || return 1
    for shipped in "$root"/targets/*/expectations.tsv; do
        qd 0 expectations --check "$shipped" || return 1
    done
}

test_unexpected_passes_fail()
{
    local id
    id=$("$qdiff" list "${few[@]}" | head -n 1)
    printf '%s\t*\t*\twrong-value\t*\t*\t-\tmade up\n' "$id" >"$scratch/made-up.tsv"
    qd 1 run -t reference "${few[@]}" -e "$scratch/made-up.tsv" && has out "class: exact" &&
        has err "1 fixed"
}

test_stale_rows_fail_only_whole_runs()
{
    printf 'QLinearConv/*\t*\t*\tcrash\t*\t*\t-\tmade up\n' >"$scratch/stale.tsv"
    qd 0 run -t reference --level smoke -e "$scratch/stale.tsv" &&
        has out "0 stale, 1 not judged" || return 1
    qd 1 run -t reference -e "$scratch/stale.tsv" && has out "expectation row 1 is stale" &&
        has out "1 stale, 0 not judged" || return 1
    qd 0 run -t reference -e "$scratch/stale.tsv" --shard 1/2 -r "$scratch/1.jsonl" || return 1
    qd 0 run -t reference -e "$scratch/stale.tsv" --shard 2/2 -r "$scratch/2.jsonl" -j 2 || return 1
    qd 1 merge "$scratch/1.jsonl" "$scratch/2.jsonl" -o "$scratch/12.jsonl" &&
        has err "expectation row 1 is stale" || return 1
    qd 4 merge "$scratch/1.jsonl" -o "$scratch/12.jsonl" && has 12.jsonl '"rows_not_judged": 1'
}

test_list_and_show()
{
    local count id
    qd 0 list --level smoke --count --json &&
        count=$(sed 's/^{"cases": \([0-9]*\),.*/\1/' "$scratch/out") &&
        qd 0 list --level smoke || return 1
    [ "$(wc -l <"$scratch/out")" = "$count" ] || { echo "counts differ"; return 1; }
    [ "$(sort -u "$scratch/out" | wc -l)" = "$count" ] || { echo "ids repeat"; return 1; }
    id=$(head -n 1 "$scratch/out")
    qd 0 list --level smoke --json && has out "{\"id\": \"$id\", \"op\": \"" || return 1
    qd 0 show "$id" && has out "node      " && has out "input     " && has out "features  " || return 1
    "$qdiff" list | head -n 1 >"$scratch/out" # a reader that has enough is no failure of ours
    has out "$id"
}

test_targets_and_check_target()
{
    qd 0 targets && has out "reference: " && has out "ort: " || return 1
    qd 0 targets --json && has out '{"name": "ort"' || return 1
    qd 0 check-target reference && lacks out "not ok" || return 1
    qd 1 check-target "${misbehave}[do=write-after]" && has out "not ok"
}

# A target that refuses everything passes no must-reject case: its refusals show nothing.
test_a_refusal_is_vacuous_where_the_twin_is_refused()
{
    qd 1 run -t "${misbehave}[do=reject-prepare]" -f 'reject/Relu/*' --no-diagnosis &&
        has out "# SKIP vacuous: the valid twin is refused too" || return 1
    grep '^ok' "$scratch/out" | grep -v '# SKIP' && return 1
    qd 0 run -t reference -f 'reject/Relu/*' && lacks out vacuous && lacks out "# SKIP"
}

# Every command judges by one function: what is no comparison in run is none in repro, and explain runs what the target declares.
test_commands_agree()
{
    local skips=$scratch/skips.py
    qd 4 repro reject/Relu/x-type/u8 -t "${misbehave}[do=reject-prepare]" && has out "vacuous: the valid twin" || return 1
    printf "#!/usr/bin/env python3\n" >"$skips"
    chmod +x "$skips"
    cat >>"$skips" <<'EOF'
from qdiff_worker import Capability, Skip, Worker, serve
class Mine(Worker):
    name, version, capabilities = "skips", "1", [Capability("QLinearConv", needs="2d")]
    def prepare(self, model):
        raise Skip("known bug", "issue-17")
serve(Mine)
EOF
    qd 4 run -t "$skips" --filter regressions/ort-28456-u8 && has out "# SKIP known bug" || return 1
    qd 4 repro regressions/ort-28456-u8 -t "$skips" && has out "skip" && has out "known bug" || return 1
    qd 0 explain regressions/ort-28456-u8 -t "$skips" && has out "not run: known bug" || return 1
    qd 0 explain regressions/ort-28456-1d -t "$skips" && has out "not run: the target's capabilities exclude"
}

test_explain_and_diagnosis()
{
    qd 0 explain regressions/ort-28456-u8 --element 0,1,0,0 -t quirk:zero-point-sign-extended &&
        has out "acc = -110" && has out "-55/4 = -13.75" && has out "the target gave 255" || return 1
    qd 2 explain regressions/ort-28456-u8 --element 0,9,0,0 && has err "--element '0,9,0,0'" || return 1
    qd 1 run -t quirk:zero-point-sign-extended -f regressions/ort-28456-u8 &&
        has out "diagnosis: zero-point-sign-extended" && has out "neighbours run" || return 1
    qd 1 run -t quirk:zero-point-sign-extended -f regressions/ort-28456-u8 --no-diagnosis &&
        lacks out "diagnosis:"
}

test_reduce_makes_small_cases()
{
    local dir=$scratch/reduced one
    export QDIFF_STATE=$scratch/state
    qd 0 reduce regressions/ort-28456-u8 -t quirk:zero-point-sign-extended -o "$dir" --store &&
        has out "zero-point-sign-extended" && has err "shapes" || return 1
    one=$(echo "$dir"/*)
    [ -f "$one/model.onnx" ] && [ -f "$one/report.md" ] && [ -f "$one/test_data_set_0/input_0.pb" ] ||
        return 1
    grep '^# want ' "$one/case.textproto" || return 1
    qd 1 repro "$one/case.qdcase" -t quirk:zero-point-sign-extended &&
        has out "of 1 " && has out "zero-point-sign-extended" || return 1
    qd 1 repro "$one" -t quirk:zero-point-sign-extended || return 1
    # other classes; one file
    qd 0 reduce regressions/ort-28456-u8 -t "${misbehave}[do=crash]" -o "$scratch/crash.textproto" &&
        has out "class      crash" && has crash.textproto "signal-" || return 1
    qd 0 reduce regressions/ort-28456-u8 -t "${misbehave}[do=reject-prepare]" \
        -o "$scratch/refused.qdcase" && has out "rejects-valid-load" &&
        qd 1 repro "$scratch/refused.qdcase" -t "${misbehave}[do=reject-prepare]" || return 1
    # nothing to reduce
    qd 2 reduce regressions/ort-28456-u8 -t reference && has err "does not diverge"
}

test_findings_are_kept()
{
    local signature
    export QDIFF_STATE=$scratch/kept
    qd 0 findings && has out "0 findings" || return 1
    for _ in 1 2; do
        qd 0 reduce regressions/ort-28456-u8 -t quirk:zero-point-sign-extended -o "$scratch/x.qdcase" \
            --store || return 1
    done
    qd 0 findings list && has out "1 finding" || return 1
    signature=$(awk 'NR == 1 { print $4 }' "$scratch/out")
    qd 0 findings show "$signature" -o "$scratch/again.qdcase" && has out "count     2" &&
        has out "seen on   quirk" && has out "node      QLinearConv" || return 1
    same x.qdcase again.qdcase || return 1
    echo torn >"$scratch/kept/findings/torn.finding"
    qd 2 findings && has err "torn.finding: not a whole finding" && has out "1 finding" || return 1
    qd 0 findings forget "$signature" && qd 2 findings show "$signature" &&
        has err "no finding" || return 1
    qd 2 findings show ../../etc/passwd && has err "is no signature" || return 1
    qd 2 findings burn && has err "forget SIGNATURE" || return 1
    QDIFF_STATE=/proc/nowhere qd 2 findings && has err "/proc/nowhere"
}

# row_file TEXT...: an expectations file with one row of the eight fields; its name goes to $rows.
row_file()
{
    rows=$scratch/rows.tsv
    printf '%s\t*\t*\t%s\t*\t*\t-\tfor a test\n' "$1" "$2" >"$rows"
}

# What a row expects is no finding: it is not kept, and does not wait any longer.
test_what_is_known_is_not_kept()
{
    local target=quirk:zero-point-sign-extended
    export QDIFF_STATE=$scratch/known
    row_file 'op:QLinearConv' "$target"
    qd 0 reduce regressions/ort-28456-u8 -t "$target" -e "$rows" -o "$scratch/y.qdcase" --store &&
        has out "known      row 1" && qd 0 findings && has out "0 findings" || return 1
    qd 0 reduce regressions/ort-28456-u8 -t "$target" -e "$rows" -o "$scratch/y.qdcase" && has out "written" || return 1
    row_file 'op:QLinearMatMul' "$target"
    qd 0 reduce regressions/ort-28456-u8 -t "$target" -e "$rows" -o "$scratch/y.qdcase" --store &&
        qd 0 findings && has out "1 finding" || return 1
    # a second reduction has the same name, and finds nothing to take away
    qd 0 reduce "$scratch/y.qdcase" -t "$target" -o "$scratch/z.qdcase" --store && same y.qdcase z.qdcase &&
        qd 0 findings && has out "1 finding"
}

# What the fuzzer has no time to reduce waits and is no finding; reduced it has a name, or is known.
test_what_is_not_reduced_waits()
{
    local fuzz=${qdiff%/*}/fuzz_diff one
    export QDIFF_TARGET=quirk:round-half-up QDIFF_STATE=$scratch/raw
    QDIFF_FINDINGS=raw QDIFF_STORE=$QDIFF_STATE/findings "$fuzz" "$root/corpus" >"$scratch/log" 2>&1 || return 1
    ! grep -E 'DEDUP_TOKEN|Assertion failure' "$scratch/log" && grep -q ' 0 findings, [1-9][0-9]* not settled' "$scratch/log" || return 1
    qd 0 findings && has out "0 findings" && has out "more to be looked at" || return 1
    [ "$(find "$QDIFF_STATE/findings/raw" -name '*unexplained*' | wc -l)" -ge 5 ] || return 1
    one=$(find "$QDIFF_STATE/findings/raw" -name 'QuantizeLinear-*.finding' | sort | head -n 1)
    [ -e "$one" ] && qd 0 findings show "$(basename "$one" .finding)" -o "$scratch/one.qdcase" || return 1
    # reduced by hand it leaves the pool, though its name is another one
    qd 0 reduce "$scratch/one.qdcase" -t "$QDIFF_TARGET" -o "$scratch/small" --store && [ ! -e "$one" ] && qd 0 findings && has out "1 finding" || return 1
    echo torn >"$QDIFF_STATE/findings/raw/torn.finding"
    qd 0 settle -t reference --time 5 && has out "0 known, 0 findings, 0 wait" || return 1 # nothing was seen there
    row_file 'fuzz:QuantizeLinear' "$QDIFF_TARGET"
    qd 0 settle -t "$QDIFF_TARGET" -e "$rows" --time 200 -o "$scratch/settled" && has err "torn.finding: not a whole finding" &&
        has out "0 wait" && grep -q '^known    .*: row 1' "$scratch/out" && grep -q '^finding  .*-wrong-value-round-half-up' "$scratch/out" || return 1
    [ "$(ls "$QDIFF_STATE/findings/raw")" = torn.finding ] && ls "$scratch"/settled/*round-half-up*/case.qdcase >/dev/null || return 1
    qd 2 findings && has err torn.finding && has out "-wrong-value-round-half-up" || return 1
    export QDIFF_STATE=$scratch/named
    QDIFF_STORE=$QDIFF_STATE/findings "$fuzz" "$root"/corpus/[0-7]* >"$scratch/log" 2>&1 &&
        qd 0 findings && has out "-wrong-value-round-half-up" && has out " reduced "
}

test_fuzz_says_what_is_missing()
{
    local status=0
    qd 2 fuzz && has err "one --target" || return 1
    qd 2 fuzz -t ort --engine honggfuzz && has err "libfuzzer or afl" || return 1
    qd 2 fuzz -t ort --time 10d && has err "10m or 8h" || return 1
    mkdir -p "$scratch/build/release/bin"
    cp "$qdiff" "$scratch/build/release/bin/"
    "$scratch/build/release/bin/qdiff" fuzz -t ort >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" = 4 ] && has err "cmake --preset libfuzzer-plain && cmake --build"
}

# From here on qdiff lies in a clone in which AFL++'s programs seem to be built, and libFuzzer's are not.
without_libfuzzer()
{
    local release=$scratch/build/release
    export QDIFF_STATE=$scratch/state
    mkdir -p "$release"/{bin,plugins} "$scratch/build/afl/bin"
    cp "$qdiff" "$release/bin/"
    ln -s "$(realpath "${qdiff%/bin/*}/share")" "$release/share"
    printf '#!/bin/sh\nexit 0\n' | tee "$scratch/build/afl/bin/fuzz_diff" >"$release/plugins/qdiff_afl_mutator.so"
    chmod +x "$scratch/build/afl/bin/fuzz_diff"
    qdiff=$release/bin/qdiff
}

test_fuzz_takes_the_harness_of_the_role()
{
    without_libfuzzer
    qd 4 fuzz -t ort-quant && has err "libfuzzer-plain/bin/fuzz_quantize: " && has err "--target fuzz_quantize" || return 1
    qd 4 fuzz -t "$root/reports/tests/wrong_quantizer.py" && has err "--target fuzz_quantize" || return 1
    qd 4 fuzz -t iree && has err "--target fuzz_diff" || return 1
    qd 2 fuzz -t ort-quant --engine afl && has err "libfuzzer has both"
}

test_fuzz_with_afl_wants_an_input()
{
    without_libfuzzer
    mkdir -p "$scratch/inputs/directory"
    touch "$scratch/inputs/empty"
    qd 2 fuzz -t reference --engine afl && has err "/fuzz/corpus has no file that AFL++" || return 1
    qd 2 fuzz -t reference --engine afl "$scratch/inputs" && has err "inputs has no file that AFL++" || return 1
    echo x >"$scratch/inputs/x"
    PATH=$scratch qd 4 fuzz -t reference --engine afl "$scratch/inputs" && has err "scripts/setup fuzz"
}

test_bench_measures()
{
    # Cases that end in an assertion of the target's are left out, in this process too.
    qd 0 bench -t 'ort@1.31.1[opt=none]' --filter 'QLinearLeakyRelu/random-*' --rounds 1 &&
        has out "cases that kill it" && has out "in process" || return 1
    qd 0 bench -t reference "${few[@]}" --rounds 2 && has out "in process" && has out "forked" &&
        has out "MAC/s" && has out "peak memory" || return 1
    qd 0 bench -t reference "${few[@]}" --rounds 1 --json && has out '"percent_outside_target": '
}

run_tests "$@"
