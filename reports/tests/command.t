#!/usr/bin/env bash
# The other verbs from outside: expectations, reduce, findings, fuzz, releases ... TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/command.t [NAME…]
#
# Needs no ONNX Runtime: the targets are qdiff's own reference, quirks of it and the plug-ins for tests. Both variables
# default to the dev preset's build.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

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
    local tsv=$scratch/first.tsv some=(-t "$wrong" --no-diagnosis --level smoke -f 'Q*' -f 'regressions/*' -f 'reject/Q*')
    qd 0 expectations --write "$tsv" "${some[@]}" || return 1
    qd 0 run "${some[@]}" -e "$tsv" && has out " # TODO " || return 1
    if command -v prove >/dev/null; then
        prove -Q -e cat "$scratch/out" >/dev/null || { echo "prove disagrees"; return 1; }
    fi
    qd 1 run "${some[@]}" -e "$tsv" --no-expectations || return 1
    qd 0 expectations --check "$tsv" && qd 2 expectations --write "$tsv" -t "$wrong" || return 1
    echo "one field" >>"$tsv" && qd 2 expectations --check "$tsv" && has err "first.tsv:"
}

test_written_rows_name_the_quirk()
{
    local tsv=$scratch/named.tsv narrow=(--level smoke -f 'QLinearConv/*' --shard 1/16)
    qd 0 expectations --write "$tsv" -t "$wrong" "${narrow[@]}" -j 2 --diagnosis-time 20 &&
        has named.tsv "$(printf 'op:QLinearConv\t*\t*\tquirk:round-toward-zero\t*\t*\t-\t')" &&
        has named.tsv "results: The number is truncated" || return 1
    qd 0 run -t "$wrong" "${narrow[@]}" --diagnosis-time 20 -e "$tsv" && has out " # TODO " || return 1
    qd 1 run -t quirk:round-up "${narrow[@]}" --no-diagnosis -e "$tsv"
}

# A parser reads it, elements and attributes are those of Jenkins' schema, and its tests are the points of TAP.
test_junit_is_the_same_run()
{
    local few=(--level smoke -f 'QLinearConv/*' -f 'reject/QLinearConv/*' --feature '!one-element-vector' --tag '!near-tie' --shard 1/8) counts
    printf 'not a case' >"$scratch/$(printf 'odd <&"\001\377.qdcase')"
    qd 2 run -t "$wrong" -t reference --no-diagnosis "$scratch"/odd*.qdcase --junit "$scratch/odd.xml" || return 1
    [ "$(python3 "$root/reports/tests/junit_check.py" "$scratch/odd.xml")" = "2 1 1 0" ] || { cat "$scratch/odd.xml"; return 1; }
    qd 1 run -t "$wrong" -t reference --no-diagnosis "${few[@]}" --junit "$scratch/j.xml" --badge "$scratch/b.json" || return 1
    counts="$(grep -c '^\(not \)\?ok ' "$scratch/out") $(grep '^not ok ' "$scratch/out" | grep -vc '# TODO ') 0 $(grep -cE '# (SKIP|TODO) ' "$scratch/out")"
    [ "$(python3 "$root/reports/tests/junit_check.py" "$scratch/j.xml")" = "$counts" ] || { echo "TAP has $counts"; return 1; }
    python3 -c 'import json, sys; assert json.load(sys.stdin)["color"] == "red"' <"$scratch/b.json" || return 1
    echo precious >"$scratch/case"
    qd 2 run -t reference "${few[@]}" --junit "$scratch/case" && has err "is no JUnit file" && has case precious
}

# The shards of a run, merged, give the tests of the run; one that is missing is a failure.
test_junit_of_shards_is_that_of_the_run()
{
    local narrow=(--level smoke -f 'QLinearConv/*' --no-diagnosis) shard
    qd 1 run -t "$wrong" "${narrow[@]}" --junit "$scratch/run.xml" --badge "$scratch/run.json" || return 1
    for shard in 1 2 3; do
        qd 1 run -t "$wrong" "${narrow[@]}" --shard "$shard/3" -r "$scratch/j$shard.jsonl" || return 1
    done
    qd 1 merge "$scratch"/j[123].jsonl -o "$scratch/j.jsonl" --junit "$scratch/merged.xml" --badge "$scratch/merged.json" &&
        same run.json merged.json || return 1
    [ "$(python3 "$root/reports/tests/junit_check.py" "$scratch/merged.xml")" = "$(python3 "$root/reports/tests/junit_check.py" "$scratch/run.xml")" ] ||
        return 1
    sort "$scratch/run.xml" >"$scratch/run.sorted" && sort "$scratch/merged.xml" >"$scratch/merged.sorted" &&
        same run.sorted merged.sorted || return 1
    qd 4 merge "$scratch"/j[13].jsonl -o "$scratch/j.jsonl" --junit "$scratch/part.xml" && has part.xml "every shard is here"
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
    local tsv=$scratch/checked.tsv
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
}

test_export_takes_ids_and_files()
{
    qd 0 export regressions/ort-28456-u8 -o "$scratch/one" || return 1
    qd 0 export regressions/acl-1033 "$scratch/one/regressions/ort-28456-u8" regressions/ort-28456-s8 -o "$scratch/three" &&
        has out "3 cases written below" || return 1
    qd 2 export regressions/acl-1033 no/such -o "$scratch/two" && has err "no/such: no such file" &&
        [ -e "$scratch/two/regressions/acl-1033/model.onnx" ]
}

test_unexpected_passes_fail()
{
    local id
    id=$("$qdiff" list "${few[@]}" | head -n 1)
    printf '%s\t*\t*\twrong-value\t*\t*\t-\tmade up\n' "$id" >"$scratch/made-up.tsv"
    qd 1 run -t reference "${few[@]}" -e "$scratch/made-up.tsv" && has out "class: exact" &&
        has err "1 fixed"
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
    qd 0 targets -t reference && has out "can do:" && has out "    *" || return 1
    qd 0 targets -t "${misbehave}[do=crash]" -t "$root/reports/tests/wrong_quantizer.py" --json && has out '"target": "' && has out '{"op": "' || return 1
    qd 3 targets -t ./nowhere.so || return 1
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
    QDIFF_FINDINGS=raw QDIFF_STORE=$QDIFF_STATE/findings "$fuzz" "${qdiff%/*}/../corpus/kernels" >"$scratch/log" 2>&1 || return 1
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
    QDIFF_STORE=$QDIFF_STATE/findings "$fuzz" "${qdiff%/*}"/../corpus/kernels/0[0-4]* >"$scratch/log" 2>&1 &&
        qd 0 findings && has out "-wrong-value-round-half-up" && has out " reduced "
}

# A seed has a name of its own; rows for fuzzers hold for what an engine makes of it all the same.
test_a_seed_is_a_fuzzers_case()
{
    local fuzz=${qdiff%/*}/fuzz_diff case=${qdiff%/bin/*}/share/qdiff/cases/regressions/ort-25512-qdq-add.qdcase
    export QDIFF_TARGET=quirk:round-half-up QDIFF_STORE=$scratch/seeds QDIFF_EXPECTATIONS=none QDIFF_FINDINGS=raw
    "$fuzz" "$case" >"$scratch/log" 2>&1 && grep -q ' 0 known divergences, 0 findings, 1 not settled' "$scratch/log" || return 1
    row_file 'fuzz:*Add*' quirk:round-half-up
    QDIFF_EXPECTATIONS=$rows "$fuzz" "$case" >"$scratch/log" 2>&1 && grep -q ' 1 known divergences, 0 findings, 0 not settled' "$scratch/log"
}

# A plug-in of seven operators: mutants that it does not declare are not what a run is spent on.
test_fuzzing_steers_to_what_a_target_declares()
{
    export QDIFF_TARGET=$plugins/picky_plugin.so QDIFF_STORE=$scratch/picky QDIFF_FINDINGS=ignore
    "${qdiff%/*}/fuzz_diff" --cases 600 --seed 3 >"$scratch/log" 2>&1
    compared=$(sed -n 's/.* target, \([0-9]*\) compared.*/\1/p' "$scratch/log")
    [ "$compared" -ge 150 ] || { cat "$scratch/log"; return 1; } # 15 where every mutant is run
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
    ln -sfn "$(realpath "${qdiff%/bin/*}/share")" "$release/share"
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

# What an engine ends with, and what qdiff makes of it.
test_fuzz_has_exit_codes()
{
    local harness=$scratch/build/libfuzzer-plain/bin/fuzz_diff row
    without_libfuzzer
    mkdir -p "${harness%/*}"
    for row in "0 exit 0" "4 exit 1" "3 exit 3" "77 exit 77" "4 kill -KILL \$\$"; do
        printf '#!/bin/sh\n%s\n' "${row#* }" >"$harness"
        chmod +x "$harness"
        qd "${row%% *}" fuzz -t reference || { echo "an engine that does: ${row#* }"; return 1; }
    done
    rm -r "${harness%/*}"
    has err "the engine died by signal 9"
}

# Where memory ends in the harness, in the judge or in the diagnosis: an error, or the finding by its name.
test_a_harness_without_memory_says_so()
{
    local fuzz=${qdiff%/*}/fuzz_diff seed=${qdiff%/bin/*}/share/qdiff/cases/regressions/ort-12151-rank0.qdcase at=0 count=1 status wrong=0
    local name=DequantizeLinear-quirk-wrong-value-zero-points-ignored.finding
    for ((at = 0; at <= count; at += 1 + count / 30)); do
        rm -rf "$scratch/store"
        status=0
        LD_PRELOAD=$plugins/fault_plugin.so QDIFF_FAULT=fuzz_diff:malloc:$at QDIFF_FAULT_COUNT=$scratch/count QDIFF_ISOLATE=1 \
            QDIFF_TARGET=quirk:zero-points-ignored QDIFF_STORE=$scratch/store "$fuzz" "$seed" >"$scratch/log" 2>&1 || status=$?
        [ "$status" -ne 0 ] || [ -e "$scratch/store/$name" ] || { echo "malloc:$at: exit 0 without the finding"; wrong=1; }
        [ "$at" -ne 0 ] || count=$(sort -n "$scratch/count" | tail -n 1)
    done
    [ "$count" -gt 300 ] && [ "$wrong" = 0 ]
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

test_releases_are_ranges()
{
    local releases='ort@1.26.0..1.31.1[opt=all]'
    needs ort@1.27.0
    qd 1 repro regressions/ort-28456-u8 -t "$releases" --no-expectations &&
        has out 'ort@1.26.0[opt=all,threads=1]' && has out 'ort@1.27.0[opt=all,threads=1]' || return 1
    qd 0 bisect regressions/ort-28456-u8 -t "$releases" &&
        has out 'ort[opt=all]: rejects-valid up to 1.26.0, exact from 1.27.0 on; ' || return 1
    qd 0 bisect regressions/ort-28456-u8 -t 'ort@1.27.0..1.31.1[opt=all]' &&
        has out 'ort[opt=all]: exact from 1.27.0 to 1.31.1; ' || return 1
    qd 3 bisect regressions/ort-28456-u8 -t ort@1.0..1.1 && has err "scripts/setup --target 'ort@1.0..1.1' does it"
    qd 2 bisect no-such-case -t ort && has err "no case of the suite has this id"
}

test_releases_tell_when_a_cause_went()
{
    needs ort@1.27.0
    qd 0 run -t 'ort@1.26.0..1.31.1[opt=all]' --filter 'regressions/ort-28456*' -r "$scratch/r.jsonl" &&
        qd 0 releases "$scratch/r.jsonl" || return 1
    grep -qE '^\| \[onnxruntime #28456\]\(https://[^|]*\) \| QLinearConv \| [1-9][0-9]* \| no \|.* \| 1\.26\.0 \| 1\.26\.0 \| 1\.27\.0 \|$' \
        "$scratch/out" || { cat "$scratch/out"; return 1; }
}

# A node that stands there twice is what ONNX Runtime trips over; differences of eight bits are wrong either way.
test_repro_tells_what_a_twin_is_made_of()
{
    local twin base
    needs ort@1.31.1
    qd 0 list --level full --filter 'QDQMovement/split/*-z_mid-same-opset13-node_twice/*' || return 1
    twin=$(cut -d' ' -f1 "$scratch/out")
    qd 1 repro "$twin" -t 'ort@1.31.1[opt=all]' --no-expectations || return 1
    base=$(sed -n 's/^made of //p' "$scratch/out")
    [ "${base%/*}-node_twice" = "${twin%/*}" ] && has out '  ort@1.31.1[opt=all,threads=1]: exact' || return 1
    qd 1 repro "$base" -t quirk:zero-point-subtracted-in-8-bits && ! has out "made of" || return 1
    qd 1 repro "$twin" -t quirk:zero-point-subtracted-in-8-bits && has out "  quirk:zero-point-subtracted-in-8-bits: wrong-value"
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
