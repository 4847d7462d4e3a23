#include "ort/ort.h"

/* Everything, until running tells otherwise. */
static const struct qd_target_capability rows[] = {
    {"*", "", "", ""},
};

const struct qd_target_capability *qd_ort_capabilities(const char *version, size_t *count)
{
    (void)version;
    *count = sizeof rows / sizeof *rows;
    return rows;
}
