#!/usr/bin/env bash
# Gates of the built-in workers that are quick enough for every run of the tests; skipped where they are not set up.
# Alone: reports/tests/workers.t
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh
. "$(dirname "$0")/harness.sh"

# gate TARGET OPTION...: the smoke level has no failure and no stale row, and compared something.
gate()
{
    needs "$1"
    unset QDIFF_EXPECTATIONS
    qd 0 run -t "$1" --level smoke --no-diagnosis --time-limit 60 "${@:2}" && has err " 0 failed" && has err " 0 stale rows" && lacks err " 0 passed"
}

test_onnx_reference() { gate onnx-reference@1.23.2; }

test_litert() { gate litert@2.3.0 --jobs 2; }

test_opencv() { gate opencv@5.0.0.93 --jobs 2; }

# A quarter, a sixth or a twelfth of the smoke level: a part of the cases judges no row stale.
test_torch() { gate torch@2.13.0 --shard 1/4 --jobs 2; }
test_tvm() { gate tvm@0.27.0.post1 --shard 1/12 --jobs 2; }
test_ort_web() { gate ort-web@1.30.0 --shard 1/6 --jobs 2; }
test_tinygrad()
{
    command -v clang >/dev/null || { echo "no clang, with which tinygrad compiles"; exit 77; }
    gate tinygrad@0.14.0 --shard 1/12 --jobs 2
}

# 16-bit types need opset 21: the tool converts the model, and what that makes of a Softmax has the ranges of what it moves.
test_ort_quant_converts_a_model_first()
{
    local python=${QDIFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/qdiff}/python/ort-quant-1.31.1/bin/python
    needs ort-quant@1.31.1
    "$python" - "$scratch/softmax.onnx" <<'EOF'
import onnx, sys
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (2, 3, 4)) for name in "xy")
graph = helper.make_graph([helper.make_node("Softmax", ["x"], ["y"], axis=1)], "graph", [x], [y])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)], ir_version=7), sys.argv[1])
EOF
    qd 0 quantize "$scratch/softmax.onnx" -t ort-quant@1.31.1 --set activation=u16 --set weight=u16 --range x=-1,1 --range y=0,1 &&
        has out "Softmax, axis -1" && has out "y_intermediate_scale = f32[] {1.52590"
}

run_tests "$@"
