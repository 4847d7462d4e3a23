#!/usr/bin/env bash
# The quantizer role from outside: a tool that is right, or wrong in one way, under the whole command. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/quantizer.t [NAME…]
#
# Needs Python alone; where ONNX Runtime is set up it runs what the tool makes, and $rows are what is wrong with it.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

# Debian's Python, where there is one: without NumPy, which another may find, a worker starts in a fifth of the time.
[ ! -x /usr/bin/python3 ] || export QDIFF_PYTHON=${QDIFF_PYTHON:-/usr/bin/python3}
tool=$root/reports/tests/wrong_quantizer.py
rows=$scratch/rows.tsv
{
    printf 'quantizer/matmul-batched/*\t*\t*\tkernel-mismatch\t*\t*\t-\tfused to a kernel that refuses it\n'
    printf 'quantizer/two-readers/*\t*\t*\tkernel-mismatch\t*\t*\t-\tfused to a kernel that rounds 1/y_scale\n'
    printf 'quantizer/softmax/*\t*\t*\tkernel-mismatch\t*\t*\t-\tfused to a kernel that rounds 1/y_scale\n'
    printf '*\t*\t*\tkernel-mismatch:*int16-pair-saturation*\t*\tavx2,!avx512_vnni,!avx_vnni\t-\tthis CPU has no VNNI\n'
    printf 'quantizer/*/huge/*restricted*\t*\t*\tkernel-mismatch:*opt=all*\t*\tavx2,!avx512_vnni,!avx_vnni\t-\tthis CPU has no VNNI\n'
} >"$rows"

# caught MISTAKE CLASS CASE [WORDS]: the case passes with the right tool; with the mistake the run ends with 1 and says the class.
# $level: where the case is.
level=smoke
caught()
{
    local config=${1/executorch:/tool=executorch-quant,mistake=}
    [ "$config" != "$1" ] || config=mistake=$1
    qd 0 run -t "${tool}[${config/mistake=*/mistake=none}]" --level "$level" --filter "quantizer/$3" -e "$rows" && has out "ok 1 - quantizer/$3 " &&
        lacks out SKIP || return 1
    qd 1 run -t "${tool}[$config]" --level "$level" --filter "quantizer/$3" --time-limit 2 -r "$scratch/r.jsonl" &&
        has out "not ok 1 - quantizer/$3 " && has out "class: $2" && has out "${4-}" &&
        has r.jsonl "\"verdict\": \"$2\""
}

test_a_right_tool_passes()
{
    qd 0 run -t "$tool" --level smoke -e "$rows" && has out "# SKIP options: scheme" || return 1
    [ "$(grep -c '^ok' "$scratch/out")" -gt 200 ] || { echo "too few cases"; return 1; }
    qd 0 run -t "$tool" --shard 3/8 -e "$rows" && qd 0 run -t "${tool}[tool=executorch-quant]" --level smoke --filter 'quantizer/concat-*' -e "$rows"
}

# What has to be found in a produced model.
test_wrong_models_are_caught()
{
    caught axis-dropped invalid-model conv-square/skew-positive/qdq-u8s8-per_channel/opset13 "model-mismatch: output y" &&
        caught axis-0-absent invalid-model conv-bias/skew-positive/qdq-u8s8-per_channel/opset13 "not valid at opset 13" &&
        level=full caught no-model invalid-model conv/skew-positive/qdq-u8s8/opset13 "no valid model" &&
        level=full caught relu-dropped model-mismatch conv-relu/negative/qdq-s8s8-per_channel/opset13 "output y"
}

test_wrong_parameters_are_caught()
{
    caught snapped-without-scale wrong-snapping conv/skew-positive/qdq-u8s8-restricted/opset13 "the range is clipped" &&
        level=full caught snapped-int8 wrong-snapping conv/skew-positive/qdq-s8s8-restricted/opset13 "does not apply" &&
        level=full caught bias-scale wrong-bias conv-bias/skew-positive/qdq-u8s8/opset13 "x_scale * w_scale" &&
        caught zero-point-truncated range-not-covered conv-bias/skew-negative/qdq-u8s8-per_channel/opset13 "is not represented" &&
        caught not-widened range-not-covered conv-bias/positive/qdq-u8s8-per_channel/opset13 "widened to hold 0" &&
        level=full caught weight-codes wrong-parameters conv/skew-positive/qdq-u8s8/opset13
}

# By the promises of the tool whose name it takes.
test_broken_groups_are_caught()
{
    caught executorch:snapped-apart wrong-sharing concat-nested/skew-positive/qdq-u8s8-restricted/opset13 "shares its parameters" &&
        level=full caught executorch:concat-on-input-0 wrong-sharing concat-constant-first/skew-positive/qdq-u8s8/opset13 "no operator with parameters"
}

test_ignored_options_are_caught()
{
    caught option-ignored ignores-option conv/skew-positive/qdq-u8s8-restricted/opset13 "these are the plain parameters" &&
        caught option-not-known ignores-option conv/skew-positive/qdq-u8s8-restricted/opset13 restricted_asymmetric &&
        caught per-channel-ignored ignores-option conv/skew-positive/qdq-u8s8-per_channel/opset13 "want 3 scales, have 1"
}

test_tools_that_fail_are_caught()
{
    local case=conv/skew-positive/qdq-u8s8-per_channel/opset13
    caught falls-over crash "$case" "AssertionError" && caught dies crash "$case" && caught hangs hang "$case" &&
        caught refuses rejects-valid "$case" "nothing today" &&
        level=full caught refuses rejects-valid where/skew-positive/qdq-u8s8/opset13 "nothing today" # a bool needs no range
}

test_what_has_to_be_refused()
{
    local ids=(--level smoke --filter 'quantizer/conv-bias/nan/*' --filter 'quantizer/conv-bias/upside-down/*')
    qd 0 run -t "$tool" "${ids[@]}" && [ "$(points)" = 2 ] || return 1
    qd 0 run -t "${tool}[mistake=ranges-not-looked-at]" "${ids[@]}" && has out "# TODO advisory, accepts-invalid: " &&
        has err " 2 advisory" || return 1
    qd 1 run -t "${tool}[mistake=ranges-not-looked-at]" "${ids[@]}" --strict && has out "class: accepts-invalid" && has err "2 failed"
}

test_expectations_of_a_tool()
{
    local tsv=$scratch/tool.tsv id=quantizer/conv/skew-positive/qdq-u8s8-restricted/opset13 wrong="${tool}[mistake=option-ignored]"
    cp "$rows" "$tsv"
    printf 'quantizer/*\t*\t*\tignores-option\t*\t*\t-\tmade up\n' >>"$tsv"
    qd 1 run -t "$wrong" --level smoke -e "$rows" || return 1
    qd 0 run -t "$wrong" --level smoke -e "$tsv" && has out "# TODO " || return 1
    # by the words of the finding too; and a row about another finding leaves this one
    printf '%s\t*\t*\tignores-option:*plain parameters*\t*\t*\t-\tmade up\n' "$id" >"$tsv"
    qd 0 run -t "$wrong" --level smoke --filter "$id" -e "$tsv" || return 1
    printf '%s\t*\t*\tignores-option:*no such words*\t*\t*\t-\tmade up\n' "$id" >"$tsv"
    qd 1 run -t "$wrong" --level smoke --filter "$id" -e "$tsv" && has out "class: ignores-option" || return 1
    printf '%s\t*\t*\tignores-option\t*\t*\t-\tmade up\n' "$id" >"$tsv"
    qd 0 run -t "$wrong" --level smoke --filter "$id" -e "$tsv" || return 1
    qd 1 run -t "$tool" --level smoke --filter "$id" -e "$tsv" && has err "1 fixed"
}

test_jobs_and_shards_change_nothing()
{
    local i wrong="${tool}[mistake=bias-scale]"
    qd 1 run -t "$wrong" --level smoke -r "$scratch/1.jsonl" && cp "$scratch/out" "$scratch/tap1" || return 1
    qd 1 run -t "$wrong" --level smoke -r "$scratch/2.jsonl" -j 2 && same tap1 out || return 1
    records 1.jsonl >"$scratch/1" && records 2.jsonl >"$scratch/2" && same 1 2 || return 1
    for i in 1 2; do
        qd 1 run -t "$wrong" --level smoke --shard "$i/2" -r "$scratch/s$i.jsonl" || return 1
    done
    qd 1 merge "$scratch/s1.jsonl" "$scratch/s2.jsonl" -o "$scratch/merged.jsonl" || return 1
    records 1.jsonl | sort >"$scratch/1" && records merged.jsonl | sort >"$scratch/2" && same 1 2
}

test_quantize_shows_the_answer()
{
    local ranges=(--range "x=-1,6" --range "y=0,6")
    local set=(--set activation=u8 --set weight=s8) id=quantizer/conv/skew-positive/qdq-u8s8/opset13
    local model=$scratch/float/$id/model.onnx
    qd 0 export "$id" -o "$scratch/float" || return 1
    qd 0 quantize "$model" -t "$tool" "${set[@]}" "${ranges[@]}" -o "$scratch/q.onnx" && has out "QuantizeLinear" &&
        has out "x_scale = " && [ -s "$scratch/q.onnx" ] || return 1
    qd 1 quantize "$model" -t "${tool}[mistake=refuses]" "${set[@]}" "${ranges[@]}" && has out "rejected: " || return 1
    qd 1 quantize "$model" -t "${tool}[mistake=hangs]" "${set[@]}" "${ranges[@]}" --time-limit 1 && has out hang || return 1
    qd 1 quantize "$model" -t "${tool}[mistake=dies]" "${set[@]}" "${ranges[@]}" && has out crash || return 1
    qd 2 quantize "$model" -t "$tool" --set colour=blue && has err "no such setting" || return 1
    qd 2 quantize "$model" -t "$tool" --range x=1 && has err "MIN,MAX" || return 1
    qd 2 quantize "$model" -t reference && has err "is no worker"
}

# A case of this role is listed, shown, exported, run from a file and reproduced like any other.
test_cases_are_cases()
{
    local id=quantizer/conv/skew-positive/qdq-u8s8-restricted/opset13 wrong="${tool}[mistake=option-ignored]" dir=$scratch/cases
    qd 0 list --level smoke --filter 'quantizer/conv/*' && has out "$id" || return 1
    [ "$(wc -l <"$scratch/out")" = 4 ] || { echo "want 4 cases of conv"; return 1; }
    qd 0 list --json --filter "$id" && has out '"role": "quantizer", "expect": "valid"' || return 1
    qd 0 list --count --level smoke --filter 'quantizer/*' && has out "386 cases: 386 valid" || return 1
    qd 0 show "$id" && has out "--set restricted-asymmetric" && has out "--range x=-0.100000001,6" || return 1
    qd 0 export "$id" -o "$dir" && qd 0 show "$dir/$id" && has out "--set restricted-asymmetric" || return 1
    qd 0 run "$dir" -t "$tool" && qd 1 run "$dir" -t "$wrong" && has out "class: ignores-option" || return 1
    qd 1 repro "$dir/$id" -t "$wrong" && cp "$scratch/out" "$scratch/there" && has out "these are the plain" || return 1
    qd 1 repro "$id" -t "$wrong" && same there out && qd 0 repro "$id" -t "$tool" || return 1
    qd 0 import "$dir/$id" -o "$scratch/one.qdcase" && qd 1 repro "$scratch/one.qdcase" -t "$wrong" || return 1
    qd 0 show quantizer/conv-bias/nan/qdq-u8s8-per_channel/opset13 && has out "expect    the tool refuses" || return 1
    # the other role: the float model is a case, a kernel's case asks no quantizer
    qd 0 repro "$id" -t reference && qd 4 repro regressions/ort-28456-u8 -t "$tool" && has out skip || return 1
    qd 2 export "$id" --bundle -o "$scratch/bundle" && has err "asks a quantizer"
}

test_rows_are_written_and_checked()
{
    local tsv=$scratch/written.tsv wrong="${tool}[mistake=option-ignored]"
    local ids=(--level smoke --filter 'quantizer/conv*/*/qdq-u8s8-restricted/*')
    qd 0 expectations --write "$tsv" -t "$wrong" "${ids[@]}" -e "$rows" && has written.tsv "ignores-option" || return 1
    qd 0 run -t "$wrong" "${ids[@]}" -e "$tsv" && has out "# TODO " || return 1
    printf 'quantizer/no-such-graph/*\t*\t*\tcrash\t*\t*\t-\tmade up\n' >"$tsv"
    qd 2 expectations --check "$tsv" -t "$tool" && has err no-such-graph
}

# What is measured are the selected cases that the tool answers: not its refusals.
test_bench_measures_answers()
{
    local ids=(--level full --rounds 1 --json --filter 'quantizer/conv/skew-positive/qdq-s8s8-per_channel/*' --filter 'quantizer/conv/nan/qdq-s8s8-per_channel/*')
    qd 0 bench -t "$tool" "${ids[@]}" && has out '"ranges": {"requests": 1,' && has out '"dynamic": {"requests": 0,' || return 1
    qd 0 bench -t "${tool}[tool=executorch-quant]" "${ids[@]}" && has out '"ranges": {"requests": 1,' || return 1
    qd 0 bench -t "${tool}[mistake=refuses]" "${ids[@]}" && has out '"ranges": {"requests": 0, "requests_per_second_min": 0,'
}

test_a_quantizer_and_a_kernel_run_apart()
{
    qd 2 run -t "$tool" -t reference --level smoke && has err "run apart" || return 1
    qd 3 run -t "${tool}[mistake=unheard-of]" --level smoke && has err "it is one of"
}

# harness WANT NAME TARGET ARGUMENT…: a fuzzing harness on a target, its own words in $scratch/err; the exit code has to be WANT.
harness()
{
    local want=$1 name=$2 target=$3 have=0
    shift 3
    QDIFF_TARGET=$target "${qdiff%/*}/$name" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || have=$?
    [ "$have" = "$want" ] || { echo "$name on $target: want exit $want, have $have"; cat "$scratch/err"; return 1; }
}

test_each_role_has_its_harness()
{
    local cases=("${qdiff%/*}"/../corpus/kernels/00*)
    harness 3 fuzz_diff "$tool" "${cases[@]}" && has err "runs no models" && has err fuzz_quantize || return 1
    harness 3 fuzz_quantize quirk:round-half-up "${cases[@]}" && has err fuzz_diff || return 1
    harness 3 fuzz_quantize ./no-such.py "${cases[@]}" && has err "No such file"
}

# tallied KIND: the sum of the tallies' lines of that kind.
tallied()
{
    cat "$scratch"/tally/*.tally | awk -v kind="$1" 'index($0, kind) == 1 { sum += $3 } END { print sum + 0 }'
}

test_what_a_fuzzed_quantizer_does_is_tallied()
{
    export QDIFF_TALLY=$scratch/tally QDIFF_EXPECTATIONS=none QDIFF_STORE=$scratch/store
    mkdir "$scratch/tally"
    harness 0 fuzz_quantize "${tool}[mistake=zero-point-truncated]" --cases 80 --seed 1 || return 1
    [ "$(tallied outcome)" = 80 ] && [ "$(tallied operator)" = 80 ] && [ "$(tallied 'outcome finding')" -gt 0 ] &&
        [ "$(tallied 'outcome admissible')" -gt 0 ] && [ "$(tallied slot)" -gt 80 ] || return 1
    ls "$scratch"/store/*-wrong-range-not-covered-*.finding || return 1
    rm -r "$scratch/store"
    QDIFF_FINDINGS=ignore harness 0 fuzz_quantize "${tool}[mistake=zero-point-truncated]" --cases 80 --seed 1 &&
        [ -z "$(find "$scratch/store" -type f)" ] && [ "$(tallied outcome)" = 160 ]
}

# Of the options that the harness draws the tool has one in four. What is left is float16 and axes before opset 13.
test_a_fuzzed_quantizer_is_asked_for_what_it_has()
{
    local beyond
    export QDIFF_EXPECTATIONS=none QDIFF_STORE=$scratch/asked
    harness 0 fuzz_quantize "${tool}[mistake=zero-point-truncated]" --cases 80 --seed 1 || return 1
    beyond=$(sed -n 's/.* \([0-9]*\) beyond the tool.*/\1/p' "$scratch/err")
    [ "$beyond" -lt 20 ] || { echo "$beyond of 80 cases are beyond the tool"; return 1; }
    ls "$scratch/asked/"*range-not-covered*.finding || return 1
    # What no sentence forbids is no finding.
    QDIFF_STORE=$scratch/advised harness 0 fuzz_quantize "${tool}[mistake=ranges-not-looked-at]" --cases 80 --seed 1 &&
        has err " 1 known" && [ -z "$(find "$scratch/advised" -name '*accepts-invalid*')" ]
}

# A tool with a graph and promises of its own: all that the harness draws here can be put to it, and what it says of that is known.
test_a_tool_with_another_graph_is_fuzzed()
{
    local target=executorch-quant@1.5.1
    needs "$target"
    unset QDIFF_EXPECTATIONS
    export QDIFF_STORE=$scratch/graphs
    harness 0 fuzz_quantize "$target" --timeout 100 --cases 150 --seed 1 && has err " 0 beyond the tool" && has err " 0 findings"
}

run_tests "$@"
