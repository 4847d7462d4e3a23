/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can do. Internal to the targets layer. */
#ifndef QDIFF_CPU_H
#define QDIFF_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "qdiff/status.h"

#define QD_CPU_FLAGS_SIZE 8192

/* The flags of the CPU that a target with these settings runs on, each between spaces: " fpu vme … ": by the row of
 * cpu=…, else of the first processor in /proc/cpuinfo. IO. */
enum qd_status qd_cpu_flags(const char *settings, char *flags, size_t size, struct qd_error *error);

/* Whether flags fulfil a comma-separated condition such as "avx512_vnni,!amx_int8"; "*" is always fulfilled. */
bool qd_cpu_fulfils(const char *flags, const char *condition);

#endif
