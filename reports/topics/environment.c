/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help environment`: the one list of environment variables (environment.def). */
#include <string.h>

#include "command/command.h"

static const struct row {
    const char *reader, *name, *standard, *meaning;
} rows[] = {
#define QD_VARIABLE(reader, name, standard, meaning) {reader, name, standard, meaning},
#include "environment.def"
#undef QD_VARIABLE
};

void qd_topic_environment(FILE *out)
{
    const char *reader = "";

    fputs("qdiff is steered by options; these variables are for places, harnesses and tests.\n",
          out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].reader, reader) != 0)
            fprintf(out, "\nread by %s:\n", rows[i].reader);
        reader = rows[i].reader;
        fprintf(out, "  %-22s ", rows[i].name);
        qd_help_wrapped(out, rows[i].meaning, 25);
        fprintf(out, "%25sdefault: ", "");
        qd_help_wrapped(out, rows[i].standard, 25 + sizeof "default: " - 1);
    }
}
