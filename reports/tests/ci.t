#!/usr/bin/env bash
# Shards on many machines: what scripts/ci/shard and join do under GNU parallel, with a shard that is killed, in a Slurm array,
# and by the command of the Kubernetes Job, is what one run does; the templates fit their schemas. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/ci.t [NAME…]
#
# The schemas are those of check-jsonschema and kubernetes-validate (pip install check-jsonschema kubernetes-validate), GNU parallel, slurm-wlm and munge are Debian's packages; without
# them their tests are skipped.
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

# A Slurm cluster of this machine alone, in $scratch/slurm, on the loopback address; it ends with the test.
start_slurm()
{
    local home=$scratch/slurm host
    host=$(hostname -s)
    mkdir -p "$home/state" "$home/spool"
    chmod 755 "$scratch" # munge wants to reach its socket
    head -c 1024 /dev/urandom >"$home/munge.key"
    chmod 600 "$home/munge.key"
    cat >"$home/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
EOF
    export SLURM_CONF=$home/slurm.conf
    trap stop_slurm EXIT # of this test's shell
    munged --force --socket "$home/munge.socket" --key-file "$home/munge.key" --log-file "$home/munge.log" \
        --pid-file "$home/munged.pid" --seed-file "$home/munge.seed" && slurmctld && slurmd
}

stop_slurm()
{
    local daemon
    for daemon in slurmd slurmctld munged; do
        [ ! -s "$scratch/slurm/$daemon.pid" ] || kill "$(cat "$scratch/slurm/$daemon.pid")"
    done
}

test_slurm_array_is_the_run()
{
    local array
    if ! command -v slurmctld slurmd munged sbatch >/dev/null || [ "$(id -u)" -ne 0 ]; then
        echo "Slurm is not installed, or this is not root: apt-get install slurm-wlm munge"
        exit 77
    fi
    qd 1 run -t "$wrong" "${narrow[@]}" --results "$scratch/run.jsonl" || return 1
    start_slurm || return 1
    cat >"$scratch/job" <<EOF
#!/bin/bash
exec "$ci/shard" "\$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT" "$scratch/array" -t "$wrong" ${narrow[*]@Q}
EOF
    array=$(sbatch --parsable --array=1-4 --output=/dev/null "$scratch/job") &&
        sbatch --wait --dependency="afterok:$array" --output="$scratch/joined.log" --wrap "'$ci/join' '$scratch/array'"
    [ $? = 1 ] || { cat "$scratch/joined.log"; return 1; } # the job's exit code is join's: the run has failures
    records run.jsonl | sort >"$scratch/a"
    records array/all.jsonl | sort >"$scratch/b"
    [ "$(wc -l <"$scratch/a")" -gt 100 ] && same a b
}

# What each pod of the Kubernetes Job does: its command, with the places of this machine for those of the image.
test_kubernetes_indexes_are_the_run()
{
    local line index
    qd 1 run -t "$wrong" "${narrow[@]}" --results "$scratch/run.jsonl" || return 1
    line=$(sed -n "s|^ *- exec /opt/qdiff/|exec $root/|p" "$ci/kubernetes.yml" | sed "s| /results | $scratch/pods |; s| --level full||")
    [ -n "$line" ] || { echo "no command"; return 1; }
    for index in 0 1 2; do
        env JOB_COMPLETION_INDEX="$index" SHARDS=3 TARGET="$wrong" bash -ec "$line ${narrow[*]@Q}" 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
    done
    "$ci/join" "$scratch/pods" 2>"$scratch/err"
    [ $? = 1 ] || { cat "$scratch/err"; return 1; }
    records run.jsonl | sort >"$scratch/a"
    records pods/all.jsonl | sort >"$scratch/b"
    [ "$(wc -l <"$scratch/a")" -gt 100 ] && same a b
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

test_kubernetes_job_fits_its_schema()
{
    local check shards
    check=$(command -v kubernetes-validate) || { echo "kubernetes-validate is not in the PATH: pip install kubernetes-validate"; exit 77; }
    "$check" --strict "$ci/kubernetes.yml" >"$scratch/checked" 2>&1 || { cat "$scratch/checked"; return 1; }
    [ "$(grep -c passed "$scratch/checked")" = 2 ] || { cat "$scratch/checked"; return 1; } # the claim and the Job
    # and says one number of shards
    shards=$(sed -nE 's/^ *- \{ name: SHARDS, value: "([0-9]+)" \}$/\1/p' "$ci/kubernetes.yml")
    [ "$(grep -cE "^ *completions: $shards\$" "$ci/kubernetes.yml")" = 1 ]
}

test_templates_fit_their_schemas()
{
    local check
    check=$(command -v check-jsonschema) || { echo "check-jsonschema is not in the PATH: pip install check-jsonschema"; exit 77; }
    "$check" --builtin-schema vendor.github-actions "$ci/github/action.yml" &&
        "$check" --builtin-schema vendor.github-workflows "$ci/github/gate.yml" "$root/.github/workflows/clusterfuzzlite.yml" &&
        "$check" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci "$ci/gitlab.yml" || return 1
    # and what they call is there
    grep -ohE '(\.\./|scripts/ci/)(shard|join)' "$ci/github/action.yml" "$ci/gitlab.yml" | sed 's|.*/||' | sort -u >"$scratch/called"
    while read -r name; do
        [ -x "$ci/$name" ] || { echo "no $name"; return 1; }
    done <"$scratch/called"
    [ "$(wc -l <"$scratch/called")" = 2 ]
}

run_tests "$@"
