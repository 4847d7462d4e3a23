#!/usr/bin/env bash
# usage: fuzz/oss-fuzz/build.sh, with CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and SRC in the environment
#
# Builds every harness for OSS-Fuzz or ClusterFuzzLite. $OUT gets, for each: the program, which needs no shared library but
# the C and C++ ones and what is in $OUT/lib, <name>_seed_corpus.zip, <name>.dict and <name>.options. No target is there: the
# harnesses hold the reference against itself, its second implementation, its mutants and hostile bytes.
# fuzz_diff takes a target at run time (QDIFF_TARGET, or fuzz_diff.target beside it).
#
# $SRC holds qdiff and onnx, as the Dockerfile puts them there; WORK is where it builds.

# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

source=$SRC/qdiff
work=${WORK:-$SRC/work}/qdiff
: "${CC:?}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}" "${OUT:?}"

# static NAME: what the machine that fuzzes does not have goes into the program.
static()
{
    local library
    library=$("$CC" -print-file-name="lib$1.a")
    [ "$library" != "lib$1.a" ] || { echo "build.sh: no lib$1.a" >&2; exit 1; }
    echo "$library"
}

# Debian and Ubuntu have no static cmocka, which the second implementation's assertions are made with.
mkdir -p "$OUT/lib"
cp -L "$("$CC" -print-file-name=libcmocka.so.0)" "$OUT/lib/"

# UBSan checks __int128 products with __muloti4, which libgcc lacks.
builtins=$("$CC" --rtlib=compiler-rt -print-libgcc-file-name)
[ -e "$builtins" ] || builtins=

# Flags, engine and sanitizer are the environment's: CMake adds no optimisation of its own.
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DQD_TESTS=ON \
    -DQD_FUZZING_ENGINE="$LIB_FUZZING_ENGINE${builtins:+;$builtins}" \
    -DQD_ONNX_PROTO_ROOT="$SRC/onnx" \
    -DQD_TARGET_ORT=OFF \
    -Dpkgcfg_lib_qd_protobuf_c_protobuf-c="$(static protobuf-c)" \
    -Dpkgcfg_lib_qd_jansson_jansson="$(static jansson)" -Dpkgcfg_lib_qd_nettle_nettle="$(static nettle)" \
    -Dpkgcfg_lib_qd_gmp_gmp="$(static gmp)" -Dpkgcfg_lib_qd_mpfr_mpfr="$(static mpfr)" \
    -Dpkgcfg_lib_qd_mpfr_gmp="$(static gmp)" \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,--as-needed" -DCMAKE_BUILD_RPATH="\$ORIGIN/lib"
ninja -C "$work" fuzzers

# words: names that models are made of: operators, types, attributes.
words()
{
    sed -n 's/^ *\.name = "\([A-Za-z0-9]*\)".*/\1/p' "$source"/reference/ops/*.c
    printf '%s\n' axis auto_pad block_size ceil_mode dilations group kernel_shape mode pads perm \
        saturate strides to ai.onnx com.microsoft
}

words | sort -u | awk '{ printf "\"%s\"\n", $0 }' >"$work/words.dict"
for file in "$source"/fuzz/fuzz_*.c "$source"/reports/*/fuzz_*.c; do
    name=$(basename "$file" .c)
    cp "$work/bin/$name" "$OUT/$name"
    cp "$work/words.dict" "$OUT/$name.dict"
    cp "$source/fuzz/oss-fuzz/options" "$OUT/$name.options"
    grep -q '\.seed = ' "$file" || # such a harness makes its own; the corpus holds cases
        (cd "$work/corpus" && cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip -- */*)
done
