# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by shard and join.
# shellcheck disable=SC2034 # they use the variables

# usage: print the comment block that heads the script.
usage()
{
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
}

# is_whole FILE: whether it ends with the summary of a run that was not cut short.
is_whole()
{
    tail -n 1 "$1" 2>/dev/null | grep -q '^{"record": "summary", "complete": true'
}

built=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build/release/bin/qdiff
qdiff=${QDIFF:-$built}
if [ -z "${QDIFF-}" ] && [ ! -x "$built" ]; then
    qdiff=qdiff
fi
