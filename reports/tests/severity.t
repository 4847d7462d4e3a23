#!/usr/bin/env bash
# How much a divergence weighs, and the clause that it breaks, from outside. usage: reports/tests/severity.t [NAME…]

# SPDX-License-Identifier: Apache-2.0
# shellcheck source=reports/tests/harness.sh
. "$(dirname "$0")/harness.sh"

template=$root/targets/process/python/template.py

# What has to be refused and is not costs nothing unless that is asked for.
test_advisories_do_not_fail()
{
    qd 0 run -t "$template" -f 'reject/Identity/*' -r "$scratch/advisory.jsonl" &&
        has out "# TODO advisory, accepts-invalid: Identity-" && has out "# advisory: " && has err " advisory, " &&
        lacks out "severity:" || return 1
    qd 0 merge "$scratch/advisory.jsonl" && has out '"kind": "advisory"' && has err " 4 advisory, " || return 1
    qd 1 run -t "$template" -f 'reject/Identity/*' --strict -r "$scratch/strict.jsonl" &&
        has out "  severity: advisory" && has out '  clause: "Identity-' && lacks out "# advisory: " || return 1
    qd 1 merge "$scratch/strict.jsonl" && has out '"severity": "advisory"'
}

# A row about an advisory is a row like others.
test_rows_cover_advisories()
{
    printf 'reject/Identity/*\t*\t*\taccepts-invalid\t*\t*\thttps://example.org/1\tnot looked at\n' >"$scratch/mine.tsv"
    qd 0 run -t "$template" -f 'reject/Identity/*' -e "$scratch/mine.tsv" --strict &&
        has out "# TODO https://example.org/1" && lacks out "# advisory: "
}

test_a_divergence_cites_its_clause()
{
    qd 1 run -t quirk:zero-point-sign-extended -f regressions/ort-28456-u8 &&
        has out "  severity: wrong" && has out '  clause: "QLinearConv-10: \"' || return 1
    qd 1 run -t "$plugins/misbehave_plugin.so[do=crash]" -f regressions/ort-28456-u8 && has out "  severity: robustness"
}

# sigmoid OFF: a worker that adds OFF to every Sigmoid.
sigmoid()
{
    cat >"$scratch/sigmoid.py" <<EOF
#!/usr/bin/env python3
import math, struct
from qdiff_worker import Capability, Tensor, Worker, serve
class Mine(Worker):
    name, version, capabilities = "mine", "1", [Capability("Sigmoid")]
    def prepare(self, model):
        return None
    def run(self, prepared, inputs, wanted):
        data = inputs[0].tobytes() if hasattr(inputs[0], "tobytes") else inputs[0].data
        x = struct.unpack("<%df" % (len(data) // 4), data)
        y = [1 / (1 + math.exp(-v)) + $1 for v in x]
        return [Tensor(1, (len(x),), struct.pack("<%df" % len(y), *y))]
serve(Mine)
EOF
    chmod +x "$scratch/sigmoid.py"
}

# The page of Sigmoid says nothing about accuracy; something else than a sigmoid is wrong all the same.
test_an_approximation_is_advisory()
{
    sigmoid 0.005
    qd 0 run -t "$scratch/sigmoid.py" -f reject/Sigmoid/valid-vector &&
        has out "# TODO advisory, wrong-value: Sigmoid-" && has out "no sentence says how accurate" || return 1
    sigmoid 0.05
    qd 1 run -t "$scratch/sigmoid.py" -f reject/Sigmoid/valid-vector && has out "  severity: wrong"
}

run_tests "$@"
