# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by setup, after lib.sh: Python environments of worker targets, from their lock files.
# shellcheck disable=SC2154 # root and cache are lib.sh's

# lock_of NAME[@VERSION]: the lock file; without a version that of the newest release.
lock_of()
{
    local name=${1%%@*} version=
    [[ $1 == *@* ]] && version=${1#*@}
    local directory=$root/targets/${name//-/_} lock
    if [ -n "$version" ]; then
        lock=$directory/$version.lock
    else
        lock=$(find "$directory" -name '*.lock' 2>/dev/null | sort -V | tail -n 1 || true)
    fi
    if [ -z "$lock" ] || [ ! -e "$lock" ]; then
        die 2 "no target '$1'; there are: $(list_locks)"
    fi
    echo "$lock"
}

# list_locks: name@version of every lock file.
list_locks()
{
    local lock name
    for lock in "$root"/targets/*/*.lock; do
        name=$(basename "$(dirname "$lock")")
        echo -n "${name//_/-}@$(basename "$lock" .lock) "
    done
}

# fill_environment PLACE LOCK: with Debian's python3, for which the wheels are locked, whatever
# environment is active.
fill_environment()
{
    /usr/bin/python3 -m venv "$1" || return
    if grep -q '^[^#]' "$2"; then
        "$1/bin/python" -m pip --quiet --disable-pip-version-check --no-input install \
            --no-deps --only-binary=:all: --require-hashes -r "$2" || return
    fi
    local beside
    beside=$(beside_of "$2")
    if [ -n "$beside" ]; then # its packages come after the environment's own
        (cd "$cache/python/${beside/@/-}"/lib/python3*/site-packages && pwd) \
            >"$(echo "$1"/lib/python3*/site-packages)/beside.pth"
    fi
}

# beside_of LOCK: the NAME@VERSION whose packages the environment has under its own.
beside_of()
{
    sed -n 's/^# beside: //p' "$1"
}

# make_environment NAME[@VERSION]: once; `ready` holds the hash of the lock file it was made from.
make_environment()
{
    local lock name version place hash bytes beside
    lock=$(lock_of "$1")
    beside=$(beside_of "$lock")
    [ -z "$beside" ] || make_environment "$beside"
    name=$(basename "$(dirname "$lock")")
    version=$(basename "$lock" .lock)
    place=$cache/python/${name//_/-}-$version
    hash=$(sha256sum "$lock" | cut -d' ' -f1)
    if [ "$(cat "$place/ready" 2>/dev/null)" = "$hash" ]; then
        say "${name//_/-}@$version is set up at $place"
        return
    fi
    bytes=$(sed -n 's/^# bytes: //p' "$lock")
    say "${name//_/-}@$version: downloading $(megabytes "$bytes"), unpacked to $place; log in $cache/python/.log"
    mkdir -p "$cache/python"
    exec 8>"$cache/python/.lock" # two runs at once would write to one place
    flock 8
    rm -rf "$place"
    if ! fill_environment "$place" "$lock" >"$cache/python/.log" 2>&1; then
        cat "$cache/python/.log" >&2
        rm -rf "$place"
        die 4 "cannot set up $1; try again"
    fi
    echo "$hash" >"$place/ready"
    downloads=$((downloads + 1))
}
