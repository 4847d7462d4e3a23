# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the other scripts.
# shellcheck disable=SC2034 # they use the variables

shopt -s inherit_errexit # a failure inside $(…) counts too

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${QDIFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/qdiff}
jobs=$(nproc)

# usage: print the comment block that heads the script.
usage()
{
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
}

# die STATUS TEXT…
die()
{
    local status=$1
    shift
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit "$status"
}

# debian_mirror: the root of the archive that this machine's own apt reads Debian main from.
debian_mirror()
{
    # shellcheck disable=SC2016 # apt-get expands it
    apt-get indextargets --format '$(REPO_URI)' \
        'Created-By: Packages' 'Origin: Debian' 'Component: main' | grep -v security | head -n 1
}

# test_programs PRESET: its built tests, relative to the root.
test_programs()
{
    (cd "$root" && find "build/$1/tests" -name '*_test' -type f -perm -u+x 2>/dev/null | sort)
}

# show_progress: of the lines [STEP/STEPS] … that ninja writes, one a while; the first after five seconds.
show_progress()
{
    local line next=$((SECONDS + 5))
    while IFS= read -r line; do
        if ((SECONDS >= next)) && [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
            printf '%s:   %s of %s steps\n' "$(basename "$0")" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
            next=$((SECONDS + 15))
        fi
    done
}

# build PRESET [cmake --build arguments]: configure and build, in detail only when it fails.
build()
{
    local preset=$1 log=$root/build/$1.log
    shift
    mkdir -p "$root/build"
    printf '%s: building preset %s, log in build/%s.log\n' "$(basename "$0")" "$preset" "$preset" >&2
    # cleandead: what a file that is gone was built to, an old test for example, goes too.
    if ! (
        set -o pipefail
        (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" "$@" &&
            ninja -C "build/$preset" -t cleandead) 2>&1 | tee "$log" | show_progress
    ); then
        grep -vE '^\[[0-9]+/[0-9]+\] |^$' "$log" >&2
        return 1
    fi
}
