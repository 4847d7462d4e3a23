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

# A sixth of the smoke level: a part of the cases judges no row stale.
test_ort_web() { gate ort-web@1.30.0 --shard 1/6 --jobs 2; }

run_tests "$@"
