# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by setup and gate, after lib.sh: emulated CPUs, the rows of targets/include/qdiff/cpus.def.
# shellcheck disable=SC2154 # root and cache are lib.sh's

# cpu_rows: word, architecture, part and flags of every row, separated by tabs.
cpu_rows()
{
    perl -0777 -ne '$text = qr/"([^"]*)"\s*/;
        print "$1\t$2\t$4\t$5\n" while /^QD_CPU\($text,\s*$text,\s*$text,\s*$text,\s*$text,/mg' \
        "$root/targets/include/qdiff/cpus.def"
}

# cpu_words: one a line.
cpu_words()
{
    cpu_rows | cut -f1
}

# names_cpu NAME: whether a target's name has the setting cpu=.
names_cpu()
{
    [[ $1 =~ ^[a-z]+(@[0-9.]+)?\[(.*,)?cpu=[^],]*(,.*)?\]$ ]]
}

# cpu_of NAME: its row.
cpu_of()
{
    local word=${1##*cpu=} row
    word=${word%%[],]*}
    row=$(cpu_rows | awk -F '\t' -v word="$word" '$1 == word')
    [ -n "$row" ] || die 2 "no CPU '$word'; there are: $(cpu_words | paste -sd ' ')"
    echo "$row"
}

# make_root WORD PART FLAGS: the files that an emulated Arm core is known by. The emulator would show the host's, in
# which ONNX Runtime looks for Arm's fields and finds a null pointer.
make_root()
{
    local place=$cache/aarch64/cpu/$1 system
    system=$place/sys/devices/system/cpu
    mkdir -p "$place/proc" "$system"
    ln -sfn /usr/aarch64-linux-gnu/lib "$place/lib"
    echo 0 >"$system/possible"
    echo 0 >"$system/present"
    printf '%s\t: %s\n' processor 0 BogoMIPS 100.00 Features "$3" 'CPU implementer' 0x41 'CPU architecture' 8 \
        'CPU variant' 0x0 'CPU part' "$2" 'CPU revision' 0 >"$place/proc/cpuinfo"
}

# make_cpu NAME: what is not a package or a download: on Arm, qdiff-serve and the core's files.
make_cpu()
{
    local word architecture part flags
    IFS=$'\t' read -r word architecture part flags < <(cpu_of "$1")
    if [ "$architecture" = aarch64 ]; then
        if [ "${served_aarch64-}" != yes ]; then
            build serve-aarch64
            mkdir -p "$cache/aarch64/bin"
            install -m 755 "$root/build/serve-aarch64/bin/qdiff-serve" "$cache/aarch64/bin/.qdiff-serve"
            mv "$cache/aarch64/bin/.qdiff-serve" "$cache/aarch64/bin/qdiff-serve"
            served_aarch64=yes
        fi
        make_root "$word" "$part" "$flags"
    fi
}
