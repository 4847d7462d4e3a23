/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the clocks that measure time. */
#include "qdiff/clock.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double qd_clock_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double qd_clock_cpu_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
