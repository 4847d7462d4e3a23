#include "ort/ort.h"
#include "qdiff/session.h"
#include "quirk/quirk.h"

/* A target that comes with qdiff has no versions of its own. */
static enum qd_status no_versions(struct qd_arena *arena, const char *const **versions,
                                  struct qd_error *error)
{
    static const char *const none[] = {NULL};
    (void)arena, (void)error;
    *versions = none;
    return QD_OK;
}

static const char *const plain[] = {"", NULL};

static const struct qd_builtin_target builtins[] = {
    {"ort", "ONNX Runtime's CPU execution provider, through its C API", "scripts/setup",
     &qd_ort_target, NULL, qd_ort_versions, qd_ort_configs},
    {"reference", "qdiff's own reference under the default semantics: the harness tested on itself",
     "", &qd_quirk_target, NULL, no_versions, plain},
    {"quirk", "the reference under known wrong semantics: quirk:<name>[+...] (qdiff quirks)", "",
     &qd_quirk_target, NULL, no_versions, plain},
};

const struct qd_builtin_target *qd_builtin_target_at(size_t i)
{
    return i < sizeof builtins / sizeof *builtins ? &builtins[i] : NULL;
}
