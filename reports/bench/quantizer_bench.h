/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a quantizer answers, and how fast its answers are checked. */
#ifndef QDIFF_REPORTS_QUANTIZER_BENCH_H
#define QDIFF_REPORTS_QUANTIZER_BENCH_H

#include "run/gate_targets.h"
#include "select/selection.h"

/* Ways in which a tool is asked; QD_WAY(NAME, word, meaning) */
#define QD_WAY_LIST(QD_WAY)                                           \
    QD_WAY(RANGES, "ranges", "static, with the range of each tensor") \
    QD_WAY(DYNAMIC, "dynamic", "activations quantized at run time")   \
    QD_WAY(CALIBRATION, "calibration", "static, one run of the model to calibrate with")

#define QD_WAY_ENUM(name, word, meaning) QD_WAY_##name,
enum qd_way { QD_WAY_LIST(QD_WAY_ENUM) QD_WAY_COUNT };
#undef QD_WAY_ENUM
const char *qd_way_word(enum qd_way way);

/* Of one way, over all rounds. */
struct qd_way_lap {
    size_t requests;            /* answered in one round; 0: it can do none, and the rates are 0 */
    double least, median, most; /* requests a second, inside the tool and the protocol */
    double check_rate;          /* checks a second, without kernels */
};

struct qd_quantizer_bench {
    struct qd_way_lap ways[QD_WAY_COUNT];
    size_t answers,
        judged; /* answers that are models; those whose fidelity was judged on an output with a scale */
    double
        median_width; /* of the fidelity intervals of those, in steps: the median of the cases' medians */
};

/* Measures with the selected cases of the quantizer suite that the target answers, after one round to warm up. At most
 * 1000 rounds. */
enum qd_status qd_quantizer_measure(const struct qd_subject *target,
                                    const struct qd_selection *selection, size_t rounds,
                                    struct qd_quantizer_bench *bench, struct qd_error *error);

#endif
