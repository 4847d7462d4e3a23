#!/usr/bin/env bash
# Shards on many machines: what scripts/ci/shard and join do under GNU parallel, with a shard that is killed, is what one run
# does; the templates for GitHub and GitLab fit their schemas. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/ci.t [NAME…]
#
# The schemas are those of check-jsonschema (pip install check-jsonschema), GNU parallel is Debian's package; without them their tests
# are skipped.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

export QDIFF=$qdiff
ci=$root/scripts/ci
wrong=quirk:rounding=truncate
narrow=(--level smoke --filter 'QLinearConv/*' --no-diagnosis)

# A qdiff that is killed in the middle of its first shard 2, wherever that is then.
dying_qdiff()
{
    cat >"$scratch/dying" <<EOF
#!/bin/bash
if [[ "\$*" == *"--shard 2/"* ]] && mkdir "$scratch/died" 2>/dev/null; then
    "$qdiff" "\$@" &
    sleep 0.2
    kill -9 \$!
    wait \$!
    exit 137
fi
exec "$qdiff" "\$@"
EOF
    chmod +x "$scratch/dying"
}

test_parallel_shards_are_the_run()
{
    command -v parallel >/dev/null || { echo "GNU parallel is not installed: apt-get install parallel"; exit 77; }
    qd 1 run -t "$wrong" "${narrow[@]}" --results "$scratch/run.jsonl" --junit "$scratch/run.xml" || return 1
    dying_qdiff
    QDIFF=$scratch/dying parallel --will-cite --jobs 2 --retries 3 "$ci/shard" {}/4 "$scratch/joined" -t "$wrong" \
        --level smoke --filter "'QLinearConv/*'" --no-diagnosis ::: 1 2 3 4 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
    [ -d "$scratch/died" ] || { echo "no shard was killed"; return 1; }
    "$ci/join" "$scratch/joined" 2>"$scratch/err"
    [ $? = 1 ] || { cat "$scratch/err"; return 1; }
    records run.jsonl | sort >"$scratch/a"
    records joined/all.jsonl | sort >"$scratch/b"
    [ "$(wc -l <"$scratch/a")" -gt 100 ] && same a b || return 1
    sort "$scratch/run.xml" >"$scratch/a" && sort "$scratch/joined/junit.xml" >"$scratch/b" && same a b || return 1
    has joined/summary.md "new**" && has joined/summary.md "failures have"
}

# What is lost is named, and fails.
test_a_lost_shard_is_named()
{
    local shard
    for shard in 1 3; do
        "$ci/shard" "$shard/3" "$scratch/lost" -t "$wrong" "${narrow[@]}" 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
    done
    "$ci/join" "$scratch/lost" 2>"$scratch/err"
    [ $? = 4 ] && has err "not here: shard 2/3" && has lost/junit.xml "every shard is here" || return 1
    # One that was killed when its file was half written is no shard that ran.
    head -n 3 "$scratch/lost/shard-1.jsonl" >"$scratch/half" && cp "$scratch/half" "$scratch/lost/shard-1.jsonl"
    "$ci/join" "$scratch/lost" 2>"$scratch/err"
    [ $? = 4 ] && has err "shard-1.jsonl: the run was cut short"
}

# A target that cannot be used is no red or green shard, but a failure of the job.
test_a_shard_that_cannot_run_fails()
{
    local status=0
    "$ci/shard" 1/2 "$scratch/none" -t ort@0.0.1 "${narrow[@]}" 2>"$scratch/err" || status=$?
    [ "$status" = 3 ] || { echo "exit $status"; return 1; }
    status=0
    "$ci/shard" 1 "$scratch/none" -t reference 2>"$scratch/err" || status=$?
    [ "$status" = 2 ] && has err "usage: scripts/ci/shard"
}

test_templates_fit_their_schemas()
{
    local check
    check=$(command -v check-jsonschema) || { echo "check-jsonschema is not in the PATH: pip install check-jsonschema"; exit 77; }
    "$check" --builtin-schema vendor.github-actions "$ci/github/action.yml" &&
        "$check" --builtin-schema vendor.github-workflows "$ci/github/gate.yml" &&
        "$check" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci "$ci/gitlab.yml" || return 1
    # and what they call is there
    grep -ohE '(\.\./|scripts/ci/)(shard|join)' "$ci/github/action.yml" "$ci/gitlab.yml" | sed 's|.*/||' | sort -u >"$scratch/called"
    while read -r name; do
        [ -x "$ci/$name" ] || { echo "no $name"; return 1; }
    done <"$scratch/called"
    [ "$(wc -l <"$scratch/called")" = 2 ]
}

run_tests "$@"
