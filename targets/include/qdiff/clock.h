/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks to measure with. */
#ifndef QDIFF_CLOCK_H
#define QDIFF_CLOCK_H

/* Seconds since some moment in the past, by a clock that nobody sets. */
double qd_clock_seconds(void);

/* CPU-seconds that the process has taken, all its threads together. */
double qd_clock_cpu_seconds(void);

#endif
