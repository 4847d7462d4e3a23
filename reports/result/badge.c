/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a badge. */
#include "result/badge.h"

#include <inttypes.h>

#include "text/json_write.h"

void qd_badge_write(const struct qd_summary *summary, FILE *out)
{
    const int64_t *results = summary->total.results;
    int64_t passed = results[QD_RESULT_PASS] - summary->total.verdicts[QD_VERDICT_UNSPECIFIED];
    int64_t all = summary->comparisons;
    char message[64] = "nothing was compared";
    struct qd_json json;

    /* Rounded down: only what passes everything has 100 %. */
    if (all > 0) {
        int64_t tenths = passed * 1000 / all;

        snprintf(message, sizeof message, "%" PRId64 ".%" PRId64 " %%, %" PRId64 " new",
                 tenths / 10, tenths % 10, results[QD_RESULT_FAIL]);
    }
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_int(&json, "schemaVersion", 1);
    qd_json_string(&json, "label", "conformance");
    qd_json_string(&json, "message", message);
    qd_json_string(&json, "color", qd_summary_exit(summary) == QD_EXIT_OK ? "brightgreen" : "red");
    qd_json_close(&json, '}');
    fputc('\n', out);
}
