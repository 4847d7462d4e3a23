#!/usr/bin/env bash
# usage: scripts/install_test.sh [NAME…]
#
# A stranger's day, as TAP: install qdiff, build the example plug-in against what was installed, check
# it and gate with it. Installs the build of preset dev into a temporary directory.

# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/tap.sh
. "$root/scripts/tap.sh"

case ${1-} in
    -h | --help) usage; exit 0 ;;
esac

build=$root/build/dev
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
qdiff=$scratch/prefix/bin/qdiff

test_installs_one_header()
{
    cmake --install "$build" --prefix "$scratch/prefix"
    [ "$(find "$scratch/prefix/include" -type f)" = "$scratch/prefix/include/qdiff/target.h" ]
}

test_installs_the_host()
{
    "$scratch/prefix/bin/qdiff-serve" --help | grep -F 'usage: qdiff-serve'
}

# Every verb has its section, and bash completes verbs, options and levels.
test_installs_manual_and_completion()
{
    local verb COMP_WORDS COMP_CWORD COMPREPLY=()
    for verb in $("$qdiff" help | sed -n '/^verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
        grep -qx "\.SS \"${verb//-/\\\\-}\"" "$scratch/prefix/share/man/man1/qdiff.1" || { echo "no section $verb"; return 1; }
    done
    [ -n "$verb" ] || return 1
    # shellcheck source=/dev/null
    . "$scratch/prefix/share/bash-completion/completions/qdiff"
    completes run qdiff ru && completes "smoke full exhaustive" qdiff run --level "" && completes --end-to-end qdiff locate --end &&
        completes verdicts qdiff help verd && completes iree qdiff run -t ir
}

# completes WORDS LINE...: the last word of the line.
completes()
{
    local want=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _qdiff
    [ "${COMPREPLY[*]}" = "$want" ] || { echo "$*: ${COMPREPLY[*]}"; return 1; }
}

test_builds_the_example_by_package()
{
    cp -r "$scratch/prefix/share/qdiff/example" "$scratch/example"
    cmake -G Ninja -S "$scratch/example" -B "$scratch/example/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
        -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
    cmake --build "$scratch/example/build"
    grep -F "qdiff_DIR:PATH=$scratch/prefix/" "$scratch/example/build/CMakeCache.txt"
    "$qdiff" run --target "$scratch/example/build/libexample.so" --op QuantizeLinear --level smoke
}

test_builds_the_example()
{
    "${CC:-cc}" -std=c11 -Wall -Werror -shared -fPIC -I"$scratch/prefix/include" \
        "$scratch/prefix/share/qdiff/example/example.c" -o "$scratch/libexample.so" -lm
}

test_check_target_passes()
{
    cd "$scratch"
    "$qdiff" check-target ./libexample.so
}

test_gates_what_is_served()
{
    cd "$scratch"
    "$qdiff" run --target "worker:$scratch/prefix/bin/qdiff-serve ./libexample.so" --level smoke >served.tap
    grep -E '^# elements: [1-9][0-9]* compared' served.tap
}

# qdiff finds the qdiff-serve that was installed with it.
test_emulates_a_cpu()
{
    [ -n "$(command -v qemu-x86_64)" ] ||
        { echo "no qemu-x86_64 here: scripts/setup --target 'ort@1.31.1[cpu=haswell]'"; return 77; }
    "$qdiff" run --target 'reference[cpu=haswell]' --op QuantizeLinear --level smoke >"$scratch/cpu.tap"
    grep -E '^# target reference\[cpu=haswell\]: [1-9][0-9]* passed, 0 failed, ' "$scratch/cpu.tap"
}

# The row expects what never happens and selects nothing that runs: it may not disturb.
test_gates_with_expectations()
{
    cd "$scratch"
    printf 'op:Gemm\t*\t*\twrong-value\t*\t*\thttps://example.org/1\ta row of another operator\n' >mine.tsv
    "$qdiff" run --target ./libexample.so --expectations mine.tsv --op QuantizeLinear --level smoke \
        --results r.jsonl >run.tap
    grep -E '^# elements: [1-9][0-9]* compared' run.tap
}

test_finds_the_installed_cases()
{
    "$qdiff" list --filter 'regressions/*' >"$scratch/list"
    grep -x 'regressions/ort-28456-u8' "$scratch/list"
}

tap_run test "installs_one_header installs_the_host installs_manual_and_completion builds_the_example builds_the_example_by_package check_target_passes \
gates_with_expectations emulates_a_cpu gates_what_is_served finds_the_installed_cases" "$@"
