#!/usr/bin/env bash
# Cases as files, from outside: export, import, packs, bundles. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/files.t [NAME…]
#
# Needs no ONNX Runtime: the targets are qdiff's own reference, quirks of it and the plug-ins for tests. Both variables
# default to the dev preset's build.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

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

# A quarter of the smoke level; pack_test has all of it, scripts/check pack the full level.
test_a_pack_is_reproducible_and_comes_back()
{
    local pack=$scratch/pack part=(--level smoke --shard 2/4)
    mkdir "$pack" || return 1
    qd 0 export --suite "${part[@]}" -o "$pack/1" && has out "manifest " || return 1
    (cd "$pack/1" && sha256sum --quiet --check manifest.sha256) || return 1
    [ "$(find "$pack/1" -type f | wc -l)" = "$(($(wc -l <"$pack/1/manifest.sha256") + 1))" ] ||
        { echo "files that the manifest does not name"; return 1; }
    qd 0 export --suite "${part[@]}" -o "$pack/2" && diff -r "$pack/1" "$pack/2" || return 1
    qd 0 export --suite --level smoke --pack "$pack/1" -o "$pack/3" && diff -r "$pack/1" "$pack/3" || return 1
    qd 0 import "$pack/1" -o "$pack/cases" && qd 0 list "$pack/cases" || return 1
    sort "$scratch/out" >"$scratch/a"
    # a pack holds the suite of kernels
    qd 0 list "${part[@]}" && grep -v '^quantizer/' "$scratch/out" | sort >"$scratch/b" && same a b || return 1
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
        has out "hole" && grep -qx QLinearConv "$scratch/out" && ! grep -x Conv "$scratch/out" || return 1
    qd 0 coverage --level smoke --op '!Conv,!MatMulInteger' --filter 'QuantizeLinear/*' &&
        grep -qx ConvInteger "$scratch/out" && ! grep -xE 'Conv|MatMulInteger' "$scratch/out" || return 1
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
    "$qdiff" export --suite --level full -o "$dir/pack" >"$scratch/out" 2>"$scratch/err" &
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

# A model of one block: located, kept, and gated again.
test_locate_names_the_unit_and_keeps_it()
{
    local dir=$scratch/located/regressions/ort-25512-qdq-add quirk=quirk:zero-point-before-rounding
    qd 0 export regressions/ort-25512-qdq-add -o "$scratch/located" || return 1
    local model=("$dir/model.onnx" --input "a=$dir/test_data_set_0/input_0.pb" --input "b=$dir/test_data_set_0/input_1.pb")
    qd 0 locate "${model[@]}" -t reference && has out "1 judged; 0 wrong" || return 1
    qd 1 locate "${model[@]}" -t reference -t "$quirk" -o "$scratch/units" -r "$scratch/located.jsonl" &&
        has out "the first wrong unit is model/0001-Add" && has out "on $quirk" && has out "2 DQ, Add, Q" &&
        has out "diagnosis zero-point-before-rounding" && has out "4 of 4" || return 1
    [ "$(records located.jsonl | wc -l)" = 2 ] && qd 0 causes "$scratch/located.jsonl" &&
        has out zero-point-before-rounding || return 1
    qd 0 run "$scratch/units" -t reference && [ "$(points)" = 1 ] &&
        qd 1 run "$scratch/units/model/0001-Add/reduced" -t "$quirk" && qd 1 run "$scratch/units" -t "$quirk" &&
        qd 1 run "$scratch/units" -t "$quirk" --filter 'model/*' &&
        has out "shown by: qdiff repro '$scratch/units/model/0001-Add' --target '$quirk'" || return 1
    qd 1 repro "$scratch/units/model/0001-Add" --target "$quirk" || return 1
    qd 2 locate "$dir/model.onnx" --input "a=$dir/model.onnx" -t reference && has err model.onnx || return 1
    head -c 60 "$dir/model.onnx" >"$scratch/torn.onnx"
    qd 2 locate "$scratch/torn.onnx" -t reference && has err torn.onnx
}

test_a_full_disk_is_exit_4_everywhere()
{
    qd 0 run -t reference "${few[@]}" -r "$scratch/r.jsonl" || return 1
    full run -t reference "${few[@]}" -r "$scratch/f.jsonl" &&
        full export regressions/ort-28456-u8 -o "$scratch/f" &&
        full export --suite --level smoke --filter 'regressions/ort-28456*' -o "$scratch/f.pack" &&
        full merge "$scratch/r.jsonl" -o "$scratch/merged.jsonl" || return 1
    [ ! -e "$scratch/f.pack" ] || { echo "half a pack is left"; return 1; }
}

test_no_terminal_obeys_a_name()
{
    # y = Relu(x) of int8, opset 14, with an escape character for x and U+009B (CSI), both of which terminals obey, for y.
    printf '%b' '\x08\x07\x3a\x29\x0a\x0d\x0a\x01\x1b\x12\x02\xc2\x9b\x22\x04Relu\x12\x01g' \
        '\x5a\x09\x0a\x01\x1b\x12\x04\x0a\x02\x08\x03\x62\x0a\x0a\x02\xc2\x9b\x12\x04\x0a\x02\x08\x03' \
        '\x42\x02\x10\x0e' >"$scratch/evil.onnx"
    qd 2 repro "$scratch/evil.onnx" -t reference && has err "'?'" || return 1
    ! LC_ALL=C grep -q "$(printf '\033')" "$scratch/err" || { echo "an escape character went through"; return 1; }
    qd 0 locate "$scratch/evil.onnx" -t reference --shape "$(printf '\033=2')" && has out "?" || return 1
    ! LC_ALL=C grep -qE "$(printf '\033|\302\233')" "$scratch/out" "$scratch/err" || { echo "a control character went through"; return 1; }
}

run_tests "$@"
