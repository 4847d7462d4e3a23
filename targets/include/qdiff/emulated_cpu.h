/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs as settings: ort[cpu=haswell] is ort on that CPU, emulated. qdiff itself and the reference run natively.
 *
 * A built-in target of C functions takes the setting cpu=<word>; the words are the rows of cpus.def. */
#ifndef QDIFF_EMULATED_CPU_H
#define QDIFF_EMULATED_CPU_H

#include "qdiff/session.h"

struct qd_emulated_cpu {
    const char *word;         /* "haswell" */
    const char *architecture; /* "x86_64", "aarch64": the emulator is qemu-<architecture> */
    const char *model;        /* for -cpu */
    const char *part;         /* of an Arm core, as in /proc/cpuinfo; "" on x86 */
    const char *flags; /* what the CPU column of expectations is asked about, separated by blanks */
    const char *meaning; /* one sentence */
};

/* Row i, NULL past the end. */
const struct qd_emulated_cpu *qd_emulated_cpu_at(size_t i);

/* The CPU that settings such as "opt=all,cpu=haswell" name, NULL if they name none or one that there is not. */
const struct qd_emulated_cpu *qd_emulated_cpu_of(const char *settings);

/* Takes cpu=<word> out of a name's settings: *cpu is NULL if they have none. USAGE names the words that there are. */
enum qd_status qd_emulated_cpu_take(struct qd_target_name *name, const struct qd_emulated_cpu **cpu,
                                    struct qd_error *error);

/* Adds it to settings that have none; USAGE when they become too long. */
enum qd_status qd_emulated_cpu_put(struct qd_target_name *name, const struct qd_emulated_cpu *cpu,
                                   struct qd_error *error);

#endif
