/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help fields`: the one list of what stands below a red line (fields.def). */
#include "command/command.h"

static const struct row {
    const char *name, *meaning;
} rows[] = {
#define QD_FIELD(name, meaning) {name, meaning},
#include "fields.def"
#undef QD_FIELD
};

void qd_topic_fields(FILE *out)
{
    fputs("What stands below a red line (not ok) of TAP, in this order; what is empty is left out. "
          "A\n"
          "results file (--results) has the same as JSON, and in \"answers\" every element that is "
          "not\n"
          "canonical: \"17!-3 18~4\" is the flat index, ! wrong or ~ admissible, and the value; ; "
          "is\n"
          "between outputs (reports/README.md, \"Results files\").\n\n",
          out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(out, "  %-12s ", rows[i].name);
        qd_help_wrapped(out, rows[i].meaning, 15);
    }
}
