#!/usr/bin/env bash
# Runtimes that are a library out of a wheel (targets/native/), from outside. TAP 13. Skipped where a release is not set up.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/native.t [NAME…]
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

test_a_release_that_is_not_set_up_says_how_to_get_it()
{
    QDIFF_CACHE=$scratch/none qd 3 run -t tract --filter regressions/acl-1033 && has err "scripts/setup --target tract@.." || return 1
    qd 2 run -t 'tract[opt=all]' --filter regressions/acl-1033 && has err "tract has no settings" || return 1
    qd 2 run -t 'openvino[lpt=half]' --filter regressions/acl-1033 && has err "openvino has lpt=on and lpt=off"
}

# Three threads divide what one computes: the rows are the same.
test_threads()
{
    needs ort@1.31.1
    qd 0 run -t 'ort@1.31.1[opt=all,threads=3]' --level smoke --jobs 2 && has out " 0 failed, " && has out "0 stale"
}

# A share of the smoke level: what differs is explained, and the rest is right.
test_tract_smoke()
{
    needs tract@0.23.9
    qd 0 run -t tract@0.23.9 --level smoke --shard 3/8 --no-diagnosis --jobs 2 && has out " 0 failed, "
}

# The same of OpenVINO, with both settings.
test_openvino_smoke()
{
    needs openvino@2026.4.1
    qd 0 run -t openvino@2026.4.1 --level smoke --shard 3/16 --no-diagnosis --jobs 2 && has out " 0 failed, "
}

# sonos/tract #2849: parameters by axis.
test_tract_before_and_after()
{
    needs tract@0.23.7
    needs tract@0.23.9
    qd 1 run -t tract@0.23.7 --no-expectations --filter regressions/executorch-16429 && has out "diagnosis: axis-ignored" &&
        qd 0 run -t tract@0.23.9 --no-expectations --filter regressions/executorch-16429
}

# What it says of one operator is explained: parameters by filter, which are read by input channel, and a scalar, whose shape its C API cannot give.
test_openvino()
{
    needs openvino@2026.4.1
    qd 1 run -t 'openvino@2026.4.1[lpt=off]' --no-expectations --filter regressions/amd-shark-ai-55 && has out "1 failed" || return 1
    qd 0 run -t openvino@2026.4.1 --filter regressions/executorch-903 && has out " 1 known, " || return 1
    qd 0 run -t openvino@2026.4.1 --filter regressions/ort-12151-rank0
}

run_tests "$@"
