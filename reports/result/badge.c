/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a badge. */
#include "result/badge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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

enum qd_status qd_badge_save(const struct qd_summary *summary, const char *path,
                             struct qd_error *error)
{
    if (!path)
        return QD_OK;
    FILE *out = fopen(path, "we");
    if (out)
        qd_badge_write(summary, out);
    return out && fclose(out) == 0
               ? QD_OK
               : qd_fail(error, QD_INTERNAL, "--badge %s: %s", path, strerror(errno));
}
